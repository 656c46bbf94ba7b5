// The parts of a request besides messages: tools, the tool choice and the response format. They are written after the
// first system message, or in a system message of their own.

import { outOfRange, unexpected } from '../../base/errors.js';
import { fieldsOf, isEmpty, itemsOf, knownFieldsOf, stringOf } from './checks.js';
import { declarationsOf } from './declarations.js';
import { schemaJson } from './json.js';
import { ifPublished, type Ledger } from './ledger.js';
import { countPublishedTools, type Definition } from './published-tools.js';
import type { CountMessagesOptions } from './request.js';
import type { Request } from './state.js';

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
  const add = (given: unknown, path: string, isCustom: boolean): void => {
    const known = ['name', 'description', ...(isCustom ? ['format'] : ['parameters', 'strict'])];
    definitions.push({ path, fields: knownFieldsOf(given, path, known), isCustom });
  };
  for (const [given, path] of itemsOf(tools ?? [], 'tools')) {
    const { type, function: called, custom } = knownFieldsOf(given, path, ['type', 'function', 'custom']);
    if (type === 'custom') {
      const assumption = 'A custom tool is counted by its name, description and grammar.';
      ledger.assume(assumption, `${path}.type`, type, "'function'");
    } else if (type !== 'function') throw outOfRange("'function' or 'custom'", `${path}.type`, type);
    add(type === 'custom' ? custom : called, `${path}.${type}`, type === 'custom');
  }
  for (const [given, path] of itemsOf(functions ?? [], 'functions')) add(given, path, false);
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

/** The response format as written after the system message; empty if the model is not told of one. */
function formOf(given: unknown, ledger: Ledger): string {
  if (isEmpty(given)) return '';
  const { type, json_schema } = knownFieldsOf(given, 'response_format', ['type', 'json_schema']);
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
