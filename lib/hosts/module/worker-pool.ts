// Workers that encode for one tokenizer, each with its own instance. They are started when jobs wait and none is idle, and
// terminated after some idle time, or with the tokenizer.
//
// A job is divided into strands: several short texts of a batch, or one long text, which goes to its worker in parts. A worker
// has one message at a time, with a few milliseconds of work, and jobs take turns. So a huge job does not hold up others,
// memory in transit is bounded, and after an abort only the parts already with workers are finished. Between the parts of a
// long text its worker takes strands of other jobs, but not a second long text.
//
// When a worker dies, its current job is rejected and the next strand gets another worker. If no worker can start (a host
// without workers, a bundler that lost the script), the calling thread encodes in turns instead.

import { untilAborted } from '../../base/abort.js';
import type { Background, JobOptions } from '../../engine/background.js';
import type { BatchIds, EngineTokenizer, PartForm, Policy } from '../../engine/engine.js';
import { TokenizerError } from '../../base/errors.js';
import { retain, release } from '../../engine/retiring.js';
import { backgroundInTurns } from '../../engine/encode-in-slices.js';
import { isWithin, type Texts } from '../../engine/text-rows.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { type Order, type Strand, type WorkerAnswer, WorkerJob, type WorkerRecipe, type WorkerRequest } from './worker-job.js';

/** The used part of Worker: TypeScript declares it only with the DOM's types. */
export interface WorkerHandle {
  postMessage(message: WorkerRequest, transfer?: ArrayBuffer[]): void;
  terminate(): void;
  onmessage: ((event: { data: WorkerAnswer }) => void) | null;
  onerror: ((event: { message?: string; preventDefault?(): void }) => void) | null;
  onmessageerror: (() => void) | null;
}

/** Shorter texts, in UTF-16 units or bytes, take less time than a round trip to a worker. */
const AT_ONCE = 8 * 1024;
const MOST_WORKERS = 4;
/** Milliseconds. */
const IDLE = 10_000;

interface Member {
  worker: WorkerHandle;
  /** Whether it has opened the tokenizer. */
  isReady: boolean;
  /** Its current work. */
  strand: Strand | undefined;
  /** The long text of which it has received the first part but not the last. */
  open: Strand | undefined;
}

export class WorkerPool implements Background {
  readonly #engine: EngineTokenizer;
  readonly #recipe: WorkerRecipe;
  readonly #start: () => WorkerHandle;
  readonly #inTurns: Background;
  readonly #members = new Set<Member>();
  /** The unfinished jobs, in the order of their turns. */
  readonly #jobs = new Set<WorkerJob>();
  #maxWorkers = mostWorkers();
  #isBroken = false;
  #hasEnded = false;
  /** Until a worker has started, this thread may have to do the jobs, which requires the engine. */
  #isProven = false;
  #isHeld = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(engine: EngineTokenizer, recipe: WorkerRecipe, start: () => WorkerHandle) {
    this.#engine = engine;
    this.#recipe = recipe;
    this.#start = start;
    this.#inTurns = backgroundInTurns(engine);
  }

  encode(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<UnsharedUint32Array> {
    const onThisThread = async () => this.#inTurns.encode(text, policy, options);
    return this.#do({ texts: [text], policy, isOne: true }, options, onThisThread, (job) => job.ids());
  }

  count(text: string | Uint8Array, policy: Policy, options: JobOptions): Promise<number> {
    const onThisThread = async () => this.#inTurns.count(text, policy, options);
    return this.#do({ texts: [text], policy, isOne: true, counting: true }, options, onThisThread, (job) => job.count());
  }

  encodeBatch(texts: Texts, policy: Policy, options: JobOptions): Promise<BatchIds> {
    const onThisThread = () => this.#inTurns.encodeBatch(texts, policy, options);
    return this.#do({ texts, policy }, options, onThisThread, async (job) => ({ totals: job.sumUp(), ids: await job.ids() }));
  }

  split(texts: Texts, form: PartForm, policy: Policy, options: JobOptions): Promise<BatchIds> {
    const onThisThread = () => this.#inTurns.split(texts, form, policy, options);
    return this.#do({ texts, policy, form }, options, onThisThread, async (job) => ({ totals: job.sumUp(), ids: await job.ids() }));
  }

  /** Terminates all workers; pending jobs are rejected. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#idle);
    for (const job of this.#jobs) job.fail(new TokenizerError('cannot encode: the tokenizer has been closed', { code: 'CLOSED' }));
    this.#jobs.clear();
    for (const member of this.#members) this.#dismiss(member);
    this.#letGo();
  }

  /** `onThisThread` does the job on this thread; `result` computes its result from the workers' output. */
  async #do<T>(
    order: Order,
    { threads = MOST_WORKERS, signal }: JobOptions,
    onThisThread: () => Promise<T>,
    result: (job: WorkerJob) => T | Promise<T>,
  ): Promise<T> {
    if (this.#isBroken || this.#hasEnded || isWithin(order.texts, AT_ONCE)) return onThisThread();
    const { promise, job } = WorkerJob.of(order, threads, onThisThread, result);
    if (!this.#isProven && !this.#isHeld) {
      retain(this.#engine);
      this.#isHeld = true;
    }
    this.#jobs.add(job);
    this.#assign();
    return untilAborted(signal, promise, () => this.#remove(job));
  }

  #assign(): void {
    clearTimeout(this.#idle);
    for (const member of this.#members) if (!member.strand) this.#occupy(member);
    while (this.#members.size < this.#maxWorkers && this.#hasWork()) this.#hire();
    if (this.#jobs.size > 0) return;
    this.#idle = setTimeout(() => {
      for (const member of this.#members) this.#dismiss(member);
    }, IDLE);
    (this.#idle as { unref?(): void }).unref?.();
  }

  /** Whether a new worker would have something to do. */
  #hasWork(): boolean {
    for (const job of this.#jobs) if (job.canBegin(true)) return true;
    return false;
  }

  /** Gives an idle worker the next part of some work. */
  #occupy(member: Member): void {
    const { open } = member;
    for (const job of this.#jobs) {
      const strand = open?.job === job ? open : job.canBegin(!open) ? job.begin() : undefined;
      if (!strand) continue;
      // Now it is the others' turn.
      this.#jobs.delete(job);
      this.#jobs.add(job);
      member.strand = strand;
      if (member.isReady) this.#send(member, strand);
      return;
    }
  }

  #hire(): void {
    let worker: WorkerHandle;
    try {
      worker = this.#start();
    } catch {
      this.#doWithout();
      return;
    }
    const member: Member = { worker, isReady: false, strand: undefined, open: undefined };
    this.#members.add(member);
    worker.onmessage = ({ data }) => this.#take(member, data);
    worker.onmessageerror = () => this.#lose(member, 'its answer cannot be read');
    worker.onerror = (event) => {
      event.preventDefault?.();
      this.#lose(member, event.message ?? 'no reason given');
    };
    worker.postMessage({ recipe: this.#recipe });
    this.#occupy(member);
  }

  #send(member: Member, strand: Strand): void {
    const { policy, counting = false, form } = strand.job.order;
    try {
      const { message, transfer } = strand.next();
      member.open = 'part' in message && !message.isLast ? strand : member.open === strand ? undefined : member.open;
      member.worker.postMessage({ ...message, policy, counting, form }, transfer);
    } catch (error) {
      member.strand = undefined;
      this.#fail(strand.job, error);
      this.#occupy(member);
    }
  }

  #take(member: Member, answer: WorkerAnswer): void {
    const { strand } = member;
    if ('ready' in answer) {
      member.isReady = true;
      this.#isProven = true;
      this.#letGo();
      // Its job may have ended meanwhile.
      if (strand && this.#jobs.has(strand.job)) return this.#send(member, strand);
      member.strand = undefined;
      return this.#assign();
    }
    if (!member.isReady) return this.#lose(member, 'it cannot open the tokenizer');
    member.strand = undefined;
    if (strand && this.#jobs.has(strand.job)) {
      if ('failure' in answer) {
        if (member.open === strand) member.open = undefined;
        this.#fail(strand.job, strand.errorOf(answer.failure));
      } else if (strand.take(answer) && strand.job.isDone()) {
        this.#jobs.delete(strand.job);
        strand.job.finish();
      }
    }
    this.#assign();
  }

  #fail(job: WorkerJob, error: unknown): void {
    this.#remove(job);
    job.fail(error);
  }

  /** Stops work on a job. */
  #remove(job: WorkerJob): void {
    this.#jobs.delete(job);
    for (const member of this.#members) {
      if (member.open?.job !== job) continue;
      member.open = undefined;
      member.worker.postMessage({ forget: true });
    }
  }

  #lose(member: Member, reason: string): void {
    this.#dismiss(member);
    const { strand, open } = member;
    if (!member.isReady) {
      // Another one would fail too, but running ones are good.
      strand?.job.giveBack(strand);
      this.#maxWorkers = [...this.#members].filter(({ isReady }) => isReady).length;
      if (this.#maxWorkers === 0) return this.#doWithout();
    } else {
      const error = new Error(`cannot encode: the worker that had the text has stopped (${reason})`);
      for (const { job } of [strand, open].filter((lost) => lost !== undefined)) {
        if (this.#jobs.has(job)) this.#fail(job, error);
      }
    }
    this.#assign();
  }

  /** Stops using workers. */
  #doWithout(): void {
    this.#isBroken = true;
    for (const member of this.#members) this.#dismiss(member);
    for (const job of this.#jobs) job.doHere();
    this.#jobs.clear();
    this.#letGo();
  }

  #letGo(): void {
    if (this.#isHeld) release(this.#engine);
    this.#isHeld = false;
  }

  #dismiss(member: Member): void {
    this.#members.delete(member);
    member.worker.onmessage = null;
    member.worker.onerror = null;
    member.worker.terminate();
  }
}

function mostWorkers(): number {
  const { navigator } = globalThis as { navigator?: { hardwareConcurrency?: number } };
  return Math.min(Math.max((navigator?.hardwareConcurrency ?? 2) - 1, 1), MOST_WORKERS);
}
