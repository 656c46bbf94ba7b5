// The only interface between the API and an engine, the addon or WebAssembly. A text is a string or a plain Uint8Array; ids are a
// Uint32Array. Failures are thrown as TokenizerError. Types only.

import type { DeviceBatch } from './device-batch.js';
import type { AnyDevice, DeviceList } from './devices.js';
import type { EditedText } from './edited-text.js';
import type { AnyPaddedBatch, PadForm } from './padding.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';

/** How special tokens in a text are treated: 0 as text, 1 as tokens, 2 as an error; or the ids of the ones treated as tokens. */
export type Policy = 0 | 1 | 2 | Uint32Array;

/**
 * Which parts of a text a template wrote; the rest is the callers'. Special tokens and tokens with ids in `control` match
 * only where the template wrote every byte; other added tokens match anywhere.
 */
export interface Mask {
  readonly control: Uint32Array;
  /** Start and end of each range that the template wrote, in bytes of UTF-8, ascending. Ranges may touch. */
  readonly ranges: Uint32Array;
}

/** The policy for a single text encoded as a whole. */
export type TextPolicy = Policy | Mask;

/**
 * The unit of positions in a text: UTF-16 units, as in strings, or bytes of UTF-8.
 *
 * @example
 * ```ts
 * const unit: OffsetUnit = 'bytes';
 * tokenizer.encodeWithOffsets('né', { unit }).offsets; // Uint32Array [0, 3]
 * ```
 */
export type OffsetUnit = 'utf16' | 'bytes';

/**
 * What an engine can report for each token: its offsets in a unit; `'pieces'`, the start and end in bytes of its piece or added token;
 * `'words'`, the number of its piece in the normalized text, or of its added token, and 1 for an added token, or else 0; or, of a model
 * `general` alone, `'spaces'`, how much whitespace its text begins and ends with, or 0xffffffff where the vocabulary's token has it.
 */
export type EngineUnit = OffsetUnit | 'pieces' | 'words' | 'spaces';

/**
 * Token ids and their positions in the text.
 *
 * @example
 * ```ts
 * const { ids, offsets }: TokensWithOffsets = tokenizer.encodeWithOffsets('hello world');
 * ids; // Uint32Array [24912, 2375]
 * offsets; // Uint32Array [0, 5, 5, 11]
 * ```
 */
export interface TokensWithOffsets {
  /** The tokens, in order. */
  ids: UnsharedUint32Array;
  /** Start and end of token i are offsets[2 * i] and offsets[2 * i + 1]. */
  offsets: UnsharedUint32Array;
}

/** Ids of a batch: text i has the ids ids[totals[i], totals[i + 1]). */
export interface BatchIds {
  ids: UnsharedUint32Array;
  totals: UnsharedUint32Array;
}

/** A token that matches in the text before pretokenizing. */
export interface AddedToken {
  text: string;
  id: number;
  special: boolean;
  /** Includes the white space around it. Default: no. */
  strips?: boolean;
  /** Matches only as a whole word. Default: no. */
  singleWord?: boolean;
  /** Is searched for after the normalizer, in what the others leave. Default: no. */
  normalized?: boolean;
  /** Matches in no text. Default: no. */
  neverFound?: boolean;
}

/** The side of a text that is cut off. */
export type Side = 'left' | 'right';

/** Where parts of a text are cut: see crayon_part_form. */
export interface Separation {
  kind: number;
  /** The listed separators, back to back. */
  separators: Uint8Array;
  /** The length of each separator, and the part of it before the cut, in bytes. */
  numbers: Uint32Array;
}

/** How a text is cut into parts of at most `limit` tokens, with up to `overlap` of the tokens of the part before. */
export interface PartForm {
  limit: number;
  overlap: number;
  unit: OffsetUnit;
  separation: Separation;
}

/** How to encode a batch in parallel. */
export interface BatchJob {
  /** The most threads; undefined: all. */
  threads?: number | undefined;
  device?: AnyDevice | undefined;
  /** The most bytes per thread for caching pieces; undefined leaves it to the backend. */
  cacheBytes?: number | undefined;
}

/** The description of an open tokenizer. */
export interface Description {
  /** The name of the view. */
  name: string;
  /** All views of its cartridge. */
  views: string[];
  vocabularySize: number;
  model: string;
  scanner: string;
  /** How a text is normalized before pretokenizing; empty for not at all. */
  normalizer: string;
  /** The id for a character at which no token begins; undefined if that is an error. */
  unknownId?: number | undefined;
  /** Whether the id stands for each byte of an unknown character. */
  unknownUnit?: 'byte' | undefined;
  /** The SIMD kernel in use. */
  kernel: string;
  /** A JSON object. */
  metadata: string;
  addedTokens: AddedToken[];
  /** The ids to put before and after a text's own, on request. */
  prefix: number[];
  suffix: number[];
}

/**
 * The memory that a tokenizer holds now, in bytes, for all threads together.
 *
 * @example
 * ```ts
 * const { mapped, caches }: MemoryUse = tokenizer.memory;
 * mapped > 1_000_000; // true
 * caches < 16 * 1024 * 1024; // true
 * ```
 */
export interface MemoryUse {
  /** The part of its cartridge in a mapped file: shared with other processes, and dropped when memory is short. */
  mapped: number;
  /** The part of its cartridge in process memory; in WebAssembly, the module's memory, including everything in it. */
  private: number;
  /** Cached pieces with their ids. In WebAssembly 0: they are part of the module's memory. */
  caches: number;
}

/** A row of the cartridge's section table (cartridges/FORMAT.md, section 3). */
export interface Section {
  id: number;
  flags: number;
  /** The offset in the file, in bytes. */
  offset: number;
  length: number;
}

/** A text fed in several parts, which may be cut anywhere, even inside a character. */
export interface TextSession {
  /** Whether its tokenizer is open and the session has not ended. */
  readonly isOpen: boolean;
  /** Appends a part; `last` ends the text, and the next part begins another one. Returns the total. */
  feed(text: string | Uint8Array, last: boolean): number;
  /**
   * Feeds strings, each as a separate text: the texts of a batch from row `first` on. totals[first + i + 1] becomes the
   * total after text i. Errors name the row in the batch.
   */
  feedStrings(texts: readonly string[], totals: Uint32Array, first: number): number;
  /** Feeds the texts [offsets[i], offsets[i + 1]) of `bytes`, like `feedStrings`. */
  feedRows(bytes: Uint8Array, offsets: Uint32Array, totals: Uint32Array, first: number): number;
  /** Returns the ids gathered since the last call. */
  take(): UnsharedUint32Array;
  /** The offsets of the ids that `take` will return, if the session has a unit. */
  takeOffsets(): UnsharedUint32Array;
  /** The byte of the text up to which these ids go. */
  position(): number;
  /** Releases the session's resources. */
  end(): void;
}

/** An open tokenizer of a backend. */
export interface EngineTokenizer {
  readonly kind: 'native' | 'wasm';
  /** The value it was opened with; an engine that replaces it inherits this unless told otherwise. */
  readonly cacheBytes: number | undefined;
  /** The model name it was opened by; undefined if that was not a model's. */
  readonly model: string | undefined;
  /** Whether every call throws (`CLOSED`). */
  readonly isClosed: boolean;
  describe(): Description;
  /** The section table of the cartridge, in file order. */
  sections(): Section[];
  encode(text: string | Uint8Array, policy: TextPolicy): UnsharedUint32Array;
  /** Stops at `limit` tokens, if there is one: text after that is not read. */
  count(text: string | Uint8Array, policy: TextPolicy, limit?: number): number;
  encodeWithOffsets(text: string | Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets;
  /**
   * The length of the beginning of a text, or with side `'left'` of its end, that has at most `limit` tokens when encoded alone; 0 if
   * not even one character fits. `whole`: the part is the text; otherwise undefined means that a longer part is needed. In UTF-16 units
   * of a string.
   */
  fit(part: string | Uint8Array, whole: boolean, limit: number, side: Side, policy: Policy): number | undefined;
  /**
   * Encodes, or only counts, the texts of a batch on a device, or with several threads including the calling one.
   * Undefined if that is not worthwhile. Not on every backend.
   */
  encodeTogether?(
    texts: readonly (string | Uint8Array)[] | { bytes: Uint8Array; offsets: Uint32Array },
    policy: Policy,
    counting: boolean,
    options: BatchJob,
  ): BatchIds | undefined;
  /**
   * Encodes and pads a batch if a device takes it; undefined if none does. If the device did not pad, returns ids without the
   * template around them. Not on every backend.
   */
  encodePadded?(
    texts: readonly (string | Uint8Array)[] | { bytes: Uint8Array; offsets: Uint32Array },
    policy: Policy,
    form: PadForm,
    device?: AnyDevice,
  ): AnyPaddedBatch | BatchIds | undefined;
  /** Encodes and pads a batch that stays on a device: throws if there is none. Not on every backend. */
  encodeKept?(
    texts: readonly (string | Uint8Array)[] | { bytes: Uint8Array; offsets: Uint32Array },
    policy: Policy,
    form: PadForm,
    device?: AnyDevice,
  ): DeviceBatch;
  /** Why no device has kernels for it; undefined if one may have them. Not on every backend. */
  whyNotOnDevices?(): string | undefined;
  /** Where its batches can run, and where not. Absent on some backends, which use the CPU. */
  devices?(): DeviceList;
  /**
   * `counting`: totals count tokens and no ids are kept. Otherwise totals count the ids not yet taken. `form`: there is one text, and
   * instead of ids there are three numbers for each of its parts: start, end and tokens. If a character does not fit, the last
   * three are its position, twice, and its number of tokens. `unit`: offsets are kept too. Under a mask there is one text.
   */
  begin(policy: TextPolicy, counting: boolean, form?: PartForm, unit?: EngineUnit): TextSession;
  /** An empty text to be edited. */
  edit(policy: Policy, unit: OffsetUnit): EditedText;
  decode(ids: Uint32Array, skipSpecial: boolean): string;
  decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array;
  /**
   * The bytes of rows of ids, decoded on a named device, back to back; undefined if the CPU must decode them. Not on every
   * backend.
   */
  decodeRows?(
    ids: Uint32Array,
    offsets: Uint32Array,
    skipSpecial: boolean,
    device: AnyDevice,
  ): { bytes: UnsharedUint8Array; offsets: Uint32Array } | undefined;
  /**
   * The matches of a pattern, which is a program of lib/vocabularies/patterns/regex.ts: begin and end of each, in bytes of UTF-8, in which a
   * lone surrogate is U+FFFD. TokenizerError: `CORRUPT_STRUCTURE` if it is not a program, `PATTERN_BUDGET`, `TEXT_TOO_LONG`.
   */
  matches(program: Uint32Array, text: string): Uint32Array;
  /** Undefined if there is no such id. */
  tokenBytes(id: number): UnsharedUint8Array | undefined;
  /** Undefined if no token has these bytes. */
  idOf(bytes: Uint8Array): number | undefined;
  /** The memory it holds now. */
  memory(): MemoryUse;
  /** Frees idle caches, where memory can be freed. */
  trim(): void;
  /** Closes it when its last session ends; immediately if it has none. */
  retire(): void;
  close(): void;
}
