// What encodes while the calling thread does other work: a pool of threads or workers, or the thread itself in turns. Types
// only.

import type { DeviceBatch } from './device-batch.js';
import type { AnyDevice } from './devices.js';
import type { BatchIds, Policy } from './engine.js';
import type { AnyPaddedBatch, PadForm } from './padding.js';
import type { Texts } from './text-rows.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';

/** How parts of a text overlap, as in LoPT; what is undefined is up to the background. */
export interface Overlap {
  chunkLength?: number | undefined;
  overlapLength?: number | undefined;
  threshold?: number | undefined;
}

/** What a call asks of the background. */
export interface JobOptions {
  /** How a long text is divided among threads; undefined: cuts. It changes no result; a background may leave it out of account. */
  strategy?: 'cuts' | 'overlap' | { overlap: Overlap } | undefined;
  /** How many threads at most, 1 or more; undefined leaves it to the background. */
  threads?: number | undefined;
  /** Bytes, of each thread, in which pieces of texts are remembered; undefined leaves it to the background. */
  cacheBytes?: number | undefined;
  /** Of a batch: where it runs; undefined leaves it to the background. Where there are no devices, it is the CPU. */
  device?: AnyDevice | undefined;
  /**
   * Ends the job. It is not aborted when the call is made. When it is, the promise is rejected at once with its reason, and
   * the work stops soon. However the job ends, no listener is left.
   */
  signal?: AbortSignal | undefined;
}

/**
 * Encodes for one engine. Texts are checked and plain; their bytes are the caller's, who leaves them alone until the promise
 * is settled, and are read in the course of the call. Failures are those of the engine, with positions in bytes and the row
 * of a batch; a call may also throw them at once. A job that has begun keeps its engine through `retire`, and is rejected
 * with `CLOSED` by `close`.
 */
export interface Background {
  encode(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<UnsharedUint32Array>;
  count(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<number>;
  encodeBatch(texts: Texts, policy: Policy, options: JobOptions): Promise<BatchIds>;
  /** The same, padded, if a device does that; else the ids, without what is around them. Not on every background. */
  encodePadded?(texts: Texts, policy: Policy, form: PadForm, options: JobOptions): Promise<AnyPaddedBatch | BatchIds>;
  /** The same, where it stays on a device: rejected if there is none. Not on every background. */
  encodeKept?(texts: Texts, policy: Policy, form: PadForm, options: JobOptions): Promise<DeviceBatch>;
  /** For a text that comes in windows. `counting`: without ids. Not on every background. */
  windows?(policy: Policy, counting: boolean, options: JobOptions): WindowEncoder;
}

/** A job on a window of a text. */
export interface WindowJob {
  /**
   * Resolves when it is encoded: how many tokens it has, and the byte of the window where they end. The next window has to
   * begin there, as what follows is not decided yet; that of the last window is its end. A failure has its position in the
   * window.
   */
  readonly encoded: Promise<{ tokens: number; end: number }>;
  /** The ids, once. */
  ids(): UnsharedUint32Array;
  release(): void;
}

/** Encodes one text that comes in windows. It keeps its vocabulary, whatever becomes of the tokenizer, until it ends. */
export interface WindowEncoder {
  /** Begins with a window, whose bytes stay as they are until it is encoded or garbage. `last`: the text ends with it. */
  encode(window: Uint8Array, last: boolean): WindowJob;
  /** Undefined where files are read. */
  readonly mapping?: FileMapping;
  /** Ends all jobs. */
  end(): void;
}

/** Files in memory without a copy. */
export interface FileMapping {
  /** Whether nobody can make the file of an open descriptor shorter: it is sealed, or its file system is mounted read-only. */
  cannotShrink(descriptor: number): boolean;
  /** Bytes of a file, which are read when they are touched; undefined where it cannot be mapped. */
  map(descriptor: number, begin: number, length: number): Uint8Array | undefined;
}
