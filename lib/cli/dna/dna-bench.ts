// `crayon dna bench speed`: how fast this machine encodes matrices of bases, compared with a JavaScript loop over a lookup
// table. The ids of both are compared first; they are measured alternately, into reused arrays.

import type { TextRows } from '../../engine/text-rows.js';
import { circumstances, inWords, median } from '../bench.js';
import { policiesOf } from './dna-info.js';
import { type FileIdType, ID_BYTES, ID_TYPES, type Model, type ModelOptions, openModel } from './model.js';
import { InputError, UsageError } from '../command-errors.js';
import { inThousands } from '../output/fields.js';
import { write } from '../output/terminal.js';

/** Rows and bases per row, as in published comparisons. */
const GRIDS = [
  [4096, 512],
  [8192, 512],
  [2048, 2048],
] as const;
const TYPES = ['uint8', 'uint16', 'int32', 'int64'] as const satisfies FileIdType[];
const LETTERS = 'ACGT';
const SEED = 42;
/** Untimed passes. */
const WARM_UP = 3;
/** The least number of rounds. */
const ROUNDS = 5;

export type Ids = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Int32Array<ArrayBuffer> | BigInt64Array<ArrayBuffer>;

interface Measurement {
  rows: number;
  bases: number;
  type: FileIdType;
  /** Bases per second: the median of several rounds. */
  crayon: number;
  javascript: number;
  rounds: number;
}

/** `seconds`: in total. */
export async function benchDna(
  options: ModelOptions & { model: string; seconds: number; json: boolean },
  version: string,
): Promise<boolean> {
  using opened = openModel(options.model, options);
  const { dna, engine } = opened;
  if (dna.unit === 'bpe') throw new UsageError('dnabert2 has no table to compare with');
  const types = TYPES.filter((type) => ID_BYTES[type] >= engine.facts.width);
  const tables = tablesOf(opened);
  const share = (1000 * options.seconds) / (GRIDS.length * types.length);
  const grids = GRIDS.map(([rows, bases]) => ({ rows, bases, texts: randomRows(rows, bases) }));
  const results: Measurement[] = [];
  for (const type of types) {
    const loop = loopOver(tables, type);
    for (const { texts, ...grid } of grids) results.push(measure(opened, texts, loop, { ...grid, type }, share));
  }
  const facts = { ...circumstances(dna.backend, version), model: dna.name, results };
  await write(options.json ? `${JSON.stringify(facts)}\n` : forPeople(facts));
  return true;
}

type Shape = Pick<Measurement, 'rows' | 'bases' | 'type'>;

function measure({ dna }: Model, texts: TextRows, loop: Loop, shape: Shape, share: number): Measurement {
  const { rows, bases, type } = shape;
  const idType = ID_TYPES[type];
  const columns = dna.count(texts.bytes.subarray(0, bases));
  const ids = idsOf(type, rows * columns);
  const looped = idsOf(type, rows * columns);
  const out = { ids } as { ids: Int32Array<ArrayBuffer> };
  const crayon = () => dna.encodeBatch(texts, { type: idType as 'int32', length: columns, mask: 'none', threads: 1, out });
  const javascript = () => loop(texts.bytes, shape, columns, looped);
  // V8 compiles the loop only after it has run for a while.
  for (let pass = 0; pass < WARM_UP; pass++) {
    crayon();
    javascript();
  }
  const wrong = (ids as Int32Array).findIndex((id, at) => id !== looped[at]);
  if (wrong >= 0) throw new InputError(`the ids differ from the loop's: ${ids[wrong]} and ${looped[wrong]} at ${wrong}`);
  const times: [number[], number[]] = [[], []];
  const began = performance.now();
  do {
    times[0].push(timed(crayon));
    times[1].push(timed(javascript));
  } while (times[0].length < ROUNDS || performance.now() - began < share);
  const rate = (milliseconds: number[]) => Math.round((1000 * rows * bases) / median(milliseconds));
  return { ...shape, crayon: rate(times[0]), javascript: rate(times[1]), rounds: times[0].length };
}

export function idsOf(type: FileIdType, length: number): Ids {
  const Class = { uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array, int64: BigInt64Array }[type];
  return new Class(length);
}

function timed(pass: () => unknown): number {
  const began = performance.now();
  pass();
  return performance.now() - began;
}

/** Rows of random bases, the same in every run. */
export function randomRows(rows: number, bases: number): TextRows {
  const bytes = new Uint8Array(rows * bases);
  let state = SEED;
  for (let at = 0; at < bytes.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = LETTERS.charCodeAt(state >>> 30);
  }
  return { bytes, offsets: Uint32Array.from({ length: rows + 1 }, (_, row) => row * bases) };
}

/** Ids for a loop. A k-mer's index is the number whose digits are its letters, A 0, C 1, G 2, T 3. */
interface Tables {
  k: number;
  /** The distance from one k-mer to the next. */
  stride: number;
  kmers: number[];
  /** For letters outside k-mers, by byte. */
  singles: number[];
}

/** Queries the ids one by one. */
export function tablesOf(model: Model): Tables {
  const { dna } = model;
  const { unit, k } = dna;
  const tail = policiesOf(model).tail ?? 'single';
  if (tail !== 'single' || unit === 'bpe' || unit === 'other') throw new UsageError(`${dna.name}: only tails of single bases are compared`);
  const one = (sequence: string) => {
    const ids = dna.encode(sequence);
    if (ids.length !== 1) throw new UsageError(`${dna.name} has no id for ${sequence}, which the comparison needs`);
    return ids[0] as number;
  };
  const kmers = unit === 'byte' ? [] : Array.from({ length: 4 ** k }, (_, index) => one(kmerOf(index, k)));
  const singles = new Array<number>(256).fill(0);
  for (const letter of unit === 'kmer-stride-1' ? '' : LETTERS) {
    singles[letter.charCodeAt(0)] = unit === 'byte' || k > 1 ? one(letter) : 0;
  }
  return { k: unit === 'byte' ? 0 : k, stride: unit === 'kmer' ? k : 1, kmers, singles };
}

function kmerOf(index: number, k: number): string {
  return Array.from({ length: k }, (_, at) => LETTERS[(index >>> (2 * (k - 1 - at))) & 3]).join('');
}

/** `k`: 0 for one id per byte. */
type TableLoop = (
  bytes: Uint8Array,
  rows: number,
  bases: number,
  columns: number,
  k: number,
  stride: number,
  table: Ids,
  singles: Ids,
  out: Ids,
) => void;

/** A plain loop without free variables, so that it can be copied. */
const tableLoop: TableLoop = (bytes, rows, bases, columns, k, stride, table, singles, out) => {
  for (let row = 0; row < rows; row++) {
    let at = row * bases;
    let to = row * columns;
    const end = at + bases;
    if (k === 0) {
      while (at < end) out[to++] = singles[bytes[at++] as number] as never;
    } else {
      for (; at + k <= end; at += stride) {
        let index = 0;
        // Bits 1 and 2 of A, C, G and T are 0, 1, 3 and 2.
        for (let digit = at; digit < at + k; digit++) {
          const bits = ((bytes[digit] as number) >> 1) & 3;
          index = (index << 2) | (bits ^ (bits >> 1));
        }
        out[to++] = table[index] as never;
      }
      while (stride > 1 && at < end) out[to++] = singles[bytes[at++] as number] as never;
    }
  }
};

/** Writes the ids of rows of equal length. */
type Loop = (bytes: Uint8Array, shape: Pick<Measurement, 'rows' | 'bases'>, columns: number, out: Ids) => void;

/** Has its own copy for arrays of one type: code that V8 has compiled for several types is half as fast. */
export function loopOver(tables: Tables, type: FileIdType): Loop {
  const as = (list: number[]) => {
    const ids = idsOf(type, list.length);
    list.forEach((id, at) => (ids[at] = (type === 'int64' ? BigInt(id) : id) as never));
    return ids;
  };
  const [table, singles] = [as(tables.kmers), as(tables.singles)];
  const loop = new Function(`return ${tableLoop}`)() as TableLoop;
  return (bytes, { rows, bases }, columns, out) => loop(bytes, rows, bases, columns, tables.k, tables.stride, table, singles, out);
}

function forPeople(facts: ReturnType<typeof circumstances> & { model: string; results: readonly Measurement[] }): string {
  const { model, results } = facts;
  const columns = ([first = '', ...others]: string[]) => `${first.padEnd(14)}${others.map((cell) => cell.padStart(16)).join('')}\n`;
  const rate = (perSecond: number) => `${(perSecond / 1e9).toFixed(2)} G/s`;
  return [
    `${inWords(facts)}\n`,
    `${model}: bases per second of one thread, into an array that is used again\n\n`,
    columns(['rows × bases', 'type', 'crayon', 'JavaScript', 'ratio']),
    ...results.map(({ rows, bases, type, crayon, javascript }) =>
      columns([
        `${inThousands(rows)} × ${inThousands(bases)}`,
        type,
        rate(crayon),
        rate(javascript),
        `${(crayon / javascript).toFixed(1)}×`,
      ]),
    ),
  ].join('');
}
