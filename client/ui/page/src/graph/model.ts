import type { GraphColumns, SymbolRow } from "../api/types";

/** The whole graph of a repository, by number. */
export interface Model {
  version: string;
  columns: GraphColumns;
  count: number;
  /** Number of each symbol by its id. */
  numbers: ReadonlyMap<string, number>;
  /** Names of the clusters, the one with most symbols first. */
  clusters: readonly string[];
  /** Number of the cluster of each symbol. */
  clusterOf: Int32Array;
  from: Int32Array;
  to: Int32Array;
  /** Edges that touch each symbol. */
  degree: Int32Array;
}

/** Builds the model. Edges that name no symbol are left out, because one wrong row must not hide the rest. */
export function buildModel(columns: GraphColumns): Model {
  const { nodes, edges } = columns;
  const count = nodes.id.length;
  const numbers = new Map(nodes.id.map((id, number) => [id, number]));
  const { clusters, clusterOf } = numberClusters(nodes.cluster, count);
  const degree = new Int32Array(count);
  const from: number[] = [];
  const to: number[] = [];
  edges.from.forEach((source, at) => {
    const target = edges.to[at] ?? -1;
    if (!(source >= 0 && source < count && target >= 0 && target < count) || source === target) return;
    from.push(source);
    to.push(target);
    degree[source] = (degree[source] ?? 0) + 1;
    degree[target] = (degree[target] ?? 0) + 1;
  });
  const version = columns.version;
  return { version, columns, count, numbers, clusters, clusterOf, from: Int32Array.from(from), to: Int32Array.from(to), degree };
}

function numberClusters(names: readonly string[], count: number): { clusters: string[]; clusterOf: Int32Array } {
  const sizes = new Map<string, number>();
  for (let at = 0; at < count; at += 1) {
    const name = names[at] ?? "";
    sizes.set(name, (sizes.get(name) ?? 0) + 1);
  }
  const ordered = [...sizes].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([name]) => name);
  const numbers = new Map(ordered.map((name, number) => [name, number]));
  const clusterOf = new Int32Array(count);
  for (let at = 0; at < count; at += 1) clusterOf[at] = numbers.get(names[at] ?? "") ?? 0;
  return { clusters: ordered, clusterOf };
}

/** A symbol of the model as actions give it. */
export function symbolAt(model: Model, number: number): SymbolRow {
  const { nodes, files } = model.columns;
  return {
    symbolId: nodes.id[number] ?? "",
    name: nodes.name[number] ?? "",
    kind: nodes.kind[number] ?? "",
    file: files[nodes.file[number] ?? -1] ?? "",
    line: nodes.line[number] ?? 0,
  };
}

/** The numbers of the symbols of each cluster, those with most edges first. */
export function membersOf(model: Pick<Model, "clusters" | "clusterOf" | "degree">): number[][] {
  const members: number[][] = model.clusters.map(() => []);
  model.clusterOf.forEach((cluster, number) => members[cluster]?.push(number));
  const degree = (number: number): number => model.degree[number] ?? 0;
  for (const list of members) list.sort((one, other) => degree(other) - degree(one) || one - other);
  return members;
}

/** The edges that touch a symbol, as pairs of numbers. */
export function edgesAt(model: Model, number: number): [number, number][] {
  const found: [number, number][] = [];
  model.from.forEach((source, at) => {
    const target = model.to[at] ?? -1;
    if (source === number || target === number) found.push([source, target]);
  });
  return found;
}
