// A trained vocabulary and its output formats.

import type { CompileJob } from '../vocabularies/import/compile-job.js';
import { checkOneOf } from '../vocabularies/open/load-options.js';
import type { SplitPattern } from '../vocabularies/compile/split-pattern.js';
import { writeTokenList } from '../vocabularies/open/token-list.js';
import { joinTokens } from '../base/token-table.js';
import { outOfRange, quotedName, TokenizerError, unexpected } from '../base/errors.js';
import { base64Of } from '../base/text-encodings.js';
import { checkOptionNames, optionNames } from '../base/option-objects.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { CheckedOptions } from './train-options.js';
import { tokenizerJson } from './write-tokenizer-json.js';
import type { Learned } from '../engine/trainer.js';

export type CompileJobOnHost = (job: CompileJob) => Promise<UnsharedUint8Array>;

/**
 * Options of {@link TrainedVocabulary.toCartridge}.
 *
 * @example
 * ```ts
 * const trained = await trainBpe('low lower lowest', { vocabularySize: 260 });
 * const options: TrainedCartridgeOptions = { model: 'longest-match', name: 'low' };
 * using tokenizer = await Tokenizer.load(await trained.toCartridge(options));
 * tokenizer.modelKind; // 'longest-match'
 * ```
 */
export interface TrainedCartridgeOptions {
  /** How pieces become ids. Default `'bpe'`, which needs all bytes. */
  model?: 'bpe' | 'longest-match' | undefined;
  /** Make a slim cartridge. Default false. */
  slim?: boolean | undefined;
  /** The name of the tokenizer. Default `'trained'`. */
  name?: string | undefined;
}

type TrainedOptions = Pick<CheckedOptions, 'pretokenizer' | 'specialTokens' | 'specialFirst' | 'vocabularySize'>;

const CARTRIDGE_OPTIONS = optionNames<TrainedCartridgeOptions>({ model: true, slim: true, name: true });

/**
 * The result of {@link trainBpe}.
 *
 * @example
 * ```ts
 * const trained: TrainedVocabulary = await trainBpe('low lower lowest', { vocabularySize: 258 });
 * trained.merges; // [[75, 78], [256, 86]]
 * const learned = trained.tokens.slice(256);
 * learned.map((token) => new TextDecoder().decode(token)); // ['lo', 'low']
 * ```
 */
export class TrainedVocabulary {
  /** The bytes of each token, by its id. */
  readonly tokens: UnsharedUint8Array[];
  /** The ids of the two tokens of each merge, in order. */
  readonly merges: [left: number, right: number][];
  /** The ids of the special tokens. */
  readonly specialTokens: ReadonlyMap<string, number>;
  /** How many fewer tokens than `vocabularySize` there are, since no other pair occurs `minFrequency` times (default 2). Usually 0. */
  readonly shortfall: number;
  /** How text is split into pieces: a family, patterns, or null for no splitting. */
  readonly pretokenizer: string | readonly Readonly<SplitPattern>[] | null;
  readonly #learned: Learned;
  readonly #options: TrainedOptions;
  readonly #compile: CompileJobOnHost;
  /** The resulting id of each merge. */
  readonly #results: Uint32Array;

  /** @internal */
  constructor(what: Learned, options: TrainedOptions, compile: CompileJobOnHost) {
    const { bytes, offsets, merges } = what;
    const { pretokenizer, specialTokens, specialFirst, vocabularySize } = options;
    this.#learned = what;
    this.#options = options;
    const encoder = new TextEncoder();
    const texts = specialTokens.map((text) => encoder.encode(text));
    const learned = Array.from({ length: offsets.length - 1 }, (_, id) => bytes.subarray(offsets[id], offsets[id + 1]));
    this.tokens = specialFirst ? [...texts, ...learned.slice(texts.length)] : [...learned, ...texts];
    const first = specialFirst ? 0 : learned.length;
    this.shortfall = vocabularySize - this.tokens.length;
    this.specialTokens = new Map(specialTokens.map((text, index) => [text, first + index]));
    const count = merges.length / 3;
    this.merges = Array.from({ length: count }, (_, at) => [merges[3 * at] as number, merges[3 * at + 1] as number]);
    this.#results = Uint32Array.from({ length: count }, (_, at) => merges[3 * at + 2] as number);
    this.pretokenizer =
      typeof pretokenizer === 'object'
        ? pretokenizer && Object.freeze(pretokenizer.map((each) => Object.freeze({ ...each })))
        : pretokenizer;
    this.#compile = compile;
  }

  /**
   * The result that training for fewer tokens on the same texts would have given.
   *
   * @example
   * ```ts
   * const trained = await trainBpe('low lower lowest', { vocabularySize: 260 });
   * trained.upTo(257).merges.length; // 1
   * ```
   */
  upTo(vocabularySize: number): TrainedVocabulary {
    const { bytes, offsets, merges } = this.#learned;
    const initial = this.tokens.length - new Set(this.#results.filter((id) => !this.#isSpecial(id))).size;
    if (!Number.isInteger(vocabularySize) || vocabularySize < initial || vocabularySize > this.tokens.length) {
      throw outOfRange(`an integer from ${initial} to ${this.tokens.length}`, 'vocabularySize', vocabularySize);
    }
    const { specialFirst, specialTokens } = this.#options;
    const count = specialFirst ? vocabularySize : vocabularySize - specialTokens.length;
    const end = this.#results.findIndex((id) => id >= count);
    const part = { bytes, offsets: offsets.slice(0, count + 1), merges: end < 0 ? merges : merges.slice(0, 3 * end) };
    return new TrainedVocabulary(part, { ...this.#options, vocabularySize }, this.#compile);
  }

  /**
   * The bytes of a cartridge with the same ids, to write to a file or pass to {@link Tokenizer.load}.
   *
   * @example
   * ```ts
   * const trained = await trainBpe('low lower lowest', { vocabularySize: 258 });
   * using tokenizer = await Tokenizer.load(await trained.toCartridge({ name: 'low' }));
   * tokenizer.encode('low'); // Uint32Array [257]
   * ```
   */
  async toCartridge(options: TrainedCartridgeOptions = {}): Promise<UnsharedUint8Array> {
    checkOptionNames(options, CARTRIDGE_OPTIONS);
    const { model = 'bpe', slim = false, name = 'trained' } = options;
    checkOneOf(['bpe', 'longest-match'], 'model', model);
    if (typeof slim !== 'boolean') throw unexpected('a boolean', 'slim', slim);
    if (typeof name !== 'string' || name === '') throw unexpected('a name', 'name', name);
    if (model === 'bpe') this.#checkMerges('a cartridge');
    const specialTokens = [...this.specialTokens];
    const job = { model, name, specialTokens, form: slim ? 'slim' : 'full' } as const;
    return this.#compile({ ...job, ...this.#table() });
  }

  /**
   * A version 2 file for longest match, and the list of tokens to put beside it. It cannot hold special tokens.
   *
   * @example
   * ```ts
   * const trained = await trainBpe('low lower lowest', { vocabularySize: 258 });
   * const { dat, json } = await trained.toDat();
   * using tokenizer = await Tokenizer.load(dat);
   * tokenizer.encode('low'); // Uint32Array [257]
   * JSON.parse(json).length; // 258
   * ```
   */
  async toDat(): Promise<{ dat: UnsharedUint8Array; json: string }> {
    const [special] = this.specialTokens.keys();
    if (special !== undefined) {
      const message = `cannot make a version 2 file: it cannot hold the special token ${quotedName(special)}; toCartridge() and toTokenizerJson() can`;
      throw new TokenizerError(message, { code: 'BUILD_FAILED' });
    }
    const job = { model: 'longest-match', name: 'trained', form: 'dat' } as const;
    const dat = await this.#compile({ ...job, specialTokens: [], ...this.#table() });
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return { dat, json: writeTokenList(this.tokens.map((token) => decoder.decode(token))) };
  }

  /**
   * The ranks in tiktoken's format: a line of `base64 id` for each token except the special ones.
   *
   * @example
   * ```ts
   * const trained = await trainBpe('low lower lowest', { vocabularySize: 257 });
   * trained.toTiktoken().split('\n')[256]; // 'bG8= 256'
   * ```
   */
  toTiktoken(): string {
    this.#checkMerges('ranks');
    const lines = this.tokens.map((token, id) => (this.#isOrdinary(id) ? `${base64Of(token)} ${id}\n` : ''));
    return lines.join('');
  }

  /**
   * A Hugging Face `tokenizer.json`, as an object.
   *
   * @example
   * ```ts
   * const trained = await trainBpe('low lower lowest', { vocabularySize: 257, pretokenizer: 'o200k' });
   * JSON.stringify(trained.toTokenizerJson()).includes('"merges":[["l","o"]]'); // true
   * ```
   */
  toTokenizerJson(): object {
    const { tokens, merges, specialTokens } = this;
    const { pretokenizer } = this.#options;
    return tokenizerJson({ tokens, merges, specialTokens, pretokenizer });
  }

  /** Special tokens that come first also serve as ordinary tokens if they are a single byte. */
  #isOrdinary(id: number): boolean {
    return !this.#isSpecial(id) || (this.#options.specialFirst && this.tokens[id]?.length === 1);
  }

  #isSpecial(id: number): boolean {
    const [first = 0] = this.specialTokens.values();
    return id >= first && id < first + this.specialTokens.size;
  }

  #table(): Pick<Extract<CompileJob, { tokens: unknown }>, 'tokens' | 'pretokenizer' | 'source' | 'unknownId'> {
    const tokens = joinTokens(this.tokens.map((token, id) => (this.#isOrdinary(id) ? token : undefined)));
    const source = `a trained vocabulary of ${this.tokens.length} tokens`;
    return { tokens, pretokenizer: this.#options.pretokenizer ?? 'none', source, unknownId: undefined };
  }

  /** Throws if a merge produced a special token: ranks must be the order of merges. */
  #checkMerges(what: 'a cartridge' | 'ranks'): void {
    for (const [text, id] of this.specialTokens) {
      if (!this.#results.includes(id)) continue;
      const why = `the special token ${quotedName(text)} is also the result of merging two tokens, which ranks cannot express`;
      const advice = 'a tokenizer.json can, and load opens it: toTokenizerJson(); or choose another special token';
      throw new TokenizerError(`cannot make ${what}: ${why}; ${advice}`, { code: 'BUILD_FAILED' });
    }
  }
}
