// Values of options of `crayon dataset`.

import { InvalidArgumentError } from 'commander';

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** A number of bytes, as in 500M. */
export function bytesWithUnit(text: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(digits) * (UNITS[unit.toUpperCase()] as number));
  if (digits !== undefined && bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError('Expected a number of bytes, as in 500M or 1G.');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '\0', '\\': '\\' };

/** A text with escapes, which shells do not expand. */
export function escaped(text: string): string {
  const value = text.replace(/\\(.?)/g, (_, letter: string) => {
    const character = ESCAPES[letter];
    if (character === undefined) throw new InvalidArgumentError(`Expected \\n, \\r, \\t, \\0 or \\\\ but found \\${letter}.`);
    return character;
  });
  if (value === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

/** A token, its id, or none. */
export function endToken(text: string): string | number | false {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  if (text === 'none') return false; // commander takes null for no value
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** `3/16`, or `3` with --of. */
export function taskOf(text: string): { task: number; of: number | undefined } {
  const [, task, of] = /^(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  const value = { task: Number(task), of: of === undefined ? undefined : Number(of) };
  if (task !== undefined && (value.of === undefined || value.task < value.of)) return value;
  throw new InvalidArgumentError('Expected i/n, such as 0/16 for the first of 16, with i from 0.');
}
