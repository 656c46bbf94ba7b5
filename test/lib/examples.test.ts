// The examples of the documentation, in lib/, README.md and docs/, compile and run, and the comment after each expression
// is its value. Everything that the package exports has one.

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENTRIES, examplesOf, exportsOf, importsFrom, namesOf, programOf } from '../examples/documentation.js';
import type { Example } from '../examples/example-module.js';
import { expectationOf } from '../examples/expectation.js';
import { fencesOf } from '../examples/fences.js';
import { type Outcome, outcomesOf } from '../examples/outcomes.js';
import { pagesOf } from '../examples/pages.js';

const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
const program = programOf(project);
const names = ['.', './dna'].map((entry) => namesOf(program, path.join(project, ENTRIES.get(entry)!), `crayon-tokenizer${entry.slice(1)}`));

/** Examples with mistakes, and the expected report for each. */
const WRONG: [code: string, problem: string][] = [
  ["tokenizer.count('hello world'); // 3", 'line 1: is 2 instead of 3'],
  ["tokenizer.count('hello world'); // '2'", "line 1: is 2 instead of '2'"],
  [
    "tokenizer.encode('hello world'); // Uint32Array [24912]",
    'line 1: is Uint32Array(2) [ 24912, 2375 ] instead of Uint32Array(1) [ 24912 ]',
  ],
  ["tokenizer.encode('hello world'); // [24912, 2375]", 'line 1: is Uint32Array(2) [ 24912, 2375 ] instead of [ 24912, 2375 ]'],
  [
    "tokenizer.encode('hello world'); // Int32Array [24912, 2375]",
    'line 1: is Uint32Array(2) [ 24912, 2375 ] instead of Int32Array(2) [ 24912, 2375 ]',
  ],
  ["const count = tokenizer.count('hello world'); // 3", 'line 1: is 2 instead of 3'],
  ["\nawait tokenizer.using('gpt2', (other) => other.name); // 'gpt-2'", "line 2: is 'gpt2' instead of 'gpt-2'"],
  ["tokenizer.using('gpt2', (other) => other.name); // 'gpt2'", 'line 1: is Promise { '],
  ["await tokenizer.swap('nothing'); // undefined", 'line 1: throws TokenizerError: '],
  ["tokenizer.decode([300000]); // 'x'", 'line 1: throws TokenizerError: '],
  ['tokenizer.decode([300000]);', 'throws TokenizerError: '],
  ['tokenizer.decode([300000]); // throws RangeError', 'line 1: throws TokenizerError: '],
  ['tokenizer.decode([300000]); // throws TokenizerError (CLOSED)', 'line 1: throws TokenizerError: '],
  ['tokenizer.decode([24912]); // throws TokenizerError', "line 1: is 'hello' instead of throwing TokenizerError"],
  ["if (tokenizer.count('a') > 1) tokenizer.count('b'); // 1", 'line 1: is not reached'],
  ["for (const text of ['a', 'hello world']) tokenizer.count(text); // 1", 'line 1: is 2 instead of 1'],
  ['tokenizer.close(); // optional', 'line 1: what is behind the statement is not a value: optional'],
  ["tokenizer.count('a'); // 1 token", 'line 1: what is behind the statement is not a value: 1 token'],
  ['const { ids } = tokenizer.encodeBatch([]); // 1', 'line 1: what is before the comment has no value: 1'],
  ['const text: string = tokenizer.encode(5);', 'line 1: '],
  ["import { nothing } from 'crayon-tokenizer';", "line 1: Module '\"crayon-tokenizer\"' has no exported member 'nothing'."],
];

const examples = examplesOf(program, project, 'lib');
/** Blocks of JavaScript in the documents, each with the block after it. */
const inPages = ['README.md', ...pagesOf(project)].flatMap((file) => {
  const blocks = fencesOf(fs.readFileSync(path.join(project, file), 'utf8'));
  return blocks.flatMap((block, index) =>
    isJavaScript(block) && block.notRun === undefined ? [{ ...block, file, next: blocks[index + 1] }] : [],
  );
});
const wrong = WRONG.map(([code, problem]) => ({ code, problem }));
const all: Example[] = [...examples, ...inPages, ...wrong];

function isJavaScript({ language }: { language: string }): boolean {
  return language === 'js' || language === 'ts';
}

let outcomes: Outcome[];
beforeAll(() => {
  outcomes = outcomesOf(all, names, path.join(project, 'build', 'examples'));
});

const outcomeOf = (example: Example) => outcomes[all.indexOf(example)]!;

describe('the example', () => {
  it.each(examples)('in $file on line $line', (example) => {
    expect(outcomeOf(example).problems).toEqual([]);
  });

  it.each(inPages)('in $file on line $line', (example) => {
    const { problems, printed } = outcomeOf(example);
    const { next } = example;
    expect(problems).toEqual([]);
    expect(printed).toBe(next?.language === 'text' ? `${next.code}\n` : '');
  });

  it('is checked', () => {
    for (const example of wrong) {
      const { problems } = outcomeOf(example);
      expect(
        problems.some((each) => each.startsWith(example.problem)),
        `${example.code}\n${problems.join('\n')}`,
      ).toBe(true);
    }
  });
});

/** Exports that need an example but have none. A drop-in's type may share one with others, where it is imported. */
function withoutExample(entry: string, file: string): string[] {
  const part = entry.split('/')[1];
  const imported = new Set(part === undefined ? [] : examples.flatMap(({ code }) => importsFrom(part, code)));
  return exportsOf(program, path.join(project, file))
    .filter(({ name, kind, hasExample }) => kind !== 'constant' && !hasExample && !(kind === 'type' && imported.has(name)))
    .map(({ name }) => name);
}

describe('everything', () => {
  it.each([...ENTRIES])('that %s exports has an example', (entry, file) => {
    expect(withoutExample(entry, file)).toEqual([]);
  });
});

it('reports an export without an example', () => {
  const file = path.join(project, 'test', 'examples', 'undocumented.ts');
  const found = exportsOf(ts.createProgram([file], program.getCompilerOptions()), file);
  const missing = found.filter(({ kind, hasExample }) => kind !== 'constant' && !hasExample);
  expect(missing.map(({ name, kind }) => `${name}: ${kind}`).sort()).toEqual([
    'Documented.[Symbol.iterator]: other',
    'Documented.constructor: other',
    'Documented.undocumentedAccessor: other',
    'Documented.undocumentedCall: other',
    'Documented.undocumentedMethod: other',
    'Documented.undocumentedStatic: other',
    'UndocumentedInterface: type',
    'UndocumentedType: type',
    'undocumentedFunction: other',
    'undocumentedMethod: other',
  ]);
});

describe('the comment after an expression', () => {
  it.each([
    ['1', '1'],
    ['-1', '-1'],
    ['10n', '10n'],
    ["'a'", "'a'"],
    ['undefined', 'undefined'],
    ['[]', '[]'],
    ["[1, ['a', true], null]", "[1, ['a', true], null]"],
    ["{ a: 1, 'b-c': [NaN] }", "{ a: 1, 'b-c': [NaN] }"],
    ['Uint32Array []', 'Uint32Array.from([])'],
    ['Uint32Array [1]', 'Uint32Array.from([1])'],
    ['{ ids: BigInt64Array [1n, -2n, 3n] }', '{ ids: BigInt64Array.from([1n, -2n, 3n]) }'],
  ])('%s is a value', (comment, value) => {
    expect(expectationOf(comment)).toEqual({ value });
  });

  it.each([
    ['throws RangeError', { throws: 'RangeError' }],
    ['throws TokenizerError (CLOSED)', { throws: 'TokenizerError', code: 'CLOSED' }],
  ])('%s is an error', (comment, expectation) => {
    expect(expectationOf(comment)).toEqual(expectation);
  });

  it.each([
    '',
    'optional',
    '1, 2',
    '1 + 1',
    '2 tokens',
    'name',
    '[a]',
    '[, 1]',
    'f(1)',
    '{ a }',
    '{ [1]: 1 }',
    'Map [1]',
    "'a",
    '[1',
    '[...[1]]',
    'throws',
    'throws Error: x',
    '1 // 2',
  ])('%j is neither', (comment) => {
    expect(expectationOf(comment)).toBeUndefined();
  });
});
