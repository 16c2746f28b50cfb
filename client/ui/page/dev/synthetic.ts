import type { GraphColumns } from "../src/api/types";

/** Numbers that look random and are the same in each run: a linear congruence. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const KINDS = ["function", "method", "method", "class", "constant", "field", "module"] as const;

/** A graph of any size: clusters of unequal size, hubs, and most edges inside of a cluster. */
export function syntheticColumns(count: number, seed = 7): GraphColumns {
  const random = numbersFrom(seed);
  const clusterCount = Math.max(1, Math.round(Math.sqrt(count) / 2));
  const starts: number[] = [];
  const cluster: string[] = [];
  const weights = Array.from({ length: clusterCount }, (_, at) => 1 / (at + 2));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  weights.forEach((weight, at) => {
    starts.push(cluster.length);
    const size = at === clusterCount - 1 ? count - cluster.length : Math.min(count - cluster.length, Math.ceil((weight / whole) * count));
    for (let one = 0; one < size; one += 1) cluster.push(`area-${at}`);
  });
  const files = Array.from({ length: Math.ceil(count / 25) }, (_, at) => `src/area/file_${at}.rs`);
  const file = cluster.map((_, at) => Math.floor(at / 25));
  const edges: GraphColumns["edges"] = { from: [], to: [], kind: [] };
  for (let at = 0; at < count * 2; at += 1) {
    const from = Math.floor(random() * count);
    const area = Number(cluster[from]?.slice(5));
    const [start, end] = [starts[area] ?? 0, starts[area + 1] ?? count];
    // A square puts most edges on the first symbols of a cluster, which so become hubs.
    const to = random() < 0.85 ? start + Math.floor(random() ** 2 * (end - start)) : Math.floor(random() ** 2 * count);
    if (from === to) continue;
    edges.from.push(from);
    edges.to.push(to);
    edges.kind.push("call");
  }
  const nodes: GraphColumns["nodes"] = {
    id: cluster.map((_, at) => `s_${at.toString(36).padStart(13, "0")}`),
    name: cluster.map((_, at) => `symbol_${at}`),
    kind: cluster.map((_, at) => KINDS[at % KINDS.length] ?? "function"),
    file,
    line: cluster.map((_, at) => 1 + (at % 25) * 12),
    cluster,
  };
  return { version: "v1770600000000", nodes, files, edges };
}
