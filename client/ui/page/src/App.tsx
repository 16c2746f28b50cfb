import { useEffect, useState } from "preact/hooks";
import { Help } from "./parts/Help";
import { lazyView } from "./parts/lazyView";
import { Shell } from "./parts/Shell";
import { Trouble } from "./parts/Trouble";
import { KeyReader, takesText } from "./state/keys";
import { link } from "./state/live";
import { goTo, route, view } from "./state/route";
import { daemon } from "./state/session";
import { nextTheme } from "./state/theme";
import { AgentsView } from "./views/agents/AgentsView";
import { DeltaView } from "./views/delta/DeltaView";
import { RepositoryView } from "./views/repository/RepositoryView";

// The libraries that draw graphs take longest to start.
const GraphView = lazyView(() => import("./views/graph/GraphView").then((module) => module.GraphView));

const SEEN = { repository: RepositoryView, graph: GraphView, delta: DeltaView, agents: AgentsView } as const;

/** The page. */
export function App() {
  const [helps, setHelps] = useState(false);
  useKeys(() => setHelps(true));
  const now = link.value;
  const failure = now.state === "ended" ? now.failure : daemon.value.failure;
  const View = SEEN[view.value];
  useEffect(() => {
    const name = view.value;
    document.title = `${name.charAt(0).toUpperCase()}${name.slice(1)} · sdl`;
  }, [view.value]);
  return (
    <Shell onHelp={() => setHelps(true)}>
      {failure && failure.kind !== "action" && <Trouble failure={failure} />}
      <View />
      {helps && <Help onClose={() => setHelps(false)} />}
    </Shell>
  );
}

/** Follows keys that hold in the whole page. */
function useKeys(onHelp: () => void): void {
  useEffect(() => {
    const reader = new KeyReader();
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (takesText(event.target)) {
        if (event.key === "Escape") (event.target as HTMLElement).blur();
        return;
      }
      const command = reader.read(event.key, performance.now());
      if (!command) return;
      event.preventDefault();
      if (command.do === "help") onHelp();
      else if (command.do === "theme") nextTheme();
      else if (command.do === "view") goTo(command.view, {});
      else if (command.do === "search") focusSearch();
      else if (command.do === "escape" && view.value === "graph" && route.value.params["mode"]) goTo("graph", {});
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

/** Goes to the search of the graph, from wherever. */
function focusSearch(): void {
  const field = document.getElementById("search");
  if (field) return field.focus();
  goTo("graph", {});
  requestAnimationFrame(() => document.getElementById("search")?.focus());
}
