// The only interface between DnaTokenizer and an engine, and the numbers of crayon.h. Types and constants only.

import type { DeviceBatch } from './device-batch.js';
import type { AnyDevice, DeviceList } from './devices.js';
import type { Description, EngineTokenizer } from './engine.js';
import type { TextRows } from './text-rows.js';
import type { IdArray, UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';

export type { IdArray };

/** No id. */
export const NO_ID = 0xffffffff;

/** The units of crayon.h, in order of their numbers less 1. */
export const UNITS = ['byte', 'kmer', 'kmer-stride-1'] as const;
export const SIDES = ['left', 'right'] as const;
export const LETTER_POLICIES = ['reject', 'normalize', 'keep'] as const;
export const TAILS = ['single', 'pad', 'drop'] as const;
/** Flag of a special token: it absorbs the white space before it. */
export const LSTRIP = 4;
export const UNKNOWNS = ['each', 'words'] as const;
/** A policy left to the vocabulary. */
export const AS_THE_VOCABULARY = 3;

/** Encoding flags. */
export const WITH_TEMPLATE = 1;
export const TRUNCATED = 2;
export const PAD_LEFT = 4;
export const PAD_RIGHT = 8;
export const CONTINUED = 16;
export const UNFINISHED = 32;
/** With these flags, an engine returns all ids of a sequence or none. */
export const WHOLE = WITH_TEMPLATE | TRUNCATED | PAD_LEFT | PAD_RIGHT;

/** How many numbers crayon_dna_describe returns before the ids before and after a sequence, and the most of each. */
export const FACTS = 9;
export const MAX_AROUND = 64;

/** Operations on bases that need no vocabulary. */
export type BaseOperation = 'reverseComplement' | 'packBases' | 'unpackBases';

/** Applies an operation to the bytes that `out` needs; throws UNKNOWN_BASE with the position. */
export type OnBases = (operation: BaseOperation, bytes: Uint8Array, out: Uint8Array) => void;

/** The names of arrays of ids in options. */
export type IdType = 'uint8' | 'uint16' | 'int32' | 'bigint64';

/** A vocabulary for crayon_dna_compiler. */
export interface DnaParts {
  /** The numbers of crayon_dna_rules. */
  rules: Uint32Array;
  /** Token i from offsets[i] to offsets[i + 1]. */
  tokens: Uint8Array;
  offsets: Uint32Array;
  /** The ids of bytes, and of bytes at the start; undefined: the same. */
  bases: Uint32Array;
  starts: Uint32Array | undefined;
  /** Of k-mers. */
  digits: Uint8Array;
  kmers: Uint32Array;
  /** The ids around a sequence. */
  before: Uint32Array;
  after: Uint32Array;
  name: string;
  specials: readonly (readonly [token: string, id: number, flags: number])[];
}

/** A vocabulary's facts that its cartridge's tokenizer lacks. */
export interface DnaFacts {
  unit: (typeof UNITS)[number] | 'bpe' | 'other';
  k: number;
  /** The element size, in bytes, of the smallest array that holds every id. */
  width: number;
  unknownId: number | undefined;
  padId: number | undefined;
  side: (typeof SIDES)[number];
  /** The ids before and after a sequence. */
  before: readonly number[];
  after: readonly number[];
}

/** Names a vocabulary's ids and decodes them: part of the tokenizer of its cartridge. */
export type DnaNames = Pick<EngineTokenizer, 'kind' | 'decode' | 'close'> & {
  describe(): Pick<Description, 'name' | 'vocabularySize' | 'kernel' | 'addedTokens'>;
};

/** The result of encoding part of a sequence. */
export interface EncodedPart {
  /** The number of ids. */
  count: number;
  /** The number of bytes they cover; the next call begins after them. */
  consumed: number;
  /** How many of the ids are the unknown one. */
  unknown: number;
  /** Whether the room was not enough. */
  more: boolean;
}

/** A matrix to write: each row has one id per column. `flags`: see above. */
export interface MatrixPlan {
  rows: TextRows;
  columns: number;
  flags: number;
  ids: IdArray;
  mask: Uint8Array | undefined;
  /** For each row, how many ids of its sequence are the unknown one. */
  unknown: UnsharedUint32Array;
  /** Where it is written; undefined leaves the choice to the engine. Without devices, it is the CPU. */
  device?: AnyDevice | undefined;
}

/** A matrix for other threads. Its inputs and outputs must not be touched until it is done, even if it is released before. */
export interface MatrixJob {
  /** Starts the other threads; `run` finishes the work. */
  start(): void;
  /**
   * Works on it, started or not, until it is done. Throws if it failed. Absent if a device does the work: the thread would
   * only wait.
   */
  run?(): void;
  /** Leaves the work to the other threads: settles when it is done. */
  done(): Promise<void>;
  /** Ends the job. Must be called. */
  release(): void;
}

/** A matrix that will stay on a device. */
export interface KeptPlan extends Pick<MatrixPlan, 'rows' | 'columns' | 'flags' | 'unknown' | 'device'> {
  type: IdType;
  /** The element type of the mask; undefined for no mask. */
  mask: IdType | undefined;
}

/** A resident matrix as a job. Its inputs and counts must not be touched until it is done. */
export interface KeptJob {
  /** Encodes it on the calling thread. */
  run(): DeviceBatch;
  /** Starts on another thread; `done` reports failures. */
  start(): void;
  /** Returns the batch, once; it then belongs to the caller. */
  done(): Promise<DeviceBatch>;
  /** Ends the job, and frees the batch if nobody took it. Must be called. */
  release(): void;
}

/** One open vocabulary. */
export interface DnaEngine {
  readonly facts: DnaFacts;
  readonly names: DnaNames;
  /** The engine for the text between special tokens, if these are recognized. */
  readonly base?: DnaEngine;
  /** The number of ids of each row. `around`: including the ids before and after it. */
  countRows(rows: TextRows, around: boolean): Uint32Array;
  /** The ids of a sequence in a new array. `around`: including the ids before and after it. */
  encode(bytes: Uint8Array, type: IdType, around: boolean): IdArray;
  /** Writes the ids of a sequence to an array; returns their number. TEXT_TOO_LONG if they do not fit. `flags`: see above. */
  encodeInto(bytes: Uint8Array, flags: number, ids: IdArray): number;
  /**
   * Encodes part of a sequence into the room available. `flags`: CONTINUED, UNFINISHED. Absent if ids depend on the whole
   * sequence.
   */
  encodePart?(bytes: Uint8Array, flags: number, ids: IdArray): EncodedPart;
  /** Writes a matrix. `threads`: the most threads to use, including the calling one; undefined leaves it to the engine. */
  encodeRows(matrix: MatrixPlan, threads?: number): void;
  /** A job that writes a matrix with other threads; undefined if that is not worthwhile. Not on every host. */
  job?(matrix: MatrixPlan, threads?: number): MatrixJob | undefined;
  /** A job for a device, if the rows should go to one; only then are the arrays requested. Not on every host. */
  deviceJob?(rows: Pick<MatrixPlan, 'rows' | 'device'>, matrix: () => MatrixPlan, threads?: number): MatrixJob | undefined;
  /**
   * A matrix that stays on a device; throws if there is no device. Absent on some hosts, and for vocabularies without
   * kernels.
   */
  keptJob?(plan: KeptPlan): KeptJob | undefined;
  /** How its host complements bases; undefined where script does. */
  readonly bases?: OnBases | undefined;
  /** Where matrices can be written, and where not. Absent on some hosts, which use the CPU. */
  readonly devices?: (() => DeviceList) | undefined;
  /** Why no device on any host has kernels for it, and what the user can do; undefined if one may have them. */
  readonly whyNoKernels?: string | undefined;
  /** The bytes of the cartridge; throws if there is none. */
  cartridge(): UnsharedUint8Array;
  close(): void;
  /**
   * For engines whose ids arrive asynchronously: an engine that has the ids of these sequences. Until then the calls above
   * throw.
   */
  prepared?(sequences: readonly Uint8Array[]): Promise<DnaEngine>;
}

/** A value, or a promise of it. */
export type Maybe<T> = T | Promise<T>;

const CLASSES = { uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array, bigint64: BigInt64Array };

/** Creates an array of a type. */
export function idArray(type: IdType, length: number): IdArray {
  return new CLASSES[type](length);
}

/** Parses the numbers of crayon_dna_describe. */
export function readFacts(words: Uint32Array): DnaFacts {
  const [unit = 1, k = 1, , width = 4, unknownId, padId, side = 1, before = 0, after = 0] = words;
  const optional = (id: number | undefined) => (id === NO_ID ? undefined : id);
  return {
    unit: UNITS[unit - 1] ?? 'byte',
    k,
    width,
    unknownId: optional(unknownId),
    padId: optional(padId),
    side: SIDES[side] ?? 'right',
    before: [...words.subarray(FACTS, FACTS + before)],
    after: [...words.subarray(FACTS + before, FACTS + before + after)],
  };
}
