// Added tokens that are normalized, where a Metaspace comes after other normalizers, or that include whitespace.

import type { MetaspaceStep } from '../compile/normalizer-steps.js';
import type { ImportedToken } from './added-tokens.js';
import { type JsonNode, shown } from './json-node.js';
import { symbolTable } from './symbols.js';

/** For files without a Metaspace: a step that changes nothing but the whitespace around tokens. */
export const SPACES_STAY: MetaspaceStep = { kind: 'metaspace', replacement: ' ', prepend: 'never', dropsWhitespace: false };

/**
 * A Metaspace that comes after other normalizers, between which and itself the reference looks for tokens that are normalized: what
 * is after one begins a segment, and what is before it ends one. The engine looks for them behind it, and finds the same if they
 * have nothing that it changes; that segments begin there, it knows by their texts. So a segment begins behind the text of a special
 * one also where the caller does not allow it, and it is no token.
 *
 * Whitespace that belongs to tokens is taken out by the step, too, because behind it there are marks.
 */
export function withLateTokens(node: JsonNode, tokens: readonly ImportedToken[], step: MetaspaceStep): MetaspaceStep {
  const late = tokens.filter(({ normalized }) => normalized);
  const takesWhitespace = late.some(({ lstrip, rstrip }) => lstrip || rstrip);
  const isChanged = (text: string) =>
    step.replacement !== ' ' && (text.includes(step.replacement) || (step.dropsWhitespace ? WHITESPACE.test(text) : text.includes(' ')));
  const place = step.replacement === ' ' ? 'add_prefix_space' : 'Metaspace';
  const beside = takesWhitespace ? 'beside one with lstrip or rstrip' : `with a normalizer and ${place}`;
  const refuse = ({ text }: ImportedToken, why: string) =>
    node.unsupported(`${shown(text)} is normalized and ${why}, which is not supported ${beside}`);
  for (const token of late) if (isChanged(token.text)) refuse(token, `has ${step.replacement} or whitespace`);
  // What only writes a mark for each space does not ask where segments begin.
  if (late.length === 0 || (isByCharacter(step) && !takesWhitespace)) return step;
  for (const token of late) if (token.singleWord) refuse(token, 'a single word');
  const nested = deepestOf(late.map(({ text }) => text));
  if (nested.depth > MOST_NESTED)
    node.unsupported(`${shown(nested.text)} begins with ${nested.depth - 1} others that are normalized, too, which are too many`);
  const texts = late.map(({ text }) => text);
  if (!takesWhitespace) return { ...step, tokens: symbolTable(texts) };
  checkMeetings(node, late);
  const byText = new Map(late.map((token) => [token.text, token]));
  const flagsOf = (text: string) => {
    const { lstrip, rstrip, special } = byText.get(text) as ImportedToken;
    return (lstrip ? SPACES.before : 0) | (rstrip ? SPACES.after : 0) | (special ? SPACES.onlySpecial : 0);
  };
  return { ...step, tokens: symbolTable(texts, flagsOf), takesWhitespace };
}

/** Whether it only writes a mark for each space. */
function isByCharacter({ prepend, dropsWhitespace }: MetaspaceStep): boolean {
  return prepend === 'never' && !dropsWhitespace;
}

/** Bits of a cartridge: layout/normalizer.h. */
const SPACES = { before: 1, after: 2, onlySpecial: 4 };

/** Without whitespace between them, a token and what is around it must not make another token. */
function checkMeetings(node: JsonNode, late: readonly ImportedToken[]): void {
  if (late.length > MOST_THAT_MEET)
    node.unsupported(`${late.length} tokens that are normalized are too many where one has lstrip or rstrip`);
  for (const { text, lstrip, rstrip, special } of late) {
    for (const other of late) {
      if (special && !other.special && text !== other.text && text.startsWith(other.text)) {
        node.unsupported(
          `${shown(text)} is special, normalized, and begins with ${shown(other.text)}, which is not supported with lstrip or rstrip`,
        );
      }
      for (let at = 1; at < other.text.length; at++) {
        const [left, right] = [other.text.slice(0, at), other.text.slice(at)];
        const meetsBefore = lstrip && (right.startsWith(text) || text.startsWith(right));
        const meetsAfter = rstrip && left.endsWith(text);
        if (meetsBefore || meetsAfter) {
          node.unsupported(
            `${shown(text)} has ${meetsBefore ? 'lstrip' : 'rstrip'} and is part of ${shown(other.text)}, which is not supported where both are normalized`,
          );
        }
      }
    }
  }
}

/** All pairs of so many are compared. */
const MOST_THAT_MEET = 1 << 9;
const WHITESPACE = /\p{White_Space}/u;
/** Of texts that begin each other, the engine knows so many. */
const MOST_NESTED = 64;

/** The text that begins with most of the others, itself among them. */
function deepestOf(texts: readonly string[]): { text: string; depth: number } {
  let deepest = { text: '', depth: 0 };
  const open: string[] = [];
  for (const text of [...texts].sort()) {
    while (open.length > 0 && !text.startsWith(open.at(-1) as string)) open.pop();
    open.push(text);
    if (open.length > deepest.depth) deepest = { text, depth: open.length };
  }
  return deepest;
}
