// Standard output, with its back pressure and its errors; standard error; and the progress bar of long work on it. The bar is shown only if
// both are a terminal, and after a while, so that short work has none; it is erased at the end. Work of hours writes a line a minute elsewhere.

import type { SingleBar } from 'cli-progress';

import { OutputError, reasonFor } from '../command-errors.js';
import { inTime } from './fields.js';

/** Writes to standard output and waits until it has taken the data. Throws an OutputError. */
export function write(data: string | Uint8Array): Promise<void> {
  clearProgress();
  return new Promise((done, fail) => {
    process.stdout.write(data, (error) => {
      if (error) fail(new OutputError(`standard output: ${reasonFor(error)}`, (error as NodeJS.ErrnoException).code));
      else done();
    });
  });
}

/** Reports a failure. Node has U+FFFD for bytes of names that are not UTF-8, and finds no file by a name with U+FFFD. */
export function tellFailure(message: string): void {
  const isName = message.includes('\ufffd') && /no (?:such )?file|no encoding/.test(message);
  const advice = ' (\ufffd stands for bytes that are not UTF-8: Node opens no file with such a name; rename it)';
  tell(`crayon: ${message}${isName ? advice : ''}`);
}

/** Writes a line to standard error. */
export function tell(message: string): void {
  clearProgress();
  process.stderr.write(`${message}\n`);
}

/**
 * Keeps a failing stream from ending the process with a stack trace: `write` reports errors of standard output, and
 * errors of standard error cannot be reported to anybody.
 */
export function handleStreamErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Milliseconds of work before the bar appears. */
const PATIENCE = 500;
/** Milliseconds without a bar after a line of output, so that many lines do not make it flicker. */
const REST = 100;
/** Milliseconds between lines of progress. */
const MINUTE = 60_000;

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

export class Progress {
  /** The amount of work, in any unit; 0 until it is known. */
  #total: number;
  readonly #patience: number;
  readonly #watched: boolean;
  /** Whether lines are written, since nobody watches. */
  readonly #log: boolean;
  /** 0 if nothing is shown: Node takes a millisecond to load `performance`. */
  readonly #began: number;
  #logged: number;
  #done = 0;
  #hasEnded = false;

  /** `wanted`: false never shows a bar. `log`: without a terminal, writes a line a minute. */
  constructor(total: number, wanted: boolean, { patience = PATIENCE, log = false } = {}) {
    this.#total = total;
    this.#patience = patience;
    this.#watched = wanted && isWatched();
    this.#log = wanted && log && !this.#watched;
    this.#began = this.#watched || this.#log ? performance.now() : 0;
    this.#logged = this.#began;
  }

  /** Reports that this much more is done. `note`: what to show behind the bar. */
  async add(amount: number, note = ''): Promise<void> {
    this.#done = Math.min(this.#done + amount, this.#total);
    if (!(this.#watched || this.#log) || this.#hasEnded || this.#done === 0) return;
    const now = performance.now();
    const left = inTime(((now - this.#began) * (this.#total - this.#done)) / this.#done / 1000);
    if (this.#log) {
      if (now - this.#logged < MINUTE) return;
      this.#logged = now;
      tell(`crayon: ${Math.floor((100 * this.#done) / this.#total)} %, ${left} left${note}`);
    } else if (shown) shown.update(this.#done, { left, note });
    else if (now - this.#began >= this.#patience && now - lastCleared >= REST) await this.#show(left, note);
  }

  /** Reports that this much is done, of this much in all. */
  at(done: number, total: number, note?: string): void {
    this.#total = total;
    void this.add(done - this.#done, note);
  }

  /** Erases the bar. */
  end(): void {
    this.#hasEnded = true;
    if (this.#watched) clearProgress();
  }

  /** One at most, and none at the end: a bar that nobody stops keeps the process alive. */
  async #show(left: string, note: string): Promise<void> {
    const bar = await newBar();
    if (this.#hasEnded || shown) return;
    shown = bar;
    shown.start(this.#total, this.#done, { left, note });
  }
}

async function newBar(): Promise<SingleBar> {
  const { default: cliProgress } = await import('cli-progress');
  const options = {
    format: '{bar} {percentage} %, {left} left{note}',
    clearOnComplete: true,
    // An interrupt would leave the cursor hidden, and line wrap off.
    hideCursor: false,
    linewrap: true,
    barsize: 30,
    stream: process.stderr,
  };
  return new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
}
