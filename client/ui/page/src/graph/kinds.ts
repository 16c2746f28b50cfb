/** The groups of kinds that colours tell apart. */
export type KindGroup = "call" | "type" | "value" | "module";

const GROUPS: ReadonlyMap<string, KindGroup> = new Map([
  ["function", "call"],
  ["method", "call"],
  ["constructor", "call"],
  ["macro", "call"],
  ["class", "type"],
  ["struct", "type"],
  ["union", "type"],
  ["interface", "type"],
  ["trait", "type"],
  ["enum", "type"],
  ["type", "type"],
  ["module", "module"],
  ["namespace", "module"],
]);

/** The group of a kind; what is neither code, type nor module is a value. */
export function groupOf(kind: string): KindGroup {
  return GROUPS.get(kind) ?? "value";
}

/** The groups with their names, for legends. */
export const GROUP_NAMES: readonly (readonly [group: KindGroup, name: string])[] = [
  ["call", "functions"],
  ["type", "types"],
  ["value", "values"],
  ["module", "modules"],
];
