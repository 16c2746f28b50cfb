import { useMemo } from "preact/hooks";
import type { CardAnswer, RelatedAnswer, SymbolRow } from "../../api/types";
import { drawAround, gatherAround, type Neighbour, type Side, type Unfolded } from "../../graph/drawings/around";
import { useAnswer } from "../../state/answer";
import { headVersion } from "../../state/repo";
import { changeParams, param } from "../../state/route";
import { readList } from "../../state/routes";
import { call } from "../../state/session";
import { countOf } from "../../text/format";
import type { ListGroup, ListItem, Picture } from "./picture";

/** Callers or callees of one symbol that are asked for. */
const MOST_ROWS = 40;

/** What is unfolded: `c.ID` its callers, `o.ID` its callees. */
export function readOpen(text: string, root: string): { id: string; side: Side }[] {
  const given = readList(text)
    .filter((item) => item.startsWith("c.") || item.startsWith("o."))
    .map((item): { id: string; side: Side } => ({ id: item.slice(2), side: item.startsWith("c.") ? "callers" : "callees" }));
  return given.length > 0 ? given : [{ id: root, side: "callers" }, { id: root, side: "callees" }];
}

function writeOpen(open: readonly { id: string; side: Side }[]): string {
  return open.map(({ id, side }) => `${side === "callers" ? "c" : "o"}.${id}`).join(",");
}

/** Unfolds a symbol away from the middle, or folds it again. */
export function toggleFold(root: string, neighbour: Neighbour): void {
  const open = readOpen(param("open"), root);
  const id = neighbour.symbol.symbolId;
  const side: Side = neighbour.column < 0 ? "callers" : "callees";
  const without = open.filter((one) => !(one.id === id && one.side === side));
  changeParams({ open: writeOpen(without.length < open.length ? without : [...open, { id, side }]), at: id });
}

interface Found {
  root: SymbolRow;
  unfolded: (Unfolded & { total: number; completeness: string })[];
}

const answers = new Map<string, Promise<RelatedAnswer>>();

/** Asks once for each symbol, side and version. */
function askRelated(repo: string, version: string, id: string, side: Side): Promise<RelatedAnswer> {
  const key = [repo, version, side, id].join(" ");
  const known = answers.get(key);
  if (known) return known;
  if (answers.size > 500) answers.clear();
  const asked = call<RelatedAnswer>("symbol.related", { repoId: repo, symbol: id, want: side, limit: MOST_ROWS, maxTokens: 20_000 });
  answers.set(key, asked);
  asked.catch(() => answers.delete(key));
  return asked;
}

async function findAround(repo: string, symbol: string, open: string, signal: AbortSignal): Promise<Found> {
  const card = await call<CardAnswer>("symbol.getCard", { repoId: repo, symbolId: symbol, detail: "minimal" }, signal);
  const { name = "", qualifiedName, kind = "", file = "", range } = card.card ?? {};
  const root = { symbolId: symbol, name: qualifiedName ?? name, kind, file, line: range?.startLine ?? 0 };
  const unfolded = await Promise.all(
    readOpen(open, symbol).map(async ({ id, side }) => {
      const answer = await askRelated(repo, card.freshness.version, id, side);
      return { of: id, side, rows: answer.related, total: answer.total, completeness: answer.completeness };
    }),
  );
  return { root, unfolded };
}

/** A symbol with its callers and callees. */
export function useAround(active: boolean, repo: string, symbol: string): Picture & { around: readonly Neighbour[] } {
  const open = param("open");
  const key = active && repo !== "" && symbol !== "" ? [repo, headVersion.value, symbol, open].join(" ") : "";
  const read = useAnswer(key, (signal) => findAround(repo, symbol, open, signal));
  const found = read.data;
  const drawing = useMemo(() => (found ? drawAround(found.root, found.unfolded) : null), [found]);
  const around = useMemo(() => (found ? gatherAround(found.root, found.unfolded) : []), [found]);
  const cut = found?.unfolded.find((one) => one.total > one.rows.length);
  const callers = found?.unfolded.find((one) => one.of === symbol && one.side === "callers");
  return {
    drawing,
    around,
    groups: found ? listSides(found, around) : [],
    title: found ? `Around ${found.root.name}` : "Around a symbol",
    note: [cut ? `Shows ${cut.rows.length} of ${countOf(cut.total, cut.side.slice(0, -1))}.` : "", callers?.completeness ?? ""].filter(Boolean).join(" "),
    hint: symbol === "" ? "Search a symbol (press /) to see who calls it and what it calls." : "",
    failure: read.failure,
    busy: read.busy,
    reload: read.reload,
  };
}

function listSides(found: Found, around: readonly Neighbour[]): ListGroup[] {
  const isOpen = new Set(found.unfolded.map((one) => `${one.side} ${one.of}`));
  const children = (id: string, side: Side, depth: number): ListItem[] =>
    around
      .filter((one) => one.parent === id && (one.column < 0) === (side === "callers"))
      .flatMap((one) => {
        const unfolded = isOpen.has(`${side} ${one.symbol.symbolId}`);
        return [itemOf(found.root.symbolId, one, depth, unfolded), ...(unfolded ? children(one.symbol.symbolId, side, depth + 1) : [])];
      });
  const side = (title: string, name: Side): ListGroup => {
    const items = children(found.root.symbolId, name, 0);
    return items.length > 0 ? { title, items } : { title, items, more: "none that static reading finds" };
  };
  return [side("Callers", "callers"), side("Callees", "callees")];
}

function itemOf(root: string, one: Neighbour, depth: number, unfolded: boolean): ListItem {
  const { symbolId, name, kind, file, line } = one.symbol;
  const row = one.row;
  const unsure = row?.resolution && row.resolution !== "exact" ? `${row.resolution} ${row.confidence ?? ""}` : "";
  const note = [unsure, row?.through ? `through ${row.through}` : "", row?.test ? "test" : ""].filter(Boolean).join(" · ");
  return { id: symbolId, name, kind, place: `${file}:${line}`, note, depth, unfolded, onFold: () => toggleFold(root, one) };
}
