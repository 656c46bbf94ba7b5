// The tools of harmony. Those of the option `tools` are the developer's functions, which a conversation declares in a developer message.
// Their parameters are shown to gpt-oss as a JSON schema written as a TypeScript type:
//
//   { type: 'object', properties: { place: { type: 'string', description: 'A city' } }, required: ['place'] }
//
// becomes
//
//   {
//   // A city
//   place: string,
//   }
//
// Only types, titles, descriptions, examples, defaults and enums are shown; anything else, such as `$ref` and `anyOf`,
// is `any`. The layout, with its irregular margins, follows OpenAI's renderer, version 0.0.8.

import { unexpected } from '../../base/errors.js';
import { CALLER } from '../jinja/values/origin.js';
import { compactJson, isList, isObject, type Json, memberOf, spacedJson } from './harmony-json.js';

/** A message in harmony's JSON. */
export interface Said {
  readonly json: Json;
  /** The index of the caller's message; CALLER for one that the caller did not write. */
  readonly origin: number;
}

/**
 * Messages in harmony's JSON, also of OpenAI's, as the published template of gpt-oss writes them: each of `tool_calls` is a message to its
 * function, and text beside calls is analysis, which goes with a later answer if `dropAnalysis`. A result names its call. A message of
 * the assistant without the member `channel` is an answer.
 */
export function saidBy(messages: readonly Json[], dropAnalysis: boolean): Said[] {
  const isAnswer = (message: Json) =>
    memberOf(message, 'role') === 'assistant' &&
    callsOf(message).length === 0 &&
    (memberOf(message, 'recipient') ?? null) === null &&
    (memberOf(message, 'channel') === undefined || memberOf(message, 'channel') === 'final');
  const lastAnswer = dropAnalysis ? messages.findLastIndex(isAnswer) : -1;
  const names = new Map<Json, Json>();
  return messages.flatMap((json, origin) => {
    const said = (members: { [name: string]: Json }) => ({ json: new Map(Object.entries(members)), origin });
    const role = memberOf(json, 'role');
    const calls = callsOf(json);
    const id = memberOf(json, 'tool_call_id') ?? null;
    if (calls.length > 0) {
      const { content, tool_calls: _, reasoning_content, thinking, reasoning, ...others } = Object.fromEntries(json as Map<string, Json>);
      const texts = [reasoning_content ?? thinking ?? reasoning, content].filter((text) => text != null && text !== '') as Json[];
      const analyses = (origin < lastAnswer ? [] : texts).map((text) => said({ ...others, channel: 'analysis', content: text }));
      return analyses.concat(
        calls.map((call, index) => {
          const called = memberOf(call, 'function');
          const [name, input] = [memberOf(called, 'name'), memberOf(called, 'arguments') ?? null];
          if (typeof name !== 'string')
            throw unexpected('{type: "function", function: {name, arguments}}', `messages[${origin}].tool_calls[${index}]`, call);
          names.set(memberOf(call, 'id') ?? null, name);
          const text = typeof input === 'string' ? input : spacedJson(input);
          return said({ ...others, recipient: `functions.${name}`, channel: 'commentary', content_type: 'json', content: text });
        }),
      );
    }
    if (role === 'tool' && id !== null) {
      const { tool_call_id: _, name: named = null, ...others } = Object.fromEntries(json as Map<string, Json>);
      const name = names.get(id) ?? named;
      if (typeof name !== 'string') throw unexpected('the id of a call before it', `messages[${origin}].tool_call_id`, id);
      return said({ recipient: 'assistant', channel: 'commentary', ...others, name: `functions.${name}` });
    }
    return { json: isAnswer(json) ? new Map([...(json as Map<string, Json>), ['channel', 'final']]) : json, origin };
  });
}

function callsOf(message: Json): readonly Json[] {
  const calls = memberOf(message, 'tool_calls');
  return isList(calls) ? calls : [];
}

/**
 * Messages that declare the functions of a request: in the first developer message, whose text is the instructions, or in a
 * separate one after the leading system messages.
 */
export function withFunctions(said: readonly Said[], functions: Json | undefined): readonly Said[] {
  if (functions === undefined) return said;
  const at = said.findIndex(({ json }) => memberOf(json, 'role') === 'developer');
  if (at >= 0) {
    const { json, origin } = said[at] as Said;
    return said.with(at, { json: declaring(json as ReadonlyMap<string, Json>, functions, `messages[${origin}]`), origin });
  }
  const first = said.findIndex(({ json }) => memberOf(json, 'role') !== 'system');
  return said.toSpliced(first < 0 ? said.length : first, 0, { json: declaring(DEVELOPER, functions, 'messages'), origin: CALLER });
}

const DEVELOPER: ReadonlyMap<string, Json> = new Map<string, Json>(Object.entries({ role: 'developer', content: [] }));

/** The functions of the option `tools`; undefined if there are none. */
export function functionsOf(tools: readonly Json[]): Json | undefined {
  if (tools.length === 0) return undefined;
  return new Map<string, Json>(Object.entries({ name: 'functions', tools: tools.map(functionOf) }));
}

/** `{name, description, parameters}` of a tool. */
function functionOf(tool: Json, index: number): Json {
  const declaration = memberOf(tool, 'function');
  if (!isObject(declaration)) throw unexpected('{type: "function", function: {…}}', `tools[${index}]`, tool);
  return new Map<string, Json>([...declaration, ['description', declaration.get('description') ?? '']]);
}

/** The message with the functions in it. */
function declaring(message: ReadonlyMap<string, Json>, functions: Json, name: string): Json {
  const content = message.get('content');
  const contents = typeof content === 'string' ? [new Map(Object.entries({ type: 'developer_content', instructions: content }))] : content;
  if (!isList(contents)) throw unexpected('a string or an array of contents', `${name}.content`, content);
  const at = contents.findIndex((each) => memberOf(each, 'type') === 'developer_content');
  const declaration = (contents[at] ?? new Map<string, Json>([['type', 'developer_content']])) as ReadonlyMap<string, Json>;
  const known = declaration.get('tools') ?? new Map<string, Json>();
  if (!isObject(known)) throw unexpected('an object of namespaces', `${name}.content[${at}].tools`, known);
  if (known.has('functions'))
    throw new TypeError(`\`tools\` must be left out, or the functions of ${name}.content[${at}].tools: both declare functions`);
  const declared = new Map<string, Json>([...declaration, ['tools', new Map([...known, ['functions', functions]])]]);
  return new Map<string, Json>([...message, ['content', at < 0 ? [declared, ...contents] : contents.with(at, declared)]]);
}

/** A schema as a type, whose lines after the first begin with `margin`. */
export function typeOfSchema(schema: Json, margin: string): string {
  const variants = memberOf(schema, 'oneOf');
  if (isList(variants))
    return variants.map((variant) => `\n${margin} | ${variantOf(variant, margin)}${commentBehind(variant, defaultOf(variant))}`).join('');
  const type = memberOf(schema, 'type');
  if (isList(type)) {
    const names = type.filter((each) => typeof each === 'string');
    if (names.length > 0) return names.map((name) => (name === 'integer' ? 'number' : name)).join(' | ');
  }
  switch (type) {
    case 'object':
      return objectType(schema, margin);
    case 'array': {
      const items = memberOf(schema, 'items');
      return items === undefined ? 'Array<any>' : `${typeOfSchema(items, margin)}[]`;
    }
    case 'string': {
      const values = enumOf(schema).filter((each) => typeof each === 'string');
      return values.length > 0 ? values.map((value) => `"${value}"`).join(' | ') : 'string';
    }
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return 'any';
  }
}

function objectType(schema: Json, margin: string): string {
  const properties = memberOf(schema, 'properties');
  const required = memberOf(schema, 'required');
  const names = new Set(isList(required) ? required : []);
  const members = isObject(properties)
    ? Array.from(properties, ([name, property]) => memberType(name, property, names.has(name), margin))
    : [];
  return `${commentAbove(textOf(schema, 'description'), margin)}{\n${members.join('')}${margin}}`;
}

function memberType(name: string, property: Json, isRequired: boolean, margin: string): string {
  const declared = `${margin}${name}${isRequired ? '' : '?'}:`;
  const title = textOf(property, 'title');
  const titled = title === undefined ? '' : `${margin}// ${title}\n${margin}//\n`;
  const comment = commentAbove(textOf(property, 'description'), margin);
  const examples = examplesOf(property, margin);
  const variants = memberOf(property, 'oneOf');
  if (isList(variants)) return titled + examples + unionMember(declared, property, variants, margin);
  // A oneOf that is not a list leaves the property without its description and default.
  const isPlain = variants === undefined;
  const type = nullable(typeOfSchema(property, `${margin}    `), property);
  const initial = isPlain ? shownDefault(property) : undefined;
  return `${titled}${isPlain ? comment : ''}${examples}${declared} ${type},${initial === undefined ? '' : ` // default: ${initial}`}\n`;
}

/** A property with several possible types, one per line. */
function unionMember(declared: string, property: Json, variants: readonly Json[], margin: string): string {
  const description = textOf(property, 'description');
  // A description repeated by the first variant is shown there.
  const isAbove = description !== undefined && description !== textOf(variants[0], 'description');
  const initial = shownDefault(property);
  const lines = variants.map((variant, index) => {
    const isSaid = (index === 0 && isAbove) || textOf(variant, 'description') === description;
    return `${margin} | ${variantOf(variant, margin)}${commentBehind(variant, shownDefault(variant), isSaid)}\n`;
  });
  const above = (isAbove ? commentAbove(description, margin) : '') + (initial === undefined ? '' : `${margin}// default: ${initial}\n`);
  return `${above}${declared}\n${lines.join('')}${margin},\n`;
}

function variantOf(variant: Json, margin: string): string {
  return nullable(typeOfSchema(variant, `${margin}   `), variant);
}

function nullable(type: string, schema: Json): string {
  return memberOf(schema, 'nullable') === true && !type.includes('null') ? `${type} | null` : type;
}

function examplesOf(property: Json, margin: string): string {
  const examples = memberOf(property, 'examples');
  if (!isList(examples) || examples.length === 0) return '';
  const texts = examples.filter((each) => typeof each === 'string');
  return `${margin}// Examples:\n${texts.map((text) => `${margin}// - "${text}"\n`).join('')}`;
}

function commentAbove(text: string | undefined, margin: string): string {
  return text === undefined ? '' : `${margin}// ${text}\n`;
}

/** The comment after a variant: its description, unless already shown, and its default. */
function commentBehind(variant: Json, initial: string | undefined, isSaid = false): string {
  const description = isSaid ? undefined : textOf(variant, 'description');
  const parts = [description, initial === undefined ? undefined : `default: ${initial}`].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : ` // ${parts.join(' ')}`;
}

/** A default as JSON; a string is quoted without escapes. */
function defaultOf(schema: Json): string | undefined {
  const value = memberOf(schema, 'default');
  if (value === undefined) return undefined;
  return typeof value === 'string' && enumOf(schema).length === 0 ? `"${value}"` : compactJson(value);
}

/** The same, but enum values have no quotes. */
function shownDefault(schema: Json): string | undefined {
  const value = memberOf(schema, 'default');
  return typeof value === 'string' && enumOf(schema).length > 0 ? value : defaultOf(schema);
}

function enumOf(schema: Json): readonly Json[] {
  const values = memberOf(schema, 'enum');
  return isList(values) ? values : [];
}

function textOf(schema: Json | undefined, key: string): string | undefined {
  const value = memberOf(schema, key);
  return typeof value === 'string' ? value : undefined;
}
