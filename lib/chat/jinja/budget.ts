// What a template may do: steps, text and time. A template is a program by others, so its work is counted, and charged
// before it is done.
//
// Rendering is synchronous: there is one budget at a time, and it lives in this module, where counting costs an addition.

import { BudgetError } from './errors.js';

/** How much a template may do. */
export interface Limits {
  /** Evaluated statements, loop iterations and elements, and one for each 64 UTF-16 units of text that is made or read. */
  steps: number;
  /** Of all the text that is made, in UTF-16 units. */
  units: number;
  /** The backstop: how much longer than a microsecond for each step a render may take, so that a busy machine refuses nothing. */
  milliseconds: number;
  /** How many macros, recursive loops and calls may be inside each other. */
  depth: number;
}

/** What Python renders within 16 MB and ten million steps fits, whatever the conversation. */
const BASE: Limits = { steps: 10_000_000, units: 1 << 28, milliseconds: 1000, depth: 250 };
/** The longest single text, which concatenation reaches without making all of it. */
const LONGEST = 1 << 26;
/** The longest list, in elements: 16 MB in Python. */
export const LONGEST_LIST = 1 << 21;
const STEPS_BETWEEN_CLOCKS = 1 << 15;

let limits = BASE;
let steps = 0;
let units = 0;
let longest = LONGEST;
let depth = 0;
/** When the clock was first looked at: most renders never do, and the first look takes Node two milliseconds. */
let started: number | undefined;
/** When `spend` looks at the limits the next time. */
let checkAt = 0;

/** Limits for a conversation of so many UTF-16 units: what a template does is in proportion to it. */
export function limitsFor(size: number, own: Partial<Limits> = {}): Limits {
  return {
    steps: BASE.steps + 64 * size,
    units: BASE.units + 256 * size,
    milliseconds: BASE.milliseconds + size / 1000,
    depth: BASE.depth,
    ...own,
  };
}

export function begin(given: Limits): void {
  charge({ limits: given, steps: 0, units: 0, depth: 0 });
}

/** What has been spent of some limits. */
export interface Account {
  readonly limits: Limits;
  steps: number;
  units: number;
  depth: number;
  started?: number | undefined;
}

function charge(account: Account): void {
  ({ limits, steps, units, depth, started } = account);
  longest = Math.max(LONGEST, limits.units / 4);
  checkAt = Math.min(steps + STEPS_BETWEEN_CLOCKS, limits.steps);
}

/** Does something at the cost of an account, not of the render that goes on. */
export function charging<Result>(account: Account, body: () => Result): Result {
  const outer: Account = { limits, steps, units, depth, started };
  charge(account);
  try {
    return body();
  } finally {
    Object.assign(account, { steps, units });
    charge(outer);
  }
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

/** Charges text that is about to be made, in UTF-16 units. */
export function reserve(length: number): void {
  if ((units += length) > limits.units || length > longest) throw tooLong(length);
  spend(length >>> 6);
}

/** Charges text that is read, in UTF-16 units. */
export function scan(length: number): void {
  spend(length >>> 6);
}

/** Checks the length of a concatenation, which shares its parts. */
export function checkLength(length: number): void {
  if (length > longest) throw tooLong(length);
}

function tooLong(length: number): BudgetError {
  return new BudgetError(
    length > longest
      ? `the template makes a text of ${length} characters, and at most ${longest} are allowed`
      : `the template makes more than ${limits.units} characters of text`,
    'MemoryError',
  );
}

/** Charges a list that is about to be made. */
export function reserveItems(count: number): void {
  foresee(count);
  spend(count);
}

/** Checks the length of a list whose elements are about to be made, and charged, one after the other. */
export function foresee(count: number): void {
  if (count > LONGEST_LIST) throw new BudgetError(`the template makes a list of more than ${LONGEST_LIST} elements`, 'MemoryError');
}

/** Enters a macro, or a loop that calls itself. */
export function enter(): void {
  if (++depth > limits.depth) throw new BudgetError('maximum recursion depth exceeded', 'RecursionError');
  spend(1);
}

export function leave(): void {
  depth--;
}
