// Batches of texts on accelerators, for one vocabulary.

import type { JobOptions } from '../tokenizer/background.js';
import type { AnyDevice } from '../tokenizer/devices.js';
import type { BatchIds, EngineTokenizer, Policy } from '../tokenizer/engine.js';
import { failureInRow, textAt, textCount, type TextRows, type Texts } from '../tokenizer/text-rows.js';
import type { Work } from '../tokenizer/turns.js';
import { untilAborted } from '../tokenizer/abort.js';
import { addon, type Handle } from './addon.js';
import { DeviceJob } from './device-job.js';
import { afterFailure, type Accelerator, type Choice, chosenDevice, deviceHandle, succeeded } from './devices.js';
import { mostBytesOf } from './job.js';

const COUNT = 1;
/** Bytes of strings that are converted between two looks at the clock. */
const SLICE = 256 * 1024;
/** Offsets are words. */
const MOST_BYTES = 2 ** 32 - 1;

const encoder = new TextEncoder();

/** What runs work in turns of the event loop. */
type InTurns = (work: Work<void>, signal: AbortSignal | undefined) => Promise<void>;

export class DeviceTexts {
  readonly #engine: EngineTokenizer;
  readonly #handle: Handle;
  #unsupported: string | null | undefined;

  constructor(engine: EngineTokenizer, handle: Handle) {
    this.#engine = engine;
    this.#handle = handle;
  }

  /** Why devices have no kernels for the vocabulary; undefined if they may have some. */
  unsupported(): string | undefined {
    this.#unsupported ??= addon.deviceSupports(this.#handle) === 0 ? reasonOf(this.#engine) : null;
    return this.#unsupported ?? undefined;
  }

  /** The ids of a batch, or how many there are; undefined if they are to come from the CPU. */
  run(texts: Texts, policy: Policy, counting: boolean, device: AnyDevice | undefined): BatchIds | undefined {
    const choice = this.#choose(texts, device, true);
    if (!choice) return undefined;
    const joined = new Joined(texts);
    for (const _ of joined.work()) void _;
    let job: DeviceJob | undefined;
    try {
      job = this.#job(choice, joined.rows, policy, counting);
      job.run();
      return this.#result(choice, job, texts, counting);
    } catch (error) {
      return this.#failed(choice, error, texts, policy);
    } finally {
      job?.release();
    }
  }

  /** The same in a thread of Node. */
  async submit(texts: Texts, policy: Policy, { device, signal }: JobOptions, inTurns: InTurns): Promise<BatchIds | undefined> {
    const choice = this.#choose(texts, device, false);
    if (!choice) return undefined;
    const joined = new Joined(texts);
    await inTurns(joined.work(), signal);
    signal?.throwIfAborted();
    let job: DeviceJob | undefined;
    try {
      const begun = (job = this.#job(choice, joined.rows, policy, false));
      await untilAborted(signal, begun.submit(), () => begun.release());
      return this.#result(choice, begun, texts, false);
    } catch (error) {
      signal?.throwIfAborted();
      return this.#failed(choice, error, texts, policy);
    } finally {
      job?.release();
    }
  }

  #choose(texts: Texts, device: AnyDevice | undefined, isWaitedFor: boolean): Choice | undefined {
    const bytes = 'offsets' in texts || device !== 'cpu' ? mostBytesOf(texts) : 0;
    const warmUp = (kind: Accelerator) => this.#warmUp(kind);
    const choice = chosenDevice({ device, bytes, unsupported: () => this.unsupported(), isWaitedFor, warmUp });
    return bytes <= MOST_BYTES ? choice : undefined;
  }

  #job(choice: Choice, { bytes, offsets }: TextRows, policy: Policy, counting: boolean): DeviceJob {
    const { handle } = choice;
    return new DeviceJob(() => addon.deviceTexts(handle, this.#handle, policy, counting ? COUNT : 0, bytes, offsets));
  }

  #result(choice: Choice, job: DeviceJob, texts: Texts, counting: boolean): BatchIds {
    const totals = job.totals(textCount(texts));
    const ids = counting ? new Uint32Array(0) : job.take();
    succeeded(choice, job);
    return { ids, totals };
  }

  /** Throws what is the caller's. */
  #failed(choice: Choice, error: unknown, texts: Texts, policy: Policy): undefined {
    const { row } = afterFailure(choice, error);
    if (row === undefined) return;
    try {
      const text = textAt(texts, row);
      if (typeof text === 'string') this.#engine.encode(text, policy);
      else this.#engine.encodeBytes(text, policy);
    } catch (failure) {
      throw failureInRow(failure, row);
    }
  }

  /** Opens the context by a batch of nothing. */
  #warmUp(kind: Accelerator): void {
    if (warming.has(kind)) return;
    warming.add(kind);
    const handle = deviceHandle(kind) as Handle;
    const choice: Choice = { kind, handle, isNamed: false };
    const job = this.#job(choice, { bytes: new Uint8Array(0), offsets: new Uint32Array(1) }, 0, false);
    const done = job.submit().then(() => succeeded(choice, job));
    done.catch((error: unknown) => void afterFailure(choice, error)).finally(() => job.release());
  }
}

const warming = new Set<Accelerator>();

/** The texts one behind the other. */
class Joined {
  rows: TextRows;
  readonly #texts: Texts;

  constructor(texts: Texts) {
    this.#texts = texts;
    this.rows = 'offsets' in texts ? texts : { bytes: new Uint8Array(0), offsets: new Uint32Array(texts.length + 1) };
  }

  *work(): Work<void> {
    const texts = this.#texts;
    if ('offsets' in texts) return;
    const bytes = new Uint8Array(mostBytesOf(texts));
    const { offsets } = this.rows;
    let at = 0;
    let turn = SLICE;
    for (const [index, text] of texts.entries()) {
      if (typeof text !== 'string') {
        bytes.set(text, at);
        at += text.length;
      } else {
        at += encoder.encodeInto(text, bytes.subarray(at)).written;
      }
      offsets[index + 1] = at;
      if (at < turn) continue;
      turn = at + SLICE;
      yield;
    }
    this.rows = { bytes: bytes.subarray(0, at), offsets };
  }
}

function reasonOf(engine: EngineTokenizer): string {
  const { model, scanner, normalizer } = engine.describe();
  if (model === 'bpe') return 'devices have no kernels for BPE';
  if (model === 'longest-match' && scanner !== 'none') return `devices have no kernels for longest match with the pretokenizer ${scanner}`;
  if (normalizer !== '') return `devices have no kernels for the normalizer ${normalizer}`;
  return 'devices have no kernels for this kind of vocabulary';
}
