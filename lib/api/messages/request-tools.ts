// A request without its messages: tools, the tool choice and the response format. The model reads them after the first system message,
// or in a separate one.

import { outOfRange, unexpected } from '../../base/errors.js';
import { type Fields, fieldsOf, isEmpty, itemsOf, knownFieldsOf, MAX_VALUES, schemaJson, stringOf } from './request-checks.js';
import type { Request } from './calls.js';
import type { Dialect } from './dialects.js';
import { type Count, gap, ifPublished, type Ledger } from './ledger.js';
import type { CountMessagesOptions } from './request.js';

export type Options = { [Key in keyof CountMessagesOptions]: unknown };

/** A separate system message for tools has no counted role; after a text, tools take one token less. */
const TOOLS = -1;
/** A separate system message for the response format has more than its text. */
const FORM_ALONE = 4;
/** Extra instructions about tools for gpt-5 and gpt-5-mini; if there is a system message, they are in a separate one. */
const PREFACE = 81;
const PREFACE_BEHIND_SYSTEM = 85;
const PREFACED = /^(?:ft:)?gpt-5(?:-mini|-nano)?(?:-\d|$)/;
/** The system message in Harmony's description: the model's identity, the date, the channels; and a line about tools. */
const HARMONY_PREFACE = 57;
const HARMONY_TOOLS = 14;
const CHOICE_NONE = 1;
const CHOICE_OF_FUNCTION = 4;
const CHOICE_OF_TOOL = 7;

/** The tokens of tools, the tool choice and the response format. */
export function countSetup(options: Options, request: Request): number {
  const { dialect, ledger, model, system } = request;
  const { count } = ledger;
  const definitions = definitionsOf(options, ledger);
  const hasTools = definitions.length > 0;
  const form = formOf(options.response_format, ledger);
  let tokens = hasTools ? choiceTokens(options, request) : 0;
  if (hasTools && ledger.assumptions.size === 0) {
    const published = () => countPublishedTools(definitions, model, count);
    const counted = ledger.estimates ? ifPublished(published) : published();
    if (counted !== undefined) return counted;
    ledger.assumptions.add('Tools are counted as TypeScript declarations, as recorded requests suggest.');
  }
  const sections = [...(hasTools ? [declarationsOf(definitions, dialect)] : []), ...(form === '' ? [] : [form])];
  if (dialect.isHarmony) return tokens + countHarmony(sections, hasTools, request);
  if (sections.length === 0) return tokens;
  const text = sections.join('\n\n');
  if (system !== undefined) tokens += count(`${system}\n\n${text}`) - count(system);
  else tokens += dialect.perMessage + 1 + count(text);
  if (!hasTools) return system === undefined && !dialect.reasons ? tokens + FORM_ALONE : tokens;
  if (PREFACED.test(model)) tokens += system === undefined ? PREFACE : PREFACE_BEHIND_SYSTEM;
  return tokens + TOOLS;
}

/** The text before a chat in Harmony, where the request's system message comes second. */
function countHarmony(sections: string[], hasTools: boolean, { dialect, ledger: { count }, system }: Request): number {
  const tokens = dialect.perMessage + 1 + HARMONY_PREFACE + (hasTools ? HARMONY_TOOLS : 0);
  if (system !== undefined) return tokens + count(['# Instructions', system, ...sections].join('\n\n')) - count(system);
  return sections.length === 0 ? tokens : tokens + dialect.perMessage + 1 + count(sections.join('\n\n'));
}

/** The tools and functions of a request, each with its path in the arguments. */
function definitionsOf({ tools, functions }: Options, ledger: Ledger): Definition[] {
  const definitions: Definition[] = [];
  const add = (definition: unknown, path: string, isCustom: boolean): void => {
    const known = ['name', 'description', ...(isCustom ? ['format'] : ['parameters', 'strict'])];
    definitions.push({ path, fields: knownFieldsOf(definition, path, known), isCustom });
  };
  for (const [item, path] of itemsOf(tools ?? [], 'tools')) {
    const { type, function: called, custom } = knownFieldsOf(item, path, ['type', 'function', 'custom']);
    if (type === 'custom') {
      const assumption = 'A custom tool is counted by its name, description and grammar.';
      ledger.assume(assumption, `${path}.type`, type, "'function'");
    } else if (type !== 'function') throw outOfRange("'function' or 'custom'", `${path}.type`, type);
    add(type === 'custom' ? custom : called, `${path}.${type}`, type === 'custom');
  }
  for (const [item, path] of itemsOf(functions ?? [], 'functions')) add(item, path, false);
  return definitions;
}

/** The tokens of the tool choice. */
function choiceTokens({ tool_choice: tool, function_call: called }: Options, request: Request): number {
  const { dialect, ledger } = request;
  const choice = isEmpty(tool) ? called : tool;
  const where = isEmpty(tool) ? 'function_call' : 'tool_choice';
  if (isEmpty(choice) || choice === 'auto') return 0;
  ledger.assume('The tool choice is counted as recorded requests suggest.', where, choice, "'auto'");
  if (typeof choice === 'string') return choice === 'none' ? CHOICE_NONE : 0;
  const fields = fieldsOf(choice, where);
  const named = where === 'function_call' ? fields : (fields.function ?? fields.custom);
  if (isEmpty(named)) return 0;
  const name = stringOf(fieldsOf(named, where).name, `${where}.name`);
  if (dialect.reasons) return 0;
  return ledger.count(name) + (where === 'function_call' ? CHOICE_OF_FUNCTION : CHOICE_OF_TOOL);
}

/** The response format, as the server writes it after the system message; empty if it writes none. */
function formOf(format: unknown, ledger: Ledger): string {
  if (isEmpty(format)) return '';
  const { type, json_schema } = knownFieldsOf(format, 'response_format', ['type', 'json_schema']);
  if (type === 'text') return '';
  ledger.assume('The response format is counted as recorded requests suggest.', 'response_format.type', type, "'text'");
  if (type === 'json_object') return '';
  if (type !== 'json_schema') throw unexpected("'text', 'json_object' or 'json_schema'", 'response_format.type', type);
  const where = 'response_format.json_schema';
  const { name, description, schema } = knownFieldsOf(json_schema, where, ['name', 'description', 'schema', 'strict']);
  const told = isEmpty(description) ? '' : `// ${stringOf(description, `${where}.description`)}\n`;
  const form = isEmpty(schema) ? '' : schemaJson(fieldsOf(schema, `${where}.schema`), `${where}.schema`);
  return `# Response Formats\n\n## ${stringOf(name, `${where}.name`)}\n\n${told}${form}`;
}

/** Tokens at the beginning of a function, for the models that the rule names and the snapshots they stand for. */
const MODELS: Readonly<Record<string, number>> = {
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
const A_STRING = 'a string, which the published rule needs';

/** A function of a request and its path; `isCustom` if the tool takes free text. */
export interface Definition {
  path: string;
  fields: Fields;
  isCustom: boolean;
}

/**
 * Counts functions, at least one, by the published rule: section 7 of OpenAI's notebook "How to count tokens with tiktoken", for functions
 * whose parameters are an object of properties with a type, a description and optionally an enum of strings.
 */
function countPublishedTools(definitions: readonly Definition[], model: string, count: Count): number {
  if (!Object.hasOwn(MODELS, model)) {
    throw gap('model', model, `a model with a published rule for counting tools (${Object.keys(MODELS).join(', ')})`);
  }
  let total = LAST_FUNCTION;
  for (const { path, fields } of definitions) {
    const { name, description, parameters, ...others } = fields;
    refuse(others, path);
    const line = `${stringOf(name, `${path}.name`)}:${sentenceOf(description, `${path}.description`)}`;
    total += (MODELS[model] as number) + count(line);
    if (parameters !== undefined) total += countParameters(parameters, count, `${path}.parameters`);
  }
  return total;
}

function countParameters(schema: unknown, count: Count, where: string): number {
  // These fields are not counted: `required` appears in the notebook's example, the others do not concern a property.
  const { type, properties, required, additionalProperties, $schema, ...others } = fieldsOf(schema, where);
  refuse(others, where);
  const entries = Object.entries(fieldsOf(properties ?? {}, `${where}.properties`));
  if (entries.length === 0) return 0;
  let total = FIRST_PROPERTY;
  for (const [key, property] of entries) {
    const path = `${where}.properties.${key}`;
    const { type, description, enum: items, ...others } = fieldsOf(property, path);
    refuse(others, path);
    if (Array.isArray(type)) throw gap(`${path}.type`, type, A_STRING);
    const line = `${key}:${requiredString(type, `${path}.type`)}:${sentenceOf(description, `${path}.description`)}`;
    total += PROPERTY + count(line);
    if (items === undefined) continue;
    total += ENUM;
    for (const [item, where] of itemsOf(items, `${path}.enum`)) {
      if (typeof item !== 'string') throw gap(where, item, A_STRING);
      total += ENUM_ITEM + count(item);
    }
  }
  return total;
}

/** A description without its final full stop, which the rule leaves out. */
function sentenceOf(value: unknown, name: string): string {
  const text = requiredString(value, name);
  return text.endsWith('.') ? text.slice(0, -1) : text;
}

/** A string that the rule requires and the API does not. */
function requiredString(value: unknown, name: string): string {
  if (isEmpty(value)) throw gap(name, value, A_STRING);
  return stringOf(value, name);
}

/** Rejects fields that the rule does not count, unless they are empty. */
function refuse(fields: Fields, where: string): void {
  for (const [key, value] of Object.entries(fields)) {
    if (!isEmpty(value)) throw gap(`${where}.${key}`, value);
  }
}

/** The context for rendering a schema. */
interface SchemaContext {
  dialect: Dialect;
  /** The schema in which references are looked up. */
  root: Fields;
  /** The references that led here: a recursive one is written as any. */
  references: readonly string[];
  budget: { left: number };
  /** The tool's name, for errors. */
  name: string;
}

/** The deepest allowed nesting of schemas. */
const MAX_LEVELS = 100;
const HEADING = '# Tools\n\n## functions\n\n';

/**
 * Tools as the server writes them, under their heading: declared as TypeScript, in a namespace. OpenAI's renderer, openai/harmony, is
 * published for gpt-oss. According to recorded requests, other models see a different layout only:
 *
 *   namespace functions {
 *
 *   // Gets the weather.
 *   type weather = (_: {
 *   // A city
 *   place: string,
 *   unit?: "celsius" | "fahrenheit", // default: celsius
 *   }) => any;
 *
 *   } // namespace functions
 *
 * An object without comments is written on one line, `{ a: string, b?: number }`, except for the oldest models, which are not shown
 * descriptions of inner properties either. Bounds, formats and patterns are never shown.
 */
export function declarationsOf(definitions: readonly Definition[], dialect: Dialect): string {
  const budget = { left: MAX_VALUES };
  const declarations = definitions.map(({ path: name, fields, isCustom }) => {
    const { description, parameters } = fields;
    const context = { dialect, root: {}, references: [], budget, name: `${name}.parameters` };
    const type = isCustom ? '(FREEFORM)' : typeOfArgument(parameters, context);
    const declared = `type ${stringOf(fields.name, `${name}.name`)} = ${type} => any;`;
    return `${commentOf(description, '', name)}${commentOf(grammarOf(fields), '', name)}${declared}\n\n`;
  });
  return `${HEADING}namespace functions {\n\n${declarations.join('')}} // namespace functions`;
}

/** The grammar for a custom tool's input. */
function grammarOf({ format }: Fields): unknown {
  const { grammar } = (format ?? {}) as { grammar?: { definition?: unknown } };
  return grammar?.definition;
}

function typeOfArgument(parameters: unknown, context: SchemaContext): string {
  if (parameters === undefined || parameters === null) return '()';
  const root = fieldsOf(parameters, context.name);
  const isBare = Object.keys(fieldsOf(root.properties ?? {}, context.name)).length === 0;
  return isBare ? '()' : `(_: ${objectType(root, '', 0, { ...context, root })})`;
}

/** A schema as a type. `margin`: the indentation of its lines after the first. */
function typeOf(value: unknown, margin: string, level: number, context: SchemaContext): string {
  const [schema, within] = resolved(value, context);
  if (level > MAX_LEVELS) throw tooDeep(context.name);
  spend(context, 1);
  const inner = (schema: unknown) => typeOf(schema, margin, level + 1, within);
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (variants !== undefined) {
    return listOf(variants, context)
      .map(inner)
      .join(schema.allOf === variants ? ' & ' : ' | ');
  }
  if (schema.enum !== undefined) {
    return listOf(schema.enum, context)
      .map((item) => JSON.stringify(item))
      .join(' | ');
  }
  if (Array.isArray(schema.type)) {
    return listOf(schema.type, context)
      .map((type) => inner({ ...schema, type }))
      .join(' | ');
  }
  const type = typeNamed(schema, margin, level, within);
  return schema.nullable === true ? `${type} | null` : type;
}

function typeNamed(schema: Fields, margin: string, level: number, context: SchemaContext): string {
  const { type, items } = schema;
  switch (type) {
    case 'object':
      return objectType(schema, margin, level, context);
    case 'array':
      return `${isEmpty(items) || Array.isArray(items) ? 'any' : typeOf(items, margin, level + 1, context)}[]`;
    case 'integer':
      return 'number';
    case undefined:
      if (schema.properties) return objectType(schema, margin, level, context);
      return schema.const === undefined ? 'any' : JSON.stringify(schema.const);
    default:
      return stringOf(type, context.name);
  }
}

function objectType(schema: Fields, margin: string, level: number, context: SchemaContext): string {
  const { isOld, isHarmony } = context.dialect;
  const inside = level === 0 ? '' : margin + (isHarmony ? '    ' : isOld ? '  ' : '');
  const properties = Object.entries(fieldsOf(schema.properties ?? {}, context.name));
  const required = new Set(listOf(schema.required ?? [], context));
  let isPlain = !isOld && !isHarmony;
  const lines = properties.map(([key, value]) => {
    const [property, within] = resolved(value, context);
    const isShown = !isOld || level === 0;
    const before = isShown ? commentsOf(property, inside, context) : '';
    const type = typeOf(property, inside, level + 1, within);
    const after = isOld || property.default === undefined ? '' : ` // default: ${defaultOf(property)}`;
    if (before || after || type.includes('\n')) isPlain = false;
    return [before, `${key}${required.has(key) ? '' : '?'}: ${type}`, after] as const;
  });
  if (isPlain) return `{ ${lines.map(([, declared]) => declared).join(', ')} }`;
  const end = isHarmony ? inside : level === 0 ? '' : margin;
  return `{\n${lines.map(([before, declared, after]) => `${before}${inside}${declared},${after}\n`).join('')}${end}}`;
}

/** The comments above a property. */
function commentsOf({ title, description, examples }: Fields, margin: string, context: SchemaContext): string {
  const { name, dialect } = context;
  const above = commentOf(description, margin, name);
  if (dialect.isOld) return above;
  const divider = above || dialect.isHarmony ? `${margin}//\n` : '';
  const titled = isEmpty(title) ? '' : commentOf(title, margin, name) + divider;
  if (isEmpty(examples)) return titled + above;
  const texts = listOf(examples, context).filter((item) => typeof item === 'string');
  return `${titled}${above}${margin}// Examples:\n${texts.map((text) => `${margin}// - "${text}"\n`).join('')}`;
}

function commentOf(text: unknown, margin: string, name: string): string {
  if (isEmpty(text) || text === '') return '';
  const lines = stringOf(text, name).replace(/\n$/, '').split('\n');
  return lines.map((line) => `${`${margin}// ${line}`.trimEnd()}\n`).join('');
}

function defaultOf(property: Fields): string {
  const { default: value } = property;
  return typeof value === 'string' && property.enum !== undefined ? value : (JSON.stringify(value) ?? 'null');
}

/** The items of an array, deducted from the remaining allowance of values. */
function listOf(value: unknown, context: SchemaContext): unknown[] {
  if (Array.isArray(value)) spend(context, value.length);
  return Array.from(itemsOf(value, context.name), ([item]) => item);
}

function spend({ budget, name }: SchemaContext, values: number): void {
  budget.left -= values;
  if (budget.left < 0) throw new RangeError(`\`${name}\` must have at most ${MAX_VALUES} values`);
}

function tooDeep(name: string): RangeError {
  return new RangeError(`\`${name}\` must have at most ${MAX_LEVELS} levels`);
}

/** A schema merged with its reference target, and the target's context; any if the reference is recursive. */
function resolved(value: unknown, context: SchemaContext): [schema: Fields, context: SchemaContext] {
  if (typeof value === 'boolean') return [{}, context];
  const { $ref, ...schema } = fieldsOf(value, context.name);
  if ($ref === undefined) return [schema, context];
  const reference = stringOf($ref, context.name);
  if (context.references.includes(reference)) return [{}, context];
  if (context.references.length === MAX_LEVELS) throw tooDeep(context.name);
  const within = { ...context, references: [...context.references, reference] };
  const [target, last] = resolved(referredTo(reference, context), within);
  return [{ ...target, ...schema }, last];
}

/** The schema in the parameters that a reference leads to: `#/$defs/Name`. */
function referredTo(reference: string, { root, name }: SchemaContext): unknown {
  if (!reference.startsWith('#')) throw unexpected('a reference within the schema', name, reference);
  let found: unknown = root;
  for (const key of reference.slice(1).split('/').filter(Boolean)) {
    const step = key.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) {
      throw unexpected('a reference that leads somewhere', name, reference);
    }
    found = (found as Fields)[step];
  }
  return found;
}
