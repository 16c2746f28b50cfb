import { colourOf } from "../state/theme";
import type { KindGroup } from "./kinds";

/** The colours of a canvas, from the style sheet. */
export interface Palette {
  ground: string;
  text: string;
  quiet: string;
  line: string;
  accent: string;
  disc: string;
  kinds: Record<KindGroup, string>;
}

/** Reads the colours of the present theme. */
export function readPalette(): Palette {
  return {
    ground: colourOf("panel"),
    text: colourOf("text"),
    quiet: colourOf("quiet"),
    line: colourOf("line-strong"),
    accent: colourOf("accent"),
    disc: colourOf("disc"),
    kinds: {
      call: colourOf("kind-call"),
      type: colourOf("kind-type"),
      value: colourOf("kind-value"),
      module: colourOf("kind-module"),
    },
  };
}

/** A hexadecimal colour mixed with another: 0 is the first, 1 the second. */
export function mixColours(one: string, other: string, share: number): string {
  const parts = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const second = parts(other);
  const mixed = parts(one).map((value, at) => Math.round(value * (1 - share) + (second[at] ?? 0) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
