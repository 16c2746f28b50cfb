import { formatCount, formatShare } from "../text/format";
import { Text } from "./Text";

/** Counts by name as bars, the greatest first. */
export function Bars({ counts, label, most = 12 }: { counts: Record<string, number>; label: string; most?: number }) {
  const rows = Object.entries(counts).sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  const whole = rows.reduce((sum, [, count]) => sum + count, 0);
  const greatest = rows[0]?.[1] ?? 1;
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {rows.slice(0, most).map(([name, count]) => (
          <tr key={name}>
            <th scope="row">
              <Text of={name} />
            </th>
            <td class="bar">
              <Bar part={count} whole={greatest} />
            </td>
            <td class="number">{formatCount(count)}</td>
            <td class="number quiet">{formatShare(count, whole)}</td>
          </tr>
        ))}
        {rows.length > most && (
          <tr>
            <th scope="row" class="quiet" colSpan={4}>
              and {rows.length - most} more
            </th>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** A bar as long as a part of a whole; drawn, because its length is a number and no text. */
export function Bar({ part, whole, tone = "" }: { part: number; whole: number; tone?: "" | "warn" | "bad" | "good" }) {
  const share = whole > 0 ? Math.max(0, Math.min(1, part / whole)) : 0;
  return (
    <svg class={`meter ${tone}`} width="100%" height="8" preserveAspectRatio="none" viewBox="0 0 100 8" aria-hidden="true">
      <rect class="meter-back" width="100" height="8" />
      <rect class="meter-fill" width={(100 * share).toFixed(2)} height="8" />
    </svg>
  );
}
