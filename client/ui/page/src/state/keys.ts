import type { View } from "./routes";

/** What a key asks for. */
export type Command = { do: "search" } | { do: "help" } | { do: "escape" } | { do: "view"; view: View } | { do: "theme" } | { do: "wait" };

const VIEW_KEYS: Record<string, View> = { r: "repository", g: "graph", d: "delta", a: "agents" };

/** Longest time between the two keys of a sequence such as `g r`, in milliseconds. */
const MAX_SEQUENCE_MS = 1_200;

/** Reads keys one by one and knows the sequences. */
export class KeyReader {
  private goSince: number | null = null;

  /** The command of a key at a time in milliseconds, or null if it has none. */
  read(key: string, now: number): Command | null {
    const pending = this.goSince !== null && now - this.goSince <= MAX_SEQUENCE_MS;
    this.goSince = null;
    if (pending) {
      const view = VIEW_KEYS[key];
      return view ? { do: "view", view } : null;
    }
    switch (key) {
      case "g":
        this.goSince = now;
        return { do: "wait" };
      case "/":
        return { do: "search" };
      case "?":
        return { do: "help" };
      case "t":
        return { do: "theme" };
      case "Escape":
        return { do: "escape" };
      default:
        return null;
    }
  }
}

/** Whether keys go into a field, where letters are text. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** The keys, for the help. */
export const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ["/", "Search symbols"],
  ["g r", "Repository"],
  ["g g", "Graph"],
  ["g d", "Delta"],
  ["g a", "Agents"],
  ["↑ ↓", "Move in a list; Home and End go to its ends"],
  ["→ ←", "Unfold and fold an entry"],
  ["Enter", "Open the entry"],
  ["t", "Theme: system, light, dark"],
  ["Esc", "Close, or go back to the map"],
  ["?", "This help"],
];
