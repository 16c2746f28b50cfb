import type { PathAnswer, SymbolRow } from "../../api/types";
import { nodeOf, placeColumns, type DrawnEdge, type DrawnNode, type Drawing } from "../drawing";

/** Draws the ways between two symbols from left to right. A symbol on several ways is drawn once, as far right as any has it. */
export function drawWays(answer: Pick<PathAnswer, "ways">): Drawing {
  const nodes: DrawnNode[] = [];
  const columns: number[] = [];
  const numbers = new Map<string, number>();
  const edges = new Map<string, DrawnEdge>();
  const put = (symbol: SymbolRow, column: number, strong: boolean): number => {
    const known = numbers.get(symbol.symbolId);
    if (known !== undefined) {
      columns[known] = Math.max(columns[known] ?? 0, column);
      return known;
    }
    numbers.set(symbol.symbolId, nodes.length);
    nodes.push(strong ? { ...nodeOf(symbol, 8), strong } : nodeOf(symbol));
    columns.push(column);
    return nodes.length - 1;
  };
  for (const way of answer.ways) {
    let from = put(way.from, 0, true);
    way.hops.forEach((hop, at) => {
      const to = put(hop, at + 1, at === way.hops.length - 1);
      if (from !== to) edges.set(`${from} ${to}`, { from, to, confidence: hop.confidence });
      from = to;
    });
  }
  const placed = placeColumns(nodes, columns).map((node) => ({ ...node, side: "above" as const }));
  return { nodes: placed, edges: [...edges.values()], discs: [], links: [], named: true };
}
