// Templates of our own, of every construct, filter, test and method, beside what Jinja2 made of them in the sandbox of
// transformers (goldens/*.json, rendered by `node test/chat/goldens.mjs`). Errors are compared by their Python type and line.

import { describe, expect, it } from 'vitest';

import { compileTemplate, TemplateError } from '../../lib/chat/jinja/index.js';
import { parseJson } from '../../lib/chat/json.js';
import { CASES } from './cases/index.mjs';
import { VARIABLES } from './cases/variables.mjs';
import { NOW } from './clock.js';
import { type Difference, differs, type Outcome, outcomeOf, report } from './differences.js';
import { readGolden } from './goldens.mjs';
import { variablesOf } from './ours.js';

function rendered(source: string, variables: Record<string, unknown> = {}): string {
  return compileTemplate(source).render(variables, { date: NOW }).text;
}

/** What Python renders and we refuse, or render otherwise on purpose, by what the template has. */
const EXCEPTIONS: [why: string, has: RegExp][] = [
  ['names of characters would take a table of all of them', /\\N\{/],
  ['pages of HTML are no matter of chats', /\.(?:striptags|unescape)\(/],
  ['there are the encodings UTF-8, ASCII and Latin-1', /encode\('utf-16'\)/],
  ['Python cannot compile an int constant of more than 4,300 digits', /\(10 \*\* 4300\)/],
  ['a lone surrogate is U+FFFD in all of this library', /\\ud83d'/],
];

const isException = (source: string) => EXCEPTIONS.some(([, has]) => has.test(source));

describe.each(Object.keys(CASES))('templates of %s', (name) => {
  const { results } = readGolden(name) as { results: [string, Outcome][] };

  it('give what Python gives', () => {
    const differences: Difference[] = [];
    for (const [source, python] of results) {
      const ours = outcomeOf(() => rendered(source, variablesOf(parseJson(VARIABLES))));
      if (differs(python, ours) && !isException(source)) differences.push({ what: source, python, ours });
    }
    if (differences.length > 0) expect.fail(report(differences, results.length));
  });

  it('are all in the goldens, but for those that print an address', () => {
    const known = new Set(results.map(([source]) => source));
    const missing = CASES[name]!.filter((source) => !known.has(source));
    expect(missing.length, missing.join('\n')).toBeLessThan(10);
    expect(known.size).toBe(results.length);
  });
});

describe('filters that a chat has no use for', () => {
  it.each([
    ['random', '{{ [1]|random }}'],
    ['urlize', "{{ 'a'|urlize }}"],
    ['striptags', "{{ 'a'|striptags }}"],
    ['xmlattr', '{{ {}|xmlattr }}'],
    ['lipsum', '{{ lipsum() }}'],
  ])('%s is refused by its name', (name, source) => {
    expect(() => rendered(source)).toThrow(TemplateError);
    expect(() => rendered(source)).toThrow(name);
  });
});
