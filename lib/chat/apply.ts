// The steps of transformers' apply_chat_template around a template (5.24).
//
// Message keys whose value is None are dropped, reasoning is found under any of its names, and missing values are None.
// Authorship tracking begins here: roles and the vocabulary's own variables belong to the template, everything else to the
// caller, with the index of its message.

import { typeName } from './jinja/values/object.js';
import { toValue } from './data.js';
import { CALLER, ChatError, compileTemplate, type Rendered, type Template, TEMPLATE, type Value } from './jinja/template.js';
import { List } from './jinja/values/containers.js';
import { Dict } from './jinja/values/dict.js';
import { literal, ofTemplate, Str } from './jinja/values/str.js';
import { jsonInput } from './json-input.js';
import { Part } from './parts.js';
import { REASONING } from './reasoning.js';

/** The caller's inputs. */
export interface InputOptions {
  /** Lists of objects, as data or as JSON text. */
  tools?: unknown;
  documents?: unknown;
  /** As data or as JSON text; they override `ownVariables`. */
  variables?: unknown;
  /** The vocabulary's variables: `bos_token`, … */
  ownVariables?: Readonly<Record<string, unknown>> | undefined;
}

export interface TemplateOptions {
  /** The template's text, or a parsed template. */
  template: string | Template;
  addGenerationPrompt?: boolean | undefined;
  /** True, or the field of the last message to continue. */
  continueFinalMessage?: boolean | string | undefined;
  date?: Date | undefined;
}

export type ApplyOptions = InputOptions & TemplateOptions;

/** The input of a template, as values. */
export class ChatInput {
  constructor(
    readonly messages: List,
    readonly tools: Value,
    readonly documents: Value,
    /** The caller's variables. */
    readonly variables: Dict,
    readonly ownVariables: ReadonlyMap<string, Value>,
  ) {}
}

/** Continues the last message. */
export const continuing = new Part<typeof import('./continued.js')>();

/** The names a template gets besides variables. */
const TAKEN = ['messages', 'tools', 'documents', 'add_generation_prompt'];

/** `conversation`: a list of messages, as data or as JSON text. Throws a ChatError, TypeError, RangeError or SyntaxError. */
export function chatInput(conversation: unknown, { tools, documents, variables, ownVariables = {} }: InputOptions): ChatInput {
  const messages = messagesOf(conversation);
  if (messages.length === 0) throw new ChatError('the conversation is empty: pass at least one message');
  return inputWith(messages.map(prepared), { tools, documents, variables, ownVariables });
}

/** The input for messages that are values already. */
export function inputWith(messages: readonly Dict[], { tools, documents, variables, ownVariables = {} }: InputOptions): ChatInput {
  const own = new Map<string, Value>();
  for (const [name, value] of Object.entries(ownVariables)) own.set(name, toValue(value, TEMPLATE, name));
  const given = dictOf(variables);
  const taken = TAKEN.find((name) => given.getText(name) !== undefined);
  if (taken !== undefined) throw new TypeError(`expected no ${taken} in variables: it has an argument or option of its own`);
  return new ChatInput(new List(messages), listOf(tools, 'tools'), listOf(documents, 'documents'), given, own);
}

/** Renders a chat. Throws a TemplateError, or the errors of `chatInput`. */
export function applyChatTemplate(conversation: unknown, options: TemplateOptions & InputOptions): Rendered {
  const { template: given, addGenerationPrompt = false, continueFinalMessage = false, date } = options;
  const input = conversation instanceof ChatInput ? conversation : chatInput(conversation, options);
  if (continueFinalMessage !== false && addGenerationPrompt)
    throw new ChatError('addGenerationPrompt begins another message, so that the last one cannot be continued');
  const template = typeof given === 'string' ? compileTemplate(given) : given;
  const messages = [...input.messages.items] as Dict[];
  const last =
    continueFinalMessage === false
      ? undefined
      : continuing.contents.continued(messages, continueFinalMessage === true ? 'content' : continueFinalMessage, template);
  const values = valuesOf(input, new List(messages), addGenerationPrompt);
  let size = 0;
  for (const value of values.values()) size += sizeOf(value);
  const rendered = template.render(values, { date, size });
  return last === undefined ? rendered : continuing.contents.cut(rendered, last);
}

/** Everything that a template can read, by name. */
export function valuesOf(input: ChatInput, messages: List, addGenerationPrompt: boolean): Map<string, Value> {
  const values = new Map(input.ownVariables);
  for (const { key, value } of input.variables.entries()) values.set((key as Str).text, value);
  return values
    .set('messages', messages)
    .set('tools', input.tools)
    .set('documents', input.documents)
    .set('add_generation_prompt', addGenerationPrompt);
}

function messagesOf(conversation: unknown): Dict[] {
  const list = typeof conversation === 'string' ? jsonInput.contents.parseMessages(conversation) : conversation;
  const items = list instanceof List ? list.items : list;
  if (!Array.isArray(items)) throw new TypeError('expected a list of objects for messages');
  return (items as unknown[]).map((message, index) => dictAt(toValue(message, index, `messages[${index}]`), `messages[${index}]`));
}

function dictAt(value: Value, name: string): Dict {
  if (value instanceof Dict) return value;
  throw new TypeError(`expected an object for ${name} but found a ${typeName(value)}`);
}

/** A list of objects as a value; None if absent. */
function listOf(data: unknown, name: string): Value {
  if (data === undefined || data === null) return null;
  const value = typeof data === 'string' ? jsonInput.contents.parseJson(data, name) : toValue(data, CALLER, name);
  if (value === null) return null;
  if (!(value instanceof List)) throw new TypeError(`expected a list of objects for ${name}`);
  value.items.forEach((each, index) => dictAt(each, `${name}[${index}]`));
  return value;
}

function dictOf(data: unknown): Dict {
  if (data === undefined || data === null) return new Dict();
  return dictAt(
    typeof data === 'string' ? jsonInput.contents.parseJson(data, 'variables') : toValue(data, CALLER, 'variables'),
    'variables',
  );
}

/**
 * Roles that are plain words belong to the template: some templates build control tokens from them. Other roles could
 * contain such tokens.
 */
function roleOf(role: Value): Value {
  return role instanceof Str && /^[\w .-]*$/.test(role.text) ? ofTemplate(role.text) : role;
}

/** A message as data, in the form templates get it. `origin`: of its texts. */
export function messageOf(data: unknown, origin: number, name: string): Dict {
  return prepared(dictAt(toValue(data, origin, name), name));
}

/** A message in the form templates get it. */
function prepared(message: Dict): Dict {
  const reasoning = REASONING.map((name) => message.getText(name) ?? null).find((value) => value !== null);
  const whole = new Dict();
  if (reasoning !== undefined) whole.set(literal('thinking'), reasoning);
  for (const { key, value } of message.entries()) {
    if (value !== null) whole.set(key, (key as Str).text === 'role' ? roleOf(value) : value);
  }
  if (reasoning !== undefined) whole.set(literal('reasoning_content'), reasoning);
  return whole;
}

/** The approximate size of an input, in UTF-16 units. */
export function sizeOf(value: Value): number {
  if (value instanceof Str) return value.units;
  let size = 1;
  if (value instanceof List) for (const each of value.items) size += sizeOf(each);
  else if (value instanceof Dict) for (const { key, value: each } of value.entries()) size += sizeOf(key) + sizeOf(each);
  return size;
}
