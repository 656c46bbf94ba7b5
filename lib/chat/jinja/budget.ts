// The limits of a template: steps, text and time. A template is untrusted code, so its work is counted, and charged
// before it is done.
//
// One template runs at a time, and its budget is in this module, where counting costs an addition. A render that pauses takes its
// budget with it.

import { BudgetError } from './template-errors.js';

/** The limits of a template. */
export interface Limits {
  /** Evaluated statements, loop iterations and elements, plus one for each 64 UTF-16 units of text created or read. */
  steps: number;
  /** All memory that texts and lists take, in UTF-16 units, as if nothing were ever garbage. */
  units: number;
  /**
   * The backstop: how much longer than a microsecond per step a render may take, so that nothing is refused on a busy
   * machine.
   */
  milliseconds: number;
  /** The deepest nesting of macros, recursive loops and calls. */
  depth: number;
}

/**
 * Enough for anything that Python renders within 16 MB and ten million steps, for any conversation. All units together are
 * 128 MB, if nothing of it is ever garbage.
 */
const BASE: Limits = { steps: 10_000_000, units: 1 << 26, milliseconds: 1000, depth: 250 };
/** Between renders nothing is charged: texts are made there, too, of what a caller hands over, and constants. */
const NONE: Limits = { steps: Infinity, units: Infinity, milliseconds: Infinity, depth: Infinity };
/** The longest single text; concatenation can reach it without creating all of it. */
const LONGEST = 1 << 24;
/** The longest list, in elements: 16 MB in Python. */
export const LONGEST_LIST = 1 << 21;
const STEPS_BETWEEN_CLOCKS = 1 << 15;
/** A few tenths of a millisecond. */
const STEPS_BETWEEN_PAUSES = 1 << 9;

let limits = NONE;
let steps = 0;
let units = 0;
let longest = Infinity;
let depth = 0;
/** When the clock was first read: most renders never do so, and the first read costs Node two milliseconds. */
let started: number | undefined;
/** When `spend` next checks the limits. */
let checkAt = Infinity;
let pauseAt = Infinity;

/** Limits for a conversation of `size` UTF-16 units, since a template's work is proportional to it. */
export function limitsFor(size: number, changes: Partial<Limits> = {}): Limits {
  return {
    steps: BASE.steps + 64 * size,
    units: BASE.units + 256 * size,
    milliseconds: BASE.milliseconds + size / 1000,
    depth: BASE.depth,
    ...changes,
  };
}

export function begin(allowed: Limits, spent = { steps: 0, units: 0 }): void {
  limits = allowed;
  ({ steps, units } = spent);
  depth = 0;
  started = undefined;
  longest = Math.max(LONGEST, limits.units / 4);
  checkAt = Math.min(steps + STEPS_BETWEEN_CLOCKS, limits.steps);
  pauseAt = steps + STEPS_BETWEEN_PAUSES;
}

/** Ends a render. */
export function end(): void {
  begin(NONE);
}

/** Whether a render has worked so long that it should let others work. */
export function isPauseDue(): boolean {
  if (steps < pauseAt) return false;
  pauseAt = steps + STEPS_BETWEEN_PAUSES;
  return true;
}

/** Pauses a render, outside of calls. The function it returns resumes it: the time between counts for nothing. */
export function suspend(): () => void {
  const [allowed, spent, worked] = [limits, { steps, units }, started === undefined ? undefined : performance.now() - started];
  end();
  return () => {
    begin(allowed, spent);
    if (worked !== undefined) started = performance.now() - worked;
  };
}

/** Charges steps. */
export function spend(count: number): void {
  if ((steps += count) > checkAt) check();
}

function check(): void {
  if (steps > limits.steps) throw new BudgetError(`the template takes more than ${limits.steps} steps`);
  const now = performance.now();
  started ??= now;
  if (now - started > limits.milliseconds + steps / 1000) {
    throw new BudgetError(`the template takes more than ${Math.round(limits.milliseconds + steps / 1000)} ms`);
  }
  checkAt = Math.min(steps + STEPS_BETWEEN_CLOCKS, limits.steps);
}

/** Charges memory about to be taken, in UTF-16 units. */
export function reserve(length: number): void {
  if ((units += length) > limits.units) throw beyond('texts and lists, in UTF-16 units', limits.units);
  spend(length >>> 6);
}

/** Charges a search for a text: at worst, JavaScript compares the whole text that it seeks at each place. */
export function seek(length: number, sought: number): void {
  spend(Math.floor((length * sought) / 512));
}

/** Checks the length of a concatenation, which shares its parts. */
export function checkLength(length: number): void {
  if (length > longest) throw beyond(`a text of ${length} characters`, longest);
}

/** The error for more than there may be. */
export function beyond(what: string, limit: number, pythonType = 'MemoryError'): BudgetError {
  return new BudgetError(`the template makes ${what}: at most ${limit} are allowed`, pythonType);
}

/** Charges the elements of a list about to be created, whose memory the list itself charges. */
export function reserveItems(count: number): void {
  foresee(count);
  spend(count);
}

/** Checks the length of a list whose elements will be created one by one. */
export function foresee(count: number): void {
  if (count > LONGEST_LIST) throw beyond(`a list of ${count} elements`, LONGEST_LIST);
}

/** Enters a macro, or a recursive loop. */
export function enter(): void {
  if (++depth > limits.depth) throw new BudgetError('maximum recursion depth exceeded', 'RecursionError');
  spend(1);
}

export function leave(): void {
  depth--;
}
