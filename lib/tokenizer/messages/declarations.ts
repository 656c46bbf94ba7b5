// Tools as models are shown them: declared as TypeScript, in a namespace. OpenAI's own renderer, openai/harmony, is
// published for gpt-oss. According to recorded requests, other models see a different layout only:
//
//   namespace functions {
//
//   // Gets the weather.
//   type weather = (_: {
//   // A city
//   place: string,
//   unit?: "celsius" | "fahrenheit", // default: celsius
//   }) => any;
//
//   } // namespace functions
//
// An object without comments is written on one line, `{ a: string, b?: number }`, except for the oldest models, which
// are not shown descriptions of inner properties either. Bounds, formats and patterns are never shown.

import { outOfRange, unexpected } from '../../base/errors.js';
import { type Fields, fieldsOf, isEmpty, itemsOf, stringOf } from './checks.js';
import type { Dialect } from './dialects.js';
import { MOST_VALUES } from './json.js';
import type { Definition } from './published-tools.js';

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
const MOST_LEVELS = 100;
const HEADING = '# Tools\n\n## functions\n\n';

/** The declarations of tools, under their heading. */
export function declarationsOf(definitions: readonly Definition[], dialect: Dialect): string {
  const budget = { left: MOST_VALUES };
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
function typeOf(given: unknown, margin: string, level: number, context: SchemaContext): string {
  const [schema, within] = resolved(given, context);
  if (level > MOST_LEVELS) throw outOfRange(`at most ${MOST_LEVELS} levels`, context.name, schema);
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
  const lines = properties.map(([key, given]) => {
    const [property, within] = resolved(given, context);
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
  if (budget.left < 0) throw outOfRange(`at most ${MOST_VALUES} values`, name, MOST_VALUES - budget.left);
}

/** A schema merged with its reference target, and the target's context; any if the reference is recursive. */
function resolved(given: unknown, context: SchemaContext): [schema: Fields, context: SchemaContext] {
  if (typeof given === 'boolean') return [{}, context];
  const { $ref, ...schema } = fieldsOf(given, context.name);
  if ($ref === undefined) return [schema, context];
  const reference = stringOf($ref, context.name);
  if (context.references.includes(reference)) return [{}, context];
  if (context.references.length === MOST_LEVELS) throw outOfRange(`at most ${MOST_LEVELS} levels`, context.name, reference);
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
