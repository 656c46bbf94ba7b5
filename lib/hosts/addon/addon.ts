// Finds and loads crayon.node: one built on this machine, else the prebuilt one for the platform. If neither loads, the
// error lists what was tried, why each failed and what to do.

import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ofThisContext } from '../../base/views.js';
import type { PartForm, Policy, TextPolicy } from '../../engine/engine.js';
import { type EngineHost, UNITS } from '../../engine/binding.js';
import type {
  CartridgeFunctions,
  CompilerFunctions,
  DnaFunctions,
  DocumentFunctions,
  EncodingFunctions,
  Handle,
  LimitFunctions,
  NativeFunctions,
  RecordFunctions,
  TokenizerFunctions,
  TrainerFunctions,
} from '../../engine/functions.js';
import type { IdArray } from '../../engine/dna-engine.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { adviceOnFiles, packageFolder, requireIn } from '../../vocabularies/open/package-files.js';
import { TokenizerError } from '../../base/errors.js';
import { variable } from '../../base/environment.js';

export type { Handle };

/** The addon's description of a device. */
export interface DeviceFacts {
  /** 1: CUDA, 2: HIP, 3: emulated; 0: none found. */
  kind: number;
  isUsable: boolean;
  name: string;
  /** Why it is not usable, or its last failure. */
  reason: string;
  /** Bytes. */
  memory: number;
  /** Bytes of the memory that resident batches hold. */
  heldBytes: number;
  processors: number;
  warpSize: number;
  majorArchitecture: number;
  minorArchitecture: number;
}

/**
 * The functions of the addon. Unless stated otherwise, they return -1 (or undefined, if they do not return a number) on
 * failure; `failure` then has the details. Texts are at most 65,536 UTF-16 units long; bytes may have any length.
 */
export interface Addon
  extends EngineHost,
    CartridgeFunctions,
    CompilerFunctions,
    DnaFunctions,
    DocumentFunctions,
    EncodingFunctions,
    LimitFunctions,
    NativeFunctions,
    RecordFunctions,
    TokenizerFunctions,
    TrainerFunctions {
  statuses(): { name: string; number: number; sentence: string }[];
  /** Names of the kernels that this machine can run, best first. */
  kernels(): string[];

  /**
   * Encodes a whole text, a string or bytes, of at most a window: writes the ids into the slab from `offset` (in ids) and returns
   * their count, or -2 less how many are there if there are more, which `encoderRead` continues with.
   */
  encode(encoder: Handle, text: string | Uint8Array, slab: ArrayBuffer, offset: number, policy: TextPolicy): number;
  /**
   * Encodes part of a text that the encoder has begun, bytes or a string of at most a window, and keeps the ids. Returns how many of the
   * text there are by now. `likely`: how many it has in the end, at most.
   */
  gather(encoder: Handle, part: string | Uint8Array, last: boolean, likely: number): number;
  /** Moves the ids that have been gathered to new memory for all of them, which need not be cleared. */
  gathered(ids: Uint32Array): number;
  /** `encode` with offsets, which follow the ids in the slab; -2 or less: they do not fit. `unit`: an index into UNITS. */
  encodeWithOffsets(
    encoder: Handle,
    text: string | Uint8Array,
    slab: ArrayBuffer,
    offset: number,
    unit: number,
    policy: TextPolicy,
  ): number;
  /** Stops at `limit` tokens. */
  count(encoder: Handle, text: string | Uint8Array, limit: number, policy: TextPolicy): number;

  /** Another handle of the tokenizer, for jobs, which is released separately. */
  share(tokenizer: Handle): Handle;
  /** Drops the pool's idle encoders of the tokenizer whose caches exceed `maxBytes` bytes; of a released tokenizer, those of all released tokenizers. */
  trim(tokenizer: Handle, maxBytes: number): void;
  /**
   * Starts `threads` threads, if the process has none yet, and calls `reported` in the event loop with the handles of
   * finished submitted jobs.
   */
  startBackground(reported: (jobs: Handle[]) => void, threads: number): number;
  /**
   * `flags`: as for crayon_job_create. `threads`: the most to work on it at a time; 0: all. `bytes`: the most bytes of
   * its text. `cacheLimit`: as in `limitCaches`, for this job; 0: the tokenizer's.
   */
  jobBegin(tokenizer: Handle, policy: Policy, flags: number, threads: number, bytes: number, cacheLimit: number): Handle;
  /** For a job with overlapping parts: their length, the bytes of overlap, and the number of common split points required. */
  jobSetOverlap(job: Handle, partLength: number, overlapLength: number, threshold: number): number;
  /** The job makes the numbers of the parts of its rows: like `encoderBeginParts`. */
  jobSetParts(job: Handle, limits: Uint32Array, separators: Uint8Array, numbers: Uint32Array): number;
  /** Appends to the text; `last` ends a row. At most WINDOW units. */
  jobFeed(job: Handle, text: string, last: boolean): number;
  jobFeedBytes(job: Handle, bytes: Uint8Array, last: boolean): number;
  /** Appends the rows [first, last). */
  jobFeedRows(job: Handle, bytes: Uint8Array, offsets: Uint32Array, first: number, last: number): number;
  /** Appends a row for each length, in units, of the joined text. */
  jobFeedJoined(job: Handle, text: string, lengths: Uint32Array): number;
  /** Alternatively, sets the rows without copying them; nobody may change them until the job is done. */
  jobSetRows(job: Handle, bytes: Uint8Array, offsets: Uint32Array): number;
  /**
   * Alternatively, sets bytes without copying them; nobody may change them until the job is done. `last`: no more text
   * follows.
   */
  jobSetText(job: Handle, bytes: Uint8Array, last: boolean): number;
  /** Alternatively, maps bytes [begin, begin + length) of an open file, until the job is released. */
  jobMapText(job: Handle, descriptor: number, begin: number, length: number, last: boolean): number;
  /** As crayon_job_can_map. */
  jobCanMap(descriptor: number): number;
  /** Ends the text. */
  jobEnd(job: Handle): number;
  jobSubmit(job: Handle): number;
  /** Lets the threads start on a job that `jobRun` or `jobRunFor` finishes, together with the calling thread. */
  jobStart(job: Handle): number;
  jobRun(job: Handle): number;
  /** 1 if it is then done; 0 if it continues, to be reported later. */
  jobRunFor(job: Handle, microseconds: number): number;
  /** The token count of a finished job. */
  jobResult(job: Handle): number;
  /** Where its ids end, in bytes of the text. */
  jobPosition(job: Handle): number;
  jobTotals(job: Handle, totals: Uint32Array): number;
  /** The ids, once. A large result has its own memory, written by the threads. */
  jobTake(job: Handle): UnsharedUint32Array | undefined;
  /** Alternatively, copies the ids, once, to new memory for all of them. */
  jobCopy(job: Handle, ids: Uint32Array): number;
  /** Writes the rows of a job with APART, and how many ids each has: see crayon_job_write_rows. */
  jobWriteRows(job: Handle, before: Uint32Array, after: Uint32Array, width: number, memory: Uint8Array, lengths: Uint32Array): number;
  /** Cancels it, unless it is done. */
  jobRelease(job: Handle): void;

  /** `flags`: DECODE_…. */
  decode(tokenizer: Handle, ids: Uint32Array, flags: number): string | undefined;
  decodeLength(tokenizer: Handle, ids: Uint32Array, flags: number): number;
  decodeInto(tokenizer: Handle, ids: Uint32Array, target: Uint8Array, flags: number): number;

  /** As dnaEncodeRows, a job, which keeps the arrays: nobody may change them until it is done. There must be at least one id. */
  dnaJobBegin(
    dna: Handle,
    bytes: Uint8Array,
    offsets: Uint32Array,
    columns: number,
    flags: number,
    ids: IdArray,
    mask: Uint8Array | undefined,
    unknown: Uint32Array,
    threads: number,
  ): Handle;
  /** The same as a device job, which keeps all arrays except the offsets. */
  dnaDeviceJob(
    dna: Handle,
    bytes: Uint8Array,
    offsets: Uint32Array,
    columns: number,
    flags: number,
    ids: IdArray,
    mask: Uint8Array | undefined,
    unknown: Uint32Array,
    device: Handle,
  ): Handle;
  /** The same for a matrix that stays there. `width`, `maskWidth`: bytes of an id and of a mask element; 0: no mask. */
  dnaKeptJob(
    dna: Handle,
    bytes: Uint8Array,
    offsets: Uint32Array,
    columns: number,
    flags: number,
    width: number,
    maskWidth: number,
    unknown: Uint32Array,
    device: Handle,
  ): Handle;

  /**
   * Registers a device by its plugin's file; nothing is loaded yet. `settings`: as for crayon_device_open. All environments
   * share a device whose only setting is the memory.
   */
  deviceOpen(path: string, settings?: Uint32Array): Handle;
  /** The process's first call loads the plugin, which may take a second. */
  deviceDescribe(device: Handle): DeviceFacts | undefined;
  deviceClose(device: Handle): void;
  /** 1 if devices may have kernels for the tokenizer. */
  deviceSupports(tokenizer: Handle): number;
  /** A job that keeps the bytes, which must not change, but not the offsets. `flags`: as for crayon_device_create_texts. */
  deviceTexts(device: Handle, tokenizer: Handle, policy: Policy, flags: number, bytes: Uint8Array, offsets: Uint32Array): Handle;
  /** A job that decodes rows of ids; it keeps the ids but not the offsets. `flags`: DECODE_SKIP_SPECIAL. */
  deviceDecoding(device: Handle, tokenizer: Handle, flags: number, ids: Uint32Array, offsets: Uint32Array): Handle;
  /** Its bytes, once, in whole words, and their number. `deviceJobTotals` says where rows end. */
  deviceJobBytes(job: Handle): [words: UnsharedUint32Array, count: number] | undefined;
  /** Lets up to `threads` threads of the process, once started, make its texts ready. Call before it runs. */
  deviceJobUseThreads(job: Handle, threads: number): number;
  /** Keeps its matrix on the device; call before `deviceJobPad`. `maskWidth`: as for crayon_device_job_keep. */
  deviceJobKeep(job: Handle, maskWidth: number): number;
  /** Pads its rows; -1 if that is not possible, with the job unchanged. `words`: as for crayon_device_job_pad. */
  deviceJobPad(job: Handle, words: Uint32Array): number;
  /** The columns of its matrix; -1 if there is none, and the ids are packed. */
  deviceJobColumns(job: Handle): number;
  /** The words of the matrix and of its mask, once. */
  deviceJobMatrix(job: Handle): [ids: UnsharedUint32Array, mask: UnsharedUint32Array] | undefined;
  /** Waits until it has run; `deviceJobResult` returns the result. */
  deviceJobRun(job: Handle): number;
  /** The same on a Node thread. */
  deviceJobSubmit(job: Handle): Promise<void> | undefined;
  deviceJobResult(job: Handle): number;
  deviceJobTotals(job: Handle, totals: Uint32Array): number;
  /** The ids, once. */
  deviceJobTake(job: Handle): UnsharedUint32Array | undefined;
  deviceJobProgress(job: Handle): number[] | undefined;
  /** The matrix that stayed there, once; it must be closed. */
  deviceJobKept(job: Handle): { handle: Handle; address: bigint; maskOffset: number; device: number } | undefined;
  /** Cancels it, unless it is done. */
  deviceJobRelease(job: Handle): void;
  /** Fills an array with a matrix's bytes from `offset` on. */
  deviceMatrixRead(matrix: Handle, offset: number, to: Uint8Array): number;
  deviceMatrixClose(matrix: Handle): void;
}

/** The most UTF-16 units that the addon takes in one call. */
export const WINDOW = 64 * 1024;

export const DECODE_SKIP_SPECIAL = 1;

/** Where to look for the addon, in order. `CRAYON_ADDON` names one file instead. */
function candidates(): string[] {
  const named = variable('CRAYON_ADDON');
  if (named) return [named];
  const platform = `${process.platform}-${process.arch}`;
  const folders = ['build/release', `prebuilds/${platform}`];
  if (process.platform === 'linux') folders.push(`prebuilds/${platform}-musl`);
  return folders.map((folder) => join(packageFolder(), folder, 'crayon.node'));
}

/** The addon, the object shared by all who load it, and its path; or the error that explains why none loaded. */
function loadAddon(): { addon: Addon; exports: object; path: string } | { error: Error } {
  const require = requireIn(packageFolder());
  const failed: { path: string; error?: Error }[] = [];
  for (const path of candidates()) {
    // `require` would try other extensions, and capture the call site: a millisecond.
    if (!existsSync(path)) {
      failed.push({ path });
      continue;
    }
    try {
      const exports = require(path) as Addon;
      // V8 looks up the members of a large object faster if it is a prototype: it saves 15 ns a call.
      return { addon: Object.create(inThisContext(exports)) as Addon, exports, path };
    } catch (error) {
      failed.push({ path, error: error as Error });
    }
  }
  return { error: explain(failed) };
}

/** The addon creates results in Node's own context. In another one, such as a test runner's, each is converted. */
function inThisContext(addon: Addon): Addon {
  if (addon instanceof Object) return addon;
  const members: Record<string, unknown> = {};
  for (const name of Object.getOwnPropertyNames(addon)) {
    const member: unknown = addon[name as keyof Addon];
    members[name] = typeof member === 'function' ? (...args: unknown[]) => ofThisContext(member(...args)) : member;
  }
  return members as unknown as Addon;
}

function explain(failed: { path: string; error?: Error }[]): Error {
  const tried = failed.map(({ path, error }) => `  ${path}: ${error ? error.message.split('\n', 1)[0] : 'no such file'}`);
  const found = failed.find(({ error }) => error !== undefined);
  if (found?.error?.message.includes('--allow-ffi')) {
    const message = `crayon-tokenizer may not load its addon, ${found.path}: run Deno with --allow-ffi, or use { backend: 'wasm' }`;
    return new Error(message, { cause: found.error });
  }
  const named = variable('CRAYON_ADDON');
  const message = named
    ? [`crayon-tokenizer cannot load the addon that CRAYON_ADDON names:`, ...tried]
    : [
        `crayon-tokenizer found no native addon for ${process.platform}-${process.arch} (Node ${process.versions.node}). Tried:`,
        ...tried,
        // An addon that is there and does not load says why itself.
        ...(found ? [] : [adviceOnFiles('npm run build', '; it needs cmake, ninja and a C++20 compiler')]),
      ];
  return new Error(message.join('\n'), found && { cause: found.error });
}

const loaded = loadAddon();

/** Why no addon loaded; undefined if one did. */
export const missing: Error | undefined = 'error' in loaded ? loaded.error : undefined;

/** The addon and its path; throws the loader's error if none loaded. */
export function native(): { addon: Addon; path: string } {
  if ('error' in loaded) throw loaded.error;
  return loaded;
}

/** The addon. It checks its arguments, so a placeholder is enough until `native()` has thrown the right error. */
export const addon: Addon = 'addon' in loaded ? loaded.addon : (undefined as unknown as Addon);

/**
 * New memory for ids, not cleared, of V8: it is free again once they have been collected. Memory of the addon's is only freed between
 * turns of the event loop, so that a loop of synchronous calls would fill the machine.
 */
export function newIds(count: number): UnsharedUint32Array {
  return new Uint32Array(Buffer.allocUnsafeSlow(Uint32Array.BYTES_PER_ELEMENT * count).buffer, 0, count);
}

/** A form of parts as `jobSetParts` takes it. */
export function limitsOf({ limit, overlap, unit, separation }: PartForm): Uint32Array {
  return Uint32Array.of(limit, overlap, UNITS.indexOf(unit), separation.kind);
}

/** An object that all copies of this module in a thread share, in all contexts. */
export const sharedByCopies: object = 'exports' in loaded ? loaded.exports : {};

/** The error for the last failed call. */
export function failed(doing: string): TokenizerError {
  const failure = addon.failure();
  return new TokenizerError(`${doing}: ${failure.sentence}`, failure);
}
