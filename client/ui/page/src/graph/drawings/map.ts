import { nodeOf, type DrawnEdge, type DrawnNode, type Drawing } from "../drawing";
import type { MapLayout } from "../layout/map";
import { symbolAt, type Model } from "../model";

/** Draws the whole repository. Its edges are drawn only if asked for, because they hide what they connect. */
export function drawMap(model: Model, layout: MapLayout, withEdges: boolean): Drawing {
  const nodes: DrawnNode[] = [];
  const scale = scaleOf(model.count);
  const order = byDegree(model);
  for (const number of order) {
    const node = nodeOf(symbolAt(model, number), scale * sizeOf(model.degree[number] ?? 0));
    nodes.push({ ...node, x: layout.x[number] ?? 0, y: layout.y[number] ?? 0 });
  }
  const discs = model.clusters.map((name, at) => ({
    x: layout.discs.x[at] ?? 0,
    y: layout.discs.y[at] ?? 0,
    r: layout.discs.r[at] ?? 0,
    name,
    count: 0,
  }));
  for (const cluster of model.clusterOf) {
    const disc = discs[cluster];
    if (disc) disc.count += 1;
  }
  const links = Array.from(layout.links.from, (from, at) => ({ from, to: layout.links.to[at] ?? 0, weight: layout.links.weight[at] ?? 0 }));
  const placeOf = new Int32Array(model.count);
  order.forEach((number, place) => (placeOf[number] = place));
  const edges: DrawnEdge[] = withEdges
    ? Array.from(model.from, (from, at) => ({ from: placeOf[from] ?? 0, to: placeOf[model.to[at] ?? 0] ?? 0, confidence: 1 }))
    : [];
  return { nodes, edges, discs, links, named: false };
}

/** Numbers of symbols, those with most edges last: they are drawn over the others, and alone while frames come slowly. */
function byDegree(model: Model): number[] {
  const degree = (number: number): number => model.degree[number] ?? 0;
  return Array.from(model.degree, (_, number) => number).sort((one, other) => degree(one) - degree(other) || one - other);
}

/** How much smaller nodes are in a large map, so that they hide each other no more than in a small one. */
export function scaleOf(count: number): number {
  return Math.max(0.4, Math.min(1, Math.sqrt(2_500 / Math.max(1, count))));
}

/** Half the width of a node in pixels: symbols with many edges are larger, slowly. */
export function sizeOf(degree: number): number {
  return Math.min(9, 1.6 + 0.9 * Math.log2(1 + degree / 2));
}
