// Counts the tokens of a chat request with functions as gpt-tokenizer estimates them: OpenAI renders functions as
// TypeScript declarations in the system message, and the constants were fitted to billed counts. This is a third
// party's estimate, not a published rule.

import { unexpected } from '../../base/errors.js';
import type { ChatMessage } from './chat-format.js';

/** The type of a parameter, by its JSON schema. */
export type ChatCompletionFunctionType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** A string, or an enum of strings. */
export interface ChatCompletionStringProperty {
  type: 'string';
  description?: string;
  enum?: string[];
}

/** A number, or an enum of numbers. */
export interface ChatCompletionNumberProperty {
  type: 'integer' | 'number';
  description?: string;
  minimum?: number;
  maximum?: number;
  enum?: (number | string)[];
}

/** True or false. */
export interface ChatCompletionBooleanProperty {
  type: 'boolean';
  description?: string;
}

/** Null. */
export interface ChatCompletionNullProperty {
  type: 'null';
  description?: string;
}

/** A list. */
export interface ChatCompletionArrayProperty {
  type: 'array';
  description?: string;
  items?: ChatCompletionFunctionProperty;
}

/** An object with properties of their own schemas. */
export interface ChatCompletionObjectProperty {
  type: 'object';
  description?: string;
  required?: string[];
  properties?: Record<string, ChatCompletionFunctionProperty>;
}

/**
 * The schema of a parameter.
 *
 * @example
 * ```ts
 * import type {
 *   ChatCompletionArrayProperty,
 *   ChatCompletionBooleanProperty,
 *   ChatCompletionFunctionProperty,
 *   ChatCompletionFunctionType,
 *   ChatCompletionNullProperty,
 *   ChatCompletionNumberProperty,
 *   ChatCompletionObjectProperty,
 *   ChatCompletionStringProperty,
 * } from 'crayon-tokenizer/gpt-tokenizer';
 *
 * const unit: ChatCompletionStringProperty = { type: 'string', enum: ['celsius', 'fahrenheit'] };
 * const days: ChatCompletionNumberProperty = { type: 'integer', minimum: 1 };
 * const hourly: ChatCompletionBooleanProperty = { type: 'boolean', description: 'Each hour alone' };
 * const reserved: ChatCompletionNullProperty = { type: 'null' };
 * const places: ChatCompletionArrayProperty = { type: 'array', items: { type: 'string' } };
 * const query: ChatCompletionObjectProperty = { type: 'object', properties: { unit, days, hourly, reserved, places } };
 * const all: ChatCompletionFunctionProperty[] = [query, ...Object.values(query.properties ?? {})];
 * const types: ChatCompletionFunctionType[] = all.map(({ type }) => type);
 * types; // ['object', 'string', 'integer', 'boolean', 'null', 'array']
 * ```
 */
export type ChatCompletionFunctionProperty =
  | ChatCompletionStringProperty
  | ChatCompletionNumberProperty
  | ChatCompletionBooleanProperty
  | ChatCompletionNullProperty
  | ChatCompletionArrayProperty
  | ChatCompletionObjectProperty;

/** The parameters of a function: the properties of an object. */
export interface ChatCompletionFunctionParameters extends ChatCompletionObjectProperty {}

/** A function that the model may call. */
export interface ChatCompletionFunctionDefinition {
  name: string;
  description?: string;
  parameters?: ChatCompletionFunctionParameters;
}

/** Whether the model calls a function, and which. */
export type ChatCompletionFunctionCallOption = 'auto' | 'none' | { name: string };

/**
 * A chat request, limited to the fields that are counted.
 *
 * @example
 * ```ts
 * import type {
 *   ChatCompletionFunctionCallOption,
 *   ChatCompletionFunctionDefinition,
 *   ChatCompletionFunctionParameters,
 *   ChatCompletionRequest,
 * } from 'crayon-tokenizer/gpt-tokenizer';
 * import { countChatCompletionTokens } from 'crayon-tokenizer/gpt-tokenizer/model/gpt-4o';
 *
 * const parameters: ChatCompletionFunctionParameters = { type: 'object', properties: { place: { type: 'string' } } };
 * const weather: ChatCompletionFunctionDefinition = { name: 'weather', parameters };
 * const call: ChatCompletionFunctionCallOption = { name: 'weather' };
 * const request: ChatCompletionRequest = {
 *   messages: [{ role: 'user', content: 'hello' }],
 *   functions: [weather],
 *   function_call: call,
 * };
 * countChatCompletionTokens(request); // 43
 * ```
 */
export interface ChatCompletionRequest {
  messages: readonly ChatMessage[];
  functions?: readonly ChatCompletionFunctionDefinition[];
  function_call?: ChatCompletionFunctionCallOption;
}

const PER_REQUEST = 3;
const PER_MESSAGE = 3;
const PER_NAME = 1;
const PER_CALL = 3;
const FUNCTION_ROLE = -2;
const FUNCTIONS = 9;
const FUNCTIONS_BESIDE_SYSTEM = -4;
const CALL_NONE = 1;
const CALL_NAMED = 4;

/** The tokens of a request. `count` counts a text's tokens, treating special tokens as text. */
export function requestTokens(request: ChatCompletionRequest, count: (text: string) => number): number {
  if (typeof request !== 'object' || request === null) throw unexpected('a chat request', 'request', request);
  const { function_call: call } = request;
  if (!Array.isArray(request.messages)) throw unexpected('an array of messages', 'messages', request.messages);
  const messages: readonly ChatMessage[] = request.messages;
  const functions = request.functions ?? [];
  const countOf = (text: string | null | undefined): number => (text ? count(text) : 0);

  let total = PER_REQUEST;
  const firstSystem = messages.findIndex(({ role }) => role === 'system');
  for (const [index, message] of messages.entries()) {
    // The declarations follow the first system message on a separate line.
    const isExtended = functions.length > 0 && index === firstSystem;
    total += messageTokens(isExtended ? { ...message, content: withNewline(message.content) } : message, countOf);
  }
  if (functions.length > 0) {
    total += FUNCTIONS + count(declarationsOf(functions));
    if (firstSystem >= 0) total += FUNCTIONS_BESIDE_SYSTEM;
  }
  if (call === 'none') total += CALL_NONE;
  else if (typeof call === 'object' && call?.name) total += CALL_NAMED + count(call.name);
  return total;
}

function withNewline(content: string): string {
  return !content || content.endsWith('\n') ? content : `${content}\n`;
}

function messageTokens(message: ChatMessage, countOf: (text: string | null | undefined) => number): number {
  const { role, name, content, function_call: call } = message;
  let total = PER_MESSAGE + countOf(role) + countOf(content);
  if (name) total += PER_NAME + countOf(name);
  if (call) total += PER_CALL + countOf(call.name) + countOf(call.arguments);
  if (role === 'function') total += FUNCTION_ROLE;
  return total;
}

/** The functions as TypeScript declares them. */
function declarationsOf(functions: readonly ChatCompletionFunctionDefinition[]): string {
  const lines = ['namespace functions {', ''];
  for (const { name, description, parameters } of functions) {
    if (description) lines.push(`// ${description}`);
    const properties = parameters?.properties;
    if (parameters && properties && Object.keys(properties).length > 0) {
      lines.push(`type ${name} = (_: {`, propertiesOf(parameters, 0), '}) => any;', '');
    } else {
      lines.push(`type ${name} = () => any;`, '');
    }
  }
  lines.push('} // namespace functions');
  return lines.join('\n');
}

function propertiesOf({ properties, required }: ChatCompletionObjectProperty, indent: number): string {
  const margin = ' '.repeat(indent);
  return Object.entries(properties ?? {})
    .map(([name, property]) => {
      // Descriptions are rendered only at the top level.
      const comment = property.description && indent < 2 ? `${margin}// ${property.description}\n` : '';
      return `${comment}${margin}${name}${required?.includes(name) ? '' : '?'}: ${typeOf(property, indent)},`;
    })
    .join('\n');
}

function typeOf(property: ChatCompletionFunctionProperty, indent: number): string {
  switch (property.type) {
    case 'string':
      return property.enum?.map((value) => JSON.stringify(value)).join(' | ') ?? 'string';
    case 'integer':
    case 'number':
      return property.enum?.join(' | ') ?? 'number';
    case 'boolean':
    case 'null':
      return property.type;
    case 'array':
      return property.items ? `${typeOf(property.items, indent)}[]` : 'any[]';
    case 'object':
      return `{\n${propertiesOf(property, indent + 2)}\n${' '.repeat(indent)}}`;
    default:
      return 'any';
  }
}
