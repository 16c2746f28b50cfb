import type { SymbolRow } from "../api/types";
import { groupOf, type KindGroup } from "./kinds";

/** A symbol in a drawing. */
export interface DrawnNode {
  id: string;
  name: string;
  file: string;
  line: number;
  kind: string;
  group: KindGroup;
  x: number;
  y: number;
  size: number;
  /** Whether the drawing is about it. */
  strong?: boolean;
  /** Where its name is written; to the right if nothing else is said. */
  side?: Side;
}

export type Side = "left" | "right" | "above";

/** An edge between two nodes of a drawing, by number. */
export interface DrawnEdge {
  from: number;
  to: number;
  /** How often the rule that found it is right, 0 to 1. */
  confidence: number;
}

/** The disc of a cluster. */
export interface DrawnDisc {
  x: number;
  y: number;
  r: number;
  name: string;
  count: number;
}

/** What a canvas, a list and an exported file show. The second axis points up. */
export interface Drawing {
  nodes: readonly DrawnNode[];
  edges: readonly DrawnEdge[];
  discs: readonly DrawnDisc[];
  /** Edges between discs, with a count each. */
  links: readonly { from: number; to: number; weight: number }[];
  /** Whether every node has its name beside it. */
  named: boolean;
}

/** An empty drawing. */
export const NOTHING: Drawing = { nodes: [], edges: [], discs: [], links: [], named: true };

/** A symbol as a node, still at the origin. */
export function nodeOf(symbol: SymbolRow, size = 5): DrawnNode {
  const { symbolId: id, name, file, line, kind } = symbol;
  return { id, name, file, line, kind, group: groupOf(kind), x: 0, y: 0, size };
}

/** Room of a column. */
const COLUMN = 260;
/** Least and most room of a row. Few rows are spread, because a screen is rarely four times as wide as it is high. */
const MIN_ROW = 30;
const MAX_ROW = 72;

/** Places nodes in columns, each centred. */
export function placeColumns(nodes: readonly DrawnNode[], columnOf: readonly number[]): DrawnNode[] {
  const filled = new Map<number, number>();
  for (const column of columnOf) filled.set(column, (filled.get(column) ?? 0) + 1);
  const most = Math.max(1, ...filled.values());
  const room = Math.max(MIN_ROW, Math.min(MAX_ROW, ((filled.size - 1) * COLUMN * 0.8) / most));
  const next = new Map<number, number>();
  return nodes.map((node, at) => {
    const column = columnOf[at] ?? 0;
    const row = next.get(column) ?? 0;
    next.set(column, row + 1);
    const height = ((filled.get(column) ?? 1) - 1) * room;
    return { ...node, side: sideOf(column), x: column * COLUMN, y: height / 2 - row * room };
  });
}

/** Names point away from the middle, where edges are. */
function sideOf(column: number): Side {
  return column < 0 ? "left" : column > 0 ? "right" : "above";
}
