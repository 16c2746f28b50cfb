import type { RelatedRow, SymbolRow } from "../../api/types";
import { nodeOf, placeColumns, type DrawnEdge, type Drawing } from "../drawing";

export type Side = "callers" | "callees";

/** The callers or callees of a symbol, as the daemon gave them. */
export interface Unfolded {
  of: string;
  side: Side;
  rows: readonly RelatedRow[];
}

/** A symbol of the neighbourhood, for lists. */
export interface Neighbour {
  symbol: SymbolRow;
  /** Steps from the middle: callers below zero, callees above. */
  column: number;
  /** The symbol that it was unfolded from; empty for the middle. */
  parent: string;
  row?: RelatedRow;
}

/** Puts callers to the left of a symbol and callees to the right. A symbol that is both stays where it came first. */
export function gatherAround(root: SymbolRow, unfolded: readonly Unfolded[]): Neighbour[] {
  const found = new Map<string, Neighbour>([[root.symbolId, { symbol: root, column: 0, parent: "" }]]);
  for (const { of, side, rows } of unfolded) {
    const start = found.get(of);
    if (!start) continue;
    for (const row of rows) {
      if (found.has(row.symbolId)) continue;
      const column = start.column + (side === "callers" ? -1 : 1);
      found.set(row.symbolId, { symbol: row, column, parent: of, row });
    }
  }
  return [...found.values()];
}

/** Draws the neighbourhood of a symbol. */
export function drawAround(root: SymbolRow, unfolded: readonly Unfolded[]): Drawing {
  const all = gatherAround(root, unfolded);
  const numbers = new Map(all.map((one, number) => [one.symbol.symbolId, number]));
  const edges = new Map<string, DrawnEdge>();
  for (const { of, side, rows } of unfolded) {
    for (const row of rows) {
      const [caller, callee] = side === "callers" ? [row.symbolId, of] : [of, row.symbolId];
      const from = numbers.get(caller);
      const to = numbers.get(callee);
      if (from === undefined || to === undefined || from === to) continue;
      edges.set(`${from} ${to}`, { from, to, confidence: row.confidence ?? 1 });
    }
  }
  const nodes = all.map((one) => (one.column === 0 && one.parent === "" ? { ...nodeOf(one.symbol, 8), strong: true } : nodeOf(one.symbol)));
  return { nodes: placeColumns(nodes, all.map((one) => one.column)), edges: [...edges.values()], discs: [], links: [], named: true };
}
