// Replaces every occurrence of a text, like Rust, and every match of a pattern.

import { ACCEPT, type Automaton, classOf, START, STOP } from '../patterns/automaton-table.js';

export function replaceAllText(text: string, what: string, by: string): string {
  if (what !== '') return text.includes(what) ? text.split(what).join(by) : text;
  // An empty text matches at the beginning, at the end and between characters.
  return by === '' ? text : [by, ...[...text].map((character) => character + by)].join('');
}

/**
 * The automaton comes from metadata, which may be anything: where it would read a text again and again, as none that is compiled
 * does (native/include/crayon/layout/pattern.h), an error ends it.
 */
const MOST_READ = 64;

/** Replaces the matches of a pattern. */
export function replaceMatches(text: string, automaton: Automaton, by: string): string {
  const { classCount, table } = automaton;
  const classes: number[] = [];
  const starts: number[] = [];
  let start = 0;
  for (const character of text) {
    classes.push(classOf(automaton, character.codePointAt(0) as number));
    starts.push(start);
    start += character.length;
  }
  starts.push(text.length);
  let made = '';
  let left = MOST_READ * (classes.length + 1);
  let copied = 0;
  for (let begin = 0; begin < classes.length; ) {
    let end = begin;
    for (let at = begin, state = START; state !== STOP; at++) {
      if (left-- === 0) throw new RangeError('a pattern of the decoder reads the text again and again');
      const entry = table[state * (classCount + 1) + (classes[at] ?? classCount)] as number;
      if (entry & ACCEPT) end = at;
      state = entry & ~ACCEPT;
    }
    if (end === begin) {
      begin++;
      continue;
    }
    made += text.slice(starts[copied], starts[begin]) + by;
    begin = copied = end;
  }
  return copied === 0 ? text : made + text.slice(starts[copied]);
}
