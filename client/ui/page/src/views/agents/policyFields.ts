import type { Policy } from "../../api/agents";

/** A setting of a policy. */
export interface PolicyField {
  /** Its place: a name, or two with a dot. */
  key: string;
  name: string;
  least?: number;
  most?: number;
  step?: number;
}

export const POLICY_FIELDS: readonly PolicyField[] = [
  { key: "maxWindowLines", name: "Lines of a window", least: 1, most: 10_000 },
  { key: "maxWindowTokens", name: "Tokens of a window", least: 500, most: 20_000 },
  { key: "utilityThreshold", name: "Utility from which a window needs no slice", least: 0, most: 1, step: 0.05 },
  { key: "requireIdentifiers", name: "Identifiers required" },
  { key: "defaultDenyRaw", name: "Raw code denied by default" },
  { key: "allowBreakGlass", name: "Breaking the glass allowed" },
  { key: "redactSecrets", name: "Likely secrets masked" },
  { key: "budgetCaps.maxCards", name: "Cards of a slice", least: 1, most: 500 },
  { key: "budgetCaps.maxEstimatedTokens", name: "Tokens of a slice", least: 400, most: 20_000 },
];

export type Value = number | boolean;

/** The value of a field. */
export function valueOf(policy: Policy, key: string): Value | undefined {
  const [first = "", second] = key.split(".");
  const value = (policy as unknown as Record<string, unknown>)[first];
  const found = second === undefined ? value : (value as Record<string, unknown> | undefined)?.[second];
  return typeof found === "number" || typeof found === "boolean" ? found : undefined;
}

/** The patch that `policy.set` needs for the changed fields. */
export function patchOf(changes: ReadonlyMap<string, Value>): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const [key, value] of changes) {
    const [first = "", second] = key.split(".");
    if (second === undefined) patch[first] = value;
    else patch[first] = { ...(patch[first] as object | undefined), [second]: value };
  }
  return patch;
}

/** Whether a value gives agents more than the ceiling does, so that the daemon would hold it down. */
export function isAbove(field: PolicyField, value: Value, ceiling: Value | undefined): boolean {
  if (typeof value === "number" && typeof ceiling === "number") return field.key === "utilityThreshold" ? value < ceiling : value > ceiling;
  if (typeof value !== "boolean" || typeof ceiling !== "boolean") return false;
  return field.key === "allowBreakGlass" ? value && !ceiling : !value && ceiling;
}
