// Does something when something else has not been used for a while. It keeps no process alive.

import { clearTimeout, setTimeout } from 'node:timers'; // jsdom, as Jest has it, takes away the global ones

export class IdleTimer {
  readonly #milliseconds: number;
  readonly #then: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, then: () => void) {
    this.#milliseconds = milliseconds;
    this.#then = then;
  }

  /** The time begins anew. */
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
