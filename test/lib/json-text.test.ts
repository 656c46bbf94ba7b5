// JSON read in place: what is valid, where it stops being JSON, and the same values as JSON.parse.

import { describe, expect, it } from 'vitest';

import {
  beginningAt,
  beginningOfJson,
  byteOf,
  eachElement,
  eachMember,
  endOf,
  integerAt,
  jsonFault,
  kindAt,
  MAX_LEVELS,
  stringAt,
} from '../../lib/base/json-text.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

/** Values with every form JSON allows, at most `depth` levels deep. */
function randomValue(random: Random, depth: number): unknown {
  const kind = random.integer(0, depth > 0 ? 7 : 5);
  if (kind === 6) return Array.from({ length: random.integer(0, 4) }, () => randomValue(random, depth - 1));
  if (kind === 7)
    return Object.fromEntries(Array.from({ length: random.integer(0, 4) }, () => [randomText(random), randomValue(random, depth - 1)]));
  return [null, true, false, random.integer(0, 1e6), -random.integer(0, 99) / 8, randomText(random)][kind];
}

function randomText(random: Random): string {
  return Array.from({ length: random.integer(0, 6) }, () =>
    random.pick(['a', '"', '\\', '\n', '\u0000', '/', 'é', '的', '\u{1f600}', '\ud800', '{', ']', ',', '__proto__']),
  ).join('');
}

/** The value at an index, as read by this module. */
function valueAt(text: string, at: number): unknown {
  switch (kindAt(text, at)) {
    case 'object': {
      const members: [string, unknown][] = [];
      eachMember(text, at, (key, value) => void members.push([key, valueAt(text, value)]));
      return Object.fromEntries(members);
    }
    case 'list': {
      const elements: unknown[] = [];
      eachElement(text, at, (value) => void elements.push(valueAt(text, value)));
      return elements;
    }
    case 'string':
      return stringAt(text, at);
    case 'number':
      return integerAt(text, at) >= 0 ? integerAt(text, at) : Number(text.slice(at, endOf(text, at)));
    default:
      return JSON.parse(text.slice(at, endOf(text, at)));
  }
}

describe('JSON in place', () => {
  const VALUES = sample(20_000, 500);
  it(`${VALUES} random texts, whole, with white space and escapes, and damaged`, () => {
    for (let seed = 1; seed <= VALUES; seed++) {
      const random = new Random(seed);
      const value = randomValue(random, 5);
      let text = JSON.stringify(value, null, random.pick([undefined, 1, '\t']));
      if (random.integer(0, 1) === 1) text = text.replace(/[é的]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
      if (random.integer(0, 2) === 0) text = ` \r\n${text}\t`;
      expect(jsonFault(text, 0), text).toBeUndefined();
      expect(valueAt(text, beginningOfJson(text, 'x')), `seed ${seed}`).toEqual(JSON.parse(text));
      const at = random.integer(0, text.length);
      const damaged =
        text.slice(0, at) + random.pick(['', ',', '}', ']', '"', '1', '0', '\\', ':', '\n', 'e']) + text.slice(at + random.integer(0, 2));
      let parsed: unknown;
      let isJson = true;
      try {
        parsed = JSON.parse(damaged);
      } catch {
        isJson = false;
      }
      expect(jsonFault(damaged, 0) === undefined, `seed ${seed}: ${damaged}`).toBe(isJson);
      if (isJson) expect(valueAt(damaged, beginningOfJson(damaged, 'x')), `seed ${seed}`).toEqual(parsed);
      else expect(() => beginningOfJson(damaged, 'x'), `seed ${seed}`).toThrow(/^cannot read x: it is not JSON: /);
    }
  });

  it('reads up to the maximum depth', () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`;
    expect(jsonFault(nested(MAX_LEVELS), 0)).toBeUndefined();
    expect(jsonFault(nested(MAX_LEVELS + 2), 0)).toEqual({ at: 6 * (MAX_LEVELS / 2), isDeep: true });
    expect(jsonFault('['.repeat(1e6), 0)).toEqual({ at: MAX_LEVELS, isDeep: true });
  });

  it('accepts only plain integers as integers', () => {
    expect(['12', '0', '-1', '-0', '1.0', '1e2', '"7"', 'true', '[1]'].map((text) => integerAt(text, 0))).toEqual([
      12, 0, -1, -1, -1, -1, -1, -1, -1,
    ]);
  });

  it('counts the bytes before a unit', () => {
    const text = 'aé的\u{1f600}z';
    for (const unit of [0, 1, 2, 3, 5, 6]) expect(byteOf(text, unit)).toBe(Buffer.byteLength(text.slice(0, unit)));
  });

  it('shows the beginning of a value', () => {
    expect(beginningAt('{ "a b" : [ 1 , "x" ] , "c": 2 } , 5', 0, 60)).toBe('{"a b":[1,"x"],"c":2}');
    expect(beginningAt('12, 13', 0, 60)).toBe('12');
    expect(beginningAt(`["${'y'.repeat(1e6)}"]`, 0, 60).length).toBeLessThan(300);
    expect(beginningAt('['.repeat(1e6), 0, 60)).toHaveLength(61);
  });
});
