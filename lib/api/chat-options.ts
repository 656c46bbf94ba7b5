// Chats for models with a template: checks the options of the calls and reads the vocabulary's templates. The first call
// loads the renderer, `lib/chat`, of which the calls see `Chat` in host.ts.

import { TokenizerError, unexpected } from '../base/errors.js';
import { checkedBoolean, checkedChoice, checkOptionNames, checkPlainObject, isPlainObject, optionNames } from '../base/option-objects.js';
import type { UnsharedInt32Array, UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import type { TextChange } from '../engine/edited-text.js';
import type { EngineTokenizer, Policy } from '../engine/engine.js';
import { whyNoTemplates } from '../vocabularies/metadata.js';
import type { Vocabulary } from '../vocabularies/vocabulary.js';
import { checkSignal } from './async-options.js';
import type { WrittenText } from './known-text.js';
import type { ChatMessage, ChatTool } from './messages/request.js';

/**
 * A message for a template: its `role` and `content`, and any other field the template reads.
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
   * The name of one of the vocabulary's templates, or a Jinja template: a single word is a name. Default: as Hugging Face
   * chooses, `tool_use` if there are tools and a template of that name, else `default`; for the gpt-oss vocabulary without
   * templates, harmony ({@link HarmonyOptions}).
   */
  template?: string | undefined;
  /** End with the beginning of the model's answer. Default false. */
  addGenerationPrompt?: boolean | undefined;
  /**
   * End with the text of the last message, without the end of the message, so that the model continues it; like
   * `continue_final_message` in Hugging Face. If the template trims texts, trailing white space is lost. A string names the
   * field to continue; true means `content`. Cannot be combined with `addGenerationPrompt`. Default false.
   */
  continueFinalMessage?: boolean | string | undefined;
  /** The tools that the model may use: `tools` of the template. A string is JSON text. */
  tools?: readonly (ChatTool | Readonly<Record<string, unknown>>)[] | string | undefined;
  /** Texts to answer from: `documents` of the template. A string is JSON text. */
  documents?: readonly Readonly<Record<string, unknown>>[] | string | undefined;
  /**
   * Other variables that the template reads, such as `enable_thinking`: plain data, or an object as JSON text. They
   * override the vocabulary's own, such as `bos_token`.
   */
  variables?: Readonly<Record<string, unknown>> | string | undefined;
  /** The date that a template's `strftime_now` writes, in local time. Default: now. */
  date?: Date | undefined;
  /** For gpt-oss chats, which have a format instead of a template. */
  harmony?: HarmonyOptions | undefined;
  /** Aborts the work: the promise is rejected with the signal's reason, at the latest when the thread is free again. */
  signal?: AbortSignal | undefined;
}

/**
 * How chats are rendered in harmony, the format of gpt-oss: for vocabularies with its control tokens and no template, such as
 * `o200k_harmony`. Messages have the members of openai-harmony's JSON, or `tool_calls` and `tool_call_id` as in OpenAI's API.
 *
 * @example
 * ```ts
 * using tokenizer = await Tokenizer.load('o200k_harmony');
 * const chat = [{ role: 'user', content: 'hi' }, { role: 'assistant', channel: 'final', content: 'Hello!' }];
 * const harmony: HarmonyOptions = { training: true };
 * (await tokenizer.encodeChat(chat, { harmony })).at(-1); // 200002
 * ```
 */
export interface HarmonyOptions {
  /**
   * Drop messages on the channel `analysis` before the first final answer, if the assistant's last message is a final
   * answer. Default true.
   */
  dropAnalysis?: boolean | undefined;
  /** End a final answer with `<|return|>`, as in training, instead of `<|end|>`. Default false. */
  training?: boolean | undefined;
}

/**
 * Options of {@link Tokenizer.encodeChat}.
 *
 * @example
 * ```ts
 * const template = '{{ messages[0].content }}<|endoftext|>';
 * const attack = [{ role: 'user', content: '<|endoftext|>' }];
 * const options = { template, special: 'template' } satisfies EncodeChatOptions;
 * await tokenizer.encodeChat(attack, { template }); // Uint32Array [199999, 199999]
 * (await tokenizer.encodeChat(attack, options)).length; // 8
 * ```
 */
export interface EncodeChatOptions extends RenderChatOptions {
  /**
   * Which special tokens of the rendered text become tokens. `'allow'`, the default: all, as in Hugging Face, even those typed
   * into a message, so their author can end the message and start one with another role. `'template'`: only tokens written
   * entirely by the template; messages, tools, documents and variables are text, keys included. This also covers tokens not
   * flagged special, such as Qwen's `<think>`, if the template writes them. `'forbid'`: a special token in such a text is an
   * error (`SPECIAL_FORBIDDEN`) that names its path.
   */
  special?: 'allow' | 'template' | 'forbid' | undefined;
  /** Also return `origins`: the message that each id comes from. Default false. */
  origins?: boolean | undefined;
  /** Also return `assistantMask`, for templates that mark the assistant's text with `{% generation %}`. Default false. */
  assistantMask?: boolean | undefined;
}

/**
 * The ids of a chat, plus `origins` and `assistantMask` if requested.
 *
 * @example
 * ```ts
 * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
 * const chat: EncodedChat = await tokenizer.encodeChat([{ role: 'user', content: 'hello' }], { template, origins: true });
 * chat.ids; // Uint32Array [24912, 199999]
 * chat.origins; // Int32Array [0, -1]
 * ```
 */
export interface EncodedChat {
  ids: UnsharedUint32Array;
  /**
   * For each id the index of the message that its text comes from (the first, if several), -1 for the template's own text, or
   * -2 for tools, documents, variables and text computed from several messages.
   */
  origins?: UnsharedInt32Array;
  /** For each id 1 if the assistant wrote it, else 0: Hugging Face's `assistant_masks`. */
  assistantMask?: UnsharedUint8Array;
}

/** The names of {@link RenderChatOptions}. */
export const RENDER_OPTIONS = optionNames<RenderChatOptions>({
  template: true,
  addGenerationPrompt: true,
  continueFinalMessage: true,
  tools: true,
  documents: true,
  variables: true,
  date: true,
  harmony: true,
  signal: true,
});
const HARMONY_OPTIONS = optionNames<HarmonyOptions>({ dropAnalysis: true, training: true });
const ENCODE_OPTIONS = [
  ...RENDER_OPTIONS,
  ...optionNames<Omit<EncodeChatOptions, keyof RenderChatOptions>>({ special: true, origins: true, assistantMask: true }),
];

/** The values in a chat: strings, numbers, booleans, null, and lists and objects of them. */
export type Plain = string | number | bigint | boolean | null | Plain[] | { [key: string]: Plain };

/** A call, copied to plain data. */
export interface ChatRequest {
  /** A string is JSON text. */
  messages: Plain[] | string;
  tools: Plain[] | string | null;
  documents: Plain[] | string | null;
  template: string | undefined;
  addGenerationPrompt: boolean;
  continueFinalMessage: boolean | string;
  variables: { [name: string]: Plain } | string;
  date: Date | undefined;
  harmony: HarmonyOptions | undefined;
  special: 'allow' | 'template' | 'forbid';
  origins: boolean;
  assistantMask: boolean;
}

/** A vocabulary's templates by name, and the variables they read besides the messages. */
export interface OwnTemplates {
  templates: Readonly<Record<string, string>>;
  variables: Readonly<Record<string, Plain>>;
  /** Why there are none, although there is a file for them. */
  problem?: TokenizerError | undefined;
}

/** The beginning of the error for a chat without any template. */
export const NO_TEMPLATE = 'the vocabulary has no chat template';

/** A call waiting for the renderer. Its data does not change with the tokenizer. */
export interface ChatCall {
  request: ChatRequest;
  templates: OwnTemplates;
  engine: EngineTokenizer;
  specialIds: ReadonlyMap<string, number>;
  signal: AbortSignal | undefined;
}

/** A message of a conversation. It stays the same object until the message changes. */
export interface TakenMessage {
  readonly data: Plain;
}

/** The ids of a chat that changes. Each change either succeeds or leaves everything as it was. */
export interface ChatState {
  /** Whether its tokenizer has been closed. */
  readonly isClosed: boolean;
  readonly count: number;
  /** The ids from one to another (not included), as a copy. */
  slice(from: number, to: number): UnsharedUint32Array;
  text(): string;
  /** The number of ids that a chat would have. */
  countOf(messages: readonly TakenMessage[]): number;
  /** Replaces the messages; messages that stay are the same objects. */
  become(messages: readonly TakenMessage[]): TextChange;
  copy(): ChatState;
  /** Lets go of the vocabulary. */
  close(): void;
}

/** More levels of nesting than any message has; JSON text may be nested as deeply. */
export const DEEPEST = 200;
/** Names that the call itself sets. */
const TAKEN = ['messages', 'tools', 'documents', 'add_generation_prompt'];

/** Builds a request from copies: the caller may change the messages before they are rendered. */
export function chatRequest(messages: unknown, options: EncodeChatOptions = {}, encodes: boolean): ChatRequest {
  checkOptionNames(options, encodes ? ENCODE_OPTIONS : RENDER_OPTIONS);
  const { template, continueFinalMessage = false, tools, documents, variables = {}, date, harmony, special = 'allow' } = options;
  if (template !== undefined && typeof template !== 'string') throw unexpected('a string', 'template', template);
  const addGenerationPrompt = checkedBoolean(options.addGenerationPrompt, 'addGenerationPrompt');
  if (typeof continueFinalMessage !== 'boolean' && typeof continueFinalMessage !== 'string') {
    throw unexpected('a boolean or the name of a field', 'continueFinalMessage', continueFinalMessage);
  }
  const origins = checkedBoolean(options.origins, 'origins');
  const assistantMask = checkedBoolean(options.assistantMask, 'assistantMask');
  for (const [name, value] of Object.entries({ addGenerationPrompt, assistantMask })) {
    if (continueFinalMessage === false || !value) continue;
    throw new TypeError(`\`${name}\` must be false with \`continueFinalMessage\`, which leaves the last message open; received true`);
  }
  checkedChoice(special, 'special', ['allow', 'template', 'forbid']);
  if (date !== undefined && !(date instanceof Date && !Number.isNaN(date.getTime()))) throw unexpected('a valid Date', 'date', date);
  checkSignal(options.signal);
  if (harmony !== undefined) {
    checkOptionNames(harmony, HARMONY_OPTIONS, 'harmony');
    for (const name of HARMONY_OPTIONS) checkedBoolean(harmony[name as keyof HarmonyOptions], `harmony.${name}`);
  }
  if (typeof variables !== 'string') checkPlainObject(variables, 'variables');
  const taken = typeof variables === 'string' ? undefined : Object.keys(variables).find((name) => TAKEN.includes(name));
  if (taken !== undefined) throw new TypeError(`\`variables\` must not have ${taken}, which is an argument or option of the call`);
  return {
    messages: listOf(messages, 'messages'),
    tools: tools === undefined ? null : listOf(tools, 'tools'),
    documents: documents === undefined ? null : listOf(documents, 'documents'),
    template,
    addGenerationPrompt,
    continueFinalMessage,
    variables: plainCopy(variables, ['variables'], 0) as ChatRequest['variables'],
    date: date && new Date(date),
    harmony: harmony && { ...harmony },
    special,
    origins,
    assistantMask,
  };
}

/** JSON text stays as it is, and is parsed when the chat is rendered. */
function listOf(list: unknown, name: string): Plain[] | string {
  if (typeof list === 'string') return list;
  if (!Array.isArray(list)) throw unexpected('an array of objects or JSON text', name, list);
  const path = [name];
  return list.map((each, index) => {
    path.push(`[${index}]`);
    const copy = objectCopy(each, path);
    path.pop();
    return copy;
  });
}

function objectCopy(value: unknown, path: string[]): Plain {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected('an object', path.join(''), value);
  return plainCopy(value, path, 1);
}

/** A copy of a message, for a conversation. */
export function takenMessage(message: unknown, name: string): TakenMessage {
  return { data: objectCopy(message, [name]) };
}

/**
 * A copy without undefined values. Functions are rejected: a template could call them. `path`: the parts of the value's name, which only
 * an error joins.
 */
function plainCopy(value: unknown, path: string[], depth: number): Plain {
  if (isScalar(value)) return value;
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) throw unexpected('plain data as in JSON', path.join(''), value);
  if (depth > DEEPEST) {
    throw new RangeError(`\`${path.join('').slice(0, 60)}…\` must have at most ${DEEPEST} levels of lists and objects`);
  }
  const inner = (each: unknown, name: string): Plain => {
    path.push(name);
    const copy = plainCopy(each, path, depth + 1);
    path.pop();
    return copy;
  };
  // JSON lists have no holes.
  if (isList) return value.map((each, index) => (isScalar(each) ? each : inner(each ?? null, `[${index}]`)));
  const copy = { ...value } as { [key: string]: Plain };
  for (const key of Object.keys(copy)) {
    const each = copy[key];
    if (each === undefined) delete copy[key];
    else if (!isScalar(each)) copy[key] = inner(each, `.${key}`);
  }
  return copy;
}

function isScalar(value: unknown): value is string | boolean | number | bigint | null {
  return (
    typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint' || value === null
  );
}

/** Templates from a cartridge's metadata (cartridges/FORMAT.md, section 4). */
export function ownTemplates(vocabulary: Vocabulary, engine: EngineTokenizer): OwnTemplates {
  const { chat } = vocabulary.metadata;
  if (chat === undefined) return { templates: {}, variables: {}, problem: whyNoTemplates(engine) };
  const { templates, variables } = (isObject(chat) ? chat : {}) as Partial<OwnTemplates>;
  if (isObject(templates) && isObject(variables) && Object.values(templates).every((each) => typeof each === 'string')) {
    return { templates, variables } as OwnTemplates;
  }
  const message = 'cannot read the chat templates of the cartridge: its metadata.chat must be {templates: {name: text}, variables}';
  throw new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', section: 1 });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text whose ids, without `separator`, are those of a chat. */
export interface ChatText extends WrittenText {
  /** As in `KnownText.open`. */
  readonly policy: Policy;
  /** A token between texts that are encoded alone, and how often it occurs. */
  readonly separator?: number | undefined;
  readonly separators: number;
}

/** The ids of a chat, from the ids of its text. */
export function withoutSeparators(ids: UnsharedUint32Array, { separator, separators }: ChatText): UnsharedUint32Array {
  return separators === 0 ? ids : ids.filter((id) => id !== separator);
}

/** A chat with its template, ready to render. */
export interface PreparedChat {
  readonly template: {
    /** The template's own texts: between its tags, and in its string literals. */
    literals(): string[];
    mentions(text: string): boolean;
  };
  /** `generation`: start and end of each `{% generation %}` in the text, in UTF-16 units. */
  render(): { readonly text: string; readonly generation: Uint32Array };
}

/** Renders chats without waiting, for drop-ins. */
export interface ChatAtOnce {
  /** With a template, whatever the vocabulary. */
  prepared(request: ChatRequest, templates: OwnTemplates): PreparedChat;
  /** 1 for each token whose start and end in the text overlap a `{% generation %}`. */
  assistantMaskOf(offsets: Uint32Array, rendered: ReturnType<PreparedChat['render']>): UnsharedUint8Array;
}
