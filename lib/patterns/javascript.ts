// Expressions as JavaScript regular expressions, for patterns that match texts during decoding. Both matchers prefer
// the same match among several; sets are written out, so that they use the same Unicode version.

import type { CodePoints } from './code-points.js';
import { type Expression, matchesNothing } from './expression.js';
import { parsePattern } from './parse.js';
import { PatternError } from './pattern-error.js';

/** The source of a RegExp with the flag `u` that matches as Oniguruma matches `pattern`; throws PatternError. */
export function regexOf(pattern: string): string {
  const expression = parsePattern(pattern);
  if (matchesNothing(expression)) throw new PatternError('a pattern that may match nothing');
  return sourceOf(expression, false);
}

/** `repeated`: it is part of a repetition and may not contain another, or matching could take forever. */
function sourceOf(expression: Expression, repeated: boolean): string {
  switch (expression.kind) {
    case 'set':
      return classOf(expression.set);
    case 'ahead':
      return expression.end ? `(?=${classOf(expression.set)}|$)` : `(?=${classOf(expression.set)})`;
    case 'sequence':
      return expression.items
        .map((item) => (item.kind === 'choice' ? `(?:${sourceOf(item, repeated)})` : sourceOf(item, repeated)))
        .join('');
    case 'choice':
      return expression.items.map((item) => sourceOf(item, repeated)).join('|');
    case 'repeat': {
      const { item, least, most, lazy } = expression;
      if (repeated && most > 1) throw new PatternError('a repetition within a repetition');
      const times = `{${least},${most === Infinity ? '' : most}}${lazy ? '?' : ''}`;
      return `(?:${sourceOf(item, repeated || most > 1)})${times}`;
    }
  }
}

function classOf(set: CodePoints): string {
  const ranges = set.map(([first, last]) => (first === last ? escaped(first) : `${escaped(first)}-${escaped(last)}`));
  return `[${ranges.join('')}]`;
}

function escaped(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
