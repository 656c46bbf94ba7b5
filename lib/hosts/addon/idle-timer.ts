// Runs a function once something has not been used for a while. Does not keep the process alive.

import { clearTimeout, setTimeout } from 'node:timers'; // jsdom, as in Jest, removes the global ones

export class IdleTimer {
  readonly #milliseconds: number;
  readonly #then: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, then: () => void) {
    this.#milliseconds = milliseconds;
    this.#then = then;
  }

  /** Restarts the timer. */
  used(): void {
    if (this.#timer) {
      this.#timer.refresh();
      return;
    }
    const done = () => {
      this.#timer = undefined;
      this.#then();
    };
    this.#timer = setTimeout(done, this.#milliseconds).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
