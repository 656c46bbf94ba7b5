// Encodings as Hugging Face has them, and what truncation, padding and merging make of them. An encoding consists of parts of sources, whose
// ids, tokens, words and offsets are read when they are asked for: no operation takes longer for longer texts. Rows never change; every
// function returns new ones. The quirks are Hugging Face's: truncated rows forget their sequences, and each overflowing part of one text
// is combined with each of the other.

import type { EngineTokenizer, EngineUnit, Policy } from '../../engine/engine.js';

/** The side that is cut off or padded. */
export type Side = 'left' | 'right';

/** Start and end. */
export type Range = readonly [start: number, end: number];

/**
 * The parts of a sequence of `length` ids that is longer than `maxLength`: what stays, then the overflowing parts, each of at most
 * `maxLength` ids. Neighbours share `stride` ids, which is less than `maxLength`.
 */
export function partsOf(length: number, maxLength: number, stride: number, side: Side): Range[] {
  const parts: Range[] = [];
  const step = maxLength - stride;
  for (let cut = 0; cut < length; cut += step) {
    const end = Math.min(cut + maxLength, length);
    parts.push(side === 'right' ? [cut, end] : [length - end, length - cut]);
    if (end === length) break;
  }
  return parts;
}

/** The lengths that two sequences keep so that both together have at most `maxLength` ids; the longer one loses first. */
export function lengthsOfPair(first: number, second: number, maxLength: number): Range {
  if (first + second <= maxLength) return [first, second];
  const shorter = Math.min(first, second);
  let [short, long] = [shorter, shorter > maxLength ? shorter : Math.max(shorter, maxLength - shorter)];
  if (short + long > maxLength) [short, long] = [maxLength >> 1, maxLength - (maxLength >> 1)];
  return first > second ? [long, short] : [short, long];
}

/** The next multiple of `multiple`, if that is not 0. */
export function paddedLength(length: number, multiple = 0): number {
  return multiple > 0 ? Math.ceil(length / multiple) * multiple : length;
}

/** An encoded text, or tokens that stand in no text. */
export interface Source {
  readonly ids: ArrayLike<number>;
  /** The text of the token at an index. */
  tokenAt(index: number): string;
  /** How much white space, or letters that stand for a space, the token begins and ends with, where `tokenAt` does not tell. */
  spacesAt?(index: number): Range | undefined;
  /** The number of its word. */
  wordAt(index: number): number | null;
  /** Its place in the text, in the unit of the drop-in. */
  offsetsAt(index: number): Range;
  /** 1 for each token that the assistant of a chat wrote; undefined where nobody asked. */
  readonly assistant?: Uint8Array | undefined;
}

/** What a post-processor does to the offsets of one token of a source. */
export type OffsetsChange = (offsets: Range, source: Source, index: number) => Range;

/** The tokens of a source from `start` up to `end`. */
export interface Part {
  source: Source;
  start: number;
  end: number;
  typeId: number;
  /** 1 for what a post-processor adds and for padding. */
  special: 0 | 1;
  /** 0 for padding. */
  mask: 0 | 1;
  changes: readonly OffsetsChange[];
}

export interface Rows {
  length: number;
  parts: readonly Part[];
  overflowing: readonly Rows[];
  /** The tokens of each sequence. */
  ranges: ReadonlyMap<number, Range>;
}

export const NO_ROWS: Rows = { length: 0, parts: [], overflowing: [], ranges: new Map() };

/** All tokens of a source. */
export function rowsOf(source: Source, cells: Partial<Pick<Part, 'typeId' | 'special' | 'mask'>>, [start, end]: Range): Rows {
  const part: Part = { source, start, end, typeId: 0, special: 0, mask: 1, changes: [], ...cells };
  return { ...NO_ROWS, length: end - start, parts: [part] };
}

/** The rows of a token that stands in no text, repeated `count` times. */
export function fixedRows(tokenAt: () => string, id: number, cells: Pick<Part, 'typeId' | 'mask'>, count = 1): Rows {
  const ids = new Array<number>(count).fill(id);
  const source: Source = { ids, tokenAt, wordAt: () => null, offsetsAt: () => [0, 0] };
  return rowsOf(source, { ...cells, special: 1 }, [0, count]);
}

/** What `value` says of each token. */
export function columnOf<T>({ parts }: Rows, value: (part: Part, index: number) => T): T[] {
  const column: T[] = [];
  for (const part of parts) for (let index = part.start; index < part.end; index++) column.push(value(part, index));
  return column;
}

/** For each token the number of its text, 0 or 1; null for a token of no text. */
export function sequencesOf({ length, ranges }: Rows): (number | null)[] {
  const sequences = new Array<number | null>(length).fill(null);
  for (let sequence = 0; sequence < (ranges.size || 1); sequence++) sequences.fill(sequence, ...(ranges.get(sequence) ?? [0, length]));
  return sequences;
}

/** A token of a source. */
export interface Place {
  source: Source;
  index: number;
}

/** The part that a token is in, and its index in the part's source; undefined if there is none. */
export function placeOf({ parts }: Rows, token: number): { part: Part; index: number } | undefined {
  let before = 0;
  for (const part of parts) {
    const index = part.start + token - before;
    if (index >= part.start && index < part.end) return { part, index };
    before += part.end - part.start;
  }
  return undefined;
}

export function offsetsIn({ source, changes }: Part, index: number): Range {
  return changes.reduce((offsets, change) => change(offsets, source, index), source.offsetsAt(index));
}

function sliced(rows: Rows, [start, end]: Range): Rows {
  const parts: Part[] = [];
  let before = 0;
  for (const part of rows.parts) {
    const shift = part.start - before;
    before += part.end - part.start;
    const [from, to] = [Math.max(part.start, start + shift), Math.min(part.end, end + shift)];
    if (from < to) parts.push({ ...part, start: from, end: to });
  }
  return { ...NO_ROWS, length: end - start, parts };
}

/** At most `maxLength` tokens; the rest is overflowing. */
export function truncated(rows: Rows, maxLength: number, stride: number, side: Side): Rows {
  const { length } = rows;
  if (maxLength >= length) return rows;
  if (maxLength === 0) return { ...NO_ROWS, overflowing: [rows] };
  if (stride >= maxLength)
    throw new RangeError(`\`stride\` must be below ${maxLength}, the tokens of a part besides the special ones; received ${stride}`);
  const [first, ...others] = partsOf(length, maxLength, stride, side).map((range) => sliced(rows, range)) as [Rows, ...Rows[]];
  return { ...first, overflowing: others };
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
  const missing = length - rows.length;
  if (missing <= 0) return { ...rows, overflowing };
  const padding = fixedRows(() => pad.token, pad.id, { typeId: pad.typeId, mask: 0 }, missing);
  if (pad.side === 'right') return { ...appended(rows, padding), ranges: rows.ranges, overflowing };
  return { ...appended(padding, rows), ranges: moved(rows.ranges, missing), overflowing };
}

function appended(rows: Rows, other: Rows): Rows {
  return { ...NO_ROWS, length: rows.length + other.length, parts: [...rows.parts, ...other.parts] };
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
  return { ...appended(first, second), ranges: new Map([...first.ranges, ...moved(second.ranges, first.length)]), overflowing };
}

function moved(ranges: Rows['ranges'], by: number): Map<number, Range> {
  return new Map([...ranges].map(([sequence, [start, end]]) => [sequence, [start + by, end + by]]));
}

/** Rows whose tokens count as a sequence's; overflowing parts keep their sequences. */
export function asSequence(rows: Rows, sequence: number): Rows {
  return { ...rows, ranges: new Map([...rows.ranges, [sequence, [0, rows.length]]]) };
}

/** The same also for the overflowing parts, but not for the parts that overflow from these. */
export function allAsSequence(rows: Rows, sequence: number): Rows {
  return { ...asSequence(rows, sequence), overflowing: rows.overflowing.map((part) => asSequence(part, sequence)) };
}

/** Rows with other values for all tokens; overflowing parts keep theirs. */
export function withCells(rows: Rows, cells: Partial<Pick<Part, 'typeId' | 'special' | 'mask'>>): Rows {
  return { ...rows, parts: rows.parts.map((part) => ({ ...part, ...cells })) };
}

/** Rows with other offsets, as in `allAsSequence` also in overflowing parts. `changeOf` gets the first token and says how they change. */
export function withOffsets(rows: Rows, changeOf: (first: Place | undefined) => OffsetsChange): Rows {
  return { ...changedOffsets(rows, changeOf), overflowing: rows.overflowing.map((part) => changedOffsets(part, changeOf)) };
}

function changedOffsets(rows: Rows, changeOf: (first: Place | undefined) => OffsetsChange): Rows {
  const first = placeOf(rows, 0);
  const change = changeOf(first && { source: first.part.source, index: first.index });
  const parts = rows.parts.map((part) => ({ ...part, changes: [...part.changes, change] }));
  return { ...rows, parts };
}

/** Which of two texts loses tokens: the longer one first, or only one of them. */
export type Strategy = 'longest_first' | 'only_first' | 'only_second';

/** `maxLength`: the ids around the texts included. `stride`: how many tokens a part repeats of the one before. */
export interface Truncation {
  maxLength: number;
  strategy: Strategy;
  stride: number;
  side: Side;
}

/** `length`: undefined for the longest encoding's. */
export interface Padding extends Pad {
  length: number | undefined;
  multiple: number | undefined;
}

/**
 * One text or two, truncated so that with the `added` ids of the post-processor they are not too long. Throws a RangeError where the
 * strategy cannot reach that.
 */
export function truncatedTo(truncation: Truncation | undefined, sequences: readonly Rows[], added: number): readonly Rows[] {
  if (!truncation) return sequences;
  const { strategy, stride, side } = truncation;
  const maxLength = truncation.maxLength - added;
  if (maxLength < 0)
    throw new RangeError(`the maximum length must be at least ${added}, the ids around texts; received ${truncation.maxLength}`);
  const lengths = sequences.map(({ length }) => length);
  const [first = 0, second = 0] = lengths;
  if (maxLength > 0 && first + second <= maxLength) return sequences;
  const remaining = maxLength === 0 ? [0, 0] : remainingLengths(lengths, strategy, maxLength);
  return sequences.map((rows, index) => truncated(rows, remaining[index] as number, stride, side));
}

function remainingLengths(lengths: readonly number[], strategy: Strategy, maxLength: number): readonly number[] {
  const [first = 0, second] = lengths;
  if (second === undefined && strategy !== 'only_second') return [maxLength];
  if (second === undefined) throw new RangeError('truncation that cuts only the second text needs two texts; received one');
  if (strategy === 'longest_first') return lengthsOfPair(first, second, maxLength);
  const over = first + second - maxLength;
  const [length, name] = strategy === 'only_first' ? [first, 'first'] : [second, 'second'];
  if (length > over) return strategy === 'only_first' ? [first - over, second] : [first, second - over];
  throw new RangeError(
    `cannot truncate only the ${name} text: ${over} tokens are too many, and it has ${length}; let truncation cut the longest first`,
  );
}

/** The encodings of a batch, padded to one length, with their overflowing parts. */
export function paddedBy(padding: Padding | undefined, all: readonly Rows[]): readonly Rows[] {
  if (!padding) return all;
  const longest = padding.length ?? all.reduce((longest, { length }) => Math.max(longest, length), 0);
  const length = paddedLength(longest, padding.multiple);
  return all.map((rows) => padded(rows, length, padding));
}

export abstract class EncodedText implements Source {
  readonly ids: Uint32Array;
  readonly text: string;
  readonly #engine: EngineTokenizer;
  readonly #policy: Policy;
  readonly #located = new Map<EngineUnit, Uint32Array>();

  /** `ids`: the ids of the text, where they are known already. */
  constructor(engine: EngineTokenizer, text: string, policy: Policy, ids: Uint32Array = engine.encode(text, policy)) {
    this.ids = ids;
    this.text = text;
    this.#engine = engine;
    this.#policy = policy;
  }

  abstract tokenAt(index: number): string;
  abstract offsetsAt(index: number): Range;

  wordAt(index: number): number {
    return this.located('words')[2 * index] as number;
  }

  /** The text of a token as it is in this one. */
  protected textAt(index: number): string {
    const offsets = this.located('utf16');
    return this.text.slice(offsets[2 * index], offsets[2 * index + 1]).replace(/\p{Surrogate}/gu, '\ufffd');
  }

  /** Two numbers for each token: start and end, or the number of its word, and 1 if that is an added token. */
  protected located(unit: EngineUnit): Uint32Array {
    let found = this.#located.get(unit);
    if (!found) {
      found = this.#engine.encodeWithOffsets(this.text, unit, this.#policy).offsets;
      this.#located.set(unit, found);
    }
    return found;
  }
}
