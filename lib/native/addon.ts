// Finds and loads crayon.node: one built on this machine, else the prebuilt one for the platform. If neither loads, the
// error lists what was tried, why each failed and what to do.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Description, EngineUnit, MemoryUse, Policy, Section, TextPolicy } from '../engine/engine.js';
import type { CartridgeForm, CompilerInput } from '../compile/compiler.js';
import type { DnaParts, IdArray } from '../dna/engine.js';
import type { Dat } from '../open/dat.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { BUNDLED_ADVICE, filesAreMissing, packageFolder, requireIn } from '../open/package-files.js';
import { type Failure, TokenizerError } from '../base/errors.js';
import { ofThisContext } from '../base/this-context.js';

/** A tokenizer or session that the addon has open. */
export type Handle = number;

/** What the addon says of a device. */
export interface DeviceFacts {
  /** 1: CUDA, 2: HIP, 3: emulated; 0: nothing has been found. */
  kind: number;
  isUsable: boolean;
  name: string;
  /** Why it is not usable, or what went wrong last. */
  reason: string;
  /** Bytes. */
  memory: number;
  /** Of these, those of batches that stay there. */
  kept: number;
  processors: number;
  warpSize: number;
  majorArchitecture: number;
  minorArchitecture: number;
}

/**
 * The functions of the addon. Unless stated otherwise, they return -1 (or undefined, if they do not return a number) on
 * failure; `failure` then has the details. Texts are at most 65,536 UTF-16 units long; bytes may have any length.
 */
export interface Addon {
  statuses(): { name: string; number: number; sentence: string }[];
  /** Names of the kernels that this machine can run, best first. */
  kernels(): string[];
  /** The failure of the last call that failed. */
  failure(): Failure;

  /**
   * `source`: path or bytes. `view`: name or index. `flags`: OPEN_…. `kernel`: '' for the best. `dat`: for version 2
   * files.
   */
  load(source: string | Uint8Array, view: string | number, flags: number, kernel: string, dat?: Dat): Handle;
  describe(tokenizer: Handle): Description | undefined;
  sections(tokenizer: Handle): Section[] | undefined;
  /** Another handle of the tokenizer, for jobs, which is closed by itself. */
  share(tokenizer: Handle): Handle;
  /** Sets the bytes in which each encoder may remember pieces of texts, from its next text on; 0: the engine's default. */
  limitCaches(tokenizer: Handle, bytes: number): number;
  memory(tokenizer: Handle): MemoryUse | undefined;
  /** Drops idle encoders that remember pieces in more than `most` bytes. */
  trim(tokenizer: Handle, most: number): number;
  /** 1 if nobody can make the file of an open descriptor shorter. */
  cannotShrink(descriptor: number): number;
  /** Bytes [begin, begin + length) of such a file, which are read when they are touched. */
  mapText(descriptor: number, begin: number, length: number): Uint8Array | undefined;
  /** Closes the tokenizer when its last session ends; immediately if it has none. */
  retire(tokenizer: Handle): void;
  /** Closes the tokenizer and ends its sessions. */
  close(tokenizer: Handle): void;

  /**
   * Writes the ids into the slab from `offset` (in ids) and returns their count. If they do not fit, all of them are
   * kept for `takeOverflow`, and the result is -2 - their count.
   */
  encode(tokenizer: Handle, text: string, slab: ArrayBuffer, offset: number, policy: Policy): number;
  encodeBytes(tokenizer: Handle, bytes: Uint8Array, slab: ArrayBuffer, offset: number, policy: TextPolicy): number;
  takeOverflow(target: Uint32Array): number;
  /**
   * The same with offsets, which follow the ids in the slab. -2: they do not fit, and nothing is kept. At most as many
   * bytes as units. `unit`: an index of UNITS.
   */
  encodeWithOffsets(tokenizer: Handle, text: string, slab: ArrayBuffer, offset: number, unit: number, policy: Policy): number;
  encodeBytesWithOffsets(tokenizer: Handle, bytes: Uint8Array, slab: ArrayBuffer, offset: number, unit: number, policy: TextPolicy): number;
  /** Stops at `most` tokens. */
  count(tokenizer: Handle, text: string, most: number, policy: Policy): number;
  countBytes(tokenizer: Handle, bytes: Uint8Array, most: number, policy: TextPolicy): number;

  /** `unit`: collects offsets in that unit with the ids. */
  begin(tokenizer: Handle, policy: TextPolicy, counting: boolean, unit?: number): Handle;
  /** Returns how many ids are collected and not yet taken, or the tokens counted. Counting stops at `most`. */
  feed(session: Handle, text: string, last: boolean, most?: number): number;
  feedBytes(session: Handle, bytes: Uint8Array, last: boolean): number;
  /** Each row is a text; sets totals[i + 1] to what `feed` would return after row i. */
  feedRows(session: Handle, bytes: Uint8Array, offsets: Uint32Array, totals: Uint32Array): number;
  /** The same for rows [first, last), joined in `text`; on input, totals[i + 1] is the length of row i in units. */
  feedJoined(session: Handle, text: string, totals: Uint32Array, first: number, last: number): number;
  take(session: Handle, target: Uint32Array): number;
  takeOffsets(session: Handle, target: Uint32Array): number;
  /** The byte of the text up to which the ids go that are ready. */
  sessionPosition(session: Handle): number;
  end(session: Handle): void;

  /**
   * Starts `threads` threads, if the process has none, and calls `reported` in the event loop with the handles of jobs that
   * were submitted and are done.
   */
  startBackground(reported: (jobs: Handle[]) => void, threads: number): number;
  /**
   * `flags`: of crayon_job_create. `threads`: that work at it at once, at most; 0: all. `bytes`: of its text, at most.
   * `cacheLimit`: as in `limitCaches`, for this job; 0: that of the tokenizer.
   */
  jobBegin(tokenizer: Handle, policy: Policy, flags: number, threads: number, bytes: number, cacheLimit: number): Handle;
  /** Of a job whose parts overlap: their length, of how many bytes they overlap, and how many split points they have in common. */
  jobSetOverlap(job: Handle, partLength: number, overlapLength: number, threshold: number): number;
  /** Appends to the text; `last` ends a row. At most WINDOW units. */
  jobFeed(job: Handle, text: string, last: boolean): number;
  jobFeedBytes(job: Handle, bytes: Uint8Array, last: boolean): number;
  /** Appends the rows [first, last). */
  jobFeedRows(job: Handle, bytes: Uint8Array, offsets: Uint32Array, first: number, last: number): number;
  /** Appends a row for each length, in units, of the joined text. */
  jobFeedJoined(job: Handle, text: string, lengths: Uint32Array): number;
  /** Or the rows of a job that `jobRun` begins, which are not copied. */
  jobSetRows(job: Handle, bytes: Uint8Array, offsets: Uint32Array): number;
  /** Or bytes that are not copied, and that nobody changes until the job is done. `last`: no more text follows them. */
  jobSetText(job: Handle, bytes: Uint8Array, last: boolean): number;
  /** Ends the text. */
  jobEnd(job: Handle): number;
  jobSubmit(job: Handle): number;
  /** Lets the threads begin with a job that `jobRun` or `jobRunFor` ends, together with the calling thread. */
  jobStart(job: Handle): number;
  jobRun(job: Handle): number;
  /** 1 if it is done then; 0 if it goes on, and is reported. */
  jobRunFor(job: Handle, microseconds: number): number;
  /** The number of tokens of a job that is done. */
  jobResult(job: Handle): number;
  /** Where its ids end in the bytes of a text. */
  jobPosition(job: Handle): number;
  jobTotals(job: Handle, totals: Uint32Array): number;
  /** The ids, once. Many are in memory of their own, which the threads have written. */
  jobTake(job: Handle): UnsharedUint32Array | undefined;
  /** Cancels it, if it is not done. */
  jobRelease(job: Handle): void;

  /** The end of the longest prefix that fits. -2: more text is needed. */
  fit(tokenizer: Handle, bytes: Uint8Array, last: boolean, limit: number, unit: number, policy: Policy): number;
  split(
    tokenizer: Handle,
    bytes: Uint8Array,
    last: boolean,
    limit: number,
    overlap: number,
    unit: number,
    policy: Policy,
  ): Uint32Array | undefined;

  /** `flags`: DECODE_…. */
  decode(tokenizer: Handle, ids: Uint32Array, flags: number): string | undefined;
  decodeLength(tokenizer: Handle, ids: Uint32Array, flags: number): number;
  decodeInto(tokenizer: Handle, ids: Uint32Array, target: Uint8Array, flags: number): number;
  tokenBytes(tokenizer: Handle, id: number): UnsharedUint8Array | undefined;
  /** -2: no token has these bytes. */
  idOf(tokenizer: Handle, bytes: Uint8Array): number;

  /** Returns the bytes of a cartridge. `form`: an index into FORMS. */
  compile(vocabulary: CompilerInput, form: number): UnsharedUint8Array | undefined;
  /** The same for the cartridge of an open tokenizer, in another form. */
  recompile(tokenizer: Handle, form: number): UnsharedUint8Array | undefined;
  /** Returns what a normalizer program makes of a text, both as bytes. */
  normalize(program: Uint8Array, text: Uint8Array): UnsharedUint8Array | undefined;

  /**
   * `numbers`: vocabulary size, min frequency, max token length, ties, flags. `reserved`: the bytes of these tokens, token i
   * from offsets[i] to offsets[i + 1]. `pattern`: the section of patterns; empty if there is none. `threads`: of the training; with one, the calling thread does it all.
   */
  trainBegin(
    numbers: Uint32Array,
    alphabet: Uint8Array,
    scanner: Uint8Array,
    reserved: Uint8Array,
    offsets: Uint32Array,
    pattern: Uint8Array,
    threads: number,
  ): Handle;
  /** From a checkpoint. */
  trainResume(checkpoint: Uint8Array, threads: number): Handle;
  /** A part of a text; waits while much is not yet counted. */
  trainFeed(training: Handle, bytes: Uint8Array, last: boolean): number;
  trainStart(training: Handle, resumed: boolean): number;
  /** Returns 1 if there is more to do. `progress`: as crayon_trainer_progress has it. */
  trainStep(training: Handle, work: number, progress: Uint32Array): number;
  /** 0: the bytes of the tokens, 1: their offsets, 2: the merges, 3: a checkpoint. */
  trainResult(training: Handle, part: number): Uint8Array | Uint32Array | undefined;
  trainEnd(training: Handle): void;

  /** Returns the bytes of a cartridge for DNA, from the parts of crayon_dna_compiler: see lib/dna/vocabulary.ts. */
  dnaCompile(...parts: DnaParts): UnsharedUint8Array | undefined;
  /** `policies`: those of crayon_dna_policies. */
  dnaOpen(tokenizer: Handle, policies: Uint32Array): Handle;
  /** The nine numbers of crayon_dna_describe, then the ids before and after a sequence. */
  dnaDescribe(dna: Handle, out: Uint32Array): number;
  dnaCount(dna: Handle, bytes: Uint8Array): number;
  /** Row i is bytes[offsets[i], offsets[i + 1]). */
  dnaCountRows(dna: Handle, bytes: Uint8Array, offsets: Uint32Array, counts: Uint32Array): number;
  /**
   * `flags`: of crayon_dna_encode. Returns how many ids there are, padding included. `part`: for the byte up to which they
   * go, 1 if there are more, and how many are unknown; without, they are to be all.
   */
  dnaEncode(dna: Handle, bytes: Uint8Array, flags: number, ids: IdArray, part?: Uint32Array): number;
  /** Returns the ids of the longest row. `unknown`: how many ids of each row are the unknown one. */
  dnaEncodeRows(
    dna: Handle,
    bytes: Uint8Array,
    offsets: Uint32Array,
    columns: number,
    flags: number,
    ids: IdArray,
    mask: Uint8Array | undefined,
    unknown: Uint32Array,
  ): number;
  /** The same as a job, which keeps the arrays: nobody changes them until it is done. There is at least one id. */
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
  /** The same as a job of a device, which keeps all arrays but the offsets. */
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
  /** The same for a matrix that stays there. `width`, `maskWidth`: bytes of an id and of an element of the mask; 0: none. */
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
  dnaClose(dna: Handle): void;
  /** `operation`: an index into BASE_OPERATIONS. `kernel`: its name, none for the best one. */
  dnaBases(operation: number, bytes: Uint8Array, out: Uint8Array, kernel: Uint8Array): number;

  /**
   * A device, by the file of its plugin; nothing is loaded yet. `settings`: of crayon_device_open. All environments share one
   * that has none but the memory.
   */
  deviceOpen(path: string, settings?: Uint32Array): Handle;
  /** The first call of the process loads the plugin, which may take a second. */
  deviceDescribe(device: Handle): DeviceFacts | undefined;
  deviceClose(device: Handle): void;
  /** 1 if devices may have kernels for the tokenizer. */
  deviceSupports(tokenizer: Handle): number;
  /** A job, which keeps the bytes but not the offsets: leave them as they are. `flags`: of crayon_device_create_texts. */
  deviceTexts(device: Handle, tokenizer: Handle, policy: Policy, flags: number, bytes: Uint8Array, offsets: Uint32Array): Handle;
  /** A job that decodes rows of ids, which it keeps but not the offsets. `flags`: DECODE_SKIP_SPECIAL. */
  deviceDecoding(device: Handle, tokenizer: Handle, flags: number, ids: Uint32Array, offsets: Uint32Array): Handle;
  /** Its bytes, once, in whole words, and how many they are. `deviceJobTotals` says where rows end. */
  deviceJobBytes(job: Handle): [words: UnsharedUint32Array, count: number] | undefined;
  /** Has its matrix stay on the device, before `deviceJobPad`. `maskWidth`: of crayon_device_job_keep. */
  deviceJobKeep(job: Handle, maskWidth: number): number;
  /** Has its rows padded; -1 if that is not possible, and the job as it was. `words`: of crayon_device_job_pad. */
  deviceJobPad(job: Handle, words: Uint32Array): number;
  /** Columns of its matrix; -1 if there is none, and the ids are packed. */
  deviceJobColumns(job: Handle): number;
  /** The words of the matrix and of its mask, once. */
  deviceJobMatrix(job: Handle): [ids: UnsharedUint32Array, mask: UnsharedUint32Array] | undefined;
  /** Waits until it has run; `deviceJobResult` says with which result. */
  deviceJobRun(job: Handle): number;
  /** The same in a thread of Node. */
  deviceJobSubmit(job: Handle): Promise<void> | undefined;
  deviceJobResult(job: Handle): number;
  deviceJobTotals(job: Handle, totals: Uint32Array): number;
  /** The ids, once. */
  deviceJobTake(job: Handle): UnsharedUint32Array | undefined;
  deviceJobProgress(job: Handle): number[] | undefined;
  /** The matrix that has stayed there, once: it is to be closed. */
  deviceJobKept(job: Handle): { handle: Handle; address: bigint; maskOffset: number; device: number } | undefined;
  /** Cancels it, if it is not done. */
  deviceJobRelease(job: Handle): void;
  /** Fills an array with the bytes of a matrix from `offset` on. */
  deviceMatrixRead(matrix: Handle, offset: number, to: Uint8Array): number;
  deviceMatrixClose(matrix: Handle): void;

  /** A reader of FASTA (0) or FASTQ (1); 16 more: sequences apart. */
  recordsBegin(format: number): Handle;
  /**
   * Returns 1 if there is more of the same input. `parts`: six words for each, as crayon_record_part has them. `progress`,
   * also after a failure: consumed, produced, reason, record (low and high half), parts.
   */
  recordsRead(reader: Handle, input: Uint8Array, last: boolean, bytes: Uint8Array, parts: Uint32Array, progress: Uint32Array): number;
  recordsEnd(reader: Handle): void;
}

/** The most UTF-16 units that the addon takes in one call. */
export const WINDOW = 64 * 1024;

export const DECODE_SKIP_SPECIAL = 1;
/** The forms that `compile` can write, by its numbers. */
export const FORMS: readonly CartridgeForm[] = ['full', 'slim', 'dat'];

/** What offsets are, by the addon's numbers. */
export const UNITS: readonly EngineUnit[] = ['bytes', 'utf16', 'pieces'];

/** Where to look for the addon, in order. `CRAYON_ADDON` names one file instead. */
function candidates(): string[] {
  const named = process.env.CRAYON_ADDON;
  if (named) return [named];
  const platform = `${process.platform}-${process.arch}`;
  const folders = ['build/release', `prebuilds/${platform}`];
  if (process.platform === 'linux') folders.push(`prebuilds/${platform}-musl`);
  return folders.map((folder) => join(packageFolder(), folder, 'crayon.node'));
}

/** The addon, what all who load it share, and its path; or the error that explains why none loaded. */
function loadAddon(): { addon: Addon; exports: object; path: string } | { error: Error } {
  const require = requireIn(packageFolder());
  const failed: { path: string; error?: Error }[] = [];
  for (const path of candidates()) {
    // `require` would look for other endings, and write down where it was called: a millisecond.
    if (!existsSync(path)) {
      failed.push({ path });
      continue;
    }
    try {
      const exports = require(path) as Addon;
      return { addon: inThisContext(exports), exports, path };
    } catch (error) {
      failed.push({ path, error: error as Error });
    }
  }
  return { error: explain(failed) };
}

/** The addon makes its results in the context of Node itself. In another one, of a test runner, each is made over. */
function inThisContext(addon: Addon): Addon {
  if (addon instanceof Object) return addon;
  const own: Record<string, unknown> = {};
  for (const name of Object.getOwnPropertyNames(addon)) {
    const call = addon[name as keyof Addon] as (...args: unknown[]) => unknown;
    own[name] = (...args: unknown[]) => ofThisContext(call(...args));
  }
  return own as unknown as Addon;
}

function explain(failed: { path: string; error?: Error }[]): Error {
  const tried = failed.map(({ path, error }) => `  ${path}: ${error ? error.message.split('\n', 1)[0] : 'no such file'}`);
  const found = failed.find(({ error }) => error !== undefined);
  const named = process.env.CRAYON_ADDON;
  const message = named
    ? [`crayon-tokenizer cannot load the addon that CRAYON_ADDON names:`, ...tried]
    : [
        `crayon-tokenizer found no native addon for ${process.platform}-${process.arch} (Node ${process.versions.node}). Tried:`,
        ...tried,
        filesAreMissing()
          ? BUNDLED_ADVICE
          : 'To build one, run "npm run build" in the package\'s folder; it needs cmake, ninja and a C++20 compiler.',
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

/** An object that all copies of this module in a thread share, whatever their contexts: what they have of each other is here. */
export const sharedByCopies: object = 'exports' in loaded ? loaded.exports : {};

/** The error for the last call that failed. */
export function failed(doing: string): TokenizerError {
  const failure = addon.failure();
  return new TokenizerError(`${doing}: ${failure.sentence}`, failure);
}
