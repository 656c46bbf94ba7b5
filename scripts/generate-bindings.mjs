// Generates the hosts' bindings from the C interface (native/include/crayon/api), whose functions say what they do with each array:
//
//   native/addon/bindings.cpp     the addon's functions; bindings.def lists them
//   lib/engine/functions.ts       the interface of both hosts: a method for each function, without what only C needs
//   lib/hosts/module/functions            the same in a module's instance, whose memory the arguments pass through (lib/hosts/module/arena.ts); in a
//                                 file for each header, as pages load what they need of them
//
// With --check it only says whether the files are as they should be.

import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { root } from './process.mjs';

/** The parts of the interface that are bound here. The others have bindings by hand: they are of threads and devices. */
const HEADERS = ['cartridges', 'compiler', 'dna', 'documents', 'encoding', 'json', 'limits', 'records', 'tokenizers', 'trainer'];
/** Bound by hand where they are used: texts of ids, which are hot; what needs a pool; what JavaScript counts otherwise. */
const BY_HAND = /^(decode|decode_length|tokenizer_(retain|trim)|job_set_parts|encoder_(bytes_beyond|resume))$/;
/** Not in the WebAssembly modules: see wasm/CMakeLists.txt. */
const NATIVE_ONLY = /^(cartridge_open_(dat_)?file|json_texts|tokenizer_memory|encoder_(append_utf16|fit_utf16|cache_(limit|bytes)))$/;

/** @typedef {{ kind: string, name: string, type?: string, element?: string, words?: number, size?: string, optional?: boolean, of?: string,
 *   isUpTo?: boolean }} Parameter */

const ELEMENTS = { uint8_t: 'bytes', uint16_t: 'units', uint32_t: 'words', double: 'doubles', char: 'text' };
const codes = HEADERS.map((name) =>
  fs.readFileSync(path.join(root, `native/include/crayon/api/${name}.h`), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, ''),
);
const code = codes.join('\n');
/** The words of each structure, which may be in others. */
const structs = new Map();
for (const [, name, fields] of code.matchAll(/typedef struct (\w+) \{([^}]*)\}/g)) {
  const words = Array.from(fields.matchAll(/(\w+) \w+;/g), ([, type]) => structs.get(type) ?? 1);
  structs.set(
    name,
    words.reduce((sum, each) => sum + each),
  );
}

/** The functions of each header. */
const groups = codes.map((code) =>
  Array.from(
    code.matchAll(/CRAYON_API ([\w ]+?\**)\s*crayon_(\w+)\(([^;]*?)\)(?:\s+CRAYON_RETURNS\(([^;]*)\))?;/g),
    ([, returns, name, list, size]) => {
      const parameters = parametersOf(list.replaceAll(/\s+/g, ' '));
      const element = /^const (\w+)\*$/.exec(returns)?.[1];
      return { name, returns, size, element: element && ELEMENTS[element], parameters, given: parameters.filter(isGiven) };
    },
  ).filter(({ name }) => !BY_HAND.test(name)),
);
const functions = groups.flat();

function parametersOf(list) {
  /** @type {Parameter[]} */
  const parameters = split(list).map(parameter);
  // The number of an array's elements is the array's own.
  for (const array of parameters) {
    if (array.element === 'ids') {
      const [, size, width] = /^(.*) \* (\w+)$/.exec(array.size);
      array.size = size;
      Object.assign(
        parameters.find((each) => each.name === width),
        { kind: 'width', of: array.name },
      );
    }
    const [, , name] = /^(?:(\d) \* )?(\w+)(?: \+ 1)?$/.exec(array.size ?? '') ?? [];
    const length = parameters.find((each) => each.name === name && each.kind === 'u32');
    if (length) Object.assign(length, { kind: 'length', of: array.name, size: array.size });
  }
  return parameters;
}

/** At commas outside of parentheses. */
function split(list) {
  return list.split(/,(?![^(]*\))/).map((each) => each.trim());
}

/** @returns {Parameter} */
function parameter(text) {
  const found =
    /^(?:CRAYON_(READS|WRITES|GIVES)(_OR_NULL|_UP_TO|_FREED)?\(((?:[^()]|\([^()]*\))*)\) )?(const )?(\w+)(\**) (\w+)(?:\[(\d+)\])?$/.exec(
      text,
    );
  if (!found) throw new Error(`a parameter is not read: ${text}`);
  const [, does, how, size, isConst, type, stars, name, fixed] = found;
  if (type === 'crayon_result') return { kind: 'result', name };
  if (type === 'uint32_t' && stars === '*' && !does && !fixed) return { kind: 'outWord', name };
  // What is written to bytes of any kind are ids.
  const element = type === 'void' ? (does === 'READS' ? 'bytes' : 'ids') : (ELEMENTS[type] ?? (structs.has(type) ? 'words' : undefined));
  const words = structs.get(type) ?? 1;
  if (does === 'GIVES') return { kind: 'gives', name, type, element, isFreed: how === '_FREED' };
  if (does || fixed) {
    const kind = does === 'READS' || (fixed && isConst) ? 'reads' : element === 'units' ? 'writesText' : 'writes';
    return {
      kind,
      name,
      type,
      element,
      words,
      size: (size ?? fixed).replaceAll(', ', ' * '),
      optional: how === '_OR_NULL',
      isUpTo: how === '_UP_TO',
    };
  }
  if (stars === '**') return { kind: 'outHandle', name, type };
  if (stars === '*') return { kind: 'handle', name, type };
  if (stars === '') return { kind: { uint32_t: 'u32', uint64_t: 'u64', double: 'f64' }[type], name };
  throw new Error(`what is it? ${text}`);
}

/** Whether a caller in JavaScript gives it. */
function isGiven({ kind }) {
  return ['handle', 'u32', 'u64', 'f64', 'reads', 'writes'].includes(kind);
}

const camel = (name) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
const GENERATED = 'Generated by scripts/generate-bindings.mjs from native/include/crayon/api; do not edit.';

// --- the addon

function addonFunction({ name, returns, size, element, parameters, given }) {
  const isRelease = /_release$/.test(name);
  if (isRelease) {
    const { type } = parameters[0];
    return `napi_value ${name}(napi_env env, napi_callback_info info) { return release<${type}>(env, info); }\n`;
  }
  const isChecked = (each) =>
    ['reads', 'writes', 'writesText'].includes(each.kind) && !parameters.some(({ kind, of }) => kind === 'length' && of === each.name);
  /** Whether a number has a name: because the sizes of arrays depend on it. */
  const sizes = `${parameters.filter(isChecked).map((each) => each.size)} ${size ?? ''}`;
  const isNamed = (each) => new RegExp(`\\b${each.name}\\b`).test(sizes);
  const lines = [];
  const values = new Map();
  for (const each of parameters) {
    const { kind, name, type, element } = each;
    const at = given.indexOf(each);
    values.set(name, name);
    if (kind === 'handle') lines.push(`${type}* const ${name} = in.handle<${type}>(${at});`);
    if (kind === 'u32' || kind === 'u64' || kind === 'f64') {
      if (isNamed(each)) lines.push(`const auto ${name} = in.${kind}(${at});`);
      else values.set(name, `in.${kind}(${at})`);
    }
    if (kind === 'reads' || kind === 'writes') {
      const isConst = kind === 'reads' ? 'const ' : '';
      values.set(name, type.startsWith('crayon_') ? `reinterpret_cast<${isConst}${type}*>(${name}.data)` : `${name}.data`);
      if (element === 'units' || element === 'text' || element === 'ids') lines.push(`const auto ${name} = in.${element}(${at});`);
      else {
        const of = `${isConst}${element === 'words' ? 'std::uint32_t' : cpp(type)}`;
        lines.push(`const auto ${name} = in.${each.optional ? 'optional' : 'array'}<${of}>(${at});`);
      }
    }
    if (kind === 'outHandle') lines.push(`${type}* ${name} = nullptr;`);
    if (kind === 'outWord') lines.push(`std::uint32_t ${name} = 0;`);
    if (kind === 'gives') lines.push(`${each.isFreed ? '' : 'const '}${cpp(type)}* ${name} = nullptr;`);
    if (['outHandle', 'outWord', 'gives'].includes(kind)) values.set(name, `&${name}`);
    if (kind === 'result') values.set(name, 'in.result()');
    if (kind === 'width') values.set(name, `${each.of}.width`);
  }
  // The lengths come after the arrays that they are of.
  for (const each of parameters) {
    if (each.kind !== 'length') continue;
    const array = parameters.find(({ name }) => name === each.of);
    const divisor = Number(/^(\d) \*/.exec(each.size)?.[1] ?? 1) * (array.words ?? 1);
    const isOfEnds = each.size.endsWith('+ 1');
    const length = isOfEnds ? `in.rows(${each.of})` : `${each.of}.length()${divisor > 1 ? ` / ${divisor}` : ''}`;
    if (isOfEnds || isNamed(each)) lines.push(`const std::uint32_t ${each.name} = ${length};`);
    else values.set(each.name, length);
  }
  for (const each of parameters.filter(isChecked)) {
    const { kind, size, words = 1, name } = each;
    if (kind === 'writesText') lines.push(`const auto ${name} = in.room_for_text(${wide(size)});`);
    else lines.push(`in.need(${each.optional ? `!${name}.data || ` : ''}${name}.count >= ${words > 1 ? `${words} * ` : ''}${wide(size)});`);
  }
  const call = `[&] { return crayon_${name}(${[...values.values()].join(', ')}); }`;
  const out = parameters.find(({ kind }) => ['outHandle', 'gives', 'writesText'].includes(kind));
  if (element) {
    const length = size?.replace(/^\*/, '').replaceAll(/(\w+)\[/g, '$1.data[');
    lines.push(`const auto* const found = in.found(${call});`);
    lines.push(`return found ? in.copy(found${length ? `, ${length}` : ''}) : in.no_value();`);
  } else if (returns !== 'crayon_status') lines.push(`return in.${returns === 'void' ? 'done' : 'answer'}(${call});`);
  else if (!out) lines.push(`return in.count(${call});`);
  else if (out.kind === 'outHandle') lines.push(`return in.opened(${out.name}, ${call});`);
  else if (out.kind === 'writesText') lines.push(`return in.text_of(${wide(out.size)}, ${call});`);
  else lines.push(`return in.${out.isFreed ? 'freed' : 'copied'}(${out.name}, ${call});`);
  return `napi_value ${name}(napi_env env, napi_callback_info info) {\nCall<${given.length}> in(env, info);\n${lines.join('\n')}\n}\n`;
}

function cpp(type) {
  return /^uint/.test(type) ? `std::${type}` : type === 'void' ? 'std::uint8_t' : type;
}

/** An expression of 64 bits, which does not overflow: what is less than nothing is more than any array has. */
function wide(size) {
  const element = /^(\w+)\[(\w+) - 1\]$/.exec(size);
  if (element) return `(${element[2]} > 0 ? ${element[1]}.data[${element[2]} - 1] : 0)`;
  if (/^\d+$/.test(size)) return size;
  return `(${size.replaceAll(/[a-z]\w*/g, (name) => `std::uint64_t{${name}}`)})`;
}

const addon = `// ${GENERATED}
// Every call checks its arguments for what C cannot: that handles are open, and that arrays have the elements that the function reads
// and writes.

#include "call.h"
#include "functions.h"

namespace crayon::addon {

${functions.map(addonFunction).join('\n')}
}  // namespace crayon::addon
`;

const list = `// ${GENERATED}\n${functions.map(({ name }) => `CRAYON_FUNCTION(${camel(name)}, ${name})\n`).join('')}`;

// --- the interface

const TYPES = { bytes: 'Uint8Array', words: 'Uint32Array', doubles: 'Float64Array', units: 'string', text: 'string', ids: 'IdArray' };

function method({ name, returns, size, element, parameters, given }) {
  const list = given.map((each) => {
    const type = each.kind === 'handle' ? 'Handle' : (TYPES[each.element] ?? 'number');
    return `${camel(each.name)}: ${type}${each.optional ? ' | undefined' : ''}`;
  });
  const out = parameters.find(({ kind }) => ['outHandle', 'gives', 'writesText'].includes(kind));
  const result =
    returns === 'void' && !parameters.some(({ kind }) => kind === 'writes')
      ? 'void'
      : element
        ? `${element === 'text' ? 'string' : `Unshared${TYPES[element]}`}${size ? ' | undefined' : ''}`
        : out?.kind === 'outHandle'
          ? 'Handle'
          : out?.kind === 'writesText'
            ? 'string | undefined'
            : out
              ? `Unshared${TYPES[out.element]} | undefined`
              : 'number';
  return `  ${camel(name)}(${list.join(', ')}): ${result};\n`;
}

const isNativeOnly = ({ name }) => NATIVE_ONLY.test(name);

/** `compiler` → `CompilerFunctions`. */
const interfaceOf = (header) => `${header[0].toUpperCase()}${header.slice(1).replace(/s$/, '')}Functions`;

const types = `// ${GENERATED}

import type { IdArray, UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';

/** What a host has opened: an integer of the addon's, or an address in a module's memory. */
export type Handle = number;

// The functions of the C interface, whose headers say what they do. A function with a result returns its \`count\`, or -2 less that if
// there is \`more\`; the handle of what it has opened; or what it has made; -1 or undefined for a failure.

${HEADERS.map((header, i) => [interfaceOf(header), groups[i].filter((each) => !isNativeOnly(each))])
  .concat([['NativeFunctions', functions.filter(isNativeOnly)]])
  .filter(([, list]) => list.length > 0)
  .map(([name, list]) => `export interface ${name} {\n${list.map(method).join('')}}\n`)
  .join('\n')}`;

// --- WebAssembly

function moduleFunction({ name, returns, size, element: returned, parameters, given }) {
  const list = given.map((each) => camel(each.name)).join(', ');
  const before = [];
  const value = (each) => {
    const { kind, element, optional, isUpTo } = each;
    const own = camel(each.name);
    if (kind === 'reads' && element === 'text') {
      before.push(`const ${own}Bytes = utf8(${own});`);
      return `arena.bytes(${own}Bytes)`;
    }
    if (kind === 'reads') return `${optional ? `${own} === undefined ? 0 : ` : ''}arena.${element}(${own})`;
    if (kind === 'writes' && isUpTo) return `arena.writesUpTo(${own}${each.size.startsWith('2 *') ? ', 2' : ''})`;
    // What a failure leaves of ids, and of what there may be beside them, is nothing for the caller.
    if (kind === 'writes') return `arena.writes${optional || element === 'ids' ? 'IfDone' : ''}(${own})`;
    if (kind === 'writesText') {
      before.push(`const ${own}At = arena.room(2 * (${each.size}));`);
      return `${own}At`;
    }
    if (kind === 'length') {
      const array = parameters.find(({ name }) => name === each.of);
      const divisor = Number(/^(\d) \*/.exec(each.size)?.[1] ?? 1) * (array.words ?? 1);
      const length = `${camel(each.of)}${array.element === 'text' ? 'Bytes' : ''}.length`;
      return each.size.endsWith('+ 1') ? `${length} - 1` : divisor > 1 ? `${length} / ${divisor}` : length;
    }
    if (kind === 'width') return `${camel(each.of)}.BYTES_PER_ELEMENT`;
    if (kind === 'u64') return `BigInt(${own})`;
    if (kind === 'outHandle' || kind === 'outWord' || kind === 'gives') return 'arena.out';
    return kind === 'result' ? 'arena.result' : own;
  };
  const call = `c.crayon_${name}(${parameters.map(value).join(', ')})`;
  const writes = parameters.some(({ kind }) => kind === 'writes');
  const out = parameters.find(({ kind }) => ['outHandle', 'gives', 'writesText'].includes(kind));
  const answer = () => {
    if (returned) {
      const length = size === '*length' ? 'arena.outWord()' : size?.replaceAll(/\w+\[\d\]/g, '($& as number)');
      before.push(`const at = ${writes ? `arena.written(${call})` : `${call} >>> 0`};`);
      if (!size) return 'arena.text(at)';
      const copy = { text: 'text', words: 'copyWords', bytes: 'copyBytes' }[returned];
      return `at === 0 ? undefined : arena.${copy}(at, ${length})`;
    }
    if (returns === 'void' && !writes) return call;
    if (returns === 'void') {
      before.push(`${call};`);
      return 'arena.count(0)';
    }
    if (returns !== 'crayon_status') return writes ? `arena.written(${call})` : `${call} >>> 0`;
    if (out?.kind === 'outHandle') return `arena.opened(${call})`;
    if (out?.kind === 'writesText') return `arena.string(${call}, ${camel(out.name)}At, ${out.size})`;
    if (out) return `arena.${out.isFreed ? 'freed' : 'given'}${out.element === 'words' ? 'Words' : 'Bytes'}(${call})`;
    return `arena.count(${call})`;
  };
  const result = answer();
  const body = before.length > 0 ? `{\n${before.join('\n')}\nreturn ${result};\n}` : result;
  const how = /_release$/.test(name) ? 'release' : 'call';
  return `${camel(name)}: (${list}) => arena.${how}(() => ${body}),\n`;
}

function module(header, functions) {
  return `// ${GENERATED}

import type { ${interfaceOf(header)} } from '../../../engine/functions.js';
import ${functions.some(({ parameters }) => parameters.some(({ element }) => element === 'text')) ? '{ type Arena, utf8 }' : 'type { Arena }'} from '../arena.js';

export function ${camel(header)}In(arena: Arena): ${interfaceOf(header)} {
const c = arena.functions<${functions.map(({ name }) => `'crayon_${name}'`).join(' | ')}>();
return {
${functions.map(moduleFunction).join('')}};
}
`;
}

const inModules = HEADERS.map((header, i) => ({ header, list: groups[i].filter((each) => !isNativeOnly(each)) })).filter(
  ({ list }) => list.length > 0,
);

const isCheck = process.argv.includes('--check');
for (const [target, text] of Object.entries({
  'native/addon/bindings.cpp': formatted('clang-format', ['--assume-filename=native/addon/bindings.cpp'], addon),
  'native/addon/bindings.def': list,
  'lib/engine/functions.ts': inTypeScript(types),
  ...Object.fromEntries(
    inModules.map(({ header, list }) => [`lib/hosts/module/functions/${header}.ts`, inTypeScript(module(header, list))]),
  ),
})) {
  const file = path.join(root, target);
  if (!isCheck) fs.writeFileSync(file, text);
  else if (fs.readFileSync(file, 'utf8') !== text)
    throw new Error(`${target} is not what the headers say: node scripts/generate-bindings.mjs`);
}

function inTypeScript(text) {
  const biome = path.join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  return formatted(process.execPath, [biome, 'format', '--stdin-file-path=lib/engine/functions.ts'], text);
}

function formatted(program, args, text) {
  const { status, stdout, stderr } = spawnSync(program, args, { input: text, cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
