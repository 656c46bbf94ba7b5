// `Tokenizer` of npm `tokenizers`: settings and names from the file itself, ids from the engine, which compiles the file once.

import { atCaller, fromCaller, unexpected } from '../../base/errors.js';
import { type Processor, processorOf } from '../encodings/processors.js';
import { merged, type Rows, paddedBy, truncatedTo } from '../encodings/encoding-rows.js';
import { type AddedTokenJson, ChangedTokens, idsInJson, TokenNames } from '../encodings/token-names.js';
import { vocabularyOf } from '../../api/tokenizer.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { importedHere, Tokenizer as Package, readText, writeText } from '#host';
import {
  AddedToken,
  addedTokenOf,
  type EncodeInput,
  type EncodeOptions,
  type InputSequence,
  paddingFrom,
  paddingIn,
  type PaddingOptions,
  parsed,
  type TokenizerJson,
  truncationFrom,
  truncationIn,
  type TruncationOptions,
  wholeNumber,
} from './tokenizers-options.js';
import { type Encoding, encodingOf, rowsOf } from './encoding.js';
import { type Model, rowsOfInput } from './sequence.js';

/** What only this module may construct with. */
const OPENED = Symbol('opened');

/**
 * A tokenizer of a `tokenizer.json`, with the calls of npm `tokenizers`.
 *
 * The engine compiles the file when the first text is encoded or decoded, and remembers the result in the user's cache; a file that it
 * does not support is an error then. Everything else is answered by the file itself. Examples without imports continue this one.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer/huggingface';
 *
 * const tokenizer = Tokenizer.fromFile('tokenizer.json');
 * (await tokenizer.encode('hello world')).getTokens(); // ['hello', 'world']
 * ```
 */
export class Tokenizer {
  readonly #json: TokenizerJson;
  readonly #names: TokenNames;
  readonly #processor: Processor;
  /** The file as text; undefined once it has been changed. */
  #source: string | undefined;
  #opened: Promise<Model> | undefined;
  /** How `idToToken` spells the added tokens that the normalizer changes. */
  #spelled: ReadonlyMap<number, string> | undefined;

  /** @internal */
  constructor(opened: typeof OPENED, source: string) {
    if (opened !== OPENED) {
      throw fromCaller(
        new TypeError('expected Tokenizer.fromFile() or Tokenizer.fromString(), which open a tokenizer.json, instead of new'),
        new.target,
      );
    }
    this.#source = source;
    this.#json = parsed(source);
    this.#names = new TokenNames(idsInJson(this.#json.model.vocab));
    this.#names.add(this.#json.added_tokens ?? []);
    this.#processor = processorOf(this.#json.post_processor);
  }

  /**
   * Opens a file. In pages, fetch its text and call `fromString`.
   *
   * @example
   * ```ts
   * Tokenizer.fromFile('tokenizer.json').getVocabSize(); // 4
   * ```
   */
  static fromFile(file: string): Tokenizer {
    return atCaller(Tokenizer.fromFile, () => {
      if (typeof file !== 'string') throw unexpected('the path of a tokenizer.json', 'file', file);
      return new Tokenizer(OPENED, readText(file));
    });
  }

  /**
   * Opens the text of a file.
   *
   * @example
   * ```ts
   * const again = Tokenizer.fromString(Tokenizer.fromFile('tokenizer.json').toString());
   * await again.decode([2, 3], true); // 'hello world'
   * ```
   */
  static fromString(s: string): Tokenizer {
    return atCaller(Tokenizer.fromString, () => {
      if (typeof s !== 'string') throw unexpected('the text of a tokenizer.json', 's', s);
      return new Tokenizer(OPENED, s);
    });
  }

  /**
   * Encodes a text, or a pair of texts. Added tokens in them are tokens, as always in Hugging Face.
   *
   * @example
   * ```ts
   * const encoding = await Tokenizer.fromFile('tokenizer.json').encode('hello', 'world');
   * encoding.getIds(); // [2, 3]
   * encoding.getSequenceIds(); // [0, 1]
   * ```
   */
  async encode(sentence: InputSequence, pair?: InputSequence | null, encodeOptions?: EncodeOptions | null): Promise<Encoding> {
    const model = await this.#open();
    return encodingOf(paddedBy(paddingIn(this.#json.padding), [this.#rowsOf(model, sentence, pair, encodeOptions)])[0]!);
  }

  /**
   * Encodes many texts. Padding brings them to the same length.
   *
   * @example
   * ```ts
   * tokenizer.setPadding({ padId: 1 });
   * const encodings = await tokenizer.encodeBatch(['hello world', 'hello']);
   * encodings.map((encoding) => encoding.getIds()); // [[2, 3], [2, 1]]
   * encodings[1].getAttentionMask(); // [1, 0]
   * ```
   */
  async encodeBatch(sentences: EncodeInput[], encodeOptions?: EncodeOptions | null): Promise<Encoding[]> {
    if (!Array.isArray(sentences)) throw unexpected('an array of texts, or of pairs of them', 'sentences', sentences);
    const model = await this.#open();
    const rows = sentences.map((input) => {
      const isPair = Array.isArray(input) && (encodeOptions?.isPretokenized !== true || Array.isArray(input[0]));
      const [first, second] = isPair ? (input as [InputSequence, InputSequence]) : [input as InputSequence];
      return this.#rowsOf(model, first, second, encodeOptions);
    });
    return paddedBy(paddingIn(this.#json.padding), rows).map(encodingOf);
  }

  /**
   * The text of ids; ids without a token are left out.
   *
   * @example
   * ```ts
   * await Tokenizer.fromFile('tokenizer.json').decode([2, 3], true); // 'hello world'
   * ```
   */
  async decode(ids: number[], skipSpecialTokens: boolean): Promise<string> {
    return this.#decode(await this.#open(), ids, skipSpecialTokens, 'ids');
  }

  /**
   * The texts of lists of ids.
   *
   * @example
   * ```ts
   * await Tokenizer.fromFile('tokenizer.json').decodeBatch([[2], [3, 2]], true); // ['hello', 'world hello']
   * ```
   */
  async decodeBatch(ids: number[][], skipSpecialTokens: boolean): Promise<string[]> {
    if (!Array.isArray(ids)) throw unexpected('an array of arrays of ids', 'ids', ids);
    const model = await this.#open();
    return ids.map((row, index) => this.#decode(model, row, skipSpecialTokens, `ids[${index}]`));
  }

  /**
   * Does to an encoding, or to two, what `encode` does after encoding: truncation, post-processor, padding.
   *
   * @example
   * ```ts
   * const [first, second] = await tokenizer.encodeBatch(['hello', 'world']);
   * tokenizer.postProcess(first, second).getIds(); // [2, 3]
   * ```
   */
  postProcess(encoding: Encoding, pair?: Encoding | null, addSpecialTokens?: boolean | null): Encoding {
    const sequences = pair == null ? [rowsOf(encoding)] : [rowsOf(encoding), rowsOf(pair)];
    return encodingOf(paddedBy(paddingIn(this.#json.padding), [this.#processed(sequences, addSpecialTokens ?? true)])[0]!);
  }

  /**
   * Truncates what is encoded from now on to at most `maxLength` tokens, the post-processor's included.
   *
   * @example
   * ```ts
   * tokenizer.setTruncation(1);
   * (await tokenizer.encode('hello world')).getTokens(); // ['hello']
   * ```
   */
  setTruncation(maxLength: number, options?: TruncationOptions | null): void {
    const truncation = truncationFrom(maxLength, options ?? {});
    const added = this.#processor.added(false);
    const remaining = maxLength - added;
    if (remaining > 0 ? truncation.stride >= remaining : truncation.stride > 0) {
      throw new RangeError(
        `\`stride\` must be below the tokens that truncation leaves, ${maxLength} less the ${added} of the post-processor; received ${truncation.stride}`,
      );
    }
    this.#change({ truncation });
  }

  /**
   * Encodes whole texts from now on.
   *
   * @example
   * ```ts
   * tokenizer.setTruncation(1);
   * tokenizer.disableTruncation();
   * (await tokenizer.encode('hello world')).getLength(); // 2
   * ```
   */
  disableTruncation(): void {
    this.#change({ truncation: null });
  }

  /**
   * Pads what is encoded from now on; without options, pads nothing, as in the original.
   *
   * @example
   * ```ts
   * tokenizer.setPadding({ maxLength: 4, padId: 1 });
   * (await tokenizer.encode('hello world')).getIds(); // [2, 3, 1, 1]
   * ```
   */
  setPadding(options?: PaddingOptions | null): void {
    this.#change({ padding: options == null ? null : paddingFrom(options) });
  }

  /**
   * Pads nothing from now on.
   *
   * @example
   * ```ts
   * tokenizer.setPadding({ maxLength: 4 });
   * tokenizer.disablePadding();
   * (await tokenizer.encode('hello world')).getLength(); // 2
   * ```
   */
  disablePadding(): void {
    this.#change({ padding: null });
  }

  /**
   * Adds tokens and returns how many are new. The engine compiles the file again when it is next used.
   *
   * @example
   * ```ts
   * tokenizer.addTokens(['hello', '<end>']); // 2
   * (await tokenizer.encode('hello<end>')).getIds(); // [2, 4]
   * ```
   */
  addTokens(tokens: string[]): number {
    return this.#add(tokens.map((token) => addedTokenOf(new AddedToken(token, false))));
  }

  /**
   * Adds special tokens, which `decode` can leave out.
   *
   * @example
   * ```ts
   * tokenizer.addSpecialTokens(['<end>']);
   * await tokenizer.decode([2, 4], true); // 'hello'
   * ```
   */
  addSpecialTokens(tokens: string[]): void {
    this.#add(tokens.map((token) => addedTokenOf(new AddedToken(token, true))));
  }

  /**
   * Adds tokens with options, and returns how many are new.
   *
   * @example
   * ```ts
   * import { AddedToken, Tokenizer } from 'crayon-tokenizer/huggingface';
   *
   * const tokenizer = Tokenizer.fromFile('tokenizer.json');
   * tokenizer.addAddedTokens([new AddedToken('<end>', true)]); // 1
   * tokenizer.tokenToId('<end>'); // 4
   * ```
   */
  addAddedTokens(tokens: AddedToken[]): number {
    return this.#add(tokens.map(addedTokenOf));
  }

  /**
   * The vocabulary: the ids by token.
   *
   * @example
   * ```ts
   * Tokenizer.fromFile('tokenizer.json').getVocab(); // { '[UNK]': 0, '[PAD]': 1, hello: 2, world: 3 }
   * ```
   */
  getVocab(withAddedTokens?: boolean | null): Record<string, number> {
    return Object.fromEntries((withAddedTokens ?? true) ? this.#names.ids : this.#names.idsOfModel);
  }

  /**
   * The number of tokens.
   *
   * @example
   * ```ts
   * tokenizer.getVocabSize(); // 4
   * ```
   */
  getVocabSize(withAddedTokens?: boolean | null): number {
    return this.#names.size(withAddedTokens ?? true);
  }

  /**
   * The token of an id; null if there is none. An added token is spelled as the normalizer makes it, as in tokenizers 0.23; in pages
   * as the file has it.
   *
   * @example
   * ```ts
   * tokenizer.idToToken(2); // 'hello'
   * ```
   */
  idToToken(id: number): string | null {
    this.#spelled ??= spelledAtOnce(this.#json.normalizer, this.#names.added);
    return this.#spelled.get(id) ?? this.#names.nameOf(id) ?? null;
  }

  /**
   * The id of a token; null if there is none.
   *
   * @example
   * ```ts
   * tokenizer.tokenToId('hello'); // 2
   * ```
   */
  tokenToId(token: string): number | null {
    return this.#names.idOf(token) ?? null;
  }

  /**
   * Writes the file, with the settings and tokens of now. In pages, use `toString`.
   *
   * @example
   * ```ts
   * tokenizer.setTruncation(512);
   * tokenizer.save('tokenizer-512.json');
   * Tokenizer.fromFile('tokenizer-512.json').tokenToId('hello'); // 2
   * ```
   */
  save(path: string, pretty?: boolean | null): void {
    writeText(path, pretty ? JSON.stringify(this.#json, null, 2) : this.toString());
  }

  /**
   * The text of the file, with the settings and tokens of now.
   *
   * @example
   * ```ts
   * JSON.parse(tokenizer.toString()).model.type; // 'WordLevel'
   * ```
   */
  toString(): string {
    this.#source ??= JSON.stringify(this.#json);
    return this.#source;
  }

  #change(part: Partial<TokenizerJson>): void {
    Object.assign(this.#json, part);
    this.#source = undefined;
  }

  #add(tokens: Omit<AddedTokenJson, 'id'>[]): number {
    const count = this.#names.add(tokens);
    if (count === 0) return 0;
    this.#change({ added_tokens: this.#names.added });
    this.#opened = this.#spelled = undefined;
    return count;
  }

  #open(): Promise<Model> {
    this.#opened ??= this.#compile();
    return this.#opened;
  }

  async #compile(): Promise<Model> {
    // Limits are not of the engine, and every setting of them would be compiled anew.
    const source = JSON.stringify({ ...this.#json, truncation: null, padding: null });
    // Tokens that are added meanwhile are not the engine's.
    const { added } = this.#names;
    return modelOf(vocabularyOf(await Package.load(new TextEncoder().encode(source))), this.#json, this.#names, added);
  }

  #rowsOf(model: Model, first: InputSequence, second: InputSequence | null | undefined, options: EncodeOptions | null | undefined): Rows {
    const isSplit = options?.isPretokenized === true;
    const reading = truncationIn(this.#json.truncation);
    // The original reads a whole first text before it truncates the second one alone, but not the other way around.
    const ofFirst = reading?.strategy === 'only_second' ? undefined : reading;
    const sequences = [rowsOfInput(model, first, 'sentence', isSplit, 0, ofFirst)];
    if (second != null) sequences.push(rowsOfInput(model, second, 'pair', isSplit, 1, reading));
    return this.#processed(sequences, options?.addSpecialTokens ?? true);
  }

  #processed(sequences: readonly Rows[], adds: boolean): Rows {
    const added = adds ? this.#processor.added(sequences.length === 2) : 0;
    return merged(this.#processor.process(truncatedTo(truncationIn(this.#json.truncation), sequences, added), adds));
  }

  #decode({ changed }: Model, ids: unknown, skipSpecialTokens: boolean, name: string): string {
    if (!Array.isArray(ids)) throw unexpected('an array of ids', name, ids);
    const known = ids.filter((id, index) => this.#names.nameOf(wholeNumber(id, `${name}[${index}]`)) !== undefined);
    return changed.decode(known, skipSpecialTokens);
  }
}

const NONE: ReadonlyMap<number, string> = new Map();

/** The texts of added tokens that the normalizer changes, by their ids: of a small file that has nothing else, where the host compiles at once. */
function spelledAtOnce(normalizer: unknown, added: readonly AddedTokenJson[]): ReadonlyMap<number, string> {
  const compile = importedHere as typeof importedHere | undefined;
  const normalized = normalizer && compile ? added.filter((token) => token.normalized) : [];
  if (normalized.length === 0) return NONE;
  const tokens = normalized.map((token, index) => ({ ...token, id: index + 1 }));
  const model = { type: 'WordLevel', unk_token: '\0', vocab: { '\0': 0 } };
  try {
    const vocabulary = compile!(JSON.stringify({ normalizer, added_tokens: tokens, model }));
    return new Map([...new ChangedTokens(vocabulary, tokens).names].map(([id, text]) => [normalized[id - 1]!.id, text]));
  } catch {
    // The engine does not support the normalizer, and says so when a text is encoded.
    return NONE;
  }
}

function modelOf(vocabulary: Vocabulary, { model }: TokenizerJson, names: TokenNames, added: readonly AddedTokenJson[]): Model {
  const isUnigram = Array.isArray(model.vocab);
  const unknownId = isUnigram ? (model.unk_id ?? undefined) : model.unk_token == null ? undefined : names.idOf(model.unk_token);
  return {
    engine: vocabulary.engine,
    isGeneral: vocabulary.metadata.generalPath !== undefined,
    names,
    changed: new ChangedTokens(vocabulary, added),
    unknownId,
    showsUnknown: isUnigram,
  };
}
