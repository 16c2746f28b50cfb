import type { CallEvent } from "../../api/events";
import { quantile } from "../../text/format";

/** The calls of one action. Times in milliseconds. */
export interface ActionLatency {
  action: string;
  calls: number;
  failed: number;
  median: number;
  p95: number;
  tokens: number;
}

/** Sums calls up by action, the most called first. */
export function sumLatencies(calls: readonly CallEvent[]): ActionLatency[] {
  const groups = new Map<string, CallEvent[]>();
  for (const call of calls) groups.set(call.action, [...(groups.get(call.action) ?? []), call]);
  const rows = [...groups].map(([action, of]) => {
    const times = of.map((call) => call.ms).sort((one, other) => one - other);
    const tokens = of.reduce((sum, call) => sum + call.tokens, 0);
    return { action, calls: of.length, failed: of.filter((call) => !call.ok).length, median: quantile(times, 0.5), p95: quantile(times, 0.95), tokens };
  });
  return rows.sort((one, other) => other.calls - one.calls || (one.action < other.action ? -1 : 1));
}
