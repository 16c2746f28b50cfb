const COUNT = new Intl.NumberFormat("en-US");

/** A whole number with separators: `12,345`. */
export function formatCount(count: number | undefined | null): string {
  return count === undefined || count === null || !Number.isFinite(count) ? "–" : COUNT.format(Math.round(count));
}

/** A count with its noun: `1 file`, `2 files`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Bytes as MiB or KiB. */
export function formatBytes(bytes: number): string {
  if (bytes >= 1 << 20) return `${(bytes / (1 << 20)).toFixed(1)} MiB`;
  return `${Math.round(bytes / 1024)} KiB`;
}

/** A span: `840 ms`, `3.2 s`, `12 min`, `5 h`, `3 days`. */
export function formatSpan(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.floor(ms / 3_600_000)} h`;
  return `${Math.floor(ms / 86_400_000)} days`;
}

/** The time of day of Unix milliseconds: `14:03:07`. */
export function formatTime(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Day and time of Unix milliseconds: `2026-11-27 14:03:07`. */
export function formatDate(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${formatTime(ms)}`;
}

/** A part of a whole as per cent: `42 %`. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0) return "–";
  const share = (100 * part) / whole;
  return share > 0 && share < 1 ? "< 1 %" : `${Math.round(share)} %`;
}

/** The Unix milliseconds in a version such as `v1770600000000`, or null. */
export function timeOfVersion(version: string): number | null {
  const digits = /^v(\d{13})(?:\+\d+)?$/.exec(version);
  return digits ? Number(digits[1]) : null;
}

/** The value at a share of sorted numbers; 0 of none. */
export function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
