// The added tokens of a file, with the ids that Hugging Face gives them.

import { hasLoneSurrogate } from '../../base/text-encodings.js';
import { type JsonNode, shown } from './json-node.js';
import type { ModelTokens } from './model-tokens.js';
import { type MetaspaceStep, symbolTable } from '../compile/normalizer-steps.js';

export interface ImportedToken {
  /** What is searched for: what the normalizer makes of the token, if it is normalized. */
  text: string;
  /** As the file has it, if that differs. */
  content?: string;
  id: number;
  special: boolean;
  /** Searched for in what the others leave, after the normalizer, if there is one. False where that makes no difference. */
  normalized: boolean;
  /** Includes the whitespace before it, after it. Default: not. */
  lstrip?: boolean;
  rstrip?: boolean;
  /** Not found next to a character of a word. Default: it is. */
  singleWord?: boolean;
}

/** In bytes: what a cartridge can hold. */
const LONGEST = 1024;
/** Comparing this many pairs of tokens takes about 0.2 s. */
const MOST_PAIRS = 1 << 18;
const FLAGS = ['special', 'normalized', 'lstrip', 'rstrip'] as const;
const encoder = new TextEncoder();
const BEGINS_WITH_SPACE = /^\p{White_Space}/u;

/**
 * The tokens in the order of the file, each with its element. Hugging Face does not read their ids: a token of the model has its id
 * there, and others count on from the number of tokens in the vocabulary, which need not be the highest id. Tokens without characters
 * are left out.
 */
export function readAddedTokens(node: JsonNode, { ids, texts }: ModelTokens): (Required<ReadToken> & { node: JsonNode })[] {
  const tokens: (Required<ReadToken> & { node: JsonNode })[] = [];
  const known = new Map<string, number>();
  let next = texts.includes(undefined) ? ids.size : texts.length;
  for (const element of node.isNone ? [] : node.elements()) {
    element.object();
    const content = element.at('content');
    const text = content.text();
    const flag = (name: string, otherwise = false) => element.at(name).truth(otherwise);
    const special = flag('special');
    const flags = { special, normalized: flag('normalized', !special), lstrip: flag('lstrip'), rstrip: flag('rstrip') };
    element.at('id').id(2 ** 32);
    if (text === '') continue;
    checkContent(content, text);
    const id = known.get(text) ?? ids.get(text) ?? next++;
    known.set(text, id);
    tokens.push({ text, id, ...flags, singleWord: flag('single_word'), node: element });
  }
  return tokens;
}

type ReadToken = Omit<ImportedToken, 'content'>;

/** Those of the fast path. `normalized`: what the normalizer makes of a text, if there is one. Ascending by id. */
export function addedTokensOf(
  node: JsonNode,
  model: ModelTokens,
  normalized: ((text: string) => string | undefined) | undefined,
): ImportedToken[] {
  const tokens = new Map<string, ImportedToken>();
  for (const { node: element, singleWord, ...token } of readAddedTokens(node, model)) {
    const { id, text } = token;
    if (singleWord) element.at('single_word').unsupported('a token that is found only as a whole word');
    const before = tokens.get(text);
    if (before && !FLAGS.every((flag) => before[flag] === token[flag]))
      element.at('content').malformed('each content once, or with the same flags');
    const written = element.at('id').id(2 ** 32);
    if (written !== id) element.at('id').unsupported(`Hugging Face tokenizers would give this token the id ${id}, not ${written}`);
    if (!model.ids.has(text) && model.texts[id] !== undefined)
      element.at('id').unsupported(`${id} is the id of ${JSON.stringify(model.texts[id])} in model.vocab, too`);
    tokens.set(text, token);
  }
  const all = normalized ? asSearchedFor(node, [...tokens.values()], normalized) : [...tokens.values()];
  if (!normalized && !needsStages(all)) for (const token of all) token.normalized = false;
  for (const isLate of [false, true])
    checkWhitespace(
      node,
      all.filter((token) => token.normalized === isLate),
    );
  return all.sort((a, b) => a.id - b.id);
}

/** Throws a TokenizerError for a text that no cartridge can hold. */
function checkContent(content: JsonNode, text: string): void {
  if (hasLoneSurrogate(text)) content.malformed('a text without lone surrogates');
  const bytes = 3 * text.length > LONGEST ? encoder.encode(text).length : 0;
  if (bytes > LONGEST) content.unsupported(`${bytes} bytes are too many: at most ${LONGEST} are supported`);
}

/** Hugging Face searches for what the normalizer makes of a token in what it makes of a text, and decodes to that, too. */
function asSearchedFor(
  node: JsonNode,
  tokens: readonly ImportedToken[],
  normalized: (text: string) => string | undefined,
): ImportedToken[] {
  const found = new Set<string>();
  return tokens.map((token) => {
    const text = token.normalized ? normalized(token.text) : token.text;
    if (text === undefined)
      return node.unsupported(`the normalizer makes too much of ${JSON.stringify(token.text)}, which is not supported`);
    if (text === '') node.unsupported(`the normalizer leaves nothing of ${JSON.stringify(token.text)}, which is not supported`);
    if (found.has(text)) node.unsupported(`the normalizer makes ${JSON.stringify(text)} of a token, which is another one, too`);
    found.add(text);
    return text === token.text ? token : { ...token, text, content: token.text };
  });
}

/**
 * Whether tokens with `normalized` must be searched for in what the others leave, as Hugging Face does, also without a normalizer.
 * Searching for all at once is faster, and the same if no token of one kind can overlap one of the other or depends on what is
 * around it.
 */
function needsStages(tokens: readonly ImportedToken[]): boolean {
  const late = tokens.filter(({ normalized }) => normalized);
  const early = tokens.filter(({ normalized }) => !normalized);
  if (late.length === 0 || early.length === 0) return false;
  if (tokens.some(({ lstrip, rstrip }) => lstrip || rstrip)) return true;
  if (late.length * early.length > MOST_PAIRS) return true;
  return late.some((one) => early.some((other) => overlap(one.text, other.text)));
}

/** Hugging Face searches for tokens in the whitespace after one with `rstrip`, too, and encodes some of it twice. */
function checkWhitespace(node: JsonNode, tokens: readonly ImportedToken[]): void {
  const right = tokens.find(({ rstrip }) => rstrip);
  const other = tokens.find(({ text }) => BEGINS_WITH_SPACE.test(text));
  if (right && other) {
    node.unsupported(`${JSON.stringify(right.text)} has rstrip and ${JSON.stringify(other.text)} begins with whitespace`);
  }
}

/** Whether occurrences of two texts can overlap. */
function overlap(one: string, other: string): boolean {
  if (one.includes(other) || other.includes(one)) return true;
  for (let length = Math.min(one.length, other.length) - 1; length > 0; length--) {
    if (one.endsWith(other.slice(0, length)) || other.endsWith(one.slice(0, length))) return true;
  }
  return false;
}

// Added tokens that are normalized, where a Metaspace comes after other normalizers.

/** The engine knows at most this many texts. */
const MOST = 64;

/**
 * The step of a Metaspace behind other normalizers. The reference searches for normalized tokens before the Metaspace changes the text,
 * and each token ends a segment. The engine searches behind the Metaspace, and finds the same tokens if the Metaspace changes none of
 * their characters. The step knows their texts, and begins a segment behind each: also behind the text of a special token that the
 * caller does not allow, which is then no token (`[UNK]` of DeBERTa v3).
 *
 * The step also removes the whitespace before a token with lstrip, which would have become marks: `<mask>` of XLM-RoBERTa, NLLB, mBART
 * and XLNet is the only published token of this kind.
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
