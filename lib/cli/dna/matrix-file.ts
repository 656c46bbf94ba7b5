// The ids of sequences as a NumPy matrix, with its mask and the names of its rows.

import { joinsUnknown } from '../../dna/sequence-bytes.js';
import { idArray } from '../../engine/dna-engine.js';
import type { DnaIdArray, DnaIdType } from '../../dna/dna-options.js';
import { TokenizerError } from '../../base/errors.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { ByteQueue } from './byte-queue.js';
import { BaseError, baseError, type Region } from './dna-failures.js';
import { checkType, type FileIdType, ID_BYTES, ID_TYPES, type Model } from './model.js';
import type { EncodeDnaOptions, FileChecks, IdOutput } from './output.js';
import { wholeSequences, windowsOf } from './matrix-rows.js';
import { idStream, otherStrand } from './sequence-ids.js';
import { Unknowns } from './letter-policies.js';
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

export function matrixFile(options: EncodeDnaOptions, model: Model): IdOutput {
  const { type, window, stride = window, side, truncate = false, specialTokens = false, reverseComplement = false } = options;
  const { dna } = model;
  const { facts } = model.engine;
  checkType(model, type);
  const columns = columnsOf(options, model);
  const isWindowed = window !== undefined && stride !== undefined;
  const rowsOf = isWindowed ? windowsOf(window, stride) : wholeSequences(basesOfRow(model, columns), reverseComplement);
  let idsFile: OutputFile | undefined;
  let maskFile: OutputFile | undefined;
  let namesFile: OutputFile | undefined;
  /** Rows not yet written: their regions, their bases back to back, and where these begin; of a sequence that may be cut, its ids. */
  let rows: (Omit<Region, 'bases'> & { ids?: number })[] = [];
  const countIds = truncate && !isWindowed ? idCounter(model, specialTokens) : undefined;
  const queue = new ByteQueue();
  let offsets = [0];
  /** The records of these rows, in order, including records without rows. */
  let records: RecordRows[] = [];
  /** Arrays for their ids, reused. */
  let arrays: IdsAndMask | undefined;
  /** The totals written, including rows of an unfinished record. */
  const total = { rows: 0, records: 0, bases: 0, cutRows: 0, cutIds: 0 };
  /** The totals where the partly written record begins, and bytes of names. */
  let start = { rows: 0, cutRows: 0, cutIds: 0, names: 0 };
  /** Whether to leave out the rest of the record. */
  let isLeftOut = false;
  let checks: FileChecks | undefined;

  const header = (of: FileIdType) => npyHeader(of, total.rows, columns);
  const lengthOf = (row: number) => (offsets[row + 1] as number) - (offsets[row] as number);
  const regionOf = (row: number): Region => {
    const bases = queue.view.subarray(offsets[row], offsets[row + 1]);
    return { ...(rows[row] as Omit<Region, 'bases'>), bases };
  };
  /** For a window, also its first and last base, from 1. */
  const nameOf = (row: number) => {
    const { name, start: first } = rows[row] as Omit<Region, 'bases'>;
    return window === undefined ? name : `${name}:${first + 1}-${first + lengthOf(row)}`;
  };

  const idsOf = (bases: Uint8Array) => dna.count(bases, { addSpecialTokens: specialTokens });

  function explained(error: TokenizerError, row: number): unknown {
    const region = regionOf(row);
    const { record, name, start: first, bases } = region;
    const which = `${isWindowed ? `window ${first + 1}-${first + bases.length} of ` : ''}${recordName(record, name)}`;
    const length = `${columns} ids, the length of a row`;
    if (error.code === 'TEXT_TOO_LONG') {
      const needed = isWindowed ? idsOf(bases) : undefined; // of a whole sequence, the end is not there
      const advice = `(--length ${needed ?? 'for more'}, or --truncate)`;
      return new InputError(`${which} has ${needed === undefined ? '' : `${inThousands(needed)} ids: `}more than ${length} ${advice}`);
    }
    if (error.code === 'INVALID_ARGUMENT')
      return new InputError(`${which} has fewer than ${length}, and ${dna.name} has no id for padding`);
    return baseError(error, region, dna);
  }

  function arraysOf(size: number): IdsAndMask {
    if (arrays && arrays.ids.length >= size) return arrays;
    try {
      return (arrays = { ids: idArray(ID_TYPES[type], size) as DnaIdArray<DnaIdType>, mask: new Uint8Array(size) });
    } catch {
      throw new InputError(`a row of ${columns} ids does not fit into memory`);
    }
  }

  /** The first row of the next record. */
  function nextRecord(row: number): number {
    let end = 0;
    for (const record of records) {
      end += record.rows;
      if (end > row) break;
    }
    return end;
  }

  /** The ids of all rows without errors; if a row has one, its whole record is dropped. */
  function encoded(): EncodedRows {
    const count = rows.length;
    const out = arraysOf(count * columns);
    const unknown = new Uint32Array(count);
    const failures = new Map<number, BaseError>();
    const bytes = queue.view;
    const all = Uint32Array.from(offsets);
    const how = { type: ID_TYPES[type], length: columns, side, truncate, addSpecialTokens: specialTokens, mask: 'uint8' } as const;
    const encode = (first: number, last: number) => {
      const part = { ids: out.ids.subarray(first * columns), mask: out.mask.subarray(first * columns) };
      unknown.set(dna.encodeBatch({ bytes, offsets: all.subarray(first, last + 1) }, { ...how, out: part }).unknownPerRow, first);
    };
    for (let first = 0; first < count; ) {
      try {
        encode(first, count);
        break;
      } catch (error) {
        if (!(error instanceof TokenizerError) || error.row === undefined) throw error;
        const row = first + error.row;
        const failure = explained(error, row);
        if (!(failure instanceof BaseError)) throw failure;
        failures.set(row, failure);
        if (row > first) encode(first, row);
        first = nextRecord(row);
      }
    }
    return { ...out, unknown, failures };
  }

  /** The number of ids of a row that come from its sequence. */
  function idsIn(mask: Uint8Array, row: number): number {
    const line = mask.subarray(row * columns, (row + 1) * columns);
    const isLeft = (side ?? facts.side) === 'left';
    const edge = line.indexOf(isLeft ? 1 : 0);
    const count = isLeft ? (edge < 0 ? 0 : columns - edge) : edge < 0 ? columns : edge;
    return count - (specialTokens ? facts.before.length + facts.after.length : 0);
  }

  /** The records that the model and the policies accept. The checks are told about the others, and may refuse to leave them out. */
  function acceptedRecords({ mask, unknown, failures }: EncodedRows): RecordRows[] {
    const { unknowns, refuse } = checks as FileChecks;
    let row = 0;
    return records.filter((record) => {
      const end = row + record.rows;
      try {
        if (!record.hasBegun) unknowns.begin();
        for (; row < end; row++) {
          const failure = failures.get(row);
          if (failure) throw failure;
          unknowns.add(idsIn(mask, row), unknown[row] as number, () => regionOf(row));
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
  async function writeAccepted(accepted: ReadonlySet<RecordRows>, { ids, mask }: IdsAndMask): Promise<void> {
    let from = 0;
    let to = 0;
    const writeRows = async () => {
      await idsFile?.append(bytesOf(ids.subarray(from * columns, to * columns)));
      await maskFile?.append(mask.subarray(from * columns, to * columns));
      await namesFile?.append(Array.from({ length: to - from }, (_, row) => `${nameOf(from + row)}\n`).join(''));
      total.rows += to - from;
      for (; from < to; from++) {
        const isFull = truncate && mask[from * columns] && mask[(from + 1) * columns - 1];
        const more = isFull ? (rows[from]?.ids ?? idsOf(regionOf(from).bases)) - columns : 0;
        if (more <= 0) continue;
        total.cutRows++;
        total.cutIds += more;
      }
    };
    for (const record of records) {
      if (!accepted.has(record)) {
        await writeRows();
        from = to += record.rows;
        continue;
      }
      if (!record.hasEnded) {
        await writeRows();
        if (!record.hasBegun) start = { ...total, names: namesFile?.length ?? 0 };
      }
      to += record.rows;
      total.records += record.hasEnded ? 1 : 0;
      total.bases += record.hasEnded ? record.bases : 0;
    }
    await writeRows();
  }

  /** Removes the written part of the unfinished record. */
  async function cutToStart(): Promise<void> {
    const ids = start.rows * columns;
    await idsFile?.cut(NPY_HEADER + ids * ID_BYTES[type]);
    await maskFile?.cut(NPY_HEADER + ids);
    await namesFile?.cut(start.names);
    const { rows: count, cutRows, cutIds } = start;
    Object.assign(total, { rows: count, cutRows, cutIds });
  }

  return {
    isOne: true,
    async start() {
      const { output, mask, names } = options;
      idsFile = await OutputFile.create(output as string);
      if (mask !== undefined) maskFile = await OutputFile.create(mask);
      if (names !== undefined) namesFile = await OutputFile.create(names);
      await idsFile.append(header(type));
      await maskFile?.append(header('uint8'));
    },
    begin(_file, of) {
      checks = of;
    },
    *take(part) {
      const { record, name, begins, ends, bytes } = part;
      if (begins) {
        isLeftOut = false;
        records.push({ record, name, rows: 0, bases: 0, hasBegun: false, hasEnded: false });
      }
      const ids = countIds?.(part);
      const limit = Math.max(1, Math.min(MOST_ROWS, Math.floor(IDS / columns)));
      for (const row of rowsOf(part)) {
        if (isLeftOut) return;
        const { bases, ...origin } = reverseComplement ? otherStrand(row) : row;
        queue.add(bases);
        rows.push(ids === undefined ? origin : { ...origin, ids });
        offsets.push(queue.length);
        (records.at(-1) as RecordRows).rows++;
        if (rows.length >= limit) yield;
      }
      const last = records.at(-1);
      if (isLeftOut || !last) return;
      last.bases += bytes.length;
      last.hasEnded = ends;
      if (records.length >= MOST_ROWS) yield; // records without bases have no rows
    },
    async flush() {
      const last = records.at(-1);
      if (!last) return;
      const batch = encoded();
      const accepted = acceptedRecords(batch);
      if (records[0]?.hasBegun && records[0] !== accepted[0]) await cutToStart();
      await writeAccepted(new Set(accepted), batch);
      isLeftOut = !last.hasEnded && !accepted.includes(last);
      records = last.hasEnded || isLeftOut ? [] : [{ ...last, rows: 0, hasBegun: true }];
      rows = [];
      offsets = [0];
      queue.clear();
    },
    async leave() {
      const last = records.at(-1);
      if (!last || last.hasEnded) return;
      records.pop();
      isLeftOut = true;
      rows.length -= last.rows;
      offsets.length = rows.length + 1;
      queue.cut(offsets.at(-1) as number);
      if (last.hasBegun) await cutToStart();
    },
    async finish(left) {
      const { output, mask, names, json } = options;
      await idsFile?.rewriteStart(header(type));
      await maskFile?.rewriteStart(header('uint8'));
      for (const file of [idsFile, maskFile, namesFile]) await file?.finish();
      const { records: count, bases, cutRows, cutIds } = total;
      const { name } = dna;
      const shape = [total.rows, columns] as const;
      if (json) {
        const cut = truncate && { truncatedRows: cutRows, truncatedIds: cutIds };
        const facts = { file: output, mask, names, model: name, type, shape, records: count, bases, ...cut, ...left.facts() };
        return `${JSON.stringify(facts)}\n`;
      }
      const cut = cutRows > 0 ? `; ${counted(cutRows, 'row')} cut, by ${counted(cutIds, 'id')}` : '';
      const ids = `${inThousands(total.rows)} × ${inThousands(columns)} ids as ${type}`;
      return `${output}: ${ids}, of ${counted(bases, 'base')} in ${counted(count, 'record')}, for ${name}${cut}${left.inWords()}\n`;
    },
    async [Symbol.asyncDispose]() {
      for (const file of [idsFile, maskFile, namesFile]) await file?.[Symbol.asyncDispose]();
    },
  };
}

/** Counts the ids of sequences, which arrive in parts: what a part adds up to. A base that is refused ends the count: a row does not have it. */
function idCounter(model: Model, specialTokens: boolean): (part: SequencePart) => number {
  const idsOf = idStream(model, { type: 'int32', specialTokens, reverseComplement: false }); // as many as on the other strand
  const unknowns = new Unknowns(model.dna);
  let count = 0;
  let isRefused = false;
  return (part) => {
    if (part.begins) {
      count = 0;
      isRefused = false;
    }
    try {
      if (!isRefused) for (const ids of idsOf(part, unknowns)) count += ids.length;
    } catch (error) {
      if (!(error instanceof BaseError)) throw error;
      isRefused = true;
    }
    return count;
  };
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
