// Checks the options of adapting.

import type { AdaptOptions } from '../tokenizer/adaptation.js';
import { outOfRange, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/options.js';

const ADAPT_OPTIONS = optionNames<AdaptOptions>({ threshold: true, add: true, minFrequency: true, signal: true });
const MOST_TOKENS = 65_536;

export interface CheckedOptions {
  threshold: number;
  add: number;
  minFrequency: number;
  signal: AbortSignal | undefined;
}

/** Throws a TypeError or RangeError for the first invalid option. */
export function adaptOptions(given: AdaptOptions | undefined = {}): CheckedOptions {
  checkOptionNames(given, ADAPT_OPTIONS);
  const { threshold = 0.15, add = 50, minFrequency = 2, signal } = given;
  if (typeof threshold !== 'number') throw unexpected('a number', 'threshold', threshold);
  if (!(threshold >= 0 && threshold <= 1)) throw outOfRange('a number from 0 to 1', 'threshold', threshold);
  checkInteger('add', add, MOST_TOKENS);
  checkInteger('minFrequency', minFrequency, 0xffffffff);
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw unexpected('an AbortSignal', 'signal', signal);
  }
  return { threshold, add, minFrequency, signal };
}

function checkInteger(name: string, value: unknown, most: number): void {
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isInteger(value) || value < 1 || value > most) throw outOfRange(`an integer from 1 to ${most}`, name, value);
}
