// Patterns after ByteLevel, which match its output characters: one per byte, so that a match may begin and end inside a character
// of the text.

import { BYTE_CHARACTERS } from './byte-characters.js';
import { codePoints, has, LAST_CODE_POINT, type CodePoints } from './code-points.js';
import type { Expression } from './expression.js';

/**
 * The same expression over bytes, each as the code point of its value. Code points from 256 on never occur; they are in the same
 * sets as 255, so that they add no class.
 */
export function overBytes(expression: Expression): Expression {
  switch (expression.kind) {
    case 'set':
    case 'ahead':
      return { ...expression, set: bytesOf(expression.set) };
    case 'sequence':
    case 'choice':
      return { ...expression, items: expression.items.map(overBytes) };
    case 'repeat':
      return { ...expression, item: overBytes(expression.item) };
  }
}

function bytesOf(set: CodePoints): CodePoints {
  return codePoints(
    ...BYTE_CHARACTERS.flatMap((character, byte): [number, number][] =>
      has(set, character) ? [[byte, byte === 0xff ? LAST_CODE_POINT : byte]] : [],
    ),
  );
}
