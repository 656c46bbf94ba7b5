// Checks the options of readFasta and readFastq.

import { jobOf } from '../../api/async-options.js';
import { checkWasmSource, type WasmSource } from '../../vocabularies/open/source.js';
import { outOfRange, refused, unexpected } from '../../base/errors.js';
import { checkOptionNames, optionNames } from '../../base/option-objects.js';
import { leaveOut } from '../dna-options.js';

/**
 * Options of {@link readFasta} and {@link readFastq}.
 *
 * @example
 * ```ts
 * const options: RecordOptions = { maxRecordLength: 1000 };
 * for await (const { sequence } of readFasta(['>a\nACGT\n'], options)) sequence.length; // 4
 * ```
 */
export interface RecordOptions {
  /** Return sequences and qualities as strings. Default: as bytes. */
  text?: boolean | undefined;
  /** The longest accepted sequence. Default: 1 GiB; for strings 2²⁹ - 24, the longest possible string. */
  maxRecordLength?: number | undefined;
  /** The parsing backend. Default: the addon, or WebAssembly if there is no addon. */
  backend?: 'native' | 'wasm' | undefined;
  /**
   * The engine's module for DNA, `crayon-tokenizer/dna.wasm`, as in `load`. Default: the one set by {@link useDnaWasm},
   * else the package's.
   */
  wasm?: WasmSource | undefined;
  /** Aborts the reading: pending promises are rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Options of {@link readFasta} and {@link readFastq} for windows of sequences. Memory does not grow with a sequence.
 *
 * @example
 * ```ts
 * const options: WindowOptions = { window: 4, stride: 3, text: true };
 * const windows = [];
 * for await (const { start, sequence } of readFasta(['>a\nACGTACG\n'], options)) windows.push([start, sequence]);
 * windows; // [[0, 'ACGT'], [3, 'TACG']]
 * ```
 */
export interface WindowOptions extends Omit<RecordOptions, 'maxRecordLength'> {
  /** The length of a window. At most 1 GiB. */
  window: number;
  /** The distance between the starts of two windows. Default: the length of a window. */
  stride?: number | undefined;
  /**
   * How to treat bases at the end of a sequence that do not fill a window: `'keep'` (default), as one shorter window;
   * `'drop'`, not at all. No window spans two records.
   */
  partial?: 'keep' | 'drop' | undefined;
}

const OPTIONS = optionNames<RecordOptions & WindowOptions>({
  text: true,
  maxRecordLength: true,
  backend: true,
  wasm: true,
  signal: true,
  window: true,
  stride: true,
  partial: true,
});

const GIBI = 2 ** 30;
/** V8's limit; other engines allow longer ones. */
const LONGEST_STRING = 2 ** 29 - 24;

export interface CheckedWindow {
  length: number;
  stride: number;
  keepsPartial: boolean;
}

export interface CheckedOptions extends Pick<RecordOptions, 'backend' | 'wasm' | 'signal'> {
  text: boolean;
  maxRecordLength: number;
  window: CheckedWindow | undefined;
}

/** Throws a TypeError or RangeError for the first invalid option. */
export function recordOptions(options: RecordOptions | WindowOptions = {}): CheckedOptions {
  checkOptionNames(options, OPTIONS);
  const { text = false, backend, wasm, maxRecordLength, window, stride, partial } = options as RecordOptions & Partial<WindowOptions>;
  const { signal } = jobOf(options);
  if (typeof text !== 'boolean') throw unexpected('a boolean', 'text', text);
  checkOneOf(['native', 'wasm'], 'backend', backend);
  if (wasm !== undefined) checkWasmSource(wasm);
  checkOneOf(['keep', 'drop'], 'partial', partial);
  checkLength('window', window);
  checkLength('stride', stride);
  checkLength('maxRecordLength', maxRecordLength);
  if (window === undefined) {
    if (stride !== undefined) throw leaveOut('stride', 'it is for windows, and `window` is not set');
    if (partial !== undefined) throw leaveOut('partial', 'it is for windows, and `window` is not set');
  } else if (maxRecordLength !== undefined) {
    throw leaveOut('maxRecordLength', 'with `window`, no sequence is held as a whole');
  }
  const longest = text ? LONGEST_STRING : GIBI;
  if (text && window !== undefined && window > longest) {
    throw refused(`\`window\` must be at most ${longest} with \`text\`, the length of a string`, window);
  }
  return {
    text,
    backend,
    wasm,
    signal,
    maxRecordLength: Math.min(maxRecordLength ?? longest, longest),
    window: window === undefined ? undefined : { length: window, stride: stride ?? window, keepsPartial: partial !== 'drop' },
  };
}

function checkLength(name: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isInteger(value) || value < 1 || value > GIBI) throw outOfRange('an integer from 1 to 2³⁰', name, value);
}

function checkOneOf(names: readonly string[], name: string, value: unknown): void {
  if (value === undefined || names.includes(value as string)) return;
  throw unexpected(names.map((each) => `'${each}'`).join(' or '), name, value);
}
