// The counted parts of a chat request: the public types of countMessages. They match OpenAI's chat completions, with
// more fields optional, so messages and tools written for its client fit as they are.

import { optionNames } from '../../base/option-objects.js';
import type { ModelName } from '../../vocabularies/models.js';

/**
 * A part of a message's content: text, a refusal, an image or audio.
 *
 * @example
 * ```ts
 * const image = { url: 'https://example.org/cat.jpg', detail: 'high' };
 * const content: ContentPart[] = [{ type: 'text', text: 'hello world' }, { type: 'image_url', image_url: image }];
 * const imageSizes = { [image.url]: { width: 1024, height: 1024 } };
 * tokenizer.countMessages([{ role: 'user', content }], { model: 'gpt-4o', imageSizes }); // 774
 * ```
 */
export interface ContentPart {
  /** `'text'`, `'refusal'`, `'image_url'`, `'input_audio'` or `'file'`; files cannot be counted. */
  type: string;
  /** The text, for `'text'`. */
  text?: string | undefined;
  /** Why the model refused, for `'refusal'`. */
  refusal?: string | undefined;
  /** The image, for `'image_url'`: its URL, and `'low'`, `'high'`, `'original'` or `'auto'` detail (the default). */
  image_url?: { url: string; detail?: string | null | undefined } | undefined;
  /** The audio, for `'input_audio'`: base64 data, and `'wav'` or `'mp3'`. */
  input_audio?: { data: string; format: string } | undefined;
  /** A document, for `'file'`. */
  file?: object | undefined;
}

/**
 * A tool call that the model made.
 *
 * @example
 * ```ts
 * const call: ToolCall = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } };
 * const result = { role: 'tool', tool_call_id: 'call_1', content: '12:00' };
 * const messages = [{ role: 'assistant', tool_calls: [call] }, result];
 * tokenizer.countMessages(messages, { model: 'gpt-4o', estimate: true }); // 22
 * ```
 */
export interface ToolCall {
  /** The id that the result's message repeats as `tool_call_id`. */
  id?: string | undefined;
  /** `'function'` or `'custom'`. */
  type?: string | undefined;
  /** The function, and its arguments as JSON. */
  function?: { name: string; arguments: string } | undefined;
  /** The custom tool, and its input as text. */
  custom?: { name: string; input: string } | undefined;
}

/**
 * A message of a chat.
 *
 * @example
 * ```ts
 * const messages: ChatMessage[] = [
 *   { role: 'system', content: 'Be brief.' },
 *   { role: 'user', name: 'ada', content: 'hello world' },
 * ];
 * tokenizer.countMessages(messages, { model: 'gpt-4o' }); // 18
 * ```
 */
export interface ChatMessage {
  /** `'system'`, `'developer'`, `'user'`, `'assistant'`, `'tool'` or `'function'`. */
  role: string;
  /** The text. Several parts are counted separately. */
  content?: string | readonly ContentPart[] | null | undefined;
  /** The speaker's name, if given; for `'function'` the function's. */
  name?: string | undefined;
  /** The assistant's calls. */
  tool_calls?: readonly ToolCall[] | null | undefined;
  /** The call that a `'tool'` message answers. */
  tool_call_id?: string | null | undefined;
  /** The assistant's call, in the API's older form. */
  function_call?: { name: string; arguments: string } | null | undefined;
  /** Why an assistant refused. */
  refusal?: string | null | undefined;
}

/**
 * A function that the model may call, as described to the API.
 *
 * @example
 * ```ts
 * const weather: FunctionDefinition = {
 *   name: 'weather',
 *   description: 'The weather at a place',
 *   parameters: { type: 'object', properties: { place: { type: 'string', description: 'A city' } } },
 * };
 * tokenizer.countMessages([], { model: 'gpt-4o', functions: [weather] }); // 38
 * ```
 */
export interface FunctionDefinition {
  /** Its name. */
  name: string;
  /** What it does. */
  description?: string | undefined;
  /**
   * A JSON Schema. The published rule covers an object whose properties have a `type`, a `description` and optionally
   * an `enum` of strings; the estimate counts everything the model is shown.
   */
  parameters?: object | undefined;
  /** Whether calls follow the schema exactly, which costs nothing. */
  strict?: boolean | null | undefined;
}

/**
 * A tool that the model may use: a function, or a tool that takes free text.
 *
 * @example
 * ```ts
 * const tool: ChatTool = { type: 'function', function: { name: 'now', description: 'The time' } };
 * tokenizer.countMessages([], { model: 'gpt-4o', tools: [tool] }); // 25
 * ```
 */
export interface ChatTool {
  /** `'function'` or `'custom'`. */
  type: string;
  /** The function. */
  function?: FunctionDefinition | undefined;
  /** The tool that takes free text. */
  custom?: { name: string; description?: string | undefined; format?: object | undefined } | undefined;
}

/**
 * A message to Claude, in the shape of Anthropic's API.
 *
 * @example
 * ```ts
 * const asked: ClaudeMessage = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '12:00' }] };
 * tokenizer.countMessages([asked], { model: 'claude-sonnet-4-5', estimate: true }); // 10
 * ```
 */
export interface ClaudeMessage {
  role: 'user' | 'assistant';
  /** A text, or blocks: `text`, `thinking`, `tool_use`, `tool_result`, `image`, `document`. */
  content: string | readonly object[];
}

/**
 * A tool for Claude.
 *
 * @example
 * ```ts
 * const now: ClaudeTool = { name: 'now', description: 'The time', input_schema: { type: 'object' } };
 * tokenizer.countMessages([], { model: 'claude-sonnet-4-5', tools: [now], estimate: true }); // 366
 * ```
 */
export interface ClaudeTool {
  name: string;
  description?: string | undefined;
  input_schema?: object | undefined;
}

/**
 * Options of {@link Tokenizer.countMessages}: the model, and the other request fields that cost tokens, under their
 * names in the request.
 *
 * @example
 * ```ts
 * const options: CountMessagesOptions = { model: 'gpt-4o-mini' };
 * tokenizer.countMessages([{ role: 'user', content: 'hello world' }], options); // 9
 * ```
 */
export interface CountMessagesOptions {
  /** The model whose rule applies, or `claude-…`, with `estimate: true`. Default: the model name that the tokenizer was loaded by, if it was one. */
  model?: ModelName | (string & {}) | undefined;
  /** The tools of the request. */
  tools?: readonly (ChatTool | ClaudeTool)[] | undefined;
  /** For Claude, whose system prompt stands apart: a text, or blocks of text. */
  system?: string | readonly object[] | undefined;
  /** The functions of the request, in the API's older form. */
  functions?: readonly FunctionDefinition[] | undefined;
  /** Which tool the model must use: `'auto'`, `'none'`, `'required'` or a tool by its name. */
  tool_choice?: string | object | null | undefined;
  /** The same for `functions`: `'auto'`, `'none'` or a function by its name. */
  function_call?: string | { name: string } | null | undefined;
  /** The response format: `{ type: 'json_schema', json_schema: … }` shows the schema to the model. */
  response_format?: object | null | undefined;
  /** Sizes of images, in pixels, by URL. The size of a data URL is read from the image itself. */
  imageSizes?: Readonly<Record<string, { width: number; height: number }>> | undefined;
  /**
   * Also count what no published rule covers, based on recorded requests. By default false: an error instead. The result is a number
   * either way; `onAssumption` says whether it is an estimate.
   */
  estimate?: boolean | undefined;
  /** Told of each assumption of an estimate, a sentence; of none, if published rules cover the request. */
  onAssumption?: ((assumption: string) => unknown) | undefined;
}

export const COUNT_OPTIONS = optionNames<CountMessagesOptions>({
  model: true,
  tools: true,
  system: true,
  functions: true,
  tool_choice: true,
  function_call: true,
  response_format: true,
  imageSizes: true,
  estimate: true,
  onAssumption: true,
});
