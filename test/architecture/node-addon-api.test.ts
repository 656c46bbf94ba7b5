// How native/addon may use node-addon-api, so that a thread terminated in the middle of a call cannot abort the process:
// the cases its settings do not guard (native/addon/objects.h). ended-calls.test.ts tests it.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { BY_HAND } from '../lib/addon-calls.mjs';
import { includesOf, readSources, type Rule, type Source, violations } from './dependencies.js';

const sources = readSources(fileURLToPath(new URL('../..', import.meta.url)), ['native/addon'], /\.(?:h|cpp)$/);

const RULES: Rule[] = [
  {
    name: 'nothing is unwrapped without an alternative: that ends the process',
    files: /^native\/addon\//,
    check: ({ text }) => text.match(/\.\s*(?:Unwrap|Check)\s*\(/g) ?? [],
  },
  {
    name: 'properties are read and set by objects.h, since getters and setters run JavaScript',
    files: /^native\/addon\//,
    check: ({ text }) => text.match(/\.\s*(?:Get|Set|Has|Delete|Call|Length)\s*\(/g) ?? [],
  },
  {
    name: 'what New gives is checked before it is used, or only handed on',
    files: /^native\/addon\//,
    check: ({ text }) => uncheckedNews(text),
  },
  {
    name: 'hot calls are plain Node-API',
    files: /^native\/addon\/(?!(?:devices|module|objects|results)\.)/,
    check: (file) => includesOf(file).filter((include) => /^(?:napi(?:-inl)?|objects)\.h$/.test(include)),
  },
];

/**
 * A new value may be an argument of `set`, or be returned, as neither uses it. All others get names, and `IsEmpty` is
 * checked for each.
 */
function uncheckedNews(text: string): string[] {
  return [...text.matchAll(/\bNapi::\w+(?:<\w+>)?::(?:New|Copy|NewOrCopy|Create|From)\(/g)]
    .filter((found) => {
      const before = text.slice(0, found.index);
      if (/(?:\breturn\s+|\b(?:set|napi_set_\w+)\([^;{}]*,\s*)$/.test(before)) return false;
      const name = /(\w+)\s*=\s*$/.exec(before)?.[1];
      const rest = text.slice(found.index);
      const firstUse = name === undefined ? undefined : new RegExp(`\\b${name}\\b(?!\\s*=[^=])(\\.IsEmpty\\(\\))?`).exec(rest);
      return firstUse?.[1] === undefined;
    })
    .map((found) => found[0]);
}

/** Functions by hand whose own code creates or reads values with node-addon-api. */
function wrappedFunctions(): string[] {
  const byHand = sources.filter(({ path }) => path !== 'native/addon/bindings.cpp');
  const bodies = byHand.flatMap(({ text }) => [
    ...text.matchAll(/^napi_value (\w+)\(napi_env env, napi_callback_info(?: info)?\) \{\n(.*?)^\}/gms),
  ]);
  const names = bodies.filter(([, , body]) => /\bNapi::|\bcopy_of\(/.test(body!)).map(([, name]) => name!);
  return names.map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
}

describe('node-addon-api', () => {
  it('is used according to the rules', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(violations(RULES, sources)).toEqual([]);
  });

  it('is tested with terminated threads in every function by hand that uses it, as the others are', () => {
    const found = wrappedFunctions();
    expect(found.length).toBeGreaterThan(5);
    // A policy, which `encode` has, reads an object in a separate function.
    expect(Object.keys(BY_HAND).sort()).toEqual([...found, 'encode', 'module'].sort());
  });

  it.each<Source>([
    { path: 'native/addon/results.cpp', text: 'Napi::Value x = object.Value().Unwrap();' },
    { path: 'native/addon/results.cpp', text: 'made.Check();' },
    { path: 'native/addon/results.cpp', text: 'const Napi::Value x = object.Get("x").UnwrapOr(none);' },
    { path: 'native/addon/results.cpp', text: 'object.Set("x", 1);' },
    {
      path: 'native/addon/results.cpp',
      text: 'const Napi::Object row = Napi::Object::New(env);\n    set(row, "x", 1);\n    if (row.IsEmpty()) return nullptr;',
    },
    { path: 'native/addon/results.cpp', text: 'set(Napi::Object::New(env), "x", 1);' },
    { path: 'native/addon/results.cpp', text: 'f(Napi::String::New(env, name).Utf8Value());' },
    { path: 'native/addon/encode.cpp', text: '#include "objects.h"' },
    { path: 'native/addon/values.h', text: '#include <napi.h>' },
  ])('breaks a rule: $text', (source) => {
    expect(violations(RULES, [source])).toHaveLength(1);
  });

  it.each<Source>([
    { path: 'native/addon/results.cpp', text: 'const bool is_frozen = object.Freeze().UnwrapOr(false);' },
    {
      path: 'native/addon/results.cpp',
      text: 'const Napi::Array a = Napi::Array::New(env), b = Napi::Array::New(env);\n    if (a.IsEmpty() || b.IsEmpty()) return nullptr;',
    },
    { path: 'native/addon/results.cpp', text: 'set(out, "name", Napi::String::New(env, name, length));' },
    { path: 'native/addon/results.cpp', text: '#include "objects.h"' },
  ])('breaks none: $text', (source) => {
    expect(violations(RULES, [source])).toEqual([]);
  });
});
