import { useMemo } from "preact/hooks";
import type { PathAnswer } from "../../api/types";
import { drawWays } from "../../graph/drawings/path";
import { useAnswer } from "../../state/answer";
import { headVersion } from "../../state/repo";
import { call } from "../../state/session";
import type { ListGroup, Picture } from "./picture";

/** The ways from one symbol to another; without a start, from where programs begin. */
export function usePath(active: boolean, repo: string, from: string, to: string): Picture {
  const key = active && repo !== "" && to !== "" ? [repo, headVersion.value, from, to].join(" ") : "";
  const read = useAnswer(key, (signal) => {
    const ends = from === "" ? { to } : { from, to };
    return call<PathAnswer>("symbol.path", { repoId: repo, ...ends, includeText: true }, signal);
  });
  const answer = read.data;
  const drawing = useMemo(() => (answer && answer.ways.length > 0 ? drawWays(answer) : null), [answer]);
  return {
    drawing,
    groups: answer ? listWays(answer) : [],
    title: `From ${from || "the starts of programs"} to ${to}`,
    note: [answer?.edges === "any" ? "Over edges of any kind, because no calls lead there." : "", answer?.remark ?? ""].filter(Boolean).join(" "),
    hint: hintOf(to, answer),
    failure: read.failure,
    busy: read.busy,
    reload: read.reload,
  };
}

function hintOf(to: string, answer: PathAnswer | null): string {
  if (to === "") return "Name the symbol that should be reached. Leave the start empty to ask from where it is reached.";
  return answer && answer.ways.length === 0 ? "No way leads there. Try the other direction, or ask for the symbol's callers." : "";
}

function listWays(answer: PathAnswer): ListGroup[] {
  return answer.ways.map((way, at) => {
    const start = { id: way.from.symbolId, name: way.from.name, kind: way.from.kind, place: `${way.from.file}:${way.from.line}` };
    const hops = way.hops.map((hop, step) => ({
      id: hop.symbolId,
      name: hop.name,
      kind: hop.kind,
      place: `${hop.file}:${hop.line}`,
      depth: Math.min(6, step + 1),
      note: [hop.edge, hop.resolution === "exact" ? "" : hop.resolution, hop.text?.trim() ?? ""].filter(Boolean).join(" · "),
    }));
    return { title: `Way ${at + 1}, confidence ${way.confidence}`, items: [start, ...hops] };
  });
}
