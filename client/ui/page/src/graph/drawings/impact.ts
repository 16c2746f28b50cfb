import type { ImpactAnswer } from "../../api/types";
import { nodeOf, placeColumns, type DrawnEdge, type DrawnNode, type Drawing } from "../drawing";
import { placeRings } from "../rings";

/** Above this, rings are used, because a column of so many names can't be read. */
const MAX_COLUMNS_NODES = 40;

/** Draws a change and what depends on it: the nearer, the fewer links. Few are in columns, many in rings around the change. */
export function drawImpact(answer: Pick<ImpactAnswer, "changed" | "dependents">): Drawing {
  const changed = new Set(answer.changed.map((symbol) => symbol.symbolId));
  const others = (answer.dependents ?? []).filter((one) => !changed.has(one.symbolId));
  const distances = [...answer.changed.map(() => 0), ...others.map((one) => one.distance)];
  const nodes: DrawnNode[] = [...answer.changed.map((symbol) => ({ ...nodeOf(symbol, 8), strong: true })), ...others.map((one) => nodeOf(one, others.length > MAX_COLUMNS_NODES ? 3.5 : 5))];
  const named = new Map<string, number>();
  nodes.forEach((node, number) => named.set(`${distances[number] ?? 0} ${node.name}`, number));
  const edges: DrawnEdge[] = [];
  const parents = nodes.map(() => -1);
  others.forEach((one, at) => {
    const from = answer.changed.length + at;
    // An answer names the next symbol only by its name, so the one of this name that is one link nearer is taken.
    const to = named.get(`${one.distance - 1} ${one.towards}`);
    if (to === undefined) return;
    edges.push({ from, to, confidence: one.confidence });
    parents[from] = to;
  });
  const many = nodes.length > MAX_COLUMNS_NODES;
  const placed = many ? placeRings(nodes, distances, parents) : placeColumns(nodes, distances.map((distance) => -distance));
  return { nodes: placed, edges, discs: [], links: [], named: true };
}
