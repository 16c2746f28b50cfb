import type { DrawnNode } from "./drawing";

/** Least distance between rings, and room of a node on its ring. */
const RING = 120;
const ROOM = 26;

/** Places nodes on rings by their distance, each near the direction of its parent. A parent of -1 is the middle. */
export function placeRings(nodes: readonly DrawnNode[], distances: readonly number[], parents: readonly number[]): DrawnNode[] {
  const children: number[][] = nodes.map(() => []);
  const roots: number[] = [];
  parents.forEach((parent, at) => (children[parent] ?? roots).push(at));
  const weights = nodes.map(() => 0);
  const weigh = (at: number): number => {
    const sum = (children[at] ?? []).reduce((whole, child) => whole + weigh(child), 0);
    return (weights[at] = Math.max(1, sum));
  };
  const whole = roots.reduce((sum, root) => sum + weigh(root), 0);
  const angles = nodes.map(() => 0);
  const spread = (list: readonly number[], start: number, span: number, weight: number): void => {
    let from = start;
    for (const at of list) {
      const share = (span * (weights[at] ?? 1)) / weight;
      angles[at] = from + share / 2;
      spread(children[at] ?? [], from, share, weights[at] ?? 1);
      from += share;
    }
  };
  spread(roots, 0, 2 * Math.PI, Math.max(1, whole));
  const radii = ringRadii(distances);
  const middle = distances.filter((distance) => distance === 0).length;
  return nodes.map((node, at) => {
    const distance = distances[at] ?? 0;
    const radius = distance === 0 && middle === 1 ? 0 : (radii[distance] ?? 0);
    const [x, y] = [radius * Math.cos(angles[at] ?? 0), radius * Math.sin(angles[at] ?? 0)];
    return { ...node, x, y, side: radius === 0 ? "above" : x < 0 ? "left" : "right" };
  });
}

/** The radius of each ring: far enough from the one before, and long enough for its nodes. */
function ringRadii(distances: readonly number[]): number[] {
  const counts: number[] = [];
  for (const distance of distances) counts[distance] = (counts[distance] ?? 0) + 1;
  const radii: number[] = [];
  for (let ring = 0; ring < counts.length; ring += 1) {
    const least = ring === 0 ? 30 : (radii[ring - 1] ?? 0) + RING;
    radii.push(Math.max(least, ((counts[ring] ?? 0) * ROOM) / (2 * Math.PI)));
  }
  return radii;
}
