/** Circles of given radii. */
export interface Circles {
  x: Float32Array;
  y: Float32Array;
  r: Float32Array;
}

/** The angle between neighbours of a sunflower, which fills a disc evenly. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** The place of the `at`th of `count` points in a disc of radius 1, from its centre outwards. */
export function sunflower(at: number, count: number): [x: number, y: number] {
  const radius = Math.sqrt((at + 0.5) / count);
  return [radius * Math.cos(at * GOLDEN_ANGLE), radius * Math.sin(at * GOLDEN_ANGLE)];
}

/** Pushes circles apart until none overlap, or `rounds` are over. Earlier circles move less. */
export function pushApart(circles: Circles, gap: number, rounds: number): void {
  const { x } = circles;
  for (let round = 0; round < rounds; round += 1) {
    let moved = false;
    for (let one = 0; one < x.length; one += 1) {
      for (let other = one + 1; other < x.length; other += 1) moved = separate(circles, one, other, gap) || moved;
    }
    if (!moved) return;
  }
}

function separate({ x, y, r }: Circles, one: number, other: number, gap: number): boolean {
  const dx = (x[other] ?? 0) - (x[one] ?? 0);
  const dy = (y[other] ?? 0) - (y[one] ?? 0);
  const least = (r[one] ?? 0) + (r[other] ?? 0) + gap;
  const distance = Math.hypot(dx, dy);
  if (distance >= least - 1e-3) return false;
  // Two in one place part along an angle of their own.
  const [ux, uy] = distance > 1e-6 ? [dx / distance, dy / distance] : [Math.cos(other), Math.sin(other)];
  const push = least - distance;
  const heavy = (r[one] ?? 0) ** 2;
  const share = heavy / (heavy + (r[other] ?? 0) ** 2 || 1);
  x[one] = (x[one] ?? 0) - ux * push * (1 - share);
  y[one] = (y[one] ?? 0) - uy * push * (1 - share);
  x[other] = (x[other] ?? 0) + ux * push * share;
  y[other] = (y[other] ?? 0) + uy * push * share;
  return true;
}

/** Draws everything towards the centre as far as room allows, so that outliers leave no empty map. */
export function pullTogether(circles: Circles, gap: number, rounds: number): void {
  const { x, y } = circles;
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at < x.length; at += 1) {
      x[at] = (x[at] ?? 0) * 0.9;
      y[at] = (y[at] ?? 0) * 0.9;
    }
    pushApart(circles, gap, 12);
  }
}

/** Spreads points over a disc by the order of their distances: who is near whom stays, and no corner is crowded. */
export function fillDisc(x: Float32Array, y: Float32Array): void {
  const count = x.length;
  if (count === 0) return;
  let cx = 0;
  let cy = 0;
  for (let at = 0; at < count; at += 1) {
    cx += (x[at] ?? 0) / count;
    cy += (y[at] ?? 0) / count;
  }
  const distance = Array.from({ length: count }, (_, at) => Math.hypot((x[at] ?? 0) - cx, (y[at] ?? 0) - cy));
  const order = distance.map((_, at) => at).sort((one, other) => (distance[one] ?? 0) - (distance[other] ?? 0) || one - other);
  order.forEach((at, rank) => {
    const angle = Math.atan2((y[at] ?? 0) - cy, (x[at] ?? 0) - cx);
    const radius = Math.sqrt((rank + 0.5) / count);
    x[at] = radius * Math.cos(angle);
    y[at] = radius * Math.sin(angle);
  });
}
