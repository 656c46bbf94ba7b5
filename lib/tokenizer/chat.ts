// Chats for models with a template: the options of the calls, checked, and what the vocabulary says of its templates. What
// renders is loaded by the first call.

import type { EngineTokenizer } from './engine.js';
import { TokenizerError, unexpected } from './errors.js';
import type { ChatMessage, ChatTool } from './messages/request.js';
import { checkOptionNames, checkPlainObject, optionNames } from './options.js';
import type { UnsharedUint32Array } from './typed-arrays.js';
import type { Vocabulary } from './vocabulary.js';

/**
 * A message as a template takes it: its `role` and `content`, and whatever else the template reads.
 *
 * @example
 * ```ts
 * const message: TemplateMessage = { role: 'assistant', content: '', reasoning_content: 'Hm.' };
 * await tokenizer.renderChat([message], { template: '{{ messages[0].reasoning_content }}' }); // 'Hm.'
 * ```
 */
export type TemplateMessage = ChatMessage | Readonly<Record<string, unknown>>;

/**
 * Options of {@link Tokenizer.renderChat}.
 *
 * @example
 * ```ts
 * const options: RenderChatOptions = {
 *   template: '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}',
 *   addGenerationPrompt: true,
 * };
 * await tokenizer.renderChat([{ role: 'user', content: 'hello' }], options); // '<user>hello<assistant>'
 * ```
 */
export interface RenderChatOptions {
  /**
   * A template in Jinja, or the name of one of those that the vocabulary has. Default: as Hugging Face chooses, `tool_use`
   * if there are tools and a template of that name, else `default`.
   */
  template?: string | undefined;
  /** End with what the model's answer begins with. Default false. */
  addGenerationPrompt?: boolean | undefined;
  /**
   * End with the text of the last message, without what ends a message, so that the model goes on with it: as
   * `continue_final_message` of Hugging Face. Where a template trims texts, the white space at its end is not there. Not
   * together with `addGenerationPrompt`. Default false.
   */
  continueFinalMessage?: boolean | undefined;
  /** The tools that the model may use: `tools` of the template. */
  tools?: readonly (ChatTool | Readonly<Record<string, unknown>>)[] | undefined;
  /** Texts to answer from: `documents` of the template. */
  documents?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** What else the template reads, such as `enable_thinking`: plain data. They go before the vocabulary's own, such as `bos_token`. */
  variables?: Readonly<Record<string, unknown>> | undefined;
  /** What `strftime_now` of a template writes, in local time. Default: now. */
  date?: Date | undefined;
}

/**
 * Options of {@link Tokenizer.encodeChat}.
 *
 * @example
 * ```ts
 * const template = '{{ messages[0].content }}<|endoftext|>';
 * const attack = [{ role: 'user', content: '<|endoftext|>' }];
 * const options: EncodeChatOptions = { template, special: 'template' };
 * await tokenizer.encodeChat(attack, { template }); // Uint32Array [199999, 199999]
 * (await tokenizer.encodeChat(attack, options)).length; // 8
 * ```
 */
export interface EncodeChatOptions extends RenderChatOptions {
  /**
   * Which special tokens of the rendered text are tokens. `'allow'`, the default: all, as in Hugging Face, also those that
   * somebody has typed into a message, who can so end it and begin one of another role. `'template'`: those that the template
   * writes; the strings of messages, tools and documents are text, whatever they contain. `'forbid'`: one in such a string
   * is an error (`SPECIAL_FORBIDDEN`). Tokens that are not flagged special, such as `<think>` of Qwen, always match.
   */
  special?: 'allow' | 'template' | 'forbid' | undefined;
}

const RENDER_OPTIONS = optionNames<RenderChatOptions>({
  template: true,
  addGenerationPrompt: true,
  continueFinalMessage: true,
  tools: true,
  documents: true,
  variables: true,
  date: true,
});
const ENCODE_OPTIONS = [...RENDER_OPTIONS, ...optionNames<Omit<EncodeChatOptions, keyof RenderChatOptions>>({ special: true })];

/** What may be in a chat: strings, numbers, booleans, null, and lists and objects of them. */
export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

/** A call, in plain data of its own. */
export interface ChatRequest {
  messages: Plain[];
  tools: Plain[] | null;
  documents: Plain[] | null;
  template: string | undefined;
  addGenerationPrompt: boolean;
  continueFinalMessage: boolean;
  variables: { [name: string]: Plain };
  date: Date | undefined;
  special: 'allow' | 'template' | 'forbid';
}

/** The templates of a vocabulary by their names, and what they read besides the messages. */
export interface OwnTemplates {
  templates: Readonly<Record<string, string>>;
  variables: Readonly<Record<string, Plain>>;
  /** Why there are none, though there is a file for them. */
  problem?: TokenizerError | undefined;
}

const problems = new WeakMap<EngineTokenizer, TokenizerError>();

/** Remembers why a vocabulary has no templates: the error of a chat that needs one. */
export function lacksTemplates(engine: EngineTokenizer, why: TokenizerError): void {
  problems.set(engine, why);
}

/** A call that waits for what renders. What it needs does not change with the tokenizer. */
export interface ChatCall {
  request: ChatRequest;
  own: OwnTemplates;
  engine: EngineTokenizer;
  specialIds: ReadonlyMap<string, number>;
}

/** What renders and encodes chats. */
export interface Chat {
  render(request: ChatRequest, own: OwnTemplates): string;
  encode(request: ChatRequest, own: OwnTemplates, engine: EngineTokenizer, specialIds: ReadonlyMap<string, number>): UnsharedUint32Array;
}

/** More levels of lists and objects than any message has. */
const DEEPEST = 64;
/** The names that the call itself gives. */
const TAKEN = ['messages', 'tools', 'documents', 'add_generation_prompt'];

/** A request of copies: the caller may change the messages before they are rendered. */
export function chatRequest(messages: unknown, options: EncodeChatOptions | undefined, encodes: boolean): ChatRequest {
  if (options !== undefined) checkOptionNames(options, encodes ? ENCODE_OPTIONS : RENDER_OPTIONS);
  const { template, addGenerationPrompt = false, continueFinalMessage = false, tools, documents, variables = {}, date, special = 'allow' } = options ?? {};
  if (template !== undefined && typeof template !== 'string') throw unexpected('a string', 'template', template);
  if (typeof addGenerationPrompt !== 'boolean') throw unexpected('a boolean', 'addGenerationPrompt', addGenerationPrompt);
  if (typeof continueFinalMessage !== 'boolean') throw unexpected('a boolean', 'continueFinalMessage', continueFinalMessage);
  if (continueFinalMessage && addGenerationPrompt) {
    throw unexpected('false, since addGenerationPrompt begins another message,', 'continueFinalMessage', continueFinalMessage);
  }
  if (special !== 'allow' && special !== 'template' && special !== 'forbid') {
    throw unexpected("'allow', 'template' or 'forbid'", 'special', special);
  }
  if (date !== undefined && !(date instanceof Date && !Number.isNaN(date.getTime()))) throw unexpected('a valid Date', 'date', date);
  checkPlainObject(variables, 'variables');
  const taken = Object.keys(variables).find((name) => TAKEN.includes(name));
  if (taken !== undefined) throw new TypeError(`expected no ${taken} in variables: it has an argument or option of its own`);
  return {
    messages: listOf(messages, 'messages'),
    tools: tools === undefined ? null : listOf(tools, 'tools'),
    documents: documents === undefined ? null : listOf(documents, 'documents'),
    template,
    addGenerationPrompt,
    continueFinalMessage,
    variables: plainCopy(variables, 'variables', 0) as ChatRequest['variables'],
    date: date && new Date(date),
    special,
  };
}

function listOf(list: unknown, name: string): Plain[] {
  if (!Array.isArray(list)) throw unexpected('an array of objects', name, list);
  return list.map((each, index) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) throw unexpected('an object', `${name}[${index}]`, each);
    return plainCopy(each, `${name}[${index}]`, 1);
  });
}

/** A copy, without what is undefined. Functions are refused: a template could call them. */
function plainCopy(value: unknown, name: string, depth: number): Plain {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object' || ArrayBuffer.isView(value)) throw unexpected('plain data, as JSON has it,', name, value);
  if (depth > DEEPEST) throw new RangeError(`expected at most ${DEEPEST} levels of lists and objects for ${name.slice(0, 60)}…`);
  if (Array.isArray(value)) return value.map((each, index) => plainCopy(each, `${name}[${index}]`, depth + 1));
  checkPlainObject(value, name, 'plain data, as JSON has it,');
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => [key, plainCopy(each, `${name}.${key}`, depth + 1)]));
}

/** What a cartridge's metadata say (cartridges/FORMAT.md, section 4). */
export function ownTemplates(vocabulary: Vocabulary, engine: EngineTokenizer): OwnTemplates {
  const { chat } = vocabulary.metadata;
  if (chat === undefined) return { templates: {}, variables: {}, problem: problems.get(engine) };
  const { templates, variables } = (isObject(chat) ? chat : {}) as Partial<OwnTemplates>;
  if (isObject(templates) && isObject(variables) && Object.values(templates).every((each) => typeof each === 'string')) {
    return { templates, variables } as OwnTemplates;
  }
  const message = 'cannot read the chat templates of the cartridge: expected metadata.chat to be {templates: {name: text}, variables}';
  throw new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', section: 1 });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
