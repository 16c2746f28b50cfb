import iterate from "graphology-layout-forceatlas2/iterate.js";

const PER_NODE = 10;
const PER_EDGE = 3;

/** Bodies that ForceAtlas2 moves, and the springs between them. */
export interface Bodies {
  x: Float32Array;
  y: Float32Array;
  /** Radius of each body, used only where bodies must not overlap. */
  size: Float32Array;
  edges: readonly (readonly [from: number, to: number, weight: number])[];
}

/** Moves bodies by a number of steps of ForceAtlas2. Starts are given and nothing is random, so equal input gives equal output. */
export function relax(bodies: Bodies, steps: number, apart: boolean): void {
  const count = bodies.x.length;
  if (count < 2) return;
  const nodes = new Float32Array(count * PER_NODE);
  for (let at = 0; at < count; at += 1) {
    const base = at * PER_NODE;
    nodes[base] = bodies.x[at] ?? 0;
    nodes[base + 1] = bodies.y[at] ?? 0;
    nodes[base + 6] = 1;
    nodes[base + 7] = 1;
    nodes[base + 8] = bodies.size[at] ?? 1;
  }
  const edges = new Float32Array(bodies.edges.length * PER_EDGE);
  bodies.edges.forEach(([from, to, weight], at) => {
    edges.set([from * PER_NODE, to * PER_NODE, weight], at * PER_EDGE);
    for (const end of [from, to]) nodes[end * PER_NODE + 6] = (nodes[end * PER_NODE + 6] ?? 1) + weight;
  });
  const settings = {
    linLogMode: false,
    outboundAttractionDistribution: false,
    adjustSizes: apart,
    edgeWeightInfluence: 1,
    scalingRatio: apart ? 20 : 2,
    strongGravityMode: false,
    gravity: 1,
    slowDown: 1 + Math.log(count),
    barnesHutOptimize: count > 250,
    barnesHutTheta: 0.8,
  };
  for (let step = 0; step < steps; step += 1) iterate(settings, nodes, edges);
  for (let at = 0; at < count; at += 1) {
    const x = nodes[at * PER_NODE] ?? 0;
    const y = nodes[at * PER_NODE + 1] ?? 0;
    if (Number.isFinite(x) && Number.isFinite(y)) {
      bodies.x[at] = x;
      bodies.y[at] = y;
    }
  }
}
