import type { Failure } from "../../api/errors";
import type { Drawing } from "../../graph/drawing";

/** An entry of the list that says the same as the canvas. */
export interface ListItem {
  id: string;
  name: string;
  kind: string;
  place: string;
  note?: string;
  depth?: number;
  /** Whether it is unfolded; undefined if it can't be. */
  unfolded?: boolean;
  onFold?: () => void;
}

export interface ListGroup {
  title: string;
  items: readonly ListItem[];
  more?: string;
}

/** What one mode of the graph shows, on the canvas and as a list. */
export interface Picture {
  drawing: Drawing | null;
  groups: readonly ListGroup[];
  /** A sentence about it, such as what it may lack. */
  note: string;
  /** What to do where there is nothing to show. */
  hint: string;
  failure: Failure | null;
  busy: boolean;
  reload: () => void;
  title: string;
}
