// Encodes while the calling thread does other work: on a pool of threads or workers, or on the thread itself in turns.
// Types only.

import type { DeviceBatch } from './device-batch.js';
import type { AnyDevice } from './devices.js';
import type { BatchIds, PartForm, Policy } from './engine.js';
import type { AnyPaddedBatch, PadForm } from './padding.js';
import type { TextRows, Texts } from './text-rows.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';

/** How parts of a text overlap, as in LoPT; undefined values are chosen by the background. */
export interface Overlap {
  chunkLength?: number | undefined;
  overlapLength?: number | undefined;
  threshold?: number | undefined;
}

/** A call's options for the background. */
export interface JobOptions {
  /** How a long text is divided among threads; undefined: by cuts. Never changes the result; a background may ignore it. */
  strategy?: 'cuts' | 'overlap' | { overlap: Overlap } | undefined;
  /** The most threads, 1 or more; undefined leaves it to the background. */
  threads?: number | undefined;
  /** The most bytes per thread for caching pieces; undefined leaves it to the background. */
  cacheBytes?: number | undefined;
  /** For a batch: where it runs; undefined leaves it to the background. Without devices, it is the CPU. */
  device?: AnyDevice | undefined;
  /**
   * Aborts the job. It must not be aborted when the call is made. On abort the promise is rejected immediately with the
   * signal's reason, and the work stops soon. However the job ends, no listener remains.
   */
  signal?: AbortSignal | undefined;
}

/**
 * Encodes for one engine. Texts are checked and plain; their bytes belong to the caller, are read during the job, and must
 * not change until the promise settles. Failures are the engine's, with positions in bytes and the row of a batch; a call
 * may also throw them directly. A job already begun keeps its engine through `retire`; `close` rejects it with `CLOSED`.
 */
export interface Background {
  /** These two may be done at once, and return no promise then. */
  encode(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<UnsharedUint32Array> | UnsharedUint32Array;
  count(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<number> | number;
  encodeBatch(texts: Texts, policy: Policy, options: JobOptions): Promise<BatchIds>;
  /** The numbers of the parts of each text, as `begin` of EngineTokenizer has them: a text in one thread. */
  split(texts: Texts, form: PartForm, policy: Policy, options: JobOptions): Promise<BatchIds>;
  /** Like `encodeBatch`, padded if a device does it; otherwise the ids without the template around them. Not on every background. */
  encodePadded?(texts: Texts, policy: Policy, form: PadForm, options: JobOptions): Promise<AnyPaddedBatch | BatchIds>;
  /** Like `encodePadded`, but the matrix stays on a device: rejected if there is none. Not on every background. */
  encodeKept?(texts: Texts, policy: Policy, form: PadForm, options: JobOptions): Promise<DeviceBatch>;
  /**
   * Begins to encode rows whose ids are to be written to memory of the caller's: in the calling thread, at once, if `threads` is 1.
   * `textBytes`: how many bytes of text the call is a part of, by which caches are limited. Undefined if a device takes them, or if other
   * threads may change them. Not on every background.
   */
  encodeRows?(rows: TextRows, policy: Policy, options: JobOptions, textBytes: number): RowJob | undefined;
  /** For a text that arrives in windows. `counting`: without ids. Not on every background. */
  windows?(policy: Policy, counting: boolean, options: JobOptions): WindowEncoder;
}

/** How rows are written: ids before and after each row, and the bytes of an id. */
export interface RowForm {
  before: Uint32Array;
  after: Uint32Array;
  width: 2 | 4;
}

/** A job on rows. It must be released. */
export interface RowJob {
  /** Resolves once they are encoded, with their number of ids. A failure names the row. */
  readonly encoded: Promise<number>;
  /** Writes the ids, once, to memory that begins at a multiple of `width`; returns how many each row has there. */
  write(form: RowForm, memory: Uint8Array): UnsharedUint32Array;
  /** Ends it; its promise need not settle. */
  release(): void;
}

/** A job on a window of a text. */
export interface WindowJob {
  /**
   * Resolves once the window is encoded, with its number of tokens and the byte of the window where they end. The next
   * window must begin there, since the rest is not decided yet; for the last window that is its end. A failure's position
   * is within the window.
   */
  readonly encoded: Promise<{ tokens: number; end: number }>;
  /** The ids, once. */
  ids(): UnsharedUint32Array;
  release(): void;
}

/** Encodes one text that arrives in windows. It keeps its vocabulary until it ends, whatever happens to the tokenizer. */
export interface WindowEncoder {
  /** Starts on a window, whose bytes must not change until it is encoded or garbage-collected. `last`: the text ends with it. */
  encode(window: Uint8Array | MappedPart, last: boolean): WindowJob;
  /** Whether a part of an open file can be a window: 0, no; 1, if nobody shortens the file; 2, and nobody can. */
  canMap(descriptor: number): number;
  /** Ends all jobs. */
  end(): void;
}

/** Bytes [begin, begin + length) of an open file, which its job maps: they are read on access. */
export interface MappedPart {
  path: string;
  descriptor: number;
  begin: number;
  length: number;
}
