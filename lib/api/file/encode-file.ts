// `encodeFile` in Node: opens a file, has it encoded one window at a time, and releases everything however that ends.

import { TextFile, pathOf } from '../../io/text-file.js';
import { untilAborted } from '../../base/abort.js';
import type { WindowEncoder } from '../../engine/background.js';
import type { TextSession } from '../../engine/engine.js';
import { type FromCallSite, fromCallSite, shownPath, TokenizerError } from '../../base/errors.js';
import { failureInText, isAboutText } from '../text-failures.js';
import type { Call, Entry, FilePart, Files, FileTokens, Reading } from '../host.js';
import type { Template } from '../id-template.js';
import { mappedWindows, readWindows } from './windows.js';
import { type NextPart, partsInTurns, partsInWindows, type Wait, type Windows } from './parts.js';

/**
 * The size of a window: after each, threads wait for the event loop for a few tenths of a millisecond; encoding one takes
 * 15 or more.
 */
const WINDOW = 8 * 1024 * 1024;
/** The smallest window, for a small file or one of unknown size. */
const SMALLEST_WINDOW = 64 * 1024;
/** Enough for the name of a special token, or a character. */
const SHOWN = 1024;
const NOTHING = new Uint8Array(0);

export const files: Files = {
  parts: (...call) => iterated(new Run(...call), (part) => part),
  tokens(path, call, ...others) {
    if (call.template.size === 0) return iterated(new Run(path, call, ...others), tokensOf);
    return surrounded(files.parts(path, call, ...others), call.template);
  },
};

function tokensOf({ ids, begin }: FilePart): FileTokens | undefined {
  return ids.length > 0 ? { ids, byteOffset: begin } : undefined;
}

/** The parts of a file, plus the ids before the first and after the last. */
async function* surrounded(
  parts: AsyncGenerator<FilePart, void, undefined>,
  { prefix, suffix }: Template,
): AsyncGenerator<FileTokens, void, undefined> {
  let byteOffset = 0;
  let hasBegun = prefix.length === 0;
  for await (const part of parts) {
    // Together with the first part, which may be an error.
    if (!hasBegun) yield { ids: prefix, byteOffset: 0 };
    hasBegun = true;
    const tokens = tokensOf(part);
    if (tokens) yield tokens;
    byteOffset = part.end;
  }
  if (!hasBegun) yield { ids: prefix, byteOffset: 0 };
  if (suffix.length > 0) yield { ids: suffix, byteOffset };
}

/** Ends runs that were abandoned without ending the iteration. */
const forgotten = new FinalizationRegistry<Run>((run) => run.end());

function iterated<Shown>(run: Run, shown: (part: FilePart) => Shown | undefined): AsyncGenerator<Shown, void, undefined> {
  const parts = iterate(run, shown);
  forgotten.register(parts, run, run);
  return parts;
}

// The only generator: a suspended one keeps some of the values that have passed through it.
async function* iterate<Shown>(run: Run, shown: (part: FilePart) => Shown | undefined): AsyncGenerator<Shown, void, undefined> {
  try {
    for (let part: Awaited<ReturnType<typeof run.next>>; (part = await run.next()) !== undefined; ) {
      const value = shown(part);
      if (value !== undefined) yield value;
    }
  } catch (error) {
    throw await run.explained(error);
  } finally {
    run.end();
  }
}

/** Opens a file and returns its size. Rejects gzip, which nobody means to encode as it is. */
async function openedText(file: TextFile): Promise<number> {
  const size = await file.open();
  const [first, second] = await file.at(0, 2);
  if (first !== 0x1f || second !== 0x8b) return size;
  const advice = 'inflate it first, or pipe it through zlib.createGunzip() and encodeStream()';
  throw new TokenizerError(`cannot encode ${shownPath(file.path)}: it is compressed with gzip; ${advice}`, { code: 'FILE_UNREADABLE' });
}

/** The encoding of one file. It holds no reference to the iterator over its parts, so that can be garbage-collected. */
class Run {
  readonly #file: TextFile;
  readonly #call: Call;
  readonly #reading: Reading;
  /** The threads, or else the session; started now, to keep the vocabulary of the call. */
  readonly #encoder: WindowEncoder | undefined;
  readonly #session: TextSession | undefined;
  #leave: () => void = () => undefined;
  /** Makes the stacks of failures begin where the user made the call. */
  readonly #explained: FromCallSite;
  #next: NextPart | undefined;

  constructor(path: unknown, call: Call, reading: Reading, entry: Entry) {
    const { background, engine, job, policy } = call;
    this.#file = new TextFile(pathOf(path));
    this.#explained = fromCallSite(entry);
    this.#call = call;
    this.#reading = reading;
    // Each window is encoded as the beginning of a text, which this normalizer would prefix with a space.
    this.#encoder = background.windows?.(policy, reading.counting, job);
    if (!this.#encoder) this.#session = engine.begin(policy, reading.counting);
    if (job.signal?.aborted) this.end();
    else this.#endOnAbort(job.signal);
  }

  /** The first call opens the file. */
  async next(): Promise<FilePart | undefined> {
    this.#call.job.signal?.throwIfAborted();
    this.#next ??= await this.#partsOf(await this.#wait(openedText(this.#file), 0));
    return this.#next();
  }

  /** Ends all work, and closes the file. */
  end(): void {
    forgotten.unregister(this);
    this.#encoder?.end();
    this.#session?.end();
    this.#file.close();
    this.#leave();
  }

  /** Converts an error to the one to throw; reads the faulty text again to name it. */
  async explained(error: unknown): Promise<unknown> {
    const { job, specialIds } = this.#call;
    if (job.signal?.aborted) return job.signal.reason;
    if (!(error instanceof TokenizerError)) return error;
    const { position } = error;
    const shown = isAboutText(error) ? await this.#file.at(position, SHOWN).catch(() => NOTHING) : NOTHING;
    const start = { units: position, bytes: position };
    return this.#explained(failureInText(error, shown, { specialIds }, undefined, start));
  }

  async #partsOf(size: number): Promise<NextPart> {
    const { signal } = this.#call.job;
    const wait: Wait = (promise, begin = 0) => this.#wait(promise, begin);
    if (this.#encoder) return partsInWindows(await this.#windowsOf(size, this.#encoder), this.#encoder, this.#reading, wait);
    return partsInTurns(this.#file, this.#session as Required<TextSession>, this.#reading, wait, signal);
  }

  async #windowsOf(size: number, encoder: WindowEncoder): Promise<Windows> {
    const { mmap, window = Math.max(Math.min(size + 1, WINDOW), SMALLEST_WINDOW) } = this.#reading;
    // A size of 0 may mean that the file system does not know it.
    if (mmap !== false && size > 0) {
      const descriptor = await this.#file.descriptor();
      if (encoder.canMap(descriptor) > (mmap ? 0 : 1)) return mappedWindows(this.#file, descriptor, size, window);
    }
    return readWindows(this.#file, window);
  }

  /** Also takes effect between two parts. */
  #endOnAbort(signal: AbortSignal | undefined): void {
    const ended = new Promise<void>((resolve) => (this.#leave = resolve));
    untilAborted(signal, ended, () => this.end()).catch(() => undefined);
  }

  async #wait<Result>(promise: Promise<Result>, begin: number): Promise<Result> {
    const { signal } = this.#call.job;
    promise.catch(() => undefined); // nobody waits for it after an abort
    signal?.throwIfAborted();
    try {
      return await untilAborted(signal, promise, () => undefined);
    } catch (error) {
      if (!isAboutText(error)) throw error;
      throw new TokenizerError(error.message, { code: error.code, position: begin + error.position });
    }
  }
}
