/** A small line of numbers, from zero or from `floor`. */
export function Spark({ values, label, floor = 0 }: { values: readonly number[]; label: string; floor?: number }) {
  const greatest = Math.max(floor + 1e-9, ...values);
  const step = values.length > 1 ? 200 / (values.length - 1) : 0;
  const points = values.map((value, at) => `${(at * step).toFixed(1)},${(38 - (36 * (value - floor)) / (greatest - floor)).toFixed(1)}`);
  return (
    <svg class="spark" viewBox="0 0 200 40" preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="spark-base" x1="0" x2="200" y1="39" y2="39" />
      {points.length > 1 && <polyline class="spark-line" points={points.join(" ")} />}
    </svg>
  );
}
