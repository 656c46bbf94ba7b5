// The ids of sequences as a matrix of NumPy, with its mask and the names of its rows.

import type { DnaIdArray, DnaIdType } from '../dna/options.js';
import { TokenizerError } from '../tokenizer/errors.js';
import type { UnsharedUint8Array } from '../tokenizer/typed-arrays.js';
import { ByteQueue } from './byte-queue.js';
import { baseError, type Place } from './dna-failures.js';
import { checkType, type Model } from './dna-model.js';
import type { DnaEncodeGiven, IdOutput } from './dna-output.js';
import { type Rows, WholeSequences, Windows } from './dna-rows.js';
import { otherStrand } from './dna-sequence-ids.js';
import { recordName, type SequencePart } from './dna-sequences.js';
import { UsageError } from './failures.js';
import { counted, inThousands } from './fields.js';
import { ID_BYTES, ID_TYPES, NPY_HEADER, npyHeader, type NpyType } from './npy.js';
import { OutputFile } from './output-file.js';
import { InputError } from './streams.js';

/** What a batch becomes. */
interface Encoded {
  ids: DnaIdArray<DnaIdType>;
  mask: UnsharedUint8Array | undefined;
}

/** Ids that are made at a time, unless a row has more. */
const IDS = 1024 * 1024;
const MOST_ROWS = 16 * 1024;
/** Any. */
const BASE = 'A'.charCodeAt(0);

export class MatrixFile implements IdOutput {
  readonly isOne = true;
  readonly #given: DnaEncodeGiven;
  readonly #model: Model;
  readonly #columns: number;
  readonly #rowsOf: Rows;
  #ids: OutputFile | undefined;
  #mask: OutputFile | undefined;
  #names: OutputFile | undefined;
  /** Rows that have not been written: what they are of, their bases one behind the other, and where these begin. */
  #rows: Omit<Place, 'bases'>[] = [];
  readonly #bases = new ByteQueue();
  #offsets = [0];
  /** Arrays for their ids, used again. */
  #out: Encoded | undefined;
  /** `rows`: those that have been written. */
  #total = { rows: 0, records: 0, bases: 0 };
  /** The same behind the whole records, with the rows that are to be written; `names`: bytes of these. */
  #whole = { ...this.#total, names: 0 };
  #damaged: number | undefined;

  constructor(given: DnaEncodeGiven, model: Model) {
    checkType(model, given.type);
    this.#given = given;
    this.#model = model;
    this.#columns = columnsOf(given, model);
    const { window, stride = window, reverseComplement = false } = given;
    const isWindowed = window !== undefined && stride !== undefined;
    this.#rowsOf = isWindowed ? new Windows(window, stride) : new WholeSequences(mostBases(model, this.#columns), reverseComplement);
  }

  async start(): Promise<void> {
    const { output, mask, names } = this.#given;
    this.#ids = await OutputFile.create(output as string);
    if (mask !== undefined) this.#mask = await OutputFile.create(mask);
    if (names !== undefined) this.#names = await OutputFile.create(names);
    await this.#ids.append(this.#header(this.#given.type));
    await this.#mask?.append(this.#header('uint8'));
  }

  begin(): void {}

  *take(part: SequencePart): Generator<void> {
    if (part.begins) this.#total.records++;
    this.#total.bases += part.bytes.length;
    const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(IDS / this.#columns)));
    for (const row of this.#rowsOf.of(part)) {
      const { bases, ...place } = this.#given.reverseComplement ? otherStrand(row) : row;
      this.#bases.add(bases);
      this.#rows.push(place);
      this.#offsets.push(this.#bases.length);
      if (this.#rows.length >= most) yield;
    }
    // Where its names end is known once they are written.
    if (part.ends) this.#whole = { ...this.#total, rows: this.#total.rows + this.#rows.length, names: this.#names?.length ?? 0 };
  }

  async flush(): Promise<void> {
    const { length } = this.#rows;
    if (length === 0) return;
    const { ids, mask } = this.#encoded();
    await (this.#ids as OutputFile).append(bytesOf(ids));
    if (mask) await this.#mask?.append(mask);
    const names = this.#offsets.slice(1).map((end, row) => `${this.#nameOf(row, end)}\n`);
    const whole = this.#whole.rows - this.#total.rows;
    if (this.#names && whole > 0) this.#whole.names = this.#names.length + Buffer.byteLength(names.slice(0, whole).join(''));
    await this.#names?.append(names.join(''));
    this.#total.rows += length;
    this.#rows = [];
    this.#offsets = [0];
    this.#bases.clear();
  }

  async leave(): Promise<void> {
    const { rows, records, bases, names } = this.#whole;
    const waiting = Math.max(0, rows - this.#total.rows);
    this.#rows.length = Math.min(this.#rows.length, waiting);
    this.#offsets.length = this.#rows.length + 1;
    this.#bases.cut(this.#offsets.at(-1) as number);
    if (rows < this.#total.rows) {
      const ids = rows * this.#columns;
      await this.#ids?.cut(NPY_HEADER + ids * ID_BYTES[this.#given.type]);
      await this.#mask?.cut(NPY_HEADER + ids);
      await this.#names?.cut(names);
    }
    this.#total = { rows: Math.min(rows, this.#total.rows), records, bases };
  }

  async end(_error?: string, damaged?: number): Promise<void> {
    if (damaged !== undefined) this.#damaged = (this.#damaged ?? 0) + damaged;
  }

  async finish(): Promise<string> {
    const { output, mask, names, type, json } = this.#given;
    await (this.#ids as OutputFile).rewriteStart(this.#header(type));
    await this.#mask?.rewriteStart(this.#header('uint8'));
    for (const file of [this.#ids, this.#mask, this.#names]) await file?.finish();
    const { rows, records, bases } = this.#total;
    const model = this.#model.dna.name;
    if (json) return `${JSON.stringify({ file: output, mask, names, model, type, shape: [rows, this.#columns], records, bases, damagedRecords: this.#damaged })}\n`;
    const shape = `${inThousands(rows)} × ${inThousands(this.#columns)} ids as ${type}`;
    const leftOut = this.#damaged ? `; ${counted(this.#damaged, 'damaged record')} left out` : '';
    return `${output}: ${shape}, of ${counted(bases, 'base')} in ${counted(records, 'record')}, for ${model}${leftOut}\n`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of [this.#ids, this.#mask, this.#names]) await file?.[Symbol.asyncDispose]();
  }

  #header(type: NpyType): Uint8Array {
    return npyHeader(type, this.#total.rows, this.#columns);
  }

  #encoded(): Encoded {
    const { type, side, truncate = false, specialTokens = false, mask } = this.#given;
    const length = this.#columns;
    const options = { type: ID_TYPES[type], length, side, truncate, addSpecialTokens: specialTokens } as const;
    const texts = { bytes: this.#bases.view, offsets: Uint32Array.from(this.#offsets) };
    // The first batch has the most rows, unless a file has fewer.
    const out = this.#out && this.#out.ids.length >= this.#rows.length * length ? this.#out : undefined;
    try {
      const made = this.#model.dna.encodeBatch(texts, { ...options, out, mask: mask === undefined ? 'none' : 'uint8' });
      if (!out) this.#out = made;
      return made;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): unknown {
    if (error instanceof RangeError) return new InputError(`a row of ${this.#columns} ids does not fit into memory`);
    if (!(error instanceof TokenizerError) || error.row === undefined) return error;
    const place = this.#rows[error.row] as Omit<Place, 'bases'>;
    const { name } = this.#model.dna;
    const which = `${this.#given.window === undefined ? '' : 'a window of '}${recordName(place.record, place.name)}`;
    const length = `${this.#columns} ids, the length of a row`;
    if (error.code === 'TEXT_TOO_LONG') return new InputError(`${which} has more than ${length} (--length for more, or --truncate)`);
    if (error.code === 'INVALID_ARGUMENT') return new InputError(`${which} has fewer than ${length}, and ${name} has no id for padding`);
    const bases = this.#bases.view.subarray(this.#offsets[error.row], this.#offsets[error.row + 1]);
    return baseError(error, { ...place, bases }, this.#model.dna);
  }

  /** Of a window, its first and last base, too, from 1. */
  #nameOf(row: number, end: number): string {
    const { name, start } = this.#rows[row] as Omit<Place, 'bases'>;
    if (this.#given.window === undefined) return name;
    return `${name}:${start + 1}-${start + end - (this.#offsets[row] as number)}`;
  }
}

/** How many ids a row has. */
function columnsOf({ model, length, window, specialTokens = false }: DnaEncodeGiven, { dna, engine }: Model): number {
  if (length !== undefined) return length;
  if (dna.unit === 'bpe') throw new UsageError(`--window: windows have different numbers of ids for ${model}; --length says how many`);
  const columns = dna.count(new Uint8Array(window as number).fill(BASE), { addSpecialTokens: specialTokens });
  if (columns > 0) return columns;
  throw new UsageError(`--window ${window} is less than the ${engine.facts.k} bases of an id`);
}

/** How many bases of a sequence a row can show: any more have no influence on its ids. */
function mostBases({ dna, engine }: Model, columns: number): number {
  return dna.unit === 'bpe' ? Infinity : (columns + 2) * engine.facts.k;
}

function bytesOf({ buffer, byteOffset, byteLength }: Encoded['ids']): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
