// What compiles: the one interface between compileCartridge and an engine. Types only.

import type { Dat } from '../open/dat.js';
import type { Failure } from '../base/errors.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { TokenTable } from '../open/token-table.js';

/** What a file is: a cartridge, a slim one, or, of longest match alone, one of version 2. */
export type CartridgeForm = 'full' | 'slim' | 'dat';

/** The added tokens of a view: token i has the id ids[i], and flags as CRAYON_ADDED_… of crayon.h. */
export interface CompilerTokens extends TokenTable {
  ids: Uint32Array;
  flags: Uint8Array;
}

/** A tokenizer of a cartridge. */
export interface CompilerView {
  name: string;
  scanner: string;
  /** How a text is normalized first: 0 not at all, 1 NFC, 2 a space in front, 3 the program. Default: 0. */
  normalizer?: number;
  /** Added tokens, by ascending id. */
  tokens: CompilerTokens;
  /** The ids before and after a text, if the caller wants them. */
  template?: CompilerTemplate | undefined;
}

/** Ids before and after a text: the first `prefix` of them, and the rest. */
export interface CompilerTemplate {
  ids: Uint32Array;
  prefix: number;
}

/** How the tokens of a vocabulary merge, where ids are not the order. */
export interface CompilerMerges {
  /** Pairs of ids, in order. */
  pairs: Uint32Array;
  /** Of each pair: the lowest is merged first, the leftmost of equals. Default: its index. */
  priorities?: Uint32Array | undefined;
  /** Ids, ascending, of tokens that no text produces. */
  unmatched: Uint32Array;
  /** Whether a piece that is a token is that token, even if merging does not make it. */
  whole: boolean;
  /** Of BPE over characters: tokens that only merging needs. */
  hidden?: HiddenTokens | undefined;
}

/** Tokens that no caller sees: bytes, and the beginnings of characters (lib/import/character-bpe.ts, lib/import/word-bpe.ts). */
export interface HiddenTokens {
  /** All ids from here on. */
  from: number;
  /** The id of a character without a token; undefined where each byte has one. */
  unknownId?: number | undefined;
  /** Whether a run of such characters is one id. */
  fusesUnknown: boolean;
  /** Whether each piece is merged with a byte 0xFF after it: tokens that end with it end words. Default false. */
  endsWords?: boolean;
  /** Whether hidden tokens of several characters become their halves. Default false. */
  splitsHidden?: boolean;
}

/** The rules of WordPiece and of WordLevel. */
export interface CompilerWordPiece {
  /** In front of tokens that continue a word; the empty string if there is none. */
  prefix: string;
  /** Words with more are unknown. */
  mostCharacters: number;
  /** The id of an unknown word; undefined: an error. */
  unknownId?: number | undefined;
  /** WordLevel: only words that are tokens are known. Then `prefix` is empty and `mostCharacters` 0. */
  wholeWords: boolean;
  /** Ids, ascending, of tokens that no text produces. */
  unmatched?: Uint32Array | undefined;
}

/** The scores of Unigram. */
export interface CompilerUnigram {
  /** Of each id, holes included; finite. */
  scores: Float64Array;
  /** Of an unknown character: 10 less than the least score of the vocabulary. */
  unknownScore: number;
  /** The id of unknown characters; undefined: an error. */
  unknownId?: number | undefined;
  /** The ids of the tokens of bytes, 0xFFFFFFFF for those without, where unknown characters fall back to them. */
  byteIds?: Uint32Array | undefined;
  /** Ids, ascending, of tokens that no text produces. */
  unmatched?: Uint32Array | undefined;
  /** Whether scores are floats and added as such, as sentencepiece does. Default: not. */
  sumsFloats?: boolean | undefined;
}

/** A tokenizer of the general path. */
export interface CompilerGeneral {
  /** cartridges/FORMAT.md, section 15. */
  section: Uint8Array;
  unknownId?: number | undefined;
  /** Ids, ascending, of tokens that no text produces. */
  unmatched?: Uint32Array | undefined;
}

/** What the compiler makes a model of, besides its tokens. */
export type CompilerModel = Pick<CompilerInput, 'model' | 'merges' | 'wordPiece' | 'unigram' | 'general'>;

/** A vocabulary: token i has the id i, which is its rank too if the model is `'bpe'` and there are no merges. */
export interface CompilerInput extends TokenTable {
  model: 'bpe' | 'longest-match' | 'wordpiece' | 'unigram' | 'general';
  /** Of `'wordpiece'`. */
  wordPiece?: CompilerWordPiece | undefined;
  /** Of `'unigram'`. */
  unigram?: CompilerUnigram | undefined;
  /** Of `'general'`. */
  general?: CompilerGeneral | undefined;
  /** Of `'bpe'`. */
  merges?: CompilerMerges | undefined;
  /** The section of the normalizer program (normalizer-steps.ts), for views with the normalizer 3. */
  program?: Uint8Array | undefined;
  /** Of longest match: the id of what no token begins with, with its unit (open/dat.ts). */
  unknown?: number | undefined;
  /** One JSON object. */
  metadata: string;
  /** The section of patterns, for views with the scanner `pattern`. */
  pattern?: Uint8Array | undefined;
  /** First and last code points of the characters of words, for tokens with `singleWord`. */
  words?: Uint32Array | undefined;
  views: CompilerView[];
}

/** An engine that compiles: to the bytes of a file, or why there are none. */
export interface Compiler {
  /** What a program, or the normalizers of a section of the general path, makes of a text, whole, of which nothing is around it. */
  normalize(program: Uint8Array, text: string): string | Failure;
  compile(vocabulary: CompilerInput, form: CartridgeForm): UnsharedUint8Array | Failure;
  /** `dat`: what belongs to the source if it is of version 2. */
  recompile(source: string | Uint8Array, dat: Dat | undefined, form: CartridgeForm): UnsharedUint8Array | Failure;
}
