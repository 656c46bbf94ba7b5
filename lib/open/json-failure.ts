// Where a text stops being JSON, and why it cannot be read. `JSON.parse` reports this in words that differ between hosts, and
// not always.

import { TokenizerError } from '../base/errors.js';
import { byteOf, jsonFault, MOST_LEVELS, passSpace } from './json-text.js';

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** The possible beginnings of a scalar that the end of the text cuts off. */
const CUT_SCALAR = /(?:-?(?:(?:0|[1-9]\d*)(?:\.\d*|(?:\.\d+)?[eE][+-]?\d*)?)?|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/y;

/**
 * The start of a JSON file's value in its text, which may have a byte order mark. Throws a TokenizerError with the position, in
 * bytes of UTF-8, where a text stops being JSON or is nested too deeply. `file`: its location, for the error.
 */
export function beginningOfJson(text: string, what: string): number {
  const begin = text.startsWith('\uFEFF') ? 1 : 0;
  const fault = jsonFault(text, begin);
  if (!fault) return passSpace(text, begin);
  const unit = fault.isDeep ? fault.at : begin + jsonFailure(text.slice(begin));
  const position = byteOf(text, unit);
  throw new TokenizerError(`cannot read ${what}: ${why(text, unit, position, fault.isDeep)}`, { code: 'CORRUPT_STRUCTURE', position });
}

function why(text: string, unit: number, position: number, isDeep: boolean): string {
  if (isDeep) return `it has more than ${MOST_LEVELS} levels of lists and objects at byte ${position}`;
  if (unit === text.length)
    return `it is not JSON: it ends at byte ${position}, before it is complete; was it downloaded or written to its end?`;
  return `it is not JSON: ${JSON.stringify(String.fromCodePoint(text.codePointAt(unit) as number))} is not expected at byte ${position}`;
}

/** The unit at which a text of at most MOST_LEVELS levels stops being JSON; its length if only more text is missing. */
function jsonFailure(text: string): number {
  const levels: ('{' | '[')[] = [];
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const matches = pattern.test(text);
    if (matches) at = pattern.lastIndex;
    return matches;
  };
  /** Returns false with `at` where the string fails. */
  const skipString = (): boolean => {
    for (at++; at < text.length; ) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) {
        at++;
        return true;
      }
      if (unit < 0x20) return false;
      if (unit !== 0x5c) at++;
      else if (!skip(ESCAPE)) {
        if (/^\\(?:u[0-9a-fA-F]{0,3})?$/.test(text.slice(at, at + 6))) at = text.length;
        return false;
      }
    }
    return false;
  };
  for (let wantsValue = true; ; ) {
    skip(SPACE);
    const level = levels.at(-1);
    if (wantsValue) {
      // In an object, a key comes first.
      if (level === '{') {
        if (text[at] !== '"' || !skipString()) return at;
        skip(SPACE);
        if (text[at] !== ':') return at;
        at++;
        skip(SPACE);
      }
      const first = text[at];
      if (first === '{' || first === '[') {
        levels.push(first);
        at++;
        skip(SPACE);
        wantsValue = text[at] !== (first === '{' ? '}' : ']');
        continue;
      }
      // `12.` also begins with a number.
      if (level !== undefined && skip(CUT_SCALAR)) return text.length;
      if (first === '"' ? !skipString() : !skip(SCALAR)) return skip(CUT_SCALAR) ? text.length : at;
      wantsValue = false;
    } else if (level === undefined) {
      return at;
    } else if (text[at] === ',') {
      at++;
      wantsValue = true;
    } else if (text[at] === (level === '{' ? '}' : ']')) {
      at++;
      levels.pop();
    } else {
      return at;
    }
  }
}
