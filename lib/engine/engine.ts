// The one interface between the API and an engine: what tokenizer.ts asks of the native addon, or of another backend of
// the same engine. Text is a string or a plain Uint8Array; ids are Uint32Array. Failures are thrown as TokenizerError.
// Types only.

import type { DeviceBatch } from './device-batch.js';
import type { AnyDevice, DeviceList } from './devices.js';
import type { AnyPaddedBatch, PadForm } from './padding.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';

/** How special tokens in a text are treated: 0 as text, 1 as tokens, 2 as an error; or the ids of those that are tokens. */
export type Policy = 0 | 1 | 2 | Uint32Array;

/**
 * Where a template wrote a text, of which the rest is its callers'. Special tokens and those with the ids in `control` are
 * found only where every byte of them is the template's; other added tokens are found anywhere.
 */
export interface Mask {
  readonly control: Uint32Array;
  /** Begin and end of each range that the template wrote, in bytes of UTF-8, ascending. Ranges may touch. */
  readonly ranges: Uint32Array;
}

/** The policy for one text that is encoded as a whole. */
export type TextPolicy = Policy | Mask;

/**
 * What positions in a text are counted in: UTF-16 units, as those of a string are, or bytes of UTF-8.
 *
 * @example
 * ```ts
 * const unit: OffsetUnit = 'bytes';
 * tokenizer.encodeWithOffsets('né', { unit }).offsets; // Uint32Array [0, 3]
 * ```
 */
export type OffsetUnit = 'utf16' | 'bytes';

/** The same, or `'pieces'`: start and end, in bytes, of the piece or added token that a token is of. */
export type EngineUnit = OffsetUnit | 'pieces';

/**
 * Token ids and where each stands in its text.
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

/** Ids of a batch: those of text i are ids[totals[i], totals[i + 1]). */
export interface BatchIds {
  ids: UnsharedUint32Array;
  totals: UnsharedUint32Array;
}

/** A token that is matched in the text before pretokenizing. */
export interface AddedToken {
  text: string;
  id: number;
  special: boolean;
  /** It includes whitespace around it. Default: not. */
  strips?: boolean;
  /** It is found only as a whole word. Default: not. */
  singleWord?: boolean;
}

/** How a batch is encoded together. */
export interface BatchJob {
  /** At most; undefined: all that there are. */
  threads?: number | undefined;
  device?: AnyDevice | undefined;
  /** Of each thread, in which it remembers pieces; undefined leaves it to the backend. */
  cacheBytes?: number | undefined;
}

/** What an open tokenizer is. */
export interface Description {
  /** The name of the view. */
  name: string;
  /** All views of its cartridge. */
  views: string[];
  vocabularySize: number;
  model: string;
  scanner: string;
  /** What is done to a text before it is pretokenized; empty for nothing. */
  normalizer: string;
  /** The id of a character at which no token begins; none if it is undefined. */
  unknownId?: number | undefined;
  /** Whether it is that of each byte of such a character. */
  unknownUnit?: 'byte' | undefined;
  /** The SIMD kernel in use. */
  kernel: string;
  /** One JSON object. */
  metadata: string;
  addedTokens: AddedToken[];
  /** The ids before and after those of a text, if the caller wants them. */
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
  /** Of its cartridge, in a file that the system maps: other processes share it, and it is dropped where memory is short. */
  mapped: number;
  /** Of its cartridge, in memory of the process; in WebAssembly, the memory of the module, with all that is in it. */
  private: number;
  /** Of the pieces of texts that are remembered with their ids. In WebAssembly 0: they are in the memory of the module. */
  caches: number;
}

/** A row of the cartridge's section table (cartridges/FORMAT.md, section 3). */
export interface Section {
  id: number;
  flags: number;
  /** In the file, in bytes. */
  offset: number;
  length: number;
}

/** A text on its way in several parts, which may be cut anywhere, inside a character too. */
export interface TextSession {
  /** Whether its tokenizer is open, and it has not ended. */
  readonly isOpen: boolean;
  /** Appends a part; `last` ends the text, and the next part begins another one. Returns the total. */
  feed(text: string | Uint8Array, last: boolean): number;
  /**
   * Feeds strings, each a text of its own, which are those of a batch from row `first` on; totals[first + i + 1] becomes
   * the total after text i. An error has the row in the batch.
   */
  feedStrings(texts: readonly string[], totals: Uint32Array, first: number): number;
  /** The same for the bytes [offsets[i], offsets[i + 1]). */
  feedRows(bytes: Uint8Array, offsets: Uint32Array, totals: Uint32Array, first: number): number;
  /** Returns the ids gathered since the last call. */
  take(): UnsharedUint32Array;
  /** The byte of the text up to which these go. Not on every backend. */
  position?(): number;
  /** Releases what the session holds. */
  end(): void;
}

/** One open tokenizer of a backend. */
export interface EngineTokenizer {
  readonly kind: 'native' | 'wasm';
  /** As it was opened with: one that takes its place has the same, unless it is told otherwise. */
  readonly cacheBytes: number | undefined;
  /** The model whose name it was opened by; undefined if that was no model. */
  readonly model: string | undefined;
  describe(): Description;
  /** The section table of the cartridge, in the order of the file. */
  sections(): Section[];
  encode(text: string, policy: Policy): UnsharedUint32Array;
  encodeBytes(bytes: Uint8Array, policy: TextPolicy): UnsharedUint32Array;
  count(text: string, policy: Policy): number;
  countBytes(bytes: Uint8Array, policy: TextPolicy): number;
  /** Like `count`, and stops at `most`: what is behind that is not looked at. */
  countUpTo(text: string, most: number, policy: Policy): number;
  countBytesUpTo(bytes: Uint8Array, most: number, policy: TextPolicy): number;
  encodeWithOffsets(text: string, unit: OffsetUnit, policy: Policy): TokensWithOffsets;
  encodeBytesWithOffsets(bytes: Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets;
  /**
   * Where the longest beginning of a text ends that is at most `limit` tokens when encoded alone, cut where a token of the
   * text ends, never inside a character; 0 if not even the first character fits. `last`: the text ends with the bytes;
   * otherwise undefined says that more of them are needed. `unit` is that of the answer.
   */
  fit(bytes: Uint8Array, last: boolean, limit: number, unit: OffsetUnit, policy: Policy): number | undefined;
  /**
   * Cuts a text into such parts, as far as the bytes decide them: start and end of each. A part begins with the last
   * `overlap` tokens of the one before. If the length is odd, the character behind the last part does not fit: the last
   * number is how many tokens it needs.
   */
  split(bytes: Uint8Array, last: boolean, limit: number, overlap: number, unit: OffsetUnit, policy: Policy): Uint32Array;
  /**
   * Encodes, or only counts, the texts of a batch on a device, or with several threads, of which the calling one is one.
   * Undefined if that is not worth while. Not on every backend.
   */
  encodeTogether?(
    texts: readonly (string | Uint8Array)[] | { bytes: Uint8Array; offsets: Uint32Array },
    policy: Policy,
    counting: boolean,
    options: BatchJob,
  ): BatchIds | undefined;
  /**
   * The same, padded, if a device takes the batch; undefined if none does. It gives ids without what is around them where the device
   * has not padded them. Not on every backend.
   */
  encodePadded?(
    texts: readonly (string | Uint8Array)[] | { bytes: Uint8Array; offsets: Uint32Array },
    policy: Policy,
    form: PadForm,
    device?: AnyDevice,
  ): AnyPaddedBatch | BatchIds | undefined;
  /** The same, where it stays on a device: throws if there is none. Not on every backend. */
  encodeKept?(
    texts: readonly (string | Uint8Array)[] | { bytes: Uint8Array; offsets: Uint32Array },
    policy: Policy,
    form: PadForm,
    device?: AnyDevice,
  ): DeviceBatch;
  /** Why no device has kernels for it; undefined if there are some. Not on every backend. */
  whyNotOnDevices?(): string | undefined;
  /** Where its batches can run, and where not. Not on every backend: without, it is the CPU. */
  devices?(): DeviceList;
  /** `counting`: the totals count tokens and no ids are kept. Otherwise they count the ids not yet taken. */
  begin(policy: Policy, counting: boolean): TextSession;
  decode(ids: Uint32Array, skipSpecial: boolean): string;
  decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array;
  /**
   * The bytes of rows of ids by a device that is named, one row after the other; undefined if the CPU is to decode them. Not on
   * every backend.
   */
  decodeRows?(
    ids: Uint32Array,
    offsets: Uint32Array,
    skipSpecial: boolean,
    device: AnyDevice,
  ): { bytes: UnsharedUint8Array; offsets: Uint32Array } | undefined;
  /** Undefined if there is no such id. */
  tokenBytes(id: number): UnsharedUint8Array | undefined;
  /** Undefined if no token has these bytes. */
  idOf(bytes: Uint8Array): number | undefined;
  /** What it holds now. */
  memory(): MemoryUse;
  /** Gives back what it remembers of texts, and is not at work with, where memory can be given back. */
  trim(): void;
  /** Closes it when its last session ends, which is at once if it has none. */
  retire(): void;
  close(): void;
}
