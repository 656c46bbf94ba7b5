// Messages for a misplaced token, an unclosed tag, and an unknown tag.

import type { Token } from './tokens.js';
import { quotedText } from './values/str.js';

/** Jinja's names of tokens. */
const NAMES: Record<string, string> = {
  data: 'template data / text',
  end: 'end of template',
  'block begin': 'begin of statement block',
  'block end': 'end of statement block',
  'variable begin': 'begin of print statement',
  'variable end': 'end of print statement',
};

export function tokenName({ type, text }: Token): string {
  return quotedText(type === 'name' ? text : (NAMES[type] ?? type));
}

/** `expected`: a token type, or a name. */
export function unexpectedToken(expected: string, found: Token): string {
  const wanted = quotedText(NAMES[expected] ?? expected);
  return found.type === 'end' ? `unexpected end of template, expected ${wanted}.` : `expected token ${wanted}, got ${tokenName(found)}`;
}

/** The tags that could close each open tag, outermost first. */
type Ends = readonly (readonly string[])[];

export function unendedTag(ends: Ends, open: readonly string[]): string {
  return `Unexpected end of template. Jinja was looking for the following tags: ${expected(ends)}.${innermost(open)}`;
}

export function unknownTag(name: string, ends: Ends, open: readonly string[]): string {
  const wanted = expected(ends);
  const isMisplaced = ends.some((each) => each.includes(name));
  const advice =
    wanted === ''
      ? ''
      : isMisplaced
        ? ` You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${wanted}.`
        : ` Jinja was looking for the following tags: ${wanted}.`;
  return `Encountered unknown tag ${quotedText(name)}.${advice}${innermost(open)}`;
}

function expected(ends: Ends): string {
  const last = ends.at(-1);
  return last ? last.map((end) => quotedText(end)).join(' or ') : '';
}

function innermost(open: readonly string[]): string {
  const tag = open.at(-1);
  return tag === undefined ? '' : ` The innermost block that needs to be closed is ${quotedText(tag)}.`;
}
