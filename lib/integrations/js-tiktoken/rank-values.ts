// Ranks in js-tiktoken's format. This package's ranks hold no text: `Tiktoken` opens the vocabulary they stand for, and
// the text is generated when it is first read.

import { openRanks } from '../open-ranks.js';
import { PATTERNS, pretokenizerOf } from '../../vocabularies/compile/scanner.js';
import { unexpected } from '../../base/errors.js';
import { ENCODINGS } from '../../vocabularies/models.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { compiling } from '#host';
import type { TiktokenEncoding } from '../tiktoken/encoding-names.js';

/**
 * The input of `Tiktoken`.
 *
 * @example
 * ```ts
 * import { Tiktoken, type TiktokenBPE } from 'crayon-tokenizer/js-tiktoken/lite';
 * import cl100k_base from 'crayon-tokenizer/js-tiktoken/ranks/cl100k_base';
 *
 * const ranks: TiktokenBPE = { ...cl100k_base, special_tokens: { '<|sep|>': 100300 } };
 * new Tiktoken(ranks).encode('hello<|sep|>world', 'all'); // [15339, 100300, 14957]
 * ```
 */
export interface TiktokenBPE {
  /** The pattern that splits text: one of the encodings' patterns. */
  pat_str: string;
  /** Names of special tokens and their ids. */
  special_tokens: Record<string, number>;
  /** Lines of `! first base64 base64 …`, whose tokens have consecutive ranks from `first`. */
  bpe_ranks: string;
}

/** Whether a name is an encoding's: js-tiktoken has all but one of the built-in encodings. */
export function isEncoding(name: string): name is TiktokenEncoding {
  return name !== 'o200k_harmony' && Object.hasOwn(ENCODINGS, name);
}

/** A vocabulary that encodings share: the name of its cartridge. */
type VocabularyName = (typeof ENCODINGS)[TiktokenEncoding];

const GPT2 = { pat_str: PATTERNS.gpt2[0], special_tokens: { '<|endoftext|>': 50_256 } };

/** The fields of each encoding's ranks besides its tokens. */
const PUBLISHED: Record<TiktokenEncoding, Omit<TiktokenBPE, 'bpe_ranks'> & { explicit_n_vocab?: number }> = {
  gpt2: { explicit_n_vocab: 50_257, ...GPT2 },
  r50k_base: { explicit_n_vocab: 50_257, ...GPT2 },
  p50k_base: { explicit_n_vocab: 50_281, ...GPT2 },
  p50k_edit: {
    pat_str: GPT2.pat_str,
    special_tokens: {
      ...GPT2.special_tokens,
      '<|fim_prefix|>': 50_281,
      '<|fim_middle|>': 50_282,
      '<|fim_suffix|>': 50_283,
    },
  },
  cl100k_base: {
    pat_str: PATTERNS.cl100k[0],
    special_tokens: {
      '<|endoftext|>': 100_257,
      '<|fim_prefix|>': 100_258,
      '<|fim_middle|>': 100_259,
      '<|fim_suffix|>': 100_260,
      '<|endofprompt|>': 100_276,
    },
  },
  o200k_base: {
    pat_str: PATTERNS.o200k[0],
    special_tokens: { '<|endoftext|>': 199_999, '<|endofprompt|>': 200_018 },
  },
};

/** Marks the getter of the text, with a symbol shared by the ES module and the CommonJS module of this code. */
const VOCABULARY = Symbol.for('crayon-tokenizer/vocabulary');

interface TextGetter {
  (): string;
  [VOCABULARY]?: VocabularyName;
}

/** The ranks of an encoding, as a new object. */
export function ranksOf(encoding: TiktokenEncoding): TiktokenBPE {
  const { special_tokens, ...rest } = PUBLISHED[encoding];
  const vocabulary = ENCODINGS[encoding];
  const get: TextGetter = () => textOf(vocabulary);
  get[VOCABULARY] = vocabulary;
  return Object.defineProperty({ ...rest, special_tokens: { ...special_tokens } } as TiktokenBPE, 'bpe_ranks', {
    get,
    set(this: object, value: unknown) {
      Object.defineProperty(this, 'bpe_ranks', { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: true,
    configurable: true,
  });
}

/** Opens any ranks. The vocabulary's special tokens are not the caller's. */
export function openBpe(ranks: TiktokenBPE): Vocabulary {
  if (typeof ranks !== 'object' || ranks === null) {
    throw unexpected('an object with pat_str, special_tokens and bpe_ranks', 'ranks', ranks);
  }
  const getter: TextGetter | undefined = Object.getOwnPropertyDescriptor(ranks, 'bpe_ranks')?.get;
  const vocabulary = getter?.[VOCABULARY];
  const isWhole = vocabulary && pretokenizerOf(ranks.pat_str) === pretokenizerOf(PUBLISHED[vocabulary].pat_str);
  if (isWhole) return shared(vocabulary);
  return openRanks(ranks.bpe_ranks, ranks.pat_str, ['bpe_ranks', 'pat_str'], host);
}

const known = new Map<string, WeakRef<Vocabulary>>();

/** The vocabulary of an encoding, shared by all users: nobody can close it, and separate ones would each hold a copy in a page. */
function shared(encoding: string): Vocabulary {
  const found = known.get(encoding)?.deref();
  if (found) return found;
  const vocabulary = compiling.open(encoding);
  known.set(encoding, new WeakRef(vocabulary));
  return vocabulary;
}

const host = {
  compiler: compiling.compiler,
  open: (source: string | Uint8Array) => (typeof source === 'string' ? shared(source) : compiling.open(source)),
};

const texts = new Map<VocabularyName, string>();

/** Lines of ranks without gaps. */
function textOf(vocabulary: VocabularyName): string {
  const found = texts.get(vocabulary);
  if (found !== undefined) return found;
  let text = '';
  let next = -1;
  for (const [id, bytes] of ordinaryTokens(shared(vocabulary))) {
    if (id !== next) text += `${text && '\n'}! ${id}`;
    text += ` ${btoa(String.fromCharCode(...bytes))}`;
    next = id + 1;
  }
  texts.set(vocabulary, text);
  return text;
}

/** The ids of ordinary tokens, in ascending order, and their bytes. */
export function* ordinaryTokens({ description, engine, specialIds }: Vocabulary): Generator<[id: number, bytes: Uint8Array], void> {
  const special = new Set(specialIds.values());
  for (let id = 0; id < description.vocabularySize; id++) {
    const bytes = special.has(id) ? undefined : engine.tokenBytes(id);
    if (bytes) yield [id, bytes];
  }
}
