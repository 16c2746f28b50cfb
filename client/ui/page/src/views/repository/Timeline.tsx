import { useState } from "preact/hooks";
import type { VersionEvent } from "../../api/events";
import { Empty, Panel } from "../../parts/Panel";
import { Text } from "../../parts/Text";
import { versions } from "../../state/live";
import { headVersion } from "../../state/repo";
import { linkTo } from "../../state/route";
import { countOf, formatSpan, formatTime, timeOfVersion } from "../../text/format";

const SHOWN = 40;

/** The versions of a repository as they are made, the newest first. */
export function Timeline({ repo }: { repo: string }) {
  const all = versions.value.filter((version) => version.repo === repo);
  const head = headVersion.value;
  const at = timeOfVersion(head);
  return (
    <Panel title="Versions" aside={<small>{all.length > 0 && `${countOf(all.length, "version")} seen by this page`}</small>}>
      {all.length === 0 && (
        <Empty>
          The newest version is <code><Text of={head || "not there yet"} /></code>
          {at === null ? "" : `, made at ${formatTime(at)}`}. Save a file in the repository: the edit appears here at once.
        </Empty>
      )}
      <ol class="rows scroll" aria-label="Versions, the newest first" aria-live="off" tabIndex={0}>
        {all.slice(0, SHOWN).map((version, place) => (
          <Version key={version.version} version={version} before={all[place + 1]} />
        ))}
      </ol>
    </Panel>
  );
}

function Version({ version, before }: { version: VersionEvent; before: VersionEvent | undefined }) {
  const [open, setOpen] = useState(false);
  const { files, symbols } = version;
  const name = files[0]?.path ?? "no file";
  const from = before?.version ?? "previous";
  return (
    <li class="version-row">
      <div class="row-line">
        <span class="quiet" title={version.version}>{formatTime(version.at)}</span>
        <button type="button" class="row-link grow" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span class="grow">
            <code><Text of={name} /></code>
            {files.length > 1 && <span class="quiet"> and {files.length - 1} more</span>}
          </span>
        </button>
        <Counts symbols={symbols} />
        <span class="number quiet">{version.ms > 0 && formatSpan(version.ms)}</span>
        <a href={linkTo("delta", { from, to: version.version })} aria-label={`What changed in ${version.version}`}>delta</a>
      </div>
      {open && (
        <ul class="version-files">
          {files.map((file) => (
            <li key={file.path}>
              <span class="tag"><Text of={file.change} /></span> <code><Text of={file.path} /></code>
            </li>
          ))}
          <li class="quiet"><code><Text of={version.version} /></code></li>
        </ul>
      )}
    </li>
  );
}

/** How many symbols came, changed and went. */
function Counts({ symbols }: { symbols: VersionEvent["symbols"] }) {
  const label = `${symbols.added} added, ${symbols.changed} changed, ${symbols.removed} removed`;
  return (
    <span class="number" role="img" aria-label={label} title={label}>
      <span class={symbols.added > 0 ? "good" : "quiet"}>+{symbols.added}</span> <span class={symbols.changed > 0 ? "warn" : "quiet"}>~{symbols.changed}</span>{" "}
      <span class={symbols.removed > 0 ? "bad" : "quiet"}>−{symbols.removed}</span>
    </span>
  );
}
