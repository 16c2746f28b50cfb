/** A run of text, or one character that is shown by its code. */
export interface Run {
  text: string;
  escaped: boolean;
}

/**
 * Characters that change how a line looks without being seen: controls, bidi controls, joiners and spaces of no width, the soft
 * hyphen, blanks that are no space, tags, variation selectors, and halves of surrogate pairs.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\ud800-\udfff]/gu;

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Splits text into runs, so that hidden characters can be shown. */
export function visibleRuns(text: string): Run[] {
  const runs: Run[] = [];
  let last = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > last) runs.push({ text: text.slice(last, match.index), escaped: false });
    runs.push({ text: codeOf(match[0]), escaped: true });
    last = match.index + match[0].length;
  }
  if (last < text.length || runs.length === 0) runs.push({ text: text.slice(last), escaped: false });
  return runs;
}

/** The same as one string, for a canvas, a title or a file: hidden characters as `<U+202E>`. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (character) => `<${codeOf(character)}>`);
}

/** At most `most` characters, the end replaced by an ellipsis. */
export function shortText(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
