// The steps of transformers' apply_chat_template around a template (5.24).
//
// Message keys whose value is None are dropped, reasoning is found under any of its names, and missing values are None.
// Authorship tracking begins here: roles and the vocabulary's own variables belong to the template, everything else to the
// caller, with the index of its message.

import type { Work } from '../base/time-slices.js';
import { parseJson, parseMessages, toValue } from './data.js';
import { CALLER, ChatError, compileTemplate, type Rendered, type Template, TEMPLATE, type Value } from './jinja/template.js';
import { spaceEnd, spaceStart } from './jinja/unicode/characters.js';
import { Dict } from './jinja/values/dict.js';
import { List } from './jinja/values/list.js';
import { typeName } from './jinja/values/object.js';
import { derived, literal, ofTemplate, Str } from './jinja/values/text.js';

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

/** The input of a template, as values. */
export interface ChatInput {
  readonly messages: List;
  readonly tools: Value;
  readonly documents: Value;
  /** The caller's variables. */
  readonly variables: Dict;
  readonly ownVariables: ReadonlyMap<string, Value>;
  /** The approximate size of the whole input, in UTF-16 units. */
  readonly size: number;
}

/** Messages that are converted between two pauses. */
const MESSAGES_AT_ONCE = 64;

/** The field names for a message's reasoning. Templates read the first one. */
const REASONING = ['reasoning_content', 'thinking', 'reasoning'];
/** The names a template gets besides variables. */
const TAKEN = ['messages', 'tools', 'documents', 'add_generation_prompt'];

/** `conversation`: a list of messages, as data or as JSON text. Throws a ChatError, TypeError, RangeError or SyntaxError. */
export function* chatInput(conversation: unknown, options: InputOptions): Work<ChatInput> {
  const list = typeof conversation === 'string' ? yield* parseMessages(conversation) : conversation;
  const items: unknown = list instanceof List ? list.items : list;
  if (!Array.isArray(items)) throw new TypeError('`messages` must be a list of objects');
  if (items.length === 0) throw new ChatError('the conversation is empty: pass at least one message');
  const messages: Dict[] = [];
  let size = 0;
  for (const [index, item] of items.entries()) {
    const name = `messages[${index}]`;
    const message = normalizedMessage(dictAt(toValue(item, index, name), name));
    size += sizeOf(message);
    messages.push(message);
    if (messages.length % MESSAGES_AT_ONCE === 0) yield;
  }
  return inputWith(messages, size, options);
}

/** The input for messages that are values already. */
export function inputWith(
  messages: readonly Dict[],
  size: number,
  { tools, documents, variables, ownVariables = {} }: InputOptions,
): ChatInput {
  const defaults = new Map<string, Value>();
  for (const [name, value] of Object.entries(ownVariables)) defaults.set(name, toValue(value, TEMPLATE, name));
  const passed = variables === undefined || variables === null ? new Dict() : valueIn(variables, 'variables');
  const overrides = dictAt(passed, 'variables');
  const taken = TAKEN.find((name) => overrides.getText(name) !== undefined);
  if (taken !== undefined) throw new TypeError(`expected no ${taken} in variables: it has an argument or option of its own`);
  const lists = { tools: listOf(tools, 'tools'), documents: listOf(documents, 'documents') };
  const all = [...Object.values(lists), overrides, ...defaults.values()].reduce<number>((sum, value) => sum + sizeOf(value), size);
  return { messages: new List(messages), ...lists, variables: overrides, ownVariables: defaults, size: all };
}

/** Renders a chat in steps. Throws a TemplateError or ChatError. */
export function* applyingTemplate(input: ChatInput, options: TemplateOptions): Work<Rendered> {
  const { addGenerationPrompt = false, continueFinalMessage = false, date } = options;
  if (continueFinalMessage !== false && addGenerationPrompt)
    throw new ChatError('addGenerationPrompt begins another message, so that the last one cannot be continued');
  const template = typeof options.template === 'string' ? compileTemplate(options.template) : options.template;
  const messages = [...input.messages.items] as Dict[];
  const last =
    continueFinalMessage === false
      ? undefined
      : markLast(messages, continueFinalMessage === true ? 'content' : continueFinalMessage, template);
  const values = valuesOf(input, new List(messages), addGenerationPrompt);
  const rendered = yield* template.rendering(values, { date, size: input.size });
  return last === undefined ? rendered : cutAtMark(rendered, last);
}

/** Everything that a template can read, by name. */
function valuesOf(input: ChatInput, messages: List, addGenerationPrompt: boolean): Map<string, Value> {
  const values = new Map(input.ownVariables);
  for (const { key, value } of input.variables.entries()) values.set((key as Str).text, value);
  return values
    .set('messages', messages)
    .set('tools', input.tools)
    .set('documents', input.documents)
    .set('add_generation_prompt', addGenerationPrompt);
}

function dictAt(value: Value, name: string): Dict {
  if (value instanceof Dict) return value;
  throw new TypeError(`\`${name}\` must be an object; received a ${typeName(value)}`);
}

/** A list of objects as a value; None if absent. */
function listOf(data: unknown, name: string): Value {
  const value = data === undefined ? null : valueIn(data, name);
  if (value === null) return null;
  if (!(value instanceof List)) throw new TypeError(`\`${name}\` must be a list of objects; received a ${typeName(value)}`);
  value.items.forEach((each, index) => dictAt(each, `${name}[${index}]`));
  return value;
}

function valueIn(data: unknown, name: string): Value {
  return typeof data === 'string' ? parseJson(data, name) : toValue(data, CALLER, name);
}

/**
 * Roles that are plain words belong to the template: some templates build control tokens from them. Other roles could
 * contain control tokens.
 */
function roleOf(role: Value): Value {
  return role instanceof Str && /^[\w .-]*$/.test(role.text) ? ofTemplate(role.text) : role;
}

/** A message in the form templates get it. */
function normalizedMessage(message: Dict): Dict {
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
function sizeOf(value: Value): number {
  if (value instanceof Str) return value.units;
  let size = 1;
  if (value instanceof List) for (const each of value.items) size += sizeOf(each);
  else if (value instanceof Dict) for (const { key, value: each } of value.entries()) size += sizeOf(key) + sizeOf(each);
  return size;
}

// continue_final_message renders the last message with a mark after its text, and cuts the prompt there.

/** Templates look for this mark. Its space shows whether the template trims. */
const MARK = 'CONTINUE_FINAL_MESSAGE_TAG';

/** Puts the mark after the text to continue in the last message, which is replaced, and returns the text. */
function markLast(messages: Dict[], field: string, template: Template): string {
  const last = messages.at(-1) as Dict;
  const value = last.getText(field) ?? null;
  if (value === null) throw new ChatError(`the last message has no ${JSON.stringify(field)} to continue`);
  const fields = REASONING.includes(field) ? REASONING.filter((each) => last.getText(each) === value) : [field];
  if (!fields.some((each) => template.mentions(each)))
    throw new ChatError(`the chat template does not read ${JSON.stringify(field)}, so that it cannot be continued`);
  const copy = last.copy();
  messages[messages.length - 1] = copy;
  if (value instanceof List) {
    const at = value.items.findLastIndex((block) => block instanceof Dict && block.getText('text') !== undefined);
    const text = (value.items[at] as Dict | undefined)?.getText('text');
    if (!(text instanceof Str)) throw new ChatError('the last message has no text to continue');
    const block = (value.items[at] as Dict).copy();
    block.set(literal('text'), marked(text));
    copy.set(ofTemplate(field), new List(value.items.with(at, block)));
    return text.text;
  }
  if (!(value instanceof Str)) throw new ChatError(`the ${field} of the last message is not a text to continue`);
  for (const each of fields) copy.set(ofTemplate(each), marked(value));
  return value.text;
}

function marked(str: Str): Str {
  return derived(`${str.text}${MARK} `, str);
}

/** Removes the mark and everything after it, and the part of the text that the template would have trimmed. */
function cutAtMark(rendered: Rendered, text: string): Rendered {
  const at = rendered.text.lastIndexOf(MARK);
  if (at < 0 || !rendered.text.includes(text.slice(spaceEnd(text), spaceStart(text)))) {
    throw new ChatError('the chat template does not write all of the text of the last message, so that it cannot be continued');
  }
  return upTo(rendered, rendered.text.startsWith(`${MARK} `, at) ? at : spaceStart(rendered.text, at));
}

function upTo({ text, ranges, ends, origins, generation }: Rendered, end: number): Rendered {
  const count = end === 0 ? 0 : ends.findIndex((each) => each >= end) + 1;
  const clippedEnds = ends.slice(0, count);
  if (count > 0) clippedEnds[count - 1] = end;
  const clip = (pairs: Uint32Array) => {
    const inside: number[] = [];
    for (let i = 0; i < pairs.length && (pairs[i] as number) < end; i += 2)
      inside.push(pairs[i] as number, Math.min(pairs[i + 1] as number, end));
    return Uint32Array.from(inside);
  };
  return {
    text: text.slice(0, end),
    ranges: clip(ranges),
    ends: clippedEnds,
    origins: origins.slice(0, count),
    generation: clip(generation),
  };
}
