// Counts the tokens of a prompt. The tokenizer counts texts. What only the provider knows is estimated: the tokens around each message, how
// tools and schemas are shown to the model, and the tokens of images and other files.

import { outOfRange, unexpected } from '../../base/errors.js';
import { checkOptionNames, checkPlainObject, optionNames } from '../../base/option-objects.js';
import { TextCounts } from '../../api/text-counts.js';
import type { Tokenizer } from '../../api/tokenizer.js';

/** A message of a prompt, as programs write it and as language models of the AI SDK get it, in versions 2, 3 and 4. */
export interface PromptMessage {
  /** `'system'`, `'user'`, `'assistant'` or `'tool'`. */
  readonly role: string;
  /** A text, or parts: texts, files, reasoning, calls of tools and their results. */
  readonly content: string | readonly object[];
}

/** What a language model of the AI SDK is called with, as far as it costs tokens. */
export interface PromptParams {
  readonly prompt: readonly PromptMessage[];
  /** The tools that the model may call. */
  readonly tools?: readonly object[] | undefined;
  /** The form of the answer: with a schema, models are shown it. */
  readonly responseFormat?: object | undefined;
}

/** A request to Claude, in the shape of Anthropic's API, as far as it costs tokens. */
export interface ClaudeRequest {
  readonly messages: readonly PromptMessage[];
  /** A text, or blocks of text. */
  readonly system?: string | readonly object[] | undefined;
  readonly tools?: readonly object[] | undefined;
}

/** An image or another file in a prompt, for an estimate of its tokens. */
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

/** The tokens of a prompt. */
export interface PromptCount {
  /** All tokens. */
  tokens: number;
  /** How many of them are estimates; the others are tokens of texts, counted. */
  estimated: number;
}

/** Options of {@link countPrompt}. */
export interface CountPromptOptions {
  /** Tokens around each message, such as its role. Default 4. */
  perMessage?: number | undefined;
  /**
   * The tokens of an image or another file whose text is not in the prompt; undefined for the default: 1,600 for an image or a file of
   * unknown length, for others one token for each 32 bytes.
   */
  estimateFile?: ((file: PromptFile) => number | undefined) | undefined;
}

export const COUNT_OPTIONS = optionNames<CountPromptOptions>({ perMessage: true, estimateFile: true });

const PER_MESSAGE = 4;
/** What a large image takes of the usual models, at most. */
const IMAGE = 1600;
const BYTES_PER_TOKEN = 32;

/**
 * Counts the tokens of a call of a language model of the AI SDK, or of a request to Claude: messages, tools, the schema of the answer.
 * Texts, reasoning, arguments of tools and their results are counted by the tokenizer. The rest is estimated, and `estimated` says how much
 * it is: the tokens around each message, tools and schemas (as JSON), images and other files.
 *
 * What a text was counted as is remembered with the tokenizer, in at most 16 MiB: a prompt with one message more costs that message.
 *
 * @example
 * ```ts
 * import { Tokenizer } from 'crayon-tokenizer';
 * import { countPrompt, type CountPromptOptions, type PromptCount, type PromptFile } from 'crayon-tokenizer/ai-sdk';
 * import type { ClaudeRequest, PromptMessage, PromptParams } from 'crayon-tokenizer/ai-sdk';
 *
 * const tokenizer = await Tokenizer.load('o200k_base');
 * const image = { type: 'file', mediaType: 'image/png', data: new Uint8Array(9) };
 * const message: PromptMessage = { role: 'user', content: [{ type: 'text', text: 'hello' }, image] };
 * const params: PromptParams = { prompt: [{ role: 'system', content: 'hello world' }, message] };
 * const count: PromptCount = countPrompt(tokenizer, params);
 * count; // { tokens: 1611, estimated: 1608 }
 *
 * const estimateFile = ({ mediaType }: PromptFile) => (mediaType.startsWith('image') ? 258 : undefined);
 * const options: CountPromptOptions = { perMessage: 3, estimateFile };
 * countPrompt(tokenizer, params, options); // { tokens: 267, estimated: 264 }
 *
 * const request: ClaudeRequest = { system: 'hello', messages: [{ role: 'user', content: 'hello world' }] };
 * countPrompt(tokenizer, request); // { tokens: 11, estimated: 8 }
 * ```
 */
export function countPrompt(
  tokenizer: Pick<Tokenizer, 'count'>,
  params: PromptParams | ClaudeRequest,
  options: CountPromptOptions = {},
): PromptCount {
  checkOptionNames(options, COUNT_OPTIONS);
  const counter = new PromptCounter(tokenizer, options);
  const { system } = fieldsOf(params) as Partial<ClaudeRequest>;
  const messages = [...checkedMessages(params), ...(system === undefined ? [] : [{ role: 'system', content: system }])];
  return sum([counter.around(params as PromptParams), ...messages.map((message) => counter.message(message))]);
}

export function sum(counts: readonly PromptCount[]): PromptCount {
  return counts.reduce((all, each) => ({ tokens: all.tokens + each.tokens, estimated: all.estimated + each.estimated }), {
    tokens: 0,
    estimated: 0,
  });
}

/** Throws a TypeError unless the parameters have a prompt. */
export function checkedMessages(params: unknown): readonly PromptMessage[] {
  checkPlainObject(params, 'params');
  const { messages, prompt = messages } = params as Partial<PromptParams & ClaudeRequest>;
  const name = messages === prompt && prompt !== undefined ? 'params.messages' : 'params.prompt';
  if (!Array.isArray(prompt)) throw unexpected('a list of messages', name, prompt);
  prompt.forEach((message: unknown, index) => {
    const { role, content } = fieldsOf(message);
    if (typeof role !== 'string') throw unexpected('a string', `${name}[${index}].role`, role);
    if (typeof content === 'string' || Array.isArray(content)) return;
    throw unexpected('a string or a list of parts', `${name}[${index}].content`, content);
  });
  return prompt as readonly PromptMessage[];
}

export class PromptCounter {
  readonly #tokenizer: Pick<Tokenizer, 'count'>;
  readonly #texts: TextCounts;
  readonly #perMessage: number;
  readonly #estimateFile: CountPromptOptions['estimateFile'];

  /** The names of the options have been checked. */
  constructor(tokenizer: Pick<Tokenizer, 'count'>, { perMessage = PER_MESSAGE, estimateFile }: CountPromptOptions) {
    if (typeof (tokenizer as Partial<Tokenizer> | undefined)?.count !== 'function') throw unexpected('a Tokenizer', 'tokenizer', tokenizer);
    if (estimateFile !== undefined && typeof estimateFile !== 'function') throw unexpected('a function', 'estimateFile', estimateFile);
    this.#tokenizer = tokenizer;
    this.#texts = TextCounts.of(tokenizer);
    this.#perMessage = checkedCount(perMessage, 'perMessage');
    this.#estimateFile = estimateFile;
  }

  /** What costs tokens besides messages. */
  around({ tools = [], responseFormat }: PromptParams): PromptCount {
    const { type, schema, name, description } = fieldsOf(responseFormat);
    const format = type === 'json' && schema !== undefined ? [{ name, description, schema }] : [];
    const estimated = [...tools.map(shownTool), ...format].reduce((tokens: number, shown) => tokens + this.#json(shown), 0);
    return { tokens: estimated, estimated };
  }

  message(message: PromptMessage): PromptCount {
    return sum([estimate(this.#perMessage), ...partsOf(message).map((part) => this.#part(part))]);
  }

  #part(part: Readonly<Record<string, unknown>>): PromptCount {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return counted(this.#text(part.text));
      case 'thinking':
        return counted(this.#text(part.thinking));
      case 'tool_use':
        return counted(this.#text(part.name) + this.#json(part.input));
      case 'tool_result':
        return Array.isArray(part.content)
          ? sum(part.content.map((each) => this.#part(fieldsOf(each))))
          : counted(this.#text(part.content));
      case 'tool-call':
        return counted(this.#text(part.toolName) + this.#json(part.input));
      case 'tool-result':
        return sum([counted(this.#text(part.toolName)), this.#output(part)]);
      case 'tool-approval-request':
      case 'tool-approval-response':
        return counted(this.#text(part.reason));
      case 'custom':
        return counted(0);
    }
    return this.#file(part);
  }

  /** The result of a tool: of several parts, or a text, or a value that the model sees as JSON. */
  #output({ output, result }: Readonly<Record<string, unknown>>): PromptCount {
    const { type, value, reason } = fieldsOf(output);
    if (type === 'content' && Array.isArray(value)) return sum(value.map((part) => this.#part(fieldsOf(part))));
    if (type === 'execution-denied') return counted(this.#text(reason));
    const shown = output === undefined ? result : value;
    return counted(typeof shown === 'string' ? this.#text(shown) : this.#json(shown));
  }

  #file(part: Readonly<Record<string, unknown>>): PromptCount {
    const source = fieldsOf(part.source);
    const named = part.mediaType ?? source.media_type;
    const mediaType = typeof named === 'string' ? named : String(part.type).startsWith('image') ? 'image' : '';
    const held = part.data ?? part.image ?? source.data ?? source.url;
    const text = source.type === 'text' ? held : fieldsOf(held).type === 'text' ? fieldsOf(held).text : undefined;
    if (typeof text === 'string') return counted(this.#text(text));
    // Version 4 has the data of a file in an object that says what they are.
    const data = fieldsOf(held).type === 'data' ? fieldsOf(held).data : held;
    const written = mediaType.startsWith('text/') ? writtenBytes(data) : undefined;
    if (written) return counted(this.#tokenizer.count(written));
    const bytes = bytesOf(data);
    const told = this.#estimateFile?.({ mediaType, bytes, part });
    if (told !== undefined) return estimate(checkedCount(told, 'the result of estimateFile'));
    return estimate(mediaType.startsWith('image') || bytes === undefined ? IMAGE : Math.ceil(bytes / BYTES_PER_TOKEN));
  }

  #text(text: unknown): number {
    return typeof text === 'string' ? this.#texts.count(text) : 0;
  }

  #json(value: unknown): number {
    return this.#text(typeof value === 'string' ? value : JSON.stringify(value));
  }
}

function counted(tokens: number): PromptCount {
  return { tokens, estimated: 0 };
}

function estimate(tokens: number): PromptCount {
  return { tokens, estimated: tokens };
}

/** A tool as providers send it on. */
function shownTool(tool: unknown): object {
  const { name, description, input_schema, inputSchema = input_schema, parameters = inputSchema, args } = fieldsOf(tool);
  return { name, description, parameters, args };
}

/** Data that are in the prompt, as bytes or in base64. */
function writtenBytes(data: unknown): Uint8Array | undefined {
  if (data instanceof Uint8Array) return data;
  if (typeof data !== 'string') return undefined;
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    return undefined; // an address
  }
}

/** The length of data: bytes, base64 or a data URL; undefined for an address. */
function bytesOf(data: unknown): number | undefined {
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return data.byteLength;
  const text = data instanceof URL ? data.href : data;
  if (typeof text !== 'string' || /^(?!data:)[a-z][a-z+.-]*:/i.test(text)) return undefined;
  return Math.floor(((text.length - (text.startsWith('data:') ? text.indexOf(',') + 1 : 0)) * 3) / 4);
}

/** A number of tokens. */
export function checkedCount(value: unknown, name: string): number {
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isSafeInteger(value) || value < 0) throw outOfRange('an integer of 0 or more', name, value);
  return value;
}

/**
 * Which messages of a prompt to leave out, oldest first: indices, then others besides, and so on.
 *
 * A turn is a message of the user with everything up to the next one. Whole turns go first, so that what stays begins with a message of
 * the user, as some providers demand:
 *
 *   system | user assistant | user assistant tool assistant | user assistant tool assistant tool
 *            └─── first ──┘   └────────── second ─────────┘   kept  └─ third ─────┘ └─ kept ──┘
 *
 * Then, behind the last message of the user, rounds of tools go: a message of the assistant with the results of its calls. The last of
 * these stays. No cut separates a call from its result, wherever that is.
 */
export function* trimmings(messages: readonly PromptMessage[]): Generator<readonly number[]> {
  const turns = messages.flatMap((message, index) => (message.role === 'system' ? [] : [{ message, index }]));
  const indices = turns.map(({ index }) => index);
  const roles = turns.map(({ message }) => message.role);
  const isOpen = openCalls(turns.map(({ message }) => message));
  const lastUser = roles.lastIndexOf('user');
  let from = 0;
  for (let at = 1; at <= lastUser; at++) {
    if (roles[at] !== 'user' || isOpen(at)) continue;
    yield indices.slice(from, at);
    from = at;
  }
  from = lastUser + 1;
  if (isOpen(from)) return;
  for (let at = from + 1; at < roles.length; at++) {
    if (roles[at] !== 'assistant' || isOpen(at)) continue;
    yield indices.slice(from, at);
    from = at;
  }
}

/** Tells whether a call before a position has its result behind it. */
function openCalls(messages: readonly PromptMessage[]): (at: number) => boolean {
  const firsts = new Map<unknown, number>();
  /** By position: one more for each call that is open from there on, one less where it has ended. */
  const changes = new Array<number>(messages.length + 1).fill(0);
  messages.forEach((message, index) => {
    for (const id of partsOf(message).flatMap(({ toolCallId, approvalId }) => [toolCallId, approvalId])) {
      if (id === undefined) continue;
      const first = firsts.get(id);
      if (first === undefined) firsts.set(id, index);
      else if (first < index) {
        changes[first + 1] = (changes[first + 1] as number) + 1;
        changes[index + 1] = (changes[index + 1] as number) - 1;
      }
    }
  });
  let open = 0;
  const opens = changes.map((change) => (open += change));
  return (at) => (opens[at] as number) > 0;
}
