// The option `tools`: the developer's functions, which a harmony conversation declares in a developer message.

import { unexpected } from '../../base/errors.js';
import { isList, isObject, type Json, memberOf } from './json.js';

/**
 * Messages that declare the functions of a request: in the first developer message, whose text is the instructions, or in a
 * separate one (`added`, its index) after the leading system messages.
 */
export function withFunctions(messages: readonly Json[], functions: Json | undefined): { messages: readonly Json[]; added?: number } {
  if (functions === undefined) return { messages };
  const at = messages.findIndex((message) => memberOf(message, 'role') === 'developer');
  if (at >= 0) return { messages: messages.with(at, declaring(messages[at] as ReadonlyMap<string, Json>, functions, `messages[${at}]`)) };
  const first = messages.findIndex((message) => memberOf(message, 'role') !== 'system');
  const added = first < 0 ? messages.length : first;
  return { messages: messages.toSpliced(added, 0, declaring(DEVELOPER, functions, 'messages')), added };
}

const DEVELOPER: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['role', 'developer'],
  ['content', []],
]);

/** The functions of the option `tools`; undefined if there are none. */
export function functionsOf(tools: readonly Json[]): Json | undefined {
  if (tools.length === 0) return undefined;
  return new Map<string, Json>([
    ['name', 'functions'],
    ['tools', tools.map(functionOf)],
  ]);
}

/** `{name, description, parameters}` of a tool. */
function functionOf(tool: Json, index: number): Json {
  const described = memberOf(tool, 'function');
  if (!isObject(described)) throw unexpected('{type: "function", function: {…}}', `tools[${index}]`, tool);
  const description = described.get('description') ?? '';
  return new Map<string, Json>([...described, ['description', description]]);
}

/** The message with the functions in it. */
function declaring(message: ReadonlyMap<string, Json>, functions: Json, name: string): Json {
  const content = message.get('content');
  const contents =
    typeof content === 'string'
      ? [
          new Map<string, Json>([
            ['type', 'developer_content'],
            ['instructions', content],
          ]),
        ]
      : content;
  if (!isList(contents)) throw unexpected('a string or an array of contents', `${name}.content`, content);
  const at = contents.findIndex((each) => memberOf(each, 'type') === 'developer_content');
  const declaration = (contents[at] ?? new Map<string, Json>([['type', 'developer_content']])) as ReadonlyMap<string, Json>;
  const known = declaration.get('tools') ?? new Map<string, Json>();
  if (!isObject(known)) throw unexpected('an object of namespaces', `${name}.content[${at}].tools`, known);
  if (known.has('functions'))
    throw new TypeError(`expected functions either in the option tools or in ${name}.content[${at}].tools, but they are in both`);
  const declared = new Map<string, Json>([...declaration, ['tools', new Map([...known, ['functions', functions]])]]);
  return new Map<string, Json>([...message, ['content', at < 0 ? [declared, ...contents] : contents.with(at, declared)]]);
}
