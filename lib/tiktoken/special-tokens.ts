// Parses the special-token arguments as tiktoken does.

import { outOfRange, unexpected } from '../base/errors.js';

/** Names of special tokens and their ids. Null and undefined mean none. */
export function readSpecialTokens(given: unknown, name: string): Map<string, number> {
  if (given === undefined || given === null) return new Map();
  if (typeof given !== 'object') throw unexpected('an object of names and ids', name, given);
  const ids = new Map(Object.entries(given as Record<string, unknown>));
  for (const [token, id] of ids) {
    if (token === '') throw outOfRange('names of special tokens that are not empty', name, given);
    const path = `${name}[${JSON.stringify(token)}]`;
    if (typeof id !== 'number' || !Number.isInteger(id)) throw unexpected('an id', path, id);
    if (id < 0 || id > 0xffffffff) throw outOfRange('an id of 32 bits', path, id);
  }
  return ids as Map<string, number>;
}

/**
 * A selection of special tokens: `'all'`, or a list of names. Undefined means no selection, and so does anything that
 * is not a list of strings, such as a Set: tiktoken then uses its default, which is to reject them.
 */
export function readChoice(given: unknown, name: string): 'all' | readonly string[] | undefined {
  switch (typeof given) {
    case 'string':
      if (given === 'all') return given;
      throw new Error(`Invalid value for ${name}`);
    case 'function':
    case 'symbol':
    case 'bigint':
      throw unexpected("'all' or a list of special tokens", name, given);
  }
  return Array.isArray(given) && Array.from(given).every((token) => typeof token === 'string') ? given : undefined;
}
