import { useMemo } from "preact/hooks";
import type { ImpactAnswer } from "../../api/types";
import { drawImpact } from "../../graph/drawings/impact";
import { useAnswer } from "../../state/answer";
import { headVersion } from "../../state/repo";
import { call } from "../../state/session";
import { countOf } from "../../text/format";
import type { ListGroup, Picture } from "./picture";

const MOST_ROWS = 200;

/** What depends on a symbol, or on what changed since a state such as `git:HEAD`. */
export function useImpact(active: boolean, repo: string, symbol: string, since: string, tests: boolean): Picture {
  const asks = since !== "" || symbol !== "";
  const key = active && repo !== "" && asks ? [repo, headVersion.value, symbol, since, String(tests)].join(" ") : "";
  const read = useAnswer(key, (signal) => {
    const of = since !== "" ? { fromVersion: since } : { symbols: [symbol] };
    return call<ImpactAnswer>("change.impact", { repoId: repo, ...of, includeTests: tests, limit: MOST_ROWS, maxTokens: 20_000 }, signal);
  });
  const answer = read.data;
  const drawing = useMemo(() => (answer && answer.changed.length > 0 ? drawImpact(answer) : null), [answer]);
  return {
    drawing,
    groups: answer ? listImpact(answer) : [],
    title: since === "" ? "Impact of a symbol" : `Impact of the change since ${since}`,
    note: answer ? `${countsOf(answer)} ${answer.completeness}` : "",
    hint: hintOf(asks, answer),
    failure: read.failure,
    busy: read.busy,
    reload: read.reload,
  };
}

function hintOf(asks: boolean, answer: ImpactAnswer | null): string {
  if (!asks) return "Search a symbol, or name a state such as git:HEAD to see what the working tree's change may break.";
  return answer && answer.changed.length === 0 ? "No symbol differs. Comments, imports and new definitions don't count; name an older state, such as git:HEAD~5." : "";
}

function countsOf({ counts }: ImpactAnswer): string {
  const dependents = `${countOf(counts.direct, "direct dependent")} and ${counts.transitive} further ones in ${countOf(counts.files, "file")}`;
  return `${countOf(counts.changed, "changed symbol")}: ${dependents}, ${counts.exported} of them exported; ${countOf(counts.tests, "test")}.`;
}

function listImpact(answer: ImpactAnswer): ListGroup[] {
  const changed = answer.changed.map((one) => ({ id: one.symbolId, name: one.name, kind: one.kind, place: `${one.file}:${one.line}` }));
  const byDistance = new Map<number, ListGroup & { items: ListGroup["items"][number][] }>();
  for (const one of answer.dependents ?? []) {
    const group = byDistance.get(one.distance) ?? { title: one.distance === 1 ? "Direct" : `${one.distance} links away`, items: [] };
    const sure = one.resolution === "exact" ? "" : ` ${one.resolution}`;
    const note = `${one.rank.toFixed(2)} ${one.edge}${sure} ${one.towards}${one.test ? " · test" : ""}`;
    group.items.push({ id: one.symbolId, name: one.name, kind: one.kind, place: `${one.file}:${one.line}`, note });
    byDistance.set(one.distance, group);
  }
  const shown = answer.dependents?.length ?? 0;
  const groups = [...byDistance].sort(([one], [other]) => one - other).map(([, group]) => group);
  const last = answer.total > shown ? [{ title: "", items: [], more: `${shown} of ${answer.total} are shown, likeliest and nearest first` }] : [];
  return [{ title: "Changes", items: changed }, ...groups, ...last];
}
