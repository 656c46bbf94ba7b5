// The WebAssembly compiler backend: the module `build`, instantiated once per job.

import type {
  CartridgeForm,
  Compiler,
  CompilerGeneral,
  CompilerInput,
  CompilerMerges,
  CompilerTemplate,
  CompilerTokens,
  CompilerUnigram,
  CompilerWordPiece,
  HiddenTokens,
} from '../compile/compiler.js';
import type { Dat } from '../open/dat.js';
import type { Failure } from '../base/errors.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import { openCartridge } from './open.js';
import { WasmCore } from './core.js';
import type { WasmModule } from '../open/source.js';

const NO_ID = 0xffffffff;
/** The flags of crayon_compiler_set_hidden_tokens, in crayon.h. */
const HIDDEN_FLAGS = {
  fusesUnknown: 1,
  endsWords: 2,
  splitsHidden: 4,
} as const satisfies Partial<Record<keyof HiddenTokens, number>>;
const NO_IDS = new Uint32Array();

/** The first arguments of a function that sets tokens. */
type TokensAt = [compiler: number, bytes: number, size: number, offsets: number, count: number];

/** The functions of crayon.h that only the module `build` exports. */
interface BuildEngine {
  crayon_compiler_create(out: number, result: number): number;
  crayon_compiler_set_bpe(compiler: number, bytes: number, size: number, offsets: number, count: number, result: number): number;
  crayon_compiler_set_bpe_merges(
    compiler: number,
    bytes: number,
    size: number,
    offsets: number,
    count: number,
    merges: number,
    mergeCount: number,
    priorities: number,
    unmatched: number,
    unmatchedCount: number,
    whole: number,
    result: number,
  ): number;
  crayon_compiler_set_hidden_tokens(compiler: number, from: number, unknownId: number, flags: number, result: number): number;
  crayon_compiler_set_longest_match(
    compiler: number,
    bytes: number,
    size: number,
    offsets: number,
    count: number,
    unknownId: number,
    result: number,
  ): number;
  crayon_compiler_set_word_piece(
    compiler: number,
    bytes: number,
    size: number,
    offsets: number,
    count: number,
    unmatched: number,
    unmatchedCount: number,
    unknownId: number,
    prefix: number,
    prefixLength: number,
    mostCharacters: number,
    wholeWords: number,
    result: number,
  ): number;
  crayon_compiler_set_unigram(
    compiler: number,
    bytes: number,
    size: number,
    offsets: number,
    count: number,
    unmatched: number,
    unmatchedCount: number,
    unknownId: number,
    scores: number,
    unknownScore: number,
    byteIds: number,
    sumsFloats: number,
    result: number,
  ): number;
  crayon_compiler_set_general(
    compiler: number,
    bytes: number,
    size: number,
    offsets: number,
    count: number,
    unmatched: number,
    unmatchedCount: number,
    unknownId: number,
    section: number,
    sectionLength: number,
    result: number,
  ): number;
  crayon_compiler_set_metadata(compiler: number, json: number, length: number, result: number): number;
  crayon_compiler_set_normalizer_program(compiler: number, bytes: number, length: number, result: number): number;
  crayon_compiler_normalize(program: number, length: number, text: number, textLength: number, out: number, result: number): number;
  crayon_compiler_set_pattern(compiler: number, bytes: number, length: number, result: number): number;
  crayon_compiler_set_words(compiler: number, ranges: number, count: number, result: number): number;
  crayon_compiler_add_view(
    compiler: number,
    name: number,
    nameLength: number,
    scanner: number,
    scannerLength: number,
    result: number,
  ): number;
  crayon_compiler_set_normalizer(compiler: number, normalizer: number, result: number): number;
  crayon_compiler_add_token(compiler: number, bytes: number, length: number, id: number, flags: number, result: number): number;
  crayon_compiler_set_template(compiler: number, ids: number, prefix: number, suffix: number, result: number): number;
  crayon_compiler_set_cartridge(compiler: number, cartridge: number, result: number): number;
  crayon_compiler_finish(compiler: number, bytes: number, result: number): number;
  crayon_compiler_finish_slim(compiler: number, bytes: number, result: number): number;
  crayon_compiler_finish_dat(compiler: number, bytes: number, result: number): number;
}

const FINISH = {
  full: 'crayon_compiler_finish',
  slim: 'crayon_compiler_finish_slim',
  dat: 'crayon_compiler_finish_dat',
} as const;

/** Compiles with the module `build`. */
export function wasmCompiler(module: WasmModule): Compiler {
  return {
    normalize: (program, text) => new Job(module).normalize(program, text),
    compile: (vocabulary, form) => new Job(module).compile(vocabulary, form),
    recompile(source, dat, form) {
      if (typeof source === 'string') throw new Error(`WebAssembly opens no files: ${source}`);
      return new Job(module).recompile(source, dat, form);
    },
  };
}

function bytesOfWords({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** One compile job. A step that fails returns a non-zero status and ends the job. */
class Job {
  readonly #core: WasmCore;
  readonly #engine: BuildEngine;

  constructor(module: WasmModule) {
    this.#core = new WasmCore(module);
    this.#engine = this.#core.engine as unknown as BuildEngine;
  }

  compile(vocabulary: CompilerInput, form: CartridgeForm): UnsharedUint8Array | Failure {
    try {
      const compiler = this.#create();
      const isDone =
        compiler !== 0 &&
        this.#setTokens(compiler, vocabulary) &&
        this.#setPattern(compiler, vocabulary) &&
        this.#setProgram(compiler, vocabulary) &&
        this.#setWords(compiler, vocabulary) &&
        this.#setViews(compiler, vocabulary);
      return isDone ? this.#finish(compiler, form) : this.#core.failure();
    } catch (error) {
      throw this.#core.caught(error);
    }
  }

  normalize(program: Uint8Array, text: string): string | Failure {
    try {
      const bytes = new TextEncoder().encode(text);
      const { out, result } = this.#core;
      const status = this.#core.withBytes(program, (at) =>
        this.#core.withBytes(bytes, (textAt) =>
          this.#engine.crayon_compiler_normalize(at, program.length, textAt, bytes.length, out, result),
        ),
      );
      if (status !== 0) return this.#core.failure();
      const begin = this.#core.outWord(0);
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#core.bytes.slice(begin, begin + this.#core.count));
    } catch (error) {
      throw this.#core.caught(error);
    }
  }

  recompile(source: Uint8Array, dat: Dat | undefined, form: CartridgeForm): UnsharedUint8Array | Failure {
    try {
      const cartridge = openCartridge(this.#core, source, { dat }, undefined);
      const compiler = this.#create();
      const { result } = this.#core;
      const isDone = compiler !== 0 && this.#engine.crayon_compiler_set_cartridge(compiler, cartridge, result) === 0;
      return isDone ? this.#finish(compiler, form) : this.#core.failure();
    } catch (error) {
      throw this.#core.caught(error);
    }
  }

  /** Returns 0 if the allocation fails. */
  #create(): number {
    const { out, result } = this.#core;
    return this.#engine.crayon_compiler_create(out, result) === 0 ? this.#core.outWord(0) : 0;
  }

  #setTokens(compiler: number, input: CompilerInput): boolean {
    const { bytes, offsets, model, merges, wordPiece, unigram, general, unknown = NO_ID } = input;
    const offsetBytes = bytesOfWords(offsets);
    const count = offsets.length - 1;
    const { result } = this.#core;
    const engine = this.#engine;
    const { length } = bytes;
    const setMerges = (at: number, offsetsAt: number, { pairs, priorities, unmatched, whole }: CompilerMerges) =>
      this.#core.withBytes(bytesOfWords(pairs), (pairsAt) =>
        this.#core.withBytes(bytesOfWords(priorities ?? NO_IDS), (prioritiesAt) =>
          this.#core.withBytes(bytesOfWords(unmatched), (unmatchedAt) =>
            engine.crayon_compiler_set_bpe_merges(
              compiler,
              at,
              length,
              offsetsAt,
              count,
              pairsAt,
              pairs.length / 2,
              priorities ? prioritiesAt : 0,
              unmatchedAt,
              unmatched.length,
              Number(whole),
              result,
            ),
          ),
        ),
      );
    const status = this.#core.withBytes(bytes, (at) =>
      this.#core.withBytes(offsetBytes, (offsetsAt) =>
        merges
          ? setMerges(at, offsetsAt, merges)
          : wordPiece
            ? this.#setWordPiece([compiler, at, length, offsetsAt, count], wordPiece)
            : unigram
              ? this.#setUnigram([compiler, at, length, offsetsAt, count], unigram)
              : general
                ? this.#setGeneral([compiler, at, length, offsetsAt, count], general)
                : model === 'bpe'
                  ? engine.crayon_compiler_set_bpe(compiler, at, length, offsetsAt, count, result)
                  : engine.crayon_compiler_set_longest_match(compiler, at, length, offsetsAt, count, unknown, result),
      ),
    );
    if (status !== 0 || !merges?.hidden) return status === 0;
    const { hidden } = merges;
    const { from, unknownId: id = NO_ID } = hidden;
    let flags = 0;
    for (const [name, flag] of Object.entries(HIDDEN_FLAGS)) if (hidden[name as keyof typeof HIDDEN_FLAGS]) flags |= flag;
    return engine.crayon_compiler_set_hidden_tokens(compiler, from, id, flags, result) === 0;
  }

  #setWordPiece(
    tokens: TokensAt,
    { prefix, mostCharacters, wholeWords, unknownId = NO_ID, unmatched = NO_IDS }: CompilerWordPiece,
  ): number {
    const { result } = this.#core;
    const text = new TextEncoder().encode(prefix);
    return this.#core.withBytes(bytesOfWords(unmatched), (at) =>
      this.#core.withBytes(text, (prefixAt) =>
        this.#engine.crayon_compiler_set_word_piece(
          ...tokens,
          at,
          unmatched.length,
          unknownId,
          prefixAt,
          text.length,
          mostCharacters,
          Number(wholeWords),
          result,
        ),
      ),
    );
  }

  #setGeneral(tokens: TokensAt, { section, unknownId = NO_ID, unmatched = NO_IDS }: CompilerGeneral): number {
    const { result } = this.#core;
    return this.#core.withBytes(bytesOfWords(unmatched), (at) =>
      this.#core.withBytes(section, (sectionAt) =>
        this.#engine.crayon_compiler_set_general(...tokens, at, unmatched.length, unknownId, sectionAt, section.length, result),
      ),
    );
  }

  #setUnigram(
    tokens: TokensAt,
    { scores, unknownScore, byteIds = NO_IDS, unknownId = NO_ID, unmatched = NO_IDS, sumsFloats = false }: CompilerUnigram,
  ): number {
    const { result } = this.#core;
    const scoreBytes = new Uint8Array(scores.buffer, scores.byteOffset, scores.byteLength);
    return this.#core.withBytes(bytesOfWords(unmatched), (at) =>
      this.#core.withBytes(scoreBytes, (scoresAt) =>
        this.#core.withBytes(bytesOfWords(byteIds), (byteIdsAt) =>
          this.#engine.crayon_compiler_set_unigram(
            ...tokens,
            at,
            unmatched.length,
            unknownId,
            scoresAt,
            unknownScore,
            byteIds.length > 0 ? byteIdsAt : 0,
            Number(sumsFloats),
            result,
          ),
        ),
      ),
    );
  }

  #setPattern(compiler: number, { pattern }: CompilerInput): boolean {
    if (!pattern) return true;
    const set = (at: number) => this.#engine.crayon_compiler_set_pattern(compiler, at, pattern.length, this.#core.result);
    return this.#core.withBytes(pattern, set) === 0;
  }

  #setProgram(compiler: number, { program }: CompilerInput): boolean {
    if (!program) return true;
    const set = (at: number) => this.#engine.crayon_compiler_set_normalizer_program(compiler, at, program.length, this.#core.result);
    return this.#core.withBytes(program, set) === 0;
  }

  #setWords(compiler: number, { words }: CompilerInput): boolean {
    if (!words) return true;
    const set = (at: number) => this.#engine.crayon_compiler_set_words(compiler, at, words.length / 2, this.#core.result);
    return this.#core.withBytes(bytesOfWords(words), set) === 0;
  }

  #setViews(compiler: number, { metadata, views }: CompilerInput): boolean {
    const engine = this.#engine;
    const { result } = this.#core;
    const isSet = this.#withText(metadata, (at, length) => engine.crayon_compiler_set_metadata(compiler, at, length, result));
    return (
      isSet &&
      views.every(
        ({ name, scanner, normalizer = 0, tokens, template }) =>
          this.#addView(compiler, name, scanner) &&
          engine.crayon_compiler_set_normalizer(compiler, normalizer, result) === 0 &&
          this.#setTemplate(compiler, template) &&
          this.#addTokens(compiler, tokens),
      )
    );
  }

  #addTokens(compiler: number, { bytes, offsets, ids, flags }: CompilerTokens): boolean {
    const engine = this.#engine;
    const { result } = this.#core;
    const addAll = (at: number): number => {
      for (let i = 0; i < ids.length; i++) {
        const begin = offsets[i] as number;
        const length = (offsets[i + 1] as number) - begin;
        const status = engine.crayon_compiler_add_token(compiler, at + begin, length, ids[i] as number, flags[i] as number, result);
        if (status !== 0) return status;
      }
      return 0;
    };
    return this.#core.withBytes(bytes, addAll) === 0;
  }

  #setTemplate(compiler: number, template: CompilerTemplate | undefined): boolean {
    if (!template) return true;
    const { ids, prefix } = template;
    const set = (at: number) => this.#engine.crayon_compiler_set_template(compiler, at, prefix, ids.length - prefix, this.#core.result);
    return this.#core.withBytes(bytesOfWords(ids), set) === 0;
  }

  #addView(compiler: number, name: string, scanner: string): boolean {
    const { result } = this.#core;
    return this.#withText(name, (nameAt, nameLength) => {
      const add = (at: number, length: number) => this.#engine.crayon_compiler_add_view(compiler, nameAt, nameLength, at, length, result);
      return this.#withText(scanner, add) ? 0 : 1;
    });
  }

  #withText(text: string, step: (at: number, length: number) => number): boolean {
    const bytes = new TextEncoder().encode(text);
    return this.#core.withBytes(bytes, (at) => step(at, bytes.length)) === 0;
  }

  #finish(compiler: number, form: CartridgeForm): UnsharedUint8Array | Failure {
    const { out, result } = this.#core;
    if (this.#engine[FINISH[form]](compiler, out, result) !== 0) return this.#core.failure();
    const { count } = this.#core;
    const at = this.#core.outWord(0);
    return this.#core.bytes.slice(at, at + count);
  }
}
