import type { ComponentChildren } from "preact";
import { formatCount } from "../text/format";
import { link } from "../state/live";
import { headVersion, repoId, repos } from "../state/repo";
import { goTo, linkTo, view } from "../state/route";
import { VIEWS } from "../state/routes";
import { daemon } from "../state/session";
import { choice, nextTheme } from "../state/theme";
import { Text } from "./Text";

const NAMES = { repository: "Repository", graph: "Graph", delta: "Delta", agents: "Agents" } as const;

/** The frame of the page: where you are, of which repository, and whether it is current. */
export function Shell({ onHelp, children }: { onHelp: () => void; children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <header class="top">
        <span class="mark">sdl</span>
        <RepoChoice />
        <nav aria-label="Views">
          {VIEWS.map((name) => (
            <a key={name} href={linkTo(name, {})} aria-current={view.value === name ? "page" : undefined}>
              {NAMES[name]}
            </a>
          ))}
        </nav>
        <LinkState />
        <button type="button" class="plain-button" onClick={nextTheme} aria-label={`Theme: ${choice.value}. Change it.`} title={`Theme: ${choice.value} (t)`}>
          <ThemeSign />
        </button>
        <button type="button" class="plain-button" onClick={onHelp} aria-label="Keyboard help" title="Keyboard help (?)">
          ?
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <h1 class="hidden-text">{NAMES[view.value]}</h1>
        {children}
      </main>
    </>
  );
}

function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function RepoChoice() {
  const all = repos.value;
  if (all.length === 0) return null;
  return (
    <select aria-label="Repository" value={repoId.value} onChange={(event) => goTo(view.value, { repo: event.currentTarget.value })}>
      {!all.some((repo) => repo.repoId === repoId.value) && <option value={repoId.value}>{repoId.value}</option>}
      {all.map((repo) => (
        <option key={repo.repoId} value={repo.repoId}>
          {repo.repoId}
        </option>
      ))}
    </select>
  );
}

/** Whether events arrive, and the newest version. */
function LinkState() {
  const now = link.value;
  const names = { connecting: "connecting", live: "live", waiting: "connecting again", ended: "not connected" } as const;
  const away = daemon.value.failure?.kind === "away";
  const state = away && now.state === "live" ? "waiting" : now.state;
  return (
    <span class={`link-state ${state}`} role="status">
      <svg width="8" height="8" aria-hidden="true">
        <circle cx="4" cy="4" r="4" />
      </svg>
      <span class="link-name">{away ? "daemon away" : names[now.state]}</span>
      <code class="version" title={`Newest version of ${formatCount(repos.value.length)} repositories at hand`}>
        <Text of={headVersion.value || "no version"} />
      </code>
    </span>
  );
}

/** A half disc for the system's choice, an empty one for light, a full one for dark. */
function ThemeSign() {
  return (
    <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      <circle cx="7" cy="7" r="5.5" fill={choice.value === "dark" ? "currentColor" : "none"} stroke="currentColor" stroke-width="1.5" />
      {choice.value === "system" && <path d="M7 1.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />}
    </svg>
  );
}
