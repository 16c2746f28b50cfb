import { fillDisc, pullTogether, pushApart, sunflower, type Circles } from "./discs";
import { relax } from "./forces";

/** What the layout of a map is made from; symbols and clusters by number. */
export interface MapInput {
  clusterOf: Int32Array;
  clusterCount: number;
  from: Int32Array;
  to: Int32Array;
}

/** Places of all symbols, and the discs of their clusters. */
export interface MapLayout {
  x: Float32Array;
  y: Float32Array;
  discs: Circles;
  /** Edges between clusters as three columns: two numbers of clusters and a count. */
  links: { from: Int32Array; to: Int32Array; weight: Int32Array };
}

/** Room of one symbol, in units of the map. */
const SPACING = 4;
/** Largest cluster whose inner edges are used; larger ones get the sunflower alone. */
const MAX_RELAXED = 4_000;

/** Lays out a map: clusters by the edges between them, then the symbols of each in a disc of its own. */
export function layOutMap(input: MapInput): MapLayout {
  const members = groupMembers(input);
  const links = linkClusters(input);
  const discs = placeClusters(members, links);
  const count = input.clusterOf.length;
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  const inner = innerEdges(input, members);
  members.forEach((list, cluster) => {
    const places = placeMembers(list.length, inner[cluster] ?? []);
    const radius = (discs.r[cluster] ?? 0) * 0.92;
    list.forEach((number, at) => {
      x[number] = (discs.x[cluster] ?? 0) + radius * (places.x[at] ?? 0);
      y[number] = (discs.y[cluster] ?? 0) + radius * (places.y[at] ?? 0);
    });
  });
  return { x, y, discs, links };
}

function groupMembers({ clusterOf, clusterCount }: MapInput): number[][] {
  const members: number[][] = Array.from({ length: clusterCount }, () => []);
  clusterOf.forEach((cluster, number) => members[cluster]?.push(number));
  return members;
}

/** Counts edges between different clusters. */
function linkClusters({ clusterOf, clusterCount, from, to }: MapInput): MapLayout["links"] {
  const counts = new Map<number, number>();
  from.forEach((source, at) => {
    const one = clusterOf[source] ?? 0;
    const other = clusterOf[to[at] ?? 0] ?? 0;
    if (one === other) return;
    const key = Math.min(one, other) * clusterCount + Math.max(one, other);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  const keys = [...counts.keys()].sort((one, other) => one - other);
  return {
    from: Int32Array.from(keys, (key) => Math.floor(key / clusterCount)),
    to: Int32Array.from(keys, (key) => key % clusterCount),
    weight: Int32Array.from(keys, (key) => counts.get(key) ?? 0),
  };
}

function placeClusters(members: readonly number[][], links: MapLayout["links"]): Circles {
  const count = members.length;
  const r = Float32Array.from(members, (list) => SPACING * Math.sqrt(list.length) + SPACING);
  const extent = Math.sqrt(r.reduce((sum, radius) => sum + radius * radius, 0)) * 1.4;
  const starts = Array.from({ length: count }, (_, at) => sunflower(at, count));
  const x = Float32Array.from(starts, ([sx]) => sx * extent);
  const y = Float32Array.from(starts, ([, sy]) => sy * extent);
  const edges = Array.from(links.from, (from, at) => [from, links.to[at] ?? 0, Math.log2(1 + (links.weight[at] ?? 0))] as const);
  relax({ x, y, size: r, edges }, count > 600 ? 60 : 200, false);
  scaleTo(x, y, extent);
  const circles = { x, y, r };
  pushApart(circles, SPACING * 2, 60);
  pullTogether(circles, SPACING * 2, count > 600 ? 4 : 12);
  pushApart(circles, SPACING * 2, 60);
  return circles;
}

/** Scales places so that their mean distance from the centre suits a disc of the extent. */
function scaleTo(x: Float32Array, y: Float32Array, extent: number): void {
  const mean = x.reduce((sum, value, at) => sum + Math.hypot(value, y[at] ?? 0), 0) / Math.max(1, x.length);
  if (mean < 1e-6) return;
  const factor = (extent * 0.66) / mean;
  for (let at = 0; at < x.length; at += 1) {
    x[at] = (x[at] ?? 0) * factor;
    y[at] = (y[at] ?? 0) * factor;
  }
}

type InnerEdge = readonly [number, number, number];

/** The edges inside of each cluster, by places in its list of members. */
function innerEdges({ clusterOf, from, to }: MapInput, members: readonly number[][]): InnerEdge[][] {
  const placeOf = new Int32Array(clusterOf.length);
  for (const list of members) list.forEach((number, at) => (placeOf[number] = at));
  const inner: InnerEdge[][] = members.map(() => []);
  from.forEach((source, at) => {
    const target = to[at] ?? 0;
    const cluster = clusterOf[source] ?? 0;
    if (cluster === clusterOf[target]) inner[cluster]?.push([placeOf[source] ?? 0, placeOf[target] ?? 0, 1]);
  });
  return inner;
}

/** Steps for a cluster: fewer for larger ones, because one step costs more and the disc is filled evenly anyway. */
function stepsFor(count: number): number {
  return Math.round(Math.max(8, Math.min(40, 12_000 / count)));
}

/** Places symbols in a disc of radius 1. */
function placeMembers(count: number, edges: readonly InnerEdge[]): { x: Float32Array; y: Float32Array } {
  const starts = Array.from({ length: count }, (_, at) => sunflower(at, count));
  const x = Float32Array.from(starts, ([sx]) => sx * 100);
  const y = Float32Array.from(starts, ([, sy]) => sy * 100);
  if (count > 2 && count <= MAX_RELAXED && edges.length > 0) {
    relax({ x, y, size: new Float32Array(count).fill(1), edges }, stepsFor(count), false);
  }
  fillDisc(x, y);
  return { x, y };
}
