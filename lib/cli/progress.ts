// The progress bar of long work, on standard error. It is there only where somebody watches, which is where both
// standard output and standard error are a terminal; it comes late, so that short work shows none, and leaves nothing
// behind.

import type { SingleBar } from 'cli-progress';

/** Milliseconds of work before the bar appears. */
const PATIENCE = 500;
/** Milliseconds that it stays away after a line of output, so that many lines are not so many bars. */
const REST = 100;

/** The bar on the screen, of which there is one. */
let shown: SingleBar | undefined;
let lastCleared = Number.NEGATIVE_INFINITY;

/** Takes the bar away, to make room for a line of output; the work that goes on brings it back. */
export function clearProgress(): void {
  if (!shown) return;
  shown.stop();
  shown = undefined;
  lastCleared = performance.now();
}

/** How much of some work is done. */
export class Progress {
  readonly #total: number;
  readonly #patience: number;
  readonly #watched: boolean;
  readonly #began = performance.now();
  #done = 0;

  /** `total`: in any unit. `wanted`: false never shows a bar. */
  constructor(total: number, wanted: boolean, patience = PATIENCE) {
    this.#total = total;
    this.#patience = patience;
    this.#watched = wanted && total > 0 && Boolean(process.stdout.isTTY && process.stderr.isTTY);
  }

  /** Says that this much more is done. */
  async add(amount: number): Promise<void> {
    this.#done = Math.min(this.#done + amount, this.#total);
    if (!this.#watched) return;
    const now = performance.now();
    const left = Math.ceil(((now - this.#began) * (this.#total - this.#done)) / this.#done / 1000);
    if (shown) shown.update(this.#done, { left });
    else if (now - this.#began >= this.#patience && now - lastCleared >= REST) await this.#show(left);
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#watched) clearProgress();
  }

  async #show(left: number): Promise<void> {
    const { default: cliProgress } = await import('cli-progress');
    const options = {
      format: '{bar} {percentage} %, {left} s left',
      clearOnComplete: true,
      hideCursor: false, // an interrupt would leave it hidden
      linewrap: true, // nor is the terminal told to cut lines
      barsize: 30,
      stream: process.stderr,
    };
    shown = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
    shown.start(this.#total, this.#done, { left });
  }
}
