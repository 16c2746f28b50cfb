/** A piece of a text, and whether the other text lacks it. */
export interface Piece {
  text: string;
  differs: boolean;
}

/** Longest texts that are compared word by word, in words; longer ones are shown whole. */
const MAX_WORDS = 400;

function splitWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Compares two texts by words: both as pieces, with what the other lacks marked. */
export function compareWords(before: string, after: string): { before: Piece[]; after: Piece[] } {
  const [one, other] = [splitWords(before), splitWords(after)];
  if (one.length > MAX_WORDS || other.length > MAX_WORDS) {
    return { before: [{ text: before, differs: true }], after: [{ text: after, differs: true }] };
  }
  const { left, right } = commonWords(one, other);
  return { before: joinPieces(one, left), after: joinPieces(other, right) };
}

/** Which words of either side are part of a longest common subsequence. */
function commonWords(one: readonly string[], other: readonly string[]): { left: boolean[]; right: boolean[] } {
  const width = other.length + 1;
  const longest = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const left = one.map(() => false);
  const right = other.map(() => false);
  let [row, column] = [0, 0];
  while (row < one.length && column < other.length) {
    if (one[row] === other[column]) {
      left[row] = right[column] = true;
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return { left, right };
}

function joinPieces(words: readonly string[], common: readonly boolean[]): Piece[] {
  const pieces: Piece[] = [];
  words.forEach((text, at) => {
    const differs = !common[at];
    const last = pieces.at(-1);
    if (last && last.differs === differs) last.text += text;
    else pieces.push({ text, differs });
  });
  return pieces;
}
