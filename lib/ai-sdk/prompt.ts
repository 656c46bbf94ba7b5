// What a prompt of the AI SDK consists of, as far as counting needs it. The same for the versions 2 to 4 of its language models, whose
// parts are told apart by what they have.

/**
 * A message of a prompt. Messages of language models of the AI SDK are such, of version 2, 3 and 4, and those that programs write.
 *
 * @example
 * ```ts
 * import type { PromptMessage } from 'crayon-tokenizer/ai-sdk';
 *
 * const message: PromptMessage = { role: 'user', content: [{ type: 'text', text: 'hello world' }] };
 * ```
 */
export interface PromptMessage {
  /** `'system'`, `'user'`, `'assistant'` or `'tool'`. */
  readonly role: string;
  /** A text, or parts: texts, files, reasoning, calls of tools and their results. */
  readonly content: string | readonly object[];
}

/**
 * What a language model of the AI SDK is called with, as far as it costs tokens.
 *
 * @example
 * ```ts
 * import type { PromptParams } from 'crayon-tokenizer/ai-sdk';
 *
 * const params: PromptParams = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello world' }] }] };
 * ```
 */
export interface PromptParams {
  readonly prompt: readonly PromptMessage[];
  /** The tools that the model may call. */
  readonly tools?: readonly object[] | undefined;
  /** The form of the answer: with a schema, models are shown it. */
  readonly responseFormat?: object | undefined;
}

/**
 * An image or another file in a prompt, for an estimate of its tokens.
 *
 * @example
 * ```ts
 * import { countPrompt, type PromptFile } from 'crayon-tokenizer/ai-sdk';
 * import { Tokenizer } from 'crayon-tokenizer';
 *
 * const estimateFile = ({ mediaType }: PromptFile) => (mediaType.startsWith('image') ? 258 : undefined);
 * const tokenizer = await Tokenizer.load('o200k_base');
 * const content = [{ type: 'file', mediaType: 'image/png', data: new Uint8Array(9) }];
 * countPrompt(tokenizer, { prompt: [{ role: 'user', content }] }, { estimateFile }).tokens; // 262
 * ```
 */
export interface PromptFile {
  /** Such as `'image/png'`, or `'image'`; empty if the prompt does not say. */
  mediaType: string;
  /** The length of its data; undefined if only a server has them. */
  bytes: number | undefined;
  /** The part of the prompt. */
  part: object;
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The parts of a message's content that are objects; a text is one part. */
export function partsOf({ content }: PromptMessage): readonly Readonly<Record<string, unknown>>[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(fieldsOf);
}
