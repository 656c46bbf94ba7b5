// Case-insensitive matching as in Oniguruma: characters with equal foldings are equal, and a folding may have several
// characters: (?i:ss) matches ß, and (?i:ß) matches ss.

import { codePoints, has, union, type CodePoints } from './code-points.js';
import { COMMON_FOLDING, FULL_FOLDING } from './unicode-16-0.js';

interface Folding {
  /** The folding of each code point: one or several. Excludes code points that fold to themselves. */
  folds: Map<number, readonly number[]>;
  /** For each such folding, joined, all code points that fold to it. */
  sources: Map<string, number[]>;
  /** Code points that fold to several. */
  full: readonly (readonly [codePoint: number, folding: readonly number[]])[];
}

let folding: Folding | undefined;

function tables(): Folding {
  if (folding) return folding;
  const numbers = (row: string) => row.split(' ').map((each) => parseInt(each, 36));
  const folds = new Map<number, readonly number[]>();
  for (const row of COMMON_FOLDING.split(',')) {
    const [first, step, count, add] = numbers(row) as [number, number, number, number];
    for (let i = 0; i < count; ++i) folds.set(first + i * step, [first + i * step + add]);
  }
  const full = FULL_FOLDING.split(',').map((row): [number, number[]] => {
    const [codePoint, ...to] = numbers(row);
    return [codePoint!, to];
  });
  for (const [codePoint, to] of full) folds.set(codePoint, to);
  const sources = new Map<string, number[]>();
  for (const [codePoint, to] of folds) {
    const alike = sources.get(to.join()) ?? [];
    sources.set(to.join(), [...alike, codePoint]);
  }
  return (folding = { folds, sources, full });
}

/** The code points with the same folding as this one, including itself. */
function alike(codePoint: number): CodePoints {
  const key = tables().folds.get(codePoint) ?? [codePoint];
  const all = [codePoint, ...(tables().sources.get(key.join()) ?? []), ...(key.length === 1 ? key : [])];
  return codePoints(...all.map((each): [number, number] => [each, each]));
}

/** The set, extended by every code point that folds like one of its members. */
export function closedUnderFolding(set: CodePoints): CodePoints {
  const more = [...tables().folds].flatMap(([codePoint, to]) =>
    has(set, codePoint) || (to.length === 1 && has(set, to[0]!)) ? [alike(codePoint)] : [],
  );
  return union(set, ...more);
}

/** The texts of several characters that a member of the set folds to: for each, the sets of its characters. */
export function expansions(set: CodePoints): CodePoints[][] {
  const { full } = tables();
  const texts = new Map(full.filter(([codePoint]) => has(set, codePoint)).map(([, to]) => [to.join(), to]));
  return [...texts.values()].sort((a, b) => a.length - b.length).map((to) => to.map(alike));
}

/** What is equal to the beginning of a text without regard to case. */
export interface Equal {
  /** How many characters of the text. */
  length: number;
  /** The other texts that these characters are equal to. */
  others: number[][];
}

/** What the text is equal to at `at`: as Oniguruma has it, by the longest folding of several characters that begins there. */
export function equalAt(text: readonly number[], at: number): Equal {
  const { folds, sources } = tables();
  const single = (codePoint: number) => {
    const to = folds.get(codePoint);
    return to?.length === 1 ? to[0]! : codePoint;
  };
  const variants = (codePoint: number) => [codePoint, ...(sources.get(`${codePoint}`) ?? [])];
  const combined = (to: readonly number[]) =>
    to.map(variants).reduce<number[][]>((texts, each) => texts.flatMap((before) => each.map((last) => [...before, last])), [[]]);
  for (const length of [3, 2]) {
    const written = text.slice(at, at + length);
    if (written.length < length) continue;
    const to = written.map(single);
    const whole = sources.get(to.join());
    if (!whole) continue;
    const others = combined(to).filter((other) => other.join() !== written.join());
    return { length, others: [...whole.map((codePoint) => [codePoint]), ...others] };
  }
  const code = text[at]!;
  const to = folds.get(code);
  if (!to) return { length: 1, others: (sources.get(`${code}`) ?? []).map((codePoint) => [codePoint]) };
  const others = combined(to).filter((other) => other[0] !== code);
  if (to.length === 1) return { length: 1, others };
  const wholes = sources.get(to.join())!.filter((codePoint) => codePoint !== code);
  return { length: 1, others: [...wholes.map((codePoint) => [codePoint]), ...others] };
}
