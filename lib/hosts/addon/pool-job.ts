// An addon job on the process's threads, of any kind: waits for it, works on it, ends it.

import { addon, failed, type Handle, sharedByCopies } from './addon.js';
import { threadCount } from './thread-count.js';

/** Callbacks waiting for the threads, by job handle. */
type Waiting = Map<Handle, () => void>;

/** The copies of this module (ES, CommonJS and those of other contexts) share the addon, which calls only one of them. */
const WAITING = Symbol.for('crayon-tokenizer.waiting');

type Shared = { [WAITING]?: Waiting };

/** The waiting callbacks. Starts the threads on first use; throws if there is no memory for them. */
function waiting(): Waiting {
  const shared = sharedByCopies as Shared;
  const known = shared[WAITING];
  if (known) return known;
  const begun: Waiting = new Map();
  const reported = (handles: Handle[]) => {
    for (const handle of handles) {
      const done = begun.get(handle);
      begun.delete(handle);
      done?.();
    }
  };
  if (addon.startBackground(reported, threadCount()) < 0) throw failed('cannot start threads');
  return (shared[WAITING] = begun);
}

/** Starts the process's threads, unless they have been. Throws if there is no memory for them. */
export function startThreads(): void {
  waiting();
}

/** A job. It must be released. */
export class PoolJob {
  readonly #waiting = waiting();
  protected readonly handle: Handle;

  /** `begin`: creates the job. */
  constructor(begin: () => Handle) {
    const handle = begin();
    if (handle < 0) throw failed('cannot encode');
    this.handle = handle;
  }

  /** Hands it to the threads. The promise settles when they are done; text may be appended meanwhile. */
  submit(): Promise<void> {
    checked(addon.jobSubmit(this.handle));
    return this.#reported();
  }

  /** Alternatively, lets them start on a job that the calling thread will also work on. */
  start(): void {
    checked(addon.jobStart(this.handle));
  }

  /** Works on it for the given number of milliseconds, once it has all of its text. Undefined if it is then done. */
  runFor(milliseconds: number): Promise<void> | undefined {
    const done = addon.jobRunFor(this.handle, Math.max(0, Math.round(1000 * milliseconds)));
    checked(done);
    return done === 1 ? undefined : this.#reported();
  }

  /** Ends the job. */
  release(): void {
    this.#waiting.delete(this.handle);
    addon.jobRelease(this.handle);
  }

  /** Whether any jobs are with the threads. */
  static get areAny(): boolean {
    const known = (sharedByCopies as Shared)[WAITING];
    return known !== undefined && known.size > 0;
  }

  #reported(): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(this.handle, resolve));
  }
}

export function checked(answer: number): void {
  if (answer < 0) throw failed('cannot encode');
}
