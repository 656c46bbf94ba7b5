// A text cut into blocks of some lines each, the unit that the token view renders, measures and throws away.
//
// A block ends behind a newline, or, in a line of more than LONGEST units, where no grapheme cluster can cross: before a space,
// between two letters of ASCII, or before an ideograph.

export interface Blocks {
  /** Where each block starts, and the end of the last one. */
  starts: Uint32Array<ArrayBuffer>;
  /** Newlines in each block. */
  breaks: Uint32Array<ArrayBuffer>;
}

const ENOUGH = 320;
const LONGEST = 900;
const NEWLINE = 10;

/** The blocks of `text` up to `end`, which is where the last one ends. */
export function blocksOf(text: string, end = text.length): Blocks {
  const starts = [0];
  const breaks: number[] = [];
  let at = 0;
  let lines = 0;
  while (at < end) {
    const start = starts.at(-1) as number;
    const newline = text.indexOf('\n', at);
    const lineEnd = newline === -1 || newline >= end ? end : newline + 1;
    if (lineEnd - at > LONGEST) {
      if (at > start) close(at);
      at = cutNear(text, at + ENOUGH, Math.min(at + LONGEST, end));
      close(at);
      continue;
    }
    at = lineEnd;
    if (newline !== -1 && newline < end) lines++;
    if (at - start >= ENOUGH || lines >= 40) close(at);
  }
  if ((starts.at(-1) as number) < end) close(end);
  return { starts: Uint32Array.from(starts), breaks: Uint32Array.from(breaks) };

  function close(behind: number): void {
    starts.push(behind);
    breaks.push(lines);
    lines = 0;
  }
}

/** A position in (from, to] before which a cluster ends. */
function cutNear(text: string, from: number, to: number): number {
  for (let at = to; at > from; at--) if (text.charCodeAt(at) === 32) return at;
  for (let at = to; at > from; at--) {
    const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
    if ((isAscii(before) && isAscii(behind)) || (isIdeograph(before) && isIdeograph(behind))) return at;
  }
  const splitsPair = (text.charCodeAt(to) & 0xfc00) === 0xdc00;
  return splitsPair ? to - 1 : to;
}

const isAscii = (unit: number) => unit > NEWLINE + 3 && unit < 127;
const isIdeograph = (unit: number) => unit >= 0x4e00 && unit < 0xa000;

/** The index of the block that has a position. */
export function blockAt({ starts }: Blocks, position: number): number {
  return Math.max(0, Math.min(starts.length - 2, upperBound(starts, position) - 1));
}

/** How many of the sorted numbers are at most `value`. */
export function upperBound(sorted: ArrayLike<number>, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
