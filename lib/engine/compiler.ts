// Compiles vocabularies to the bytes of cartridges: crayon_compiler.

import type {
  CartridgeForm,
  Compiler,
  CompilerInput,
  CompilerMerges,
  CompilerTokens,
  CompilerView,
  HiddenTokens,
} from '../compile/compiler.js';
import type { Failure } from '../base/errors.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { Dat } from '../open/dat.js';
import type { EngineHost } from './binding.js';
import type { CompilerFunctions, Handle } from './functions.js';

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
