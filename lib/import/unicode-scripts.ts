// UnicodeScripts: a piece ends where the script changes between two characters. Spaces and unassigned characters fit any script:
// they belong to the piece before them, and are dropped where there is none.
//
// There are more scripts than a pattern can have character classes, so two patterns split: a script is a row and a column of a
// table, and the first pattern splits between rows, the second one between columns.
//
// The dropped characters depend on where a text begins, which no pattern knows. So a mark is put in front of a text, and then
// removed together with the characters of any script that follow it. To keep the mark unique, its character is doubled in the
// text meanwhile.

import { type CodePoints, codePoints } from '../patterns/code-points.js';
import { CLASS_COUNT, CLASS_RUNS } from '../patterns/unicode-scripts.js';
import type { JsonNode } from './json-node.js';
import type { ImportedStep } from './normalizer.js';
import type { Stage } from './splits.js';

const COLUMNS = 12;
const ESCAPE = '\u0001';
const ESCAPED = `${ESCAPE}\u0002`;
const MARK = `${ESCAPE}\u0003`;

/** By class. */
function setsOfClasses(): CodePoints[] {
  const sets: [number, number][][] = Array.from({ length: CLASS_COUNT + 1 }, () => []);
  let begin = 0;
  for (const [, length, value] of CLASS_RUNS.matchAll(/([0-9a-z]+)([A-Z]+)/g)) {
    const end = begin + Number.parseInt(length!, 36);
    sets[numberOf(value!)]!.push([begin, end - 1]);
    begin = end;
  }
  return sets;
}

function numberOf(capitals: string): number {
  return [...capitals].reduce((number, letter, index) => number * 26 + letter.charCodeAt(0) - (index < capitals.length - 1 ? 64 : 65), 0);
}

/** First and last code point of each range, and a number for its script: what is of any script is in none. */
export function scriptRows(): Uint32Array {
  const rows = setsOfClasses().flatMap((set, script) => (script === 0 ? [] : set.map(([first, last]) => [first, last, script])));
  return Uint32Array.from(rows.sort(([a = 0], [b = 0]) => a - b).flat());
}

export function scriptStages(node: JsonNode): Stage[] {
  const [any = [], ...scripts] = setsOfClasses();
  const groupedBy = (groupOf: (script: number) => number): Stage => {
    const groups: (readonly [number, number])[][] = [];
    scripts.forEach((set, script) => (groups[groupOf(script)] ??= []).push(...set));
    return { pattern: '', runs: { of: groups.map((group) => codePoints(...group)), with: any }, behavior: 'Isolated', invert: false, node };
  };
  return [groupedBy((script) => Math.floor(script / COLUMNS)), groupedBy((script) => script % COLUMNS)];
}

/** Drops the characters of any script that begin a text and, if whitespace is dropped first, those that begin a word. */
export function leadingSteps(node: JsonNode, dropsWhitespace: boolean): ImportedStep[] {
  const escaped = (code: number) => String.raw`\x{${code.toString(16)}}`;
  const any = `[${setsOfClasses()[0]!
    .map(([first, last]) => `${escaped(first)}-${escaped(last)}`)
    .join('')}]`;
  const without = (regex: string, by: string): ImportedStep => ({ kind: 'replace-regex', regex, by, node });
  return [
    { kind: 'replace', text: ESCAPE, by: ESCAPED },
    { kind: 'prepend', text: MARK },
    without(String.raw`\x{1}\x{3}${any}*`, ''),
    ...(dropsWhitespace ? [without(String.raw`\s${any}+`, ' ')] : []),
    { kind: 'replace', text: ESCAPED, by: ESCAPE },
  ];
}
