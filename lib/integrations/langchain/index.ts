/**
 * Any model's tokenizer in LangChain: a splitter of texts, and counts of its models.
 *
 * @module crayon-tokenizer/langchain
 */

import { Document } from '@langchain/core/documents';
import { TextSplitter, type TextSplitterChunkHeaderOptions } from '@langchain/textsplitters';
import { outOfRange, unexpected } from '../../base/errors.js';
import { checkOptionNames, optionNames } from '../../base/option-objects.js';
import type { SpecialPolicy } from '../../api/arguments.js';
import type { Separators, TextPart } from '../../api/token-limits.js';
import { TextCounts } from '../../api/text-counts.js';
import type { Tokenizer } from '../../api/tokenizer.js';

/** Fields of {@link TokenTextSplitter}. */
export interface TokenTextSplitterFields {
  /** The model's tokenizer. */
  tokenizer: Pick<Tokenizer, 'count' | 'split'>;
  /** The most tokens of a part. Default 1000, as in LangChain. */
  chunkSize?: number | undefined;
  /** How many tokens at the end of a part the next one repeats, at most. Default 200, as in LangChain, and half a part at most. */
  chunkOverlap?: number | undefined;
  /** Where parts are cut: as for the tokenizer's `split`. Default: between any two tokens. */
  separators?: Separators | undefined;
  /** As for the tokenizer's `split`. */
  special?: SpecialPolicy | undefined;
  /** Leaves room for the ids that the model puts around a text, such as `[CLS]`. */
  addSpecialTokens?: boolean | undefined;
}

const FIELDS = optionNames<TokenTextSplitterFields>({
  tokenizer: true,
  chunkSize: true,
  chunkOverlap: true,
  separators: true,
  special: true,
  addSpecialTokens: true,
});

/**
 * A text splitter of LangChain that cuts texts by the tokens of any model: every part has at most `chunkSize` tokens when it is
 * encoded alone, no character is cut, and no text is lost. Documents know the lines that they come from (`loc.lines`, as in LangChain)
 * and the UTF-16 units (`loc.characters`).
 *
 * LangChain's own `TokenTextSplitter` cuts between the ids of the whole text: its parts can have half a character at either end,
 * and more tokens than `chunkSize`.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer';
 * import { TokenTextSplitter, type TokenTextSplitterFields } from 'crayon-tokenizer/langchain';
 *
 * const tokenizer = await Tokenizer.load('o200k_base');
 * const fields: TokenTextSplitterFields = { tokenizer, chunkSize: 3, chunkOverlap: 0 };
 * const splitter = new TokenTextSplitter(fields);
 * const documents = await splitter.createDocuments(['hello world,\nhow are you?']);
 * documents[1].pageContent; // 'how are you'
 * documents[1].metadata; // { loc: { lines: { from: 2, to: 2 }, characters: { start: 13, end: 24 } } }
 * ```
 */
export class TokenTextSplitter extends TextSplitter {
  /** @internal */
  static override lc_name(): string {
    return 'TokenTextSplitter';
  }

  readonly #fields: TokenTextSplitterFields;

  /**
   * Throws for fields that cannot be followed, with their name.
   *
   * @example
   * ```ts
   * import { Tokenizer } from 'crayon-tokenizer';
   * import { TokenTextSplitter } from 'crayon-tokenizer/langchain';
   *
   * const tokenizer = await Tokenizer.load('text-embedding-3-small');
   * const splitter = new TokenTextSplitter({ tokenizer, chunkSize: 512, chunkOverlap: 64, separators: 'text' });
   * await splitter.splitText('hello world'); // ['hello world']
   * new TokenTextSplitter({ tokenizer, chunkSize: 100, chunkOverlap: 100 }); // throws RangeError
   * ```
   */
  constructor(fields: TokenTextSplitterFields) {
    const checked = checkedFields(fields);
    const { tokenizer, chunkSize, chunkOverlap, special, addSpecialTokens } = checked;
    super({ chunkSize, chunkOverlap, lengthFunction: (text: string) => tokenizer.count(text, { special, addSpecialTokens }) });
    this.#fields = checked;
    this.#split(''); // now rather than with the first text: an option that cannot be followed
  }

  /**
   * The parts of a text.
   *
   * @example
   * ```ts
   * import { Tokenizer } from 'crayon-tokenizer';
   * import { TokenTextSplitter } from 'crayon-tokenizer/langchain';
   *
   * const tokenizer = await Tokenizer.load('o200k_base');
   * const splitter = new TokenTextSplitter({ tokenizer, chunkSize: 2, chunkOverlap: 1 });
   * await splitter.splitText('one two three'); // ['one two', ' two three']
   * ```
   */
  override async splitText(text: string): Promise<string[]> {
    return this.#split(text).map((part) => part.text);
  }

  /**
   * Documents of the parts of some texts: `metadatas[i]` and where the part is in text i. `splitDocuments` and `transformDocuments`
   * use it.
   *
   * @example
   * ```ts
   * import { Document } from '@langchain/core/documents';
   * import { Tokenizer } from 'crayon-tokenizer';
   * import { TokenTextSplitter } from 'crayon-tokenizer/langchain';
   *
   * const tokenizer = await Tokenizer.load('o200k_base');
   * const splitter = new TokenTextSplitter({ tokenizer, chunkSize: 1, chunkOverlap: 0 });
   * const [, second] = await splitter.splitDocuments([new Document({ pageContent: 'one two', metadata: { source: 'a.txt' } })]);
   * second.pageContent; // ' two'
   * second.metadata; // { source: 'a.txt', loc: { lines: { from: 1, to: 1 }, characters: { start: 3, end: 7 } } }
   * ```
   */
  override async createDocuments(
    texts: string[],
    // biome-ignore lint/suspicious/noExplicitAny: as LangChain declares it.
    metadatas: Record<string, any>[] = [],
    chunkHeaderOptions: TextSplitterChunkHeaderOptions = {},
  ): Promise<Document[]> {
    const { chunkHeader = '', chunkOverlapHeader = "(cont'd) ", appendChunkOverlapHeader = false } = chunkHeaderOptions;
    return texts.flatMap((text, index) => {
      const metadata = metadatas[index] ?? {};
      const before = metadata.loc && typeof metadata.loc === 'object' ? metadata.loc : {};
      let line = 1;
      let at = 0;
      return this.#split(text).map(({ text: part, start, end }, number) => {
        line += lineEnds(text, at, start);
        at = start;
        const lines = { from: line, to: line + lineEnds(text, start, end) };
        const header = number > 0 && appendChunkOverlapHeader ? chunkHeader + chunkOverlapHeader : chunkHeader;
        return new Document({
          pageContent: header + part,
          metadata: { ...metadata, loc: { ...before, lines, characters: { start, end } } },
        });
      });
    });
  }

  #split(text: string): TextPart[] {
    const { tokenizer, separators, special, addSpecialTokens } = this.#fields;
    const { chunkSize: maxTokens, chunkOverlap: overlap } = this;
    return tokenizer.split(text, { maxTokens, overlap, separators, special, addSpecialTokens, withOffsets: true });
  }
}

function checkedFields(fields: unknown): TokenTextSplitterFields & { chunkSize: number; chunkOverlap: number } {
  checkOptionNames(fields, FIELDS, 'fields');
  const { tokenizer, chunkSize = 1000, ...rest } = fields as TokenTextSplitterFields;
  // A string has a `split`, too.
  if (typeof (tokenizer as Partial<Tokenizer> | undefined)?.count !== 'function') throw unexpected('a Tokenizer', 'tokenizer', tokenizer);
  checkCount(chunkSize, 'chunkSize', 1);
  const { chunkOverlap = Math.min(200, chunkSize >> 1) } = rest;
  checkCount(chunkOverlap, 'chunkOverlap', 0);
  if (chunkOverlap >= chunkSize) throw outOfRange(`less than chunkSize (${chunkSize})`, 'chunkOverlap', chunkOverlap);
  return { ...rest, tokenizer, chunkSize, chunkOverlap };
}

function checkCount(value: unknown, name: string, least: number): void {
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isSafeInteger(value) || value < least) throw outOfRange(`an integer of ${least} or more`, name, value);
}

function lineEnds(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === LINE_END) count++;
  return count;
}

const LINE_END = 0x0a;

/** What a language model of LangChain has for counting tokens. */
export interface LanguageModel {
  /** The tokens of a text, or of the texts in content blocks. */
  // biome-ignore lint/suspicious/noExplicitAny: models declare the content that they take.
  getNumTokens(content: any): Promise<number>;
}

/**
 * Makes a language model of LangChain count tokens with a tokenizer, and returns the model. LangChain itself counts with an OpenAI
 * encoding that it downloads, GPT-2's for every model that it does not know.
 *
 * Of content in blocks the texts are counted together, as LangChain does. A name of a special token in a text is ordinary text.
 * Whatever asks the model counts the same from then on: `trimMessages({ tokenCounter: model, … })`, memories, chains. What a text was
 * counted as is remembered with the tokenizer, in at most 16 MiB: `trimMessages` asks for the same messages again and again.
 *
 * @example
 * ```ts
 * import { FakeListChatModel } from '@langchain/core/utils/testing';
 * import { Tokenizer } from 'crayon-tokenizer';
 * import { countTokensWith, type LanguageModel } from 'crayon-tokenizer/langchain';
 *
 * const tokenizer = await Tokenizer.load('o200k_base');
 * const model: LanguageModel = countTokensWith(tokenizer, new FakeListChatModel({ responses: [] }));
 * await model.getNumTokens('hello world'); // 2
 * ```
 */
export function countTokensWith<Model extends LanguageModel>(tokenizer: Pick<Tokenizer, 'count'>, model: Model): Model {
  if (typeof (tokenizer as Partial<Tokenizer> | undefined)?.count !== 'function') throw unexpected('a Tokenizer', 'tokenizer', tokenizer);
  if (typeof (model as Partial<Model> | undefined)?.getNumTokens !== 'function') {
    throw unexpected('a language model of LangChain', 'model', model);
  }
  const texts = TextCounts.of(tokenizer);
  model.getNumTokens = async (content: unknown) => texts.count(textOf(content));
  return model;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw unexpected('a string or a list of content blocks', 'content', content);
  return content.map((block: unknown) => textOfBlock(block)).join('');
}

function textOfBlock(block: unknown): string {
  if (typeof block === 'string') return block;
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
  return type === 'text' && typeof text === 'string' ? text : '';
}
