// A job of the addon that the threads of the process work at, whatever it is: waits for it, works at it, ends it.

import { addon, failed, type Handle, sharedByCopies } from './addon.js';
import { threadCount } from './thread-count.js';

/** What waits for the threads, by the handles of its jobs. */
type Waiting = Map<Handle, () => void>;

/** The copies of this module, ES and CommonJS and those of other contexts, share the addon, which calls one of them. */
const WAITING = Symbol.for('crayon-tokenizer.waiting');

type Shared = { [WAITING]?: Waiting };

/** What waits; starts the threads when they are needed first. Throws if there is no memory for them. */
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

/** One job. It has to be released. */
export class PoolJob {
  readonly #waiting = waiting();
  protected readonly handle: Handle;

  /** `begin`: makes the job. */
  constructor(begin: () => Handle) {
    const handle = begin();
    if (handle < 0) throw failed('cannot encode');
    this.handle = handle;
  }

  /** Hands it to the threads. The promise is settled when they are done; text may be appended meanwhile. */
  submit(): Promise<void> {
    checked(addon.jobSubmit(this.handle));
    return this.#reported();
  }

  /** Or lets them begin with a job at which the calling thread is going to work too. */
  start(): void {
    checked(addon.jobStart(this.handle));
  }

  /** Works at it for so many milliseconds, when it has all of its text. Undefined if it is done then. */
  runFor(milliseconds: number): Promise<void> | undefined {
    const done = addon.jobRunFor(this.handle, Math.max(0, Math.round(1000 * milliseconds)));
    checked(done);
    return done === 1 ? undefined : this.#reported();
  }

  /** Ends the work at it. */
  release(): void {
    this.#waiting.delete(this.handle);
    addon.jobRelease(this.handle);
  }

  /** Whether there are jobs that have been handed to the threads. */
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
