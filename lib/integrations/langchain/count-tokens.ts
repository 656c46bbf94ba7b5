// Language models that count tokens by a tokenizer.

import { unexpected } from '../../base/errors.js';
import { TextCounts } from '../../api/text-counts.js';
import type { Tokenizer } from '../../api/tokenizer.js';

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
