// The published rule for tools: section 7 of OpenAI's notebook "How to count tokens with tiktoken". It counts functions
// whose parameters are an object of properties with a type, a description and optionally an enum of strings.

import { type Fields, fieldsOf, isEmpty, itemsOf, stringOf } from './checks.js';
import { type Count, gap } from './ledger.js';

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
const A_STRING = 'a string, as no published rule does without it';

/** A function of a request and its path; `isCustom` if the tool takes free text. */
export interface Definition {
  path: string;
  fields: Fields;
  isCustom: boolean;
}

/** Counts functions, at least one, by the rule. */
export function countPublishedTools(definitions: readonly Definition[], model: string, count: Count): number {
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
  // None of these is counted: `required` appears in the notebook's own example, the others do not concern a property.
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
    const line = `${key}:${givenString(type, `${path}.type`)}:${sentenceOf(description, `${path}.description`)}`;
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
  const text = givenString(value, name);
  return text.endsWith('.') ? text.slice(0, -1) : text;
}

/** A string that the rule requires and the API does not. */
function givenString(value: unknown, name: string): string {
  if (isEmpty(value)) throw gap(name, value, A_STRING);
  return stringOf(value, name);
}

/** Rejects fields that the rule does not count, unless they are empty. */
function refuse(fields: Fields, where: string): void {
  for (const [key, value] of Object.entries(fields)) {
    if (!isEmpty(value)) throw gap(`${where}.${key}`, value);
  }
}
