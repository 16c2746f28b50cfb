import { useRef } from "preact/hooks";
import type { RepoOverview, RepoStatus } from "../../api/types";
import { Bars } from "../../parts/Bars";
import { Empty, Panel, Stat } from "../../parts/Panel";
import { Text } from "../../parts/Text";
import { Trouble } from "../../parts/Trouble";
import { useAnswer } from "../../state/answer";
import { headVersion, repoId, repos } from "../../state/repo";
import { call, daemon } from "../../state/session";
import { formatCount } from "../../text/format";
import { Cost } from "./Cost";
import { Folders, Hotspots } from "./Overview";
import { Timeline } from "./Timeline";

/** The state of a repository, and what happens in it. */
export function RepositoryView() {
  const repo = repoId.value;
  const newest = useNewest(repo);
  const key = repo === "" ? "" : `${repo} ${newest}`;
  const status = useAnswer(key, (signal) => call<RepoStatus>("repo.status", { repoId: repo, detail: "full", sync: "none" }, signal));
  const overview = useAnswer(key, (signal) => call<RepoOverview>("repo.overview", { repoId: repo, level: "full", maxTokens: 6_000, sync: "none" }, signal));
  if (repo === "") {
    const known = daemon.value.status !== null;
    return <Empty>{known ? "No repository is registered. Add one with: sdlctl index PATH" : "Waiting for the daemon…"}</Empty>;
  }
  const now = status.data;
  return (
    <div class="view">
      <Trouble failure={status.failure} retry={status.reload} />
      {now && <Totals status={now} />}
      <div class="columns">
        <div class="column">
          <Timeline repo={repo} />
          <Hotspots overview={overview.data} />
          <Folders overview={overview.data} />
        </div>
        <div class="column">
          <Cost />
          {now?.languages && <Panel title="Languages"><Bars label="Parsed files by language" counts={now.languages} /></Panel>}
          {now?.resolution && <Panel title="References"><Bars label="References by how they were resolved" counts={now.resolution} /></Panel>}
          {now && <LeftOut status={now} />}
        </div>
      </div>
    </div>
  );
}

/**
 * The newest version that an answer should be of. The first one that is known does not count, because the answer that is on
 * its way then is as new.
 */
function useNewest(repo: string): string {
  const newest = headVersion.value;
  const first = useRef({ repo, version: newest });
  if (first.current.repo !== repo || first.current.version === "") first.current = { repo, version: newest };
  return newest === first.current.version ? "" : newest;
}

function Totals({ status }: { status: RepoStatus }) {
  const { head, watcher } = status;
  const commit = head?.commit?.slice(0, 10);
  const reason = status.healthReason ?? watcher.degradedReason ?? status.gitProblem;
  return (
    <>
      <dl class="stats">
        <Stat name="State" value={<Text of={status.state} />} note={status.progress ? `${formatCount(status.progress.done)} of ${formatCount(status.progress.total)} files` : <Text of={status.health} />} bad={status.health === "failed"} />
        <Stat name="Files" value={formatCount(status.files)} note={status.generated ? `${formatCount(status.generated)} generated` : undefined} />
        <Stat name="Symbols" value={formatCount(status.symbols)} />
        <Stat name="Edges" value={formatCount(status.edges)} />
        <Stat name="Not parsed" value={formatCount(status.failed)} note="failed files" bad={(status.failed ?? 0) > 0} />
        <Stat name="Branch" value={<Text of={head?.branch ?? (head ? "detached" : "no git")} />} note={commit && <code><Text of={commit} /></code>} />
        <Stat name="Watching" value={`${formatCount(watcher.watches)} ${watcher.watches === 1 ? "folder" : "folders"}`} note={<Text of={watcher.kind} />} />
      </dl>
      <p class="quiet">
        <code><Text of={status.rootPath} /></code>
        {repos.value.length > 1 && `, one of ${repos.value.length} repositories`}
      </p>
      {reason && <p class="warn"><Text of={reason} /></p>}
    </>
  );
}

/** Files that were not parsed, by reason, and the first of them. */
function LeftOut({ status }: { status: RepoStatus }) {
  const files = status.filesWithoutFacts ?? [];
  const counts = status.skipped ?? {};
  return (
    <Panel title="Skipped, by reason">
      {Object.keys(counts).length === 0 ? <Empty>Every file that was found is parsed.</Empty> : <Bars label="Skipped files by reason" counts={counts} />}
      {files.length > 0 && (
        <details class="panel-body">
          <summary>{formatCount(files.length)} of these files</summary>
          <ul class="plain">
            {files.map((one) => (
              <li key={one.file}>
                <code><Text of={one.file} /></code> <span class="quiet"><Text of={one.reason} /></span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Panel>
  );
}
