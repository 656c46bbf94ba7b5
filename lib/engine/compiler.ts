// Compiles vocabularies to the bytes of cartridges: crayon_compiler.

import type { Failure } from '../base/errors.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { TokenTable } from '../base/token-table.js';
import type { EngineHost } from './binding.js';
import type { CompilerFunctions, Handle } from './functions.js';

/** The parsed data that accompanies a `.dat`'s bytes. */
export interface Dat extends TokenTable {
  /** The id for text at which no token begins, with its unit (vocabularies/open/dat.ts). */
  unknown?: number | undefined;
}

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
  /** How a text is normalized first: 0 not at all, 1 NFC, 2 the program. Default: 0. */
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

/** Tokens that no caller sees: bytes, and the beginnings of characters (character-bpe.ts and word-bpe.ts of lib/vocabularies/import). */
export interface HiddenTokens {
  /** All ids from here on. */
  from: number;
  /** The id of a character without a token; undefined where each byte has one. */
  unknownId?: number | undefined;
  /** Whether a run of characters without a token is one id. */
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
  /** The id of each byte's token, or 0xFFFFFFFF, where unknown characters fall back to bytes. */
  byteIds?: Uint32Array | undefined;
  /** Ids, ascending, of tokens that no text produces. */
  unmatched?: Uint32Array | undefined;
  /** Whether scores are added as floats, as sentencepiece does. Default: as doubles. */
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

/** What the compiler needs for a model, without its tokens. */
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
  /** Of longest match: the id of what no token begins with, with its unit (vocabularies/open/dat.ts). */
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

type CompilerEngine = EngineHost & CompilerFunctions;

const NO_ID = 0xffffffff;
const NO_IDS = new Uint32Array();
/** The flags of crayon_compiler_set_hidden_tokens. */
const HIDDEN_FLAGS = { fusesUnknown: 1, endsWords: 2, splitsHidden: 4 } as const satisfies Partial<Record<keyof HiddenTokens, number>>;

/** Where one job runs. */
export interface CompilerHost {
  readonly engine: CompilerEngine;
  /** Opens a cartridge while `use` runs. `dat`: what belongs to the source if it is of version 2. */
  withCartridge<T>(source: string | Uint8Array, dat: Dat | undefined, use: (cartridge: Handle) => T): T | Failure;
}

/** `host`: begins a job. */
export function compilerOn(host: () => CompilerHost): Compiler {
  return {
    normalize(program, text) {
      const { engine } = host();
      const bytes = engine.compilerNormalize(program, new TextEncoder().encode(text));
      return bytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : engine.failure();
    },
    compile(vocabulary, form) {
      const { engine } = host();
      return withCompiler(engine, (compiler) => setAll(engine, compiler, vocabulary) && finish(engine, compiler, form));
    },
    recompile(source, dat, form) {
      const { engine, withCartridge } = host();
      return withCartridge(source, dat, (cartridge) =>
        withCompiler(engine, (compiler) => engine.compilerSetCartridge(compiler, cartridge) >= 0 && finish(engine, compiler, form)),
      );
    },
  };
}

/** `use`: what it makes; false or undefined after a failure. */
function withCompiler<T extends object>(engine: CompilerEngine, use: (compiler: Handle) => T | false | undefined): T | Failure {
  const compiler = engine.compilerCreate();
  if (compiler < 0) return engine.failure();
  try {
    return use(compiler) || engine.failure();
  } finally {
    engine.compilerRelease(compiler);
  }
}

function finish(engine: CompilerEngine, compiler: Handle, form: CartridgeForm): UnsharedUint8Array | undefined {
  if (form === 'slim') return engine.compilerFinishSlim(compiler);
  return form === 'dat' ? engine.compilerFinishDat(compiler) : engine.compilerFinish(compiler);
}

function setAll(engine: CompilerEngine, compiler: Handle, vocabulary: CompilerInput): boolean {
  const { metadata, pattern, program, words, views } = vocabulary;
  return (
    setTokens(engine, compiler, vocabulary) >= 0 &&
    engine.compilerSetMetadata(compiler, metadata) >= 0 &&
    (!pattern || engine.compilerSetPattern(compiler, pattern) >= 0) &&
    (!program || engine.compilerSetNormalizerProgram(compiler, program) >= 0) &&
    (!words || engine.compilerSetWords(compiler, words) >= 0) &&
    views.every((view) => addView(engine, compiler, view))
  );
}

function setTokens(engine: CompilerEngine, compiler: Handle, input: CompilerInput): number {
  const { bytes, offsets, model, merges, wordPiece, unigram, general, unknown = NO_ID } = input;
  if (merges) return setMerges(engine, compiler, input, merges);
  if (wordPiece) {
    const { prefix, mostCharacters, wholeWords, unknownId = NO_ID, unmatched = NO_IDS } = wordPiece;
    const prefixBytes = new TextEncoder().encode(prefix);
    return engine.compilerSetWordPiece(compiler, bytes, offsets, unmatched, unknownId, prefixBytes, mostCharacters, Number(wholeWords));
  }
  if (unigram) {
    const { scores, unknownScore, byteIds, unknownId = NO_ID, unmatched = NO_IDS, sumsFloats = false } = unigram;
    const sums = Number(sumsFloats);
    return engine.compilerSetUnigram(compiler, bytes, offsets, unmatched, unknownId, scores, unknownScore, byteIds, sums);
  }
  if (general) {
    const { section, unknownId = NO_ID, unmatched = NO_IDS } = general;
    return engine.compilerSetGeneral(compiler, bytes, offsets, unmatched, unknownId, section);
  }
  if (model === 'bpe') return engine.compilerSetBpe(compiler, bytes, offsets);
  return engine.compilerSetLongestMatch(compiler, bytes, offsets, unknown);
}

function setMerges(engine: CompilerEngine, compiler: Handle, { bytes, offsets }: CompilerInput, merges: CompilerMerges): number {
  const { pairs, priorities, unmatched, whole, hidden } = merges;
  const answer = engine.compilerSetBpeMerges(compiler, bytes, offsets, pairs, priorities, unmatched, Number(whole));
  if (answer < 0 || !hidden) return answer;
  let flags = 0;
  for (const [name, flag] of Object.entries(HIDDEN_FLAGS)) if (hidden[name as keyof typeof HIDDEN_FLAGS]) flags |= flag;
  return engine.compilerSetHiddenTokens(compiler, hidden.from, hidden.unknownId ?? NO_ID, flags);
}

function addView(engine: CompilerEngine, compiler: Handle, { name, scanner, normalizer = 0, tokens, template }: CompilerView): boolean {
  return (
    engine.compilerAddView(compiler, name, scanner) >= 0 &&
    engine.compilerSetNormalizer(compiler, normalizer) >= 0 &&
    addTokens(engine, compiler, tokens) &&
    (!template || engine.compilerSetTemplate(compiler, template.ids, template.prefix, template.ids.length - template.prefix) >= 0)
  );
}

function addTokens(engine: CompilerEngine, compiler: Handle, { bytes, offsets, ids, flags }: CompilerTokens): boolean {
  return ids.every((id, i) => {
    const token = bytes.subarray(offsets[i], offsets[i + 1]);
    return engine.compilerAddToken(compiler, token, id, flags[i] as number) >= 0;
  });
}
