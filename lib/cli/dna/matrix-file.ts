// The ids of sequences as a NumPy matrix, with its mask and the names of its rows.

import { joinsUnknown } from '../../dna/sequence-bytes.js';
import { idArray } from '../../engine/dna-engine.js';
import type { DnaIdArray, DnaIdType } from '../../dna/dna-options.js';
import { TokenizerError } from '../../base/errors.js';
import type { TextRows } from '../../engine/text-rows.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { ByteQueue } from './byte-queue.js';
import { BaseError, baseError, type Region } from './dna-failures.js';
import type { LeftOut } from './left-out.js';
import { checkType, type Model } from './model.js';
import { type EncodeDnaOptions, type FileChecks, type FileIdType, ID_BYTES, ID_TYPES, type IdOutput } from './output.js';
import { type RowsOf, wholeSequences, windowsOf } from './matrix-rows.js';
import { otherStrand } from './sequence-ids.js';
import { recordName, type SequencePart } from './read-sequences.js';
import { InputError, UsageError } from '../command-errors.js';
import { counted, inThousands } from '../output/fields.js';
import { OutputFile } from '../output/output-file.js';

/** The encoding of a batch. */
interface IdsAndMask {
  ids: DnaIdArray<DnaIdType>;
  mask: UnsharedUint8Array;
}

interface EncodedRows extends IdsAndMask {
  /** How many ids of each row are unknown. */
  unknown: Uint32Array;
  /** By row. */
  failures: ReadonlyMap<number, BaseError>;
}

/** A record, and how many of the rows belong to it. */
interface RecordRows {
  record: number;
  name: string;
  rows: number;
  /** Bases so far. */
  bases: number;
  /** Whether some of its rows came before. */
  hasBegun: boolean;
  hasEnded: boolean;
}

/** Ids to encode at a time, unless a row has more. */
const IDS = 1024 * 1024;
const MOST_ROWS = 16 * 1024;
/** Any base. */
const BASE = 'A'.charCodeAt(0);

export class MatrixFile implements IdOutput {
  readonly isOne = true;
  readonly #options: EncodeDnaOptions;
  readonly #model: Model;
  readonly #columns: number;
  readonly #rowsOf: RowsOf;
  #ids: OutputFile | undefined;
  #mask: OutputFile | undefined;
  #names: OutputFile | undefined;
  /** Rows not yet written: their regions, their bases back to back, and where these begin. */
  #rows: Omit<Region, 'bases'>[] = [];
  readonly #bases = new ByteQueue();
  #offsets = [0];
  /** The records of these rows, in order, including those without rows. */
  #records: RecordRows[] = [];
  /** Arrays for their ids, reused. */
  #out: IdsAndMask | undefined;
  /** The totals written, including rows of an unfinished record. */
  #total = { rows: 0, records: 0, bases: 0 };
  /** Where the partly written record begins: its first row, and bytes of names. */
  #start = { rows: 0, names: 0 };
  /** Whether to leave out the rest of the record. */
  #isLeftOut = false;
  #checks: FileChecks | undefined;

  constructor(options: EncodeDnaOptions, model: Model) {
    checkType(model, options.type);
    this.#options = options;
    this.#model = model;
    this.#columns = columnsOf(options, model);
    const { window, stride = window, reverseComplement = false } = options;
    const isWindowed = window !== undefined && stride !== undefined;
    this.#rowsOf = isWindowed ? windowsOf(window, stride) : wholeSequences(basesOfRow(model, this.#columns), reverseComplement);
  }

  async start(): Promise<void> {
    const { output, mask, names } = this.#options;
    this.#ids = await OutputFile.create(output as string);
    if (mask !== undefined) this.#mask = await OutputFile.create(mask);
    if (names !== undefined) this.#names = await OutputFile.create(names);
    await this.#ids.append(this.#header(this.#options.type));
    await this.#mask?.append(this.#header('uint8'));
  }

  begin(_file: string, checks: FileChecks): void {
    this.#checks = checks;
  }

  *take(part: SequencePart): Generator<void> {
    const { record, name, begins, ends, bytes } = part;
    if (begins) {
      this.#isLeftOut = false;
      this.#records.push({ record, name, rows: 0, bases: 0, hasBegun: false, hasEnded: false });
    }
    const limit = Math.max(1, Math.min(MOST_ROWS, Math.floor(IDS / this.#columns)));
    for (const row of this.#rowsOf(part)) {
      if (this.#isLeftOut) return;
      const { bases, ...origin } = this.#options.reverseComplement ? otherStrand(row) : row;
      this.#bases.add(bases);
      this.#rows.push(origin);
      this.#offsets.push(this.#bases.length);
      (this.#records.at(-1) as RecordRows).rows++;
      if (this.#rows.length >= limit) yield;
    }
    const last = this.#records.at(-1);
    if (this.#isLeftOut || !last) return;
    last.bases += bytes.length;
    last.hasEnded = ends;
    if (this.#records.length >= MOST_ROWS) yield; // records without bases have no rows
  }

  async flush(): Promise<void> {
    const records = this.#records;
    const last = records.at(-1);
    if (!last) return;
    const encoded = this.#encoded();
    const accepted = this.#acceptedRecords(encoded);
    const isAccepted = accepted.includes(last);
    if (records[0]?.hasBegun && records[0] !== accepted[0]) await this.#cutToStart();
    await this.#write(new Set(accepted), encoded);
    this.#isLeftOut = !last.hasEnded && !isAccepted;
    this.#records = last.hasEnded || this.#isLeftOut ? [] : [{ ...last, rows: 0, hasBegun: true }];
    this.#rows = [];
    this.#offsets = [0];
    this.#bases.clear();
  }

  /** The records that the model and the policies accept. The checks are told about the others, and may refuse to leave them out. */
  #acceptedRecords({ mask, unknown, failures }: EncodedRows): RecordRows[] {
    const { unknowns, refuse } = this.#checks as FileChecks;
    let row = 0;
    return this.#records.filter((record) => {
      const end = row + record.rows;
      try {
        if (!record.hasBegun) unknowns.begin();
        for (; row < end; row++) {
          const failure = failures.get(row);
          if (failure) throw failure;
          unknowns.add(this.#idsIn(mask, row), unknown[row] as number, () => this.#region(row));
        }
        if (record.hasEnded) unknowns.end(record);
        return true;
      } catch (error) {
        refuse(error);
        return false;
      } finally {
        row = end;
      }
    });
  }

  /** Writes the rows of the accepted records: of neighbours together. */
  async #write(accepted: ReadonlySet<RecordRows>, { ids, mask }: IdsAndMask): Promise<void> {
    const columns = this.#columns;
    const total = this.#total;
    let from = 0;
    let to = 0;
    const writeRows = async () => {
      await this.#ids?.append(bytesOf(ids.subarray(from * columns, to * columns)));
      await this.#mask?.append(mask.subarray(from * columns, to * columns));
      if (this.#names) await this.#names.append(Array.from({ length: to - from }, (_, row) => `${this.#nameOf(from + row)}\n`).join(''));
      total.rows += to - from;
      from = to;
    };
    for (const record of this.#records) {
      if (!accepted.has(record)) {
        await writeRows();
        from = to += record.rows;
        continue;
      }
      if (!record.hasEnded) {
        await writeRows();
        if (!record.hasBegun) this.#start = { rows: total.rows, names: this.#names?.length ?? 0 };
      }
      to += record.rows;
      total.records += record.hasEnded ? 1 : 0;
      total.bases += record.hasEnded ? record.bases : 0;
    }
    await writeRows();
  }

  async leave(): Promise<void> {
    const last = this.#records.at(-1);
    if (!last || last.hasEnded) return;
    this.#records.pop();
    this.#isLeftOut = true;
    this.#rows.length -= last.rows;
    this.#offsets.length = this.#rows.length + 1;
    this.#bases.cut(this.#offsets.at(-1) as number);
    if (last.hasBegun) await this.#cutToStart();
  }

  /** Removes the written part of the unfinished record. */
  async #cutToStart(): Promise<void> {
    const { rows, names } = this.#start;
    const ids = rows * this.#columns;
    await this.#ids?.cut(NPY_HEADER + ids * ID_BYTES[this.#options.type]);
    await this.#mask?.cut(NPY_HEADER + ids);
    await this.#names?.cut(names);
    this.#total.rows = rows;
  }

  async finish(left: LeftOut): Promise<string> {
    const { output, mask, names, type, json } = this.#options;
    await (this.#ids as OutputFile).rewriteStart(this.#header(type));
    await this.#mask?.rewriteStart(this.#header('uint8'));
    for (const file of [this.#ids, this.#mask, this.#names]) await file?.finish();
    const { rows, records, bases } = this.#total;
    const model = this.#model.dna.name;
    if (json)
      return `${JSON.stringify({ file: output, mask, names, model, type, shape: [rows, this.#columns], records, bases, ...left.facts() })}\n`;
    const shape = `${inThousands(rows)} × ${inThousands(this.#columns)} ids as ${type}`;
    return `${output}: ${shape}, of ${counted(bases, 'base')} in ${counted(records, 'record')}, for ${model}${left.inWords()}\n`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of [this.#ids, this.#mask, this.#names]) await file?.[Symbol.asyncDispose]();
  }

  #header(type: FileIdType): Uint8Array {
    return npyHeader(type, this.#total.rows, this.#columns);
  }

  /** The ids of all rows without errors; if a row has one, its whole record is dropped. */
  #encoded(): EncodedRows {
    const rows = this.#rows.length;
    const columns = this.#columns;
    const out = this.#arrays(rows * columns);
    const unknown = new Uint32Array(rows);
    const failures = new Map<number, BaseError>();
    const bytes = this.#bases.view;
    const offsets = Uint32Array.from(this.#offsets);
    const encode = (first: number, last: number) => {
      const part = { ids: out.ids.subarray(first * columns), mask: out.mask.subarray(first * columns) };
      unknown.set(this.#encodeRows({ bytes, offsets: offsets.subarray(first, last + 1) }, part), first);
    };
    for (let first = 0; first < rows; ) {
      try {
        encode(first, rows);
        break;
      } catch (error) {
        if (!(error instanceof TokenizerError) || error.row === undefined) throw this.#explained(error);
        const row = first + error.row;
        const failure = this.#explained(error, row);
        if (!(failure instanceof BaseError)) throw failure;
        failures.set(row, failure);
        if (row > first) encode(first, row);
        first = this.#nextRecord(row);
      }
    }
    return { ...out, unknown, failures };
  }

  /** Returns how many ids of each row are unknown. */
  #encodeRows(texts: TextRows, out: IdsAndMask): Uint32Array {
    const { type, side, truncate = false, specialTokens = false } = this.#options;
    const options = { type: ID_TYPES[type], length: this.#columns, side, truncate, addSpecialTokens: specialTokens } as const;
    return this.#model.dna.encodeBatch(texts, { ...options, out, mask: 'uint8' }).unknownPerRow;
  }

  #arrays(size: number): IdsAndMask {
    if (this.#out && this.#out.ids.length >= size) return this.#out;
    try {
      const ids = idArray(ID_TYPES[this.#options.type], size) as DnaIdArray<DnaIdType>;
      return (this.#out = { ids, mask: new Uint8Array(size) });
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** The number of ids of a row that come from its sequence. */
  #idsIn(mask: Uint8Array, row: number): number {
    const columns = this.#columns;
    const { before, after, side } = this.#model.engine.facts;
    const line = mask.subarray(row * columns, (row + 1) * columns);
    const isLeft = (this.#options.side ?? side) === 'left';
    const edge = line.indexOf(isLeft ? 1 : 0);
    const count = isLeft ? (edge < 0 ? 0 : columns - edge) : edge < 0 ? columns : edge;
    return count - (this.#options.specialTokens ? before.length + after.length : 0);
  }

  #nextRecord(row: number): number {
    let end = 0;
    for (const { rows } of this.#records) {
      end += rows;
      if (end > row) return end;
    }
    return end;
  }

  #lengthOf(row: number): number {
    return (this.#offsets[row + 1] as number) - (this.#offsets[row] as number);
  }

  #region(row: number): Region {
    const bases = this.#bases.view.subarray(this.#offsets[row], this.#offsets[row + 1]);
    return { ...(this.#rows[row] as Omit<Region, 'bases'>), bases };
  }

  #explained(error: unknown, row?: number): unknown {
    if (error instanceof RangeError) return new InputError(`a row of ${this.#columns} ids does not fit into memory`);
    if (!(error instanceof TokenizerError) || row === undefined) return error;
    const region = this.#region(row);
    const { name } = this.#model.dna;
    const which = `${this.#options.window === undefined ? '' : 'a window of '}${recordName(region.record, region.name)}`;
    const length = `${this.#columns} ids, the length of a row`;
    if (error.code === 'TEXT_TOO_LONG') return new InputError(`${which} has more than ${length} (--length for more, or --truncate)`);
    if (error.code === 'INVALID_ARGUMENT') return new InputError(`${which} has fewer than ${length}, and ${name} has no id for padding`);
    return baseError(error, region, this.#model.dna);
  }

  /** For a window, also its first and last base, from 1. */
  #nameOf(row: number): string {
    const { name, start } = this.#rows[row] as Omit<Region, 'bases'>;
    return this.#options.window === undefined ? name : `${name}:${start + 1}-${start + this.#lengthOf(row)}`;
  }
}

/** The number of ids per row. */
function columnsOf({ model, length, window, specialTokens = false }: EncodeDnaOptions, { dna, engine }: Model): number {
  if (length !== undefined) return length;
  if (dna.unit === 'bpe') throw new UsageError(`--window: windows have different numbers of ids for ${model}; --length says how many`);
  const columns = dna.count(new Uint8Array(window as number).fill(BASE), { addSpecialTokens: specialTokens });
  if (columns > 0) return columns;
  throw new UsageError(`--window ${window} is less than the ${engine.facts.k} bases of an id`);
}

/** The most bases of a sequence that can affect a row's ids. */
function basesOfRow({ dna, engine }: Model, columns: number): number {
  return dna.unit === 'bpe' || joinsUnknown(engine) ? Infinity : (columns + 2) * engine.facts.k;
}

/** Bytes of the header of a file in NumPy's format 1.0, whatever the shape; the data that follow are aligned. */
const NPY_HEADER = 128;
/** What NumPy calls the types; the data are little-endian. */
const NPY_TYPES: Record<FileIdType, string> = { uint8: '|u1', uint16: '<u2', int32: '<i4', int64: '<i8' };

/** https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
function npyHeader(type: FileIdType, rows: number, columns: number): Uint8Array {
  const start = '\x93NUMPY\x01\x00';
  const length = NPY_HEADER - start.length - 2;
  const fields = `{'descr': '${NPY_TYPES[type]}', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  return Buffer.from(`${start}${String.fromCharCode(length & 0xff, length >> 8)}${fields.padEnd(length - 1)}\n`, 'latin1');
}

function bytesOf({ buffer, byteOffset, byteLength }: IdsAndMask['ids']): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
