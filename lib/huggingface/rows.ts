// What an encoding consists of, a column for each of its lists, and what truncation, padding and merging make of it. Rows never
// change: every function here returns new ones. They are Hugging Face's, quirks included: what is truncated forgets which sequences
// it has, and each overflowing part of one text is combined with each of the other.

import { partsOf, type Range, type Side } from './lengths.js';

/** A text that has been encoded, or a token that is of none. */
export interface Origin {
  /** The text of the token at an index. */
  tokenAt(index: number): string;
  /** The word that it is of. */
  wordAt(index: number): number | null;
}

export interface Rows {
  ids: readonly number[];
  typeIds: readonly number[];
  offsets: readonly Range[];
  /** 1 for what a post-processor adds and for padding. */
  special: readonly number[];
  /** 0 for padding. */
  mask: readonly number[];
  /** Where each token is from, and its index there. */
  origins: readonly Origin[];
  indexes: readonly number[];
  overflowing: readonly Rows[];
  /** The tokens of each sequence. */
  ranges: ReadonlyMap<number, Range>;
}

export const NO_ROWS: Rows = {
  ...{ ids: [], typeIds: [], offsets: [], special: [], mask: [], origins: [], indexes: [], overflowing: [] },
  ranges: new Map(),
};

const COLUMNS = ['ids', 'typeIds', 'offsets', 'special', 'mask', 'origins', 'indexes'] as const;

/** One value for each of the columns. */
type Cells = { [Column in (typeof COLUMNS)[number]]: Rows[Column][number] };

function rowsOf(cells: Cells, count: number): Rows {
  const columns = COLUMNS.map((column) => [column, new Array(count).fill(cells[column])]);
  return { ...NO_ROWS, ...(Object.fromEntries(columns) as Pick<Rows, (typeof COLUMNS)[number]>) };
}

/** The rows of one token that is of no text. */
export function fixedRows(token: string, cells: Pick<Cells, 'ids' | 'typeIds' | 'mask'>, count = 1): Rows {
  const origin: Origin = { tokenAt: () => token, wordAt: () => null };
  return rowsOf({ ...cells, offsets: [0, 0], special: 1, origins: origin, indexes: 0 }, count);
}

/** Some of the rows. */
export function sliced(rows: Rows, [start, end]: Range): Rows {
  const columns = COLUMNS.map((column) => [column, rows[column].slice(start, end)]);
  return { ...NO_ROWS, ...(Object.fromEntries(columns) as Pick<Rows, (typeof COLUMNS)[number]>) };
}

function appended(rows: Rows, other: Rows): Rows {
  const columns = COLUMNS.map((column) => [column, [...rows[column], ...other[column]]]);
  return { ...rows, ...(Object.fromEntries(columns) as Pick<Rows, (typeof COLUMNS)[number]>) };
}

/** At most `most` tokens; the rest is overflowing. */
export function truncated(rows: Rows, most: number, stride: number, side: Side): Rows {
  const { length } = rows.ids;
  if (most >= length) return rows;
  if (most === 0) return { ...NO_ROWS, overflowing: [rows] };
  if (stride >= most) throw new RangeError(`expected a stride below ${most}, the tokens that truncation leaves, but received ${stride}`);
  const [kept, ...others] = partsOf(length, most, stride, side).map((range) => sliced(rows, range)) as [Rows, ...Rows[]];
  return { ...kept, overflowing: others };
}

/** What padding consists of. */
export interface Pad {
  id: number;
  typeId: number;
  token: string;
  side: Side;
}

/** At least `length` tokens, in overflowing parts, too. */
export function padded(rows: Rows, length: number, pad: Pad): Rows {
  const overflowing = rows.overflowing.map((part) => padded(part, length, pad));
  const missing = length - rows.ids.length;
  if (missing <= 0) return { ...rows, overflowing };
  const padding = fixedRows(pad.token, { ids: pad.id, typeIds: pad.typeId, mask: 0 }, missing);
  if (pad.side === 'right') return { ...appended(rows, padding), overflowing };
  return { ...appended(padding, rows), ranges: moved(rows.ranges, missing), overflowing };
}

/** One after the other. */
export function merged(rows: readonly Rows[]): Rows {
  return rows.reduce(mergedPair, NO_ROWS);
}

function mergedPair(first: Rows, second: Rows): Rows {
  const overflowing = [
    ...first.overflowing.flatMap((part) => [second, ...second.overflowing].map((other) => mergedPair(part, other))),
    ...second.overflowing.map((part) => mergedPair(first, part)),
  ];
  const ranges = new Map([...first.ranges, ...moved(second.ranges, first.ids.length)]);
  return { ...appended(first, second), ranges, overflowing };
}

function moved(ranges: Rows['ranges'], by: number): Map<number, Range> {
  return new Map([...ranges].map(([sequence, [start, end]]) => [sequence, [start + by, end + by]]));
}

/** With the tokens as those of a sequence, in overflowing parts, too. */
export function asSequence(rows: Rows, sequence: number): Rows {
  return { ...asKept(rows, sequence), overflowing: rows.overflowing.map((part) => asSequence(part, sequence)) };
}

/** The same without overflowing parts, which stay of no sequence. */
export function asKept(rows: Rows, sequence: number): Rows {
  return { ...rows, ranges: new Map([...rows.ranges, [sequence, [0, rows.ids.length]]]) };
}

/** As tokens of a text, even if some are padding; overflowing parts stay as they are. */
export function asText(rows: Rows): Rows {
  return { ...rows, special: rows.ids.map(() => 0), mask: rows.ids.map(() => 1) };
}

/** With one type for all tokens; overflowing parts keep theirs. */
export function withType(rows: Rows, typeId: number): Rows {
  return { ...rows, typeIds: rows.ids.map(() => typeId) };
}
