import type { ImpactAnswer } from "../../api/types";
import { nodeOf, placeColumns, type DrawnEdge, type Drawing } from "../drawing";

/** Draws a change and what depends on it: the change at the right, each column to the left one link further away. */
export function drawImpact(answer: Pick<ImpactAnswer, "changed" | "dependents">): Drawing {
  const dependents = answer.dependents ?? [];
  const changed = new Set(answer.changed.map((symbol) => symbol.symbolId));
  const others = dependents.filter((one) => !changed.has(one.symbolId));
  const nodes = [...answer.changed.map((symbol) => ({ ...nodeOf(symbol, 8), strong: true })), ...others.map((one) => nodeOf(one))];
  const columns = [...answer.changed.map(() => 0), ...others.map((one) => -one.distance)];
  const edges: DrawnEdge[] = [];
  others.forEach((one, at) => {
    const from = answer.changed.length + at;
    // An answer names the next symbol only by its name, so the nearest of this name in the next column is taken.
    const to = nodes.findIndex((node, number) => columns[number] === 1 - one.distance && node.name === one.towards);
    if (to >= 0) edges.push({ from, to, confidence: one.confidence });
  });
  return { nodes: placeColumns(nodes, columns), edges, discs: [], links: [], named: true };
}
