// Added tokens that are normalized, where a Metaspace comes after other normalizers.

import type { MetaspaceStep } from '../compile/normalizer-steps.js';
import type { ImportedToken } from './added-tokens.js';
import { type JsonNode, shown } from './json-node.js';
import { symbolTable } from './symbols.js';

/** Of texts that begin each other, the engine knows so many. */
const MOST = 64;

/**
 * A Metaspace that comes after other normalizers, between which and itself the reference looks for tokens that are normalized: what
 * is after one begins a segment, and what is before it ends one. The engine looks for them behind it, and finds the same if they
 * have nothing that it changes; that segments begin there, it knows by their texts. So a segment begins behind the text of a special
 * one also where the caller does not allow it, and it is no token: `[UNK]` of DeBERTa v3.
 *
 * Whitespace before a token with lstrip is taken out by the step, too, because behind it there are marks: `<mask>` of XLM-RoBERTa,
 * NLLB, mBART and XLNet, which is the only such token.
 */
export function withLateTokens(node: JsonNode, tokens: readonly ImportedToken[], step: MetaspaceStep): MetaspaceStep {
  const late = tokens.filter(({ normalized }) => normalized);
  const changed = late.find(({ text }) => text.includes(step.replacement) || /\p{White_Space}/u.test(text));
  if (changed) node.unsupported(`${shown(changed.text)} is normalized and has ${step.replacement} or whitespace`);
  const takesWhitespace = late.some(takesSpaces);
  // What only writes a mark for each space does not ask where segments begin.
  if (!takesWhitespace && (late.length === 0 || (step.prepend === 'never' && !step.dropsWhitespace))) return step;
  if (late.length > MOST) node.unsupported(`${late.length} tokens are normalized`);
  if (takesWhitespace) {
    // Between two of these texts, one of them must not begin without the whitespace.
    const isMask = ({ text, special, rstrip }: ImportedToken) => special && !rstrip && !text.includes(text[0] as string, 1);
    if (late.length > 1 || !late.every(isMask)) node.unsupported('tokens that are normalized have lstrip or rstrip');
    for (const token of late) token.lstrip = false;
  }
  return { ...step, tokens: symbolTable(late.map(({ text }) => text)), takesWhitespace };
}

function takesSpaces({ lstrip, rstrip }: ImportedToken): boolean {
  return lstrip === true || rstrip === true;
}
