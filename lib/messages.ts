// How many tokens a chat takes up in a request to OpenAI: the published rules, and errors where none is published.
//
// The rules are those of the OpenAI Cookbook's notebook "How to count tokens with tiktoken": section 6 for messages and
// section 7 for tools. It calls its counts an estimate, which may change from model to model, and shows them to equal
// the API's for gpt-3.5-turbo, gpt-4, gpt-4o and gpt-4o-mini. The rule of gpt-3.5-turbo-0301 is in its earlier versions.
//
// Nothing is published for later models. The notebook refuses o1, o3 and gpt-5: to treat them like gpt-4o is a proposal
// (openai/openai-cookbook#2515) that gave one token too many for gpt-5 when it was tried (pydantic/pydantic-ai#3447). It
// would take gpt-4.1 and gpt-4.5 for gpt-4, whose encoding is another one. Nor is there a rule for images, or for calls
// of tools within messages (openai/openai-cookbook#1467).

import { outOfRange, unexpected } from './errors.js';
import { encodingForModel } from './models.js';

/**
 * A part of a message's content. Parts of the type `'text'` can be counted.
 *
 * @example
 * ```ts
 * const content: ContentPart[] = [{ type: 'text', text: 'hello world' }];
 * tokenizer.countMessages([{ role: 'user', content }], { model: 'gpt-4o' }); // 9
 * ```
 */
export interface ContentPart {
  /** `'text'`. */
  type: string;
  /** The text. */
  text?: string | undefined;
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
  /** `'system'`, `'user'`, `'assistant'` … */
  role: string;
  /** The text. Of several parts each is counted alone. */
  content?: string | readonly ContentPart[] | null | undefined;
  /** Who speaks, if that is said. */
  name?: string | undefined;
}

/**
 * A function that the model may call, described as the API wants it.
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
  /** What it is called by. */
  name: string;
  /** What it does. */
  description?: string | undefined;
  /** A JSON Schema: an object whose properties have a `type`, a `description` and perhaps an `enum` of strings. */
  parameters?: object | undefined;
}

/**
 * A tool that the model may use: a function.
 *
 * @example
 * ```ts
 * const tool: ChatTool = { type: 'function', function: { name: 'now', description: 'The time' } };
 * tokenizer.countMessages([], { model: 'gpt-4o', tools: [tool] }); // 25
 * ```
 */
export interface ChatTool {
  /** `'function'`. */
  type: string;
  /** The function. */
  function?: FunctionDefinition | undefined;
}

/**
 * Options of {@link Tokenizer.countMessages}.
 *
 * @example
 * ```ts
 * const options: CountMessagesOptions = { model: 'gpt-4o-mini' };
 * tokenizer.countMessages([{ role: 'user', content: 'hello world' }], options); // 9
 * ```
 */
export interface CountMessagesOptions {
  /** The model by whose rule to count. Default: the one that the tokenizer was loaded by, if it was a model's name. */
  model?: string | undefined;
  /** The tools of the request. */
  tools?: readonly ChatTool[] | undefined;
  /** The functions of the request, as older versions of the API have them. */
  functions?: readonly FunctionDefinition[] | undefined;
}

interface Counter {
  readonly name: string;
  count(text: string): number;
}

interface MessageRule {
  perMessage: number;
  perName: number;
}

/** Section 6. */
const COMMON: MessageRule = { perMessage: 3, perName: 1 };
/** The oldest snapshot wrote a line end behind each message, and the name in place of the role. */
const GPT_35_TURBO_0301: MessageRule = { perMessage: 4, perName: -1 };
/** What begins the reply. */
const REPLY = 3;

/** Families with a rule. Their snapshots and variants have it too, unless they are for something else than chats. */
const FAMILY = /^(?:ft:)?(?:gpt-3\.5-turbo|gpt-35-turbo|gpt-4|gpt-4o|gpt-4o-mini|chatgpt-4o)(?:[-:]|$)/;
const NO_CHAT = /-(?:instruct|audio|realtime|search|transcribe|tts|image)/;
const FAMILIES = 'gpt-3.5-turbo, gpt-4, gpt-4-turbo, gpt-4o, gpt-4o-mini and their snapshots';

/** Section 7: tokens that begin a function, for the models it names and the snapshots that it says they stand for. */
const TOOL_MODELS: Readonly<Record<string, number>> = {
  'gpt-4o': 7,
  'gpt-4o-2024-08-06': 7,
  'gpt-4o-mini': 7,
  'gpt-4o-mini-2024-07-18': 7,
  'gpt-3.5-turbo': 10,
  'gpt-3.5-turbo-0125': 10,
  'gpt-4': 10,
  'gpt-4-0613': 10,
};
const FIRST_PROPERTY = 3;
const PROPERTY = 3;
const ENUM = -3;
const ENUM_ITEM = 3;
const LAST_FUNCTION = 12;

/** Counts messages for `loadedBy`, or the model in the options. `Tokenizer.countMessages` has the contract. */
export function countMessages(
  messages: unknown,
  options: unknown,
  counter: Counter,
  loadedBy: string | undefined,
): number {
  const { model = loadedBy, tools, functions } = recordOf(options ?? {}, 'options') as CountMessagesOptions;
  const rule = ruleOf(model, counter);
  let total = REPLY;
  listOf(messages, 'messages').forEach((message, index) => {
    total += countMessage(recordOf(message, `messages[${index}]`), rule, counter, `messages[${index}]`);
  });
  const definitions = definitionsOf(tools, functions);
  if (definitions.length > 0) total += countFunctions(definitions, model as string, counter);
  return total;
}

function ruleOf(model: unknown, counter: Counter): MessageRule {
  if (typeof model !== 'string') throw unexpected('the name of a chat model', 'model', model);
  if (!FAMILY.test(model) || NO_CHAT.test(model)) {
    throw outOfRange(`a model with a published rule for counting messages (${FAMILIES})`, 'model', model);
  }
  if (encodingForModel(model) !== counter.name) throw outOfRange(`a model that uses ${counter.name}`, 'model', model);
  return model === 'gpt-3.5-turbo-0301' ? GPT_35_TURBO_0301 : COMMON;
}

function countMessage(message: Record<string, unknown>, rule: MessageRule, counter: Counter, where: string): number {
  const { role, content, name, ...others } = message;
  refuse(others, where);
  let total = rule.perMessage + counter.count(stringOf(role, `${where}.role`));
  if (name !== undefined && name !== null) total += rule.perName + counter.count(stringOf(name, `${where}.name`));
  if (typeof content === 'string') return total + counter.count(content);
  if (content === undefined || content === null) return total;
  if (!Array.isArray(content)) throw unexpected('a string or a list of parts', `${where}.content`, content);
  content.forEach((given, index) => {
    const place = `${where}.content[${index}]`;
    const { type, text, ...others } = recordOf(given, place);
    if (type !== 'text') throw outOfRange("'text', as no published rule counts other parts,", `${place}.type`, type);
    refuse(others, place);
    total += counter.count(stringOf(text, `${place}.text`));
  });
  return total;
}

/** The functions, each with its place among the arguments. */
function definitionsOf(tools: unknown, functions: unknown): [place: string, definition: unknown][] {
  const ofTools = listOf(tools ?? [], 'tools').map((tool, index): [string, unknown] => {
    const { type, function: definition, ...others } = recordOf(tool, `tools[${index}]`);
    if (type !== 'function') {
      throw outOfRange("'function', as no published rule counts other tools,", `tools[${index}].type`, type);
    }
    refuse(others, `tools[${index}]`);
    return [`tools[${index}].function`, definition];
  });
  const ofFunctions = listOf(functions ?? [], 'functions').map((definition, index): [string, unknown] => [
    `functions[${index}]`,
    definition,
  ]);
  return [...ofTools, ...ofFunctions];
}

function countFunctions(definitions: [place: string, definition: unknown][], model: string, counter: Counter): number {
  const perFunction = Object.hasOwn(TOOL_MODELS, model) ? TOOL_MODELS[model] : undefined;
  if (perFunction === undefined) {
    const known = Object.keys(TOOL_MODELS).join(', ');
    throw outOfRange(`a model with a published rule for counting tools (${known})`, 'model', model);
  }
  let total = LAST_FUNCTION;
  for (const [where, given] of definitions) {
    const { name, description, parameters, ...others } = recordOf(given, where);
    refuse(others, where);
    const line = `${stringOf(name, `${where}.name`)}:${sentenceOf(description, `${where}.description`)}`;
    total += perFunction + counter.count(line);
    if (parameters !== undefined) total += countParameters(parameters, counter, `${where}.parameters`);
  }
  return total;
}

function countParameters(schema: unknown, counter: Counter, where: string): number {
  // None of these is counted: `required` is in the notebook's own example, the others say nothing about a property.
  const { type, properties, required, additionalProperties, $schema, ...others } = recordOf(schema, where);
  refuse(others, where);
  const entries = Object.entries(recordOf(properties ?? {}, `${where}.properties`));
  if (entries.length === 0) return 0;
  let total = FIRST_PROPERTY;
  for (const [key, property] of entries) {
    const place = `${where}.properties.${key}`;
    const { type, description, enum: items, ...others } = recordOf(property, place);
    refuse(others, place);
    const line = `${key}:${stringOf(type, `${place}.type`)}:${sentenceOf(description, `${place}.description`)}`;
    total += PROPERTY + counter.count(line);
    if (items === undefined) continue;
    total += ENUM;
    listOf(items, `${place}.enum`).forEach((item, index) => {
      total += ENUM_ITEM + counter.count(stringOf(item, `${place}.enum[${index}]`));
    });
  }
  return total;
}

/** A description without the full stop at its end, which the rule leaves out. */
function sentenceOf(value: unknown, name: string): string {
  const text = stringOf(value, name);
  return text.endsWith('.') ? text.slice(0, -1) : text;
}

/** Refuses properties that no rule counts, unless they are empty. */
function refuse(properties: Record<string, unknown>, where: string): void {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    throw outOfRange('nothing, as no published rule counts it,', `${where}.${key}`, value);
  }
}

function stringOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw unexpected('a string', name, value);
  return value;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw unexpected('an array', name, value);
  return value;
}

function recordOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected('an object', name, value);
  return value as Record<string, unknown>;
}
