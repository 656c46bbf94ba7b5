// The progress bar of long work, on standard error. It is shown only if both standard output and standard error are a
// terminal, and after a while, so that short work has none; it is erased at the end.

import type { SingleBar } from 'cli-progress';

/** Milliseconds of work before the bar appears. */
const PATIENCE = 500;
/** Milliseconds without a bar after a line of output, so that many lines do not make it flicker. */
const REST = 100;

/** The bar on the screen; there is at most one. */
let shown: SingleBar | undefined;
let lastCleared = Number.NEGATIVE_INFINITY;

/** Erases the bar before a line of output; further progress shows it again. */
export function clearProgress(): void {
  if (!shown) return;
  shown.stop();
  shown = undefined;
  lastCleared = performance.now();
}

/** Whether there is a terminal to show it on. */
function isWatched(): boolean {
  return Boolean(process.stdout.isTTY && process.stderr.isTTY);
}

/** Progress of work whose amount is known. */
export class Progress {
  readonly #total: number;
  readonly #patience: number;
  readonly #watched: boolean;
  /** Of what nobody watches, nothing asks for the time: Node takes a millisecond to load what tells it. */
  readonly #began: number;
  #done = 0;
  #hasEnded = false;

  /** `total`: in any unit. `wanted`: false never shows a bar. */
  constructor(total: number, wanted: boolean, patience = PATIENCE) {
    this.#total = total;
    this.#patience = patience;
    this.#watched = wanted && total > 0 && isWatched();
    this.#began = this.#watched ? performance.now() : 0;
  }

  /** Reports that this much more is done. `note`: what to show behind the bar. */
  async add(amount: number, note = ''): Promise<void> {
    this.#done = Math.min(this.#done + amount, this.#total);
    if (!this.#watched || this.#hasEnded) return;
    const now = performance.now();
    const left = Math.ceil(((now - this.#began) * (this.#total - this.#done)) / this.#done / 1000);
    if (shown) shown.update(this.#done, { left, note });
    else if (now - this.#began >= this.#patience && now - lastCleared >= REST) await this.#show(left, note);
  }

  /** Erases the bar. */
  end(): void {
    this.#hasEnded = true;
    if (this.#watched) clearProgress();
  }

  /** One at most, and none at the end: a bar that nobody stops keeps the process alive. */
  async #show(left: number, note: string): Promise<void> {
    const bar = await newBar('{bar} {percentage} %, {left} s left{note}');
    if (this.#hasEnded || shown) return;
    shown = bar;
    shown.start(this.#total, this.#done, { left, note });
  }
}

/** Progress of work that says how much there is of it when it begins. */
export class LateProgress {
  readonly #wanted: boolean;
  #progress: Progress | undefined;
  #done = 0;

  constructor(wanted: boolean) {
    this.#wanted = wanted;
  }

  /** Reports that so much of it is done. */
  at(done: number, total: number): void {
    this.#progress ??= new Progress(total, this.#wanted);
    void this.#progress.add(done - this.#done);
    this.#done = done;
  }

  /** Erases the bar. */
  end(): void {
    this.#progress?.end();
  }
}

/** Progress of work in steps, each of unknown length. */
export class Steps {
  readonly #names: readonly string[];
  readonly #began: ReturnType<typeof setTimeout> | undefined;
  #step = 0;
  #hasEnded = false;

  /** `names`: of the steps. `wanted`: false never shows a bar. */
  constructor(names: readonly string[], wanted: boolean, patience = PATIENCE) {
    this.#names = names;
    if (wanted && isWatched()) this.#began = setTimeout(() => void this.#show(), patience);
  }

  /** Reports which step has begun. */
  at(name: string): void {
    this.#step = Math.max(this.#names.indexOf(name), 0);
    shown?.update(this.#step, this.#words());
  }

  /** Erases the bar. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#began);
    clearProgress();
  }

  async #show(): Promise<void> {
    const bar = await newBar('{bar} step {number} of {total}: {name}');
    if (this.#hasEnded || shown) return;
    shown = bar;
    shown.start(this.#names.length, this.#step, this.#words());
  }

  #words() {
    return { number: this.#step + 1, name: this.#names[this.#step] };
  }
}

async function newBar(format: string): Promise<SingleBar> {
  const { default: cliProgress } = await import('cli-progress');
  const options = {
    format,
    clearOnComplete: true,
    // An interrupt would leave the cursor hidden, and line wrap off.
    hideCursor: false,
    linewrap: true,
    barsize: 30,
    stream: process.stderr,
  };
  return new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
}
