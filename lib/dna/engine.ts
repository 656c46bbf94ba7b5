// What encodes DNA: the one interface between DnaTokenizer and an engine, and the numbers of crayon.h. Types and constants
// only.

import type { CompilerInput } from '../compile/compiler.js';
import type { LoadOptions } from '../open/load-options.js';
import type { Source } from '../open/source.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import type { AnyDevice, DeviceList } from '../engine/devices.js';
import type { Description } from '../engine/engine.js';
import type { EngineTokenizer } from '../engine/engine.js';
import type { TextRows } from '../engine/text-rows.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';

/** No id. */
export const NO_ID = 0xffffffff;

/** The units of crayon.h, by its numbers less 1. */
export const UNITS = ['byte', 'kmer', 'kmer-stride-1'] as const;
export const SIDES = ['left', 'right'] as const;
export const LETTER_POLICIES = ['reject', 'normalize', 'keep'] as const;
export const TAILS = ['single', 'pad', 'drop'] as const;
/** Of a special token: it takes the white space before it. */
export const LSTRIP = 4;
export const UNKNOWNS = ['each', 'words'] as const;
/** A policy that is not given: that of the vocabulary. */
export const AS_THE_VOCABULARY = 3;

/** Flags of encoding. */
export const WITH_TEMPLATE = 1;
export const TRUNCATED = 2;
export const PAD_LEFT = 4;
export const PAD_RIGHT = 8;
export const CONTINUED = 16;
export const UNFINISHED = 32;
/** Those with which an engine gives all ids of a sequence or none. */
export const WHOLE = WITH_TEMPLATE | TRUNCATED | PAD_LEFT | PAD_RIGHT;

/** The numbers of crayon_dna_describe, and the most ids before or after a sequence. */
export const FACTS = 9;
export const MOST_AROUND = 64;

/** What is done to bases without a vocabulary, by the addon's numbers. */
export const BASE_OPERATIONS = ['reverseComplement', 'packBases', 'unpackBases'] as const;
export type BaseOperation = (typeof BASE_OPERATIONS)[number];

/** An array that ids are written to. */
export type IdArray = Uint8Array | Uint16Array | Int32Array | BigInt64Array;

/** The names of these, as options have them. */
export type IdType = 'uint8' | 'uint16' | 'int32' | 'bigint64';

/**
 * A vocabulary for crayon_dna_compiler: the numbers of crayon_dna_rules; the tokens, token i from offsets[i] to
 * offsets[i + 1]; the ids of bytes, and of those at the start (none: the same); digits and ids of k-mers; ids before and
 * after a sequence; metadata and name in UTF-8; the special tokens, their ids and their flags.
 */
export type DnaParts = [
  rules: Uint32Array,
  tokens: Uint8Array,
  tokenOffsets: Uint32Array,
  bases: Uint32Array,
  starts: Uint32Array,
  digits: Uint8Array,
  kmers: Uint32Array,
  before: Uint32Array,
  after: Uint32Array,
  metadata: Uint8Array,
  name: Uint8Array,
  specials: Uint8Array,
  specialOffsets: Uint32Array,
  specialIds: Uint32Array,
  specialFlags: Uint32Array,
];

/** What a vocabulary is, besides what the tokenizer of its cartridge says. */
export interface DnaFacts {
  unit: (typeof UNITS)[number] | 'bpe' | 'other';
  k: number;
  /** Of an element of the smallest array that holds every id, in bytes. */
  width: number;
  unknownId: number | undefined;
  padId: number | undefined;
  side: (typeof SIDES)[number];
  /** The ids before and after a sequence. */
  before: readonly number[];
  after: readonly number[];
}

/** What names the ids of a vocabulary and decodes them: a part of the tokenizer of its cartridge. */
export type DnaNames = Pick<EngineTokenizer, 'kind' | 'decode' | 'close'> & {
  describe(): Pick<Description, 'name' | 'vocabularySize' | 'kernel' | 'addedTokens'>;
};

/** What a part of a sequence has become. */
export interface EncodedPart {
  /** Ids. */
  count: number;
  /** Bytes that they are of; the next call begins with the others. */
  consumed: number;
  /** Of the ids, how many are the unknown one. */
  unknown: number;
  /** The room was not enough. */
  more: boolean;
}

/** A matrix that is to be written: as many ids in each row as there are columns. `flags`: see above. */
export interface MatrixPlan {
  rows: TextRows;
  columns: number;
  flags: number;
  ids: IdArray;
  mask: Uint8Array | undefined;
  /** For each row, how many ids of its sequence are the unknown one. */
  unknown: UnsharedUint32Array;
  /** Where it is written; undefined leaves it to the engine. Where there are no devices, it is the CPU. */
  device?: AnyDevice | undefined;
}

/** A matrix for other threads. What it reads and writes is left alone until it is done, also if it is released before. */
export interface MatrixJob {
  /** Lets the others begin; `run` ends it. */
  start(): void;
  /** Works at it, begun or not, until it is done. Throws what went wrong. Not where a device does: the thread would only wait. */
  run?(): void;
  /** Or leaves it to the others: settled when it is done. */
  done(): Promise<void>;
  /** Ends the work at it. It has to be called. */
  release(): void;
}

/** A matrix that is to stay on a device. */
export interface KeptPlan extends Pick<MatrixPlan, 'rows' | 'columns' | 'flags' | 'unknown' | 'device'> {
  type: IdType;
  /** What the elements of the mask are; undefined: there is none. */
  mask: IdType | undefined;
}

/** One, as a job. What it reads and counts is left alone until it is done. */
export interface KeptJob {
  /** Encodes it, in the calling thread. */
  run(): DeviceBatch;
  /** Begins in another one; what goes wrong, `done` says. */
  start(): void;
  /** The batch, once: it is the caller's. */
  done(): Promise<DeviceBatch>;
  /** Ends the work at it, and frees a batch that nobody has got. It has to be called. */
  release(): void;
}

/** One open vocabulary. */
export interface DnaEngine {
  readonly facts: DnaFacts;
  readonly names: DnaNames;
  /** The engine of what is between special tokens, if these are looked for. */
  readonly base?: DnaEngine;
  /** How many ids each row has; `around`: with those before and after it. */
  countRows(rows: TextRows, around: boolean): Uint32Array;
  /** The ids of a sequence in a new array; `around`: with those before and after it. */
  encode(bytes: Uint8Array, type: IdType, around: boolean): IdArray;
  /** The same into an array; returns how many they are. TEXT_TOO_LONG if they do not fit. `flags`: see above. */
  encodeInto(bytes: Uint8Array, flags: number, ids: IdArray): number;
  /**
   * As many ids of a part of a sequence as there is room for. `flags`: CONTINUED, UNFINISHED. Not where ids depend on the
   * whole sequence.
   */
  encodePart?(bytes: Uint8Array, flags: number, ids: IdArray): EncodedPart;
  /** A matrix. `threads`: that work at it at most, the calling one among them; undefined leaves it to the engine. */
  encodeRows(matrix: MatrixPlan, threads?: number): void;
  /** The same as a job of other threads; undefined if that is not worth it. Not on every host. */
  job?(matrix: MatrixPlan, threads?: number): MatrixJob | undefined;
  /** One of a device, if the rows are to go to one: only then the arrays are asked for. Not on every host. */
  deviceJob?(rows: Pick<MatrixPlan, 'rows' | 'device'>, matrix: () => MatrixPlan, threads?: number): MatrixJob | undefined;
  /** A matrix that stays on a device; throws if there is none. Not on every host, and not for what has no kernels. */
  keptJob?(plan: KeptPlan): KeptJob | undefined;
  /** Where matrices can be written, and where not. Not on every host: without, it is the CPU. */
  readonly devices?: (() => DeviceList) | undefined;
  /** Why no device has kernels for it, on any host, and what its user can do; undefined if one may have some. */
  readonly whyNoKernels?: string | undefined;
  /** The bytes of the cartridge; an error if there is none. */
  cartridge(): UnsharedUint8Array;
  close(): void;
  /** Where ids have to be waited for: an engine that has those of these sequences. The calls above throw then. */
  prepared?(sequences: readonly Uint8Array[]): Promise<DnaEngine>;
}

/** The same, here or on its way. */
export type Maybe<T> = T | Promise<T>;

/** What an entry brings. */
export interface DnaHost {
  /** What runs by default. */
  kind: 'native' | 'wasm';
  /** Compiles a vocabulary to the bytes of a cartridge. */
  compile(parts: DnaParts, options: LoadOptions): Maybe<UnsharedUint8Array>;
  /** Opens a cartridge. `policies`: numbers of crayon_dna_policies. */
  open(source: Source, options: LoadOptions, policies: Uint32Array): Maybe<DnaEngine>;
  /** Opens a vocabulary of byte-level BPE. */
  openBpe(vocabulary: CompilerInput, options: LoadOptions): Maybe<EngineTokenizer>;
  /** The cartridge of a built-in vocabulary, as a file; undefined if it is not there. Not on every host. */
  builtIn?(name: string): string | undefined;
  /** The text of a file. Not on every host. */
  readText?(path: string | URL): string;
}

/** An array of a type. */
export function idArray(type: IdType, length: number): IdArray {
  switch (type) {
    case 'uint8':
      return new Uint8Array(length);
    case 'uint16':
      return new Uint16Array(length);
    case 'int32':
      return new Int32Array(length);
    case 'bigint64':
      return new BigInt64Array(length);
  }
}

/** Facts from the numbers of crayon_dna_describe, and behind them the ids before and after a sequence. */
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
