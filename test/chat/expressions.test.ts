// Our own templates for every construct, filter, test and method, compared with the output of Jinja2 in transformers'
// sandbox (goldens/*.json, rendered by `node test/chat/goldens.mjs`). Errors are compared by their Python type and line.

import { describe, expect, it } from 'vitest';

import { compileTemplate, TemplateError } from '../../lib/chat/jinja/index.js';
import { parseJson } from '../../lib/chat/json.js';
import { CASES } from './cases/index.mjs';
import { VARIABLES } from './cases/variables.mjs';
import { NOW } from './clock.js';
import { type Difference, differs, isLeftOut, type Outcome, outcomeOf, report } from './differences.js';
import { readGolden } from './goldens.mjs';
import { variablesOf } from './ours.js';

function rendered(source: string, variables: Record<string, unknown> = {}): string {
  return compileTemplate(source).render(variables, { date: NOW }).text;
}

/** Templates that Python renders and we deliberately refuse or render differently, by their contents. */
const EXCEPTIONS: [why: string, has: RegExp][] = [
  ['names of characters would take a table of all of them', /\\N\{/],
  ['Python cannot compile an int constant of more than 4,300 digits', /\(10 \*\* 4300\)/],
  ['a lone surrogate is U+FFFD in all of this library', /\\ud83d'/],
];

const isException = (source: string, ours: Outcome) => EXCEPTIONS.some(([, has]) => has.test(source)) || isLeftOut(source, ours);

describe.each(Object.keys(CASES))('templates of %s', (name) => {
  const { results } = readGolden(name) as { results: [string, Outcome][] };

  it('match Python', () => {
    const differences: Difference[] = [];
    for (const [source, python] of results) {
      const ours = outcomeOf(() => rendered(source, variablesOf(parseJson(VARIABLES))));
      if (differs(python, ours) && !isException(source, ours)) differences.push({ what: source, python, ours });
    }
    if (differences.length > 0) expect.fail(report(differences, results.length));
  });

  it('are all in the goldens, except those that print an address', () => {
    const known = new Set(results.map(([source]) => source));
    const missing = CASES[name]!.filter((source) => !known.has(source));
    expect(missing.length, missing.join('\n')).toBeLessThan(10);
    expect(known.size).toBe(results.length);
  });
});

describe('what has no use in chats', () => {
  it.each([
    ['random', '{{ [1]|random }}'],
    ['urlize', "{{ 'a'|urlize }}"],
    ['striptags', "{{ 'a'|striptags }}"],
    ['xmlattr', '{{ {}|xmlattr }}'],
    ['lipsum', '{{ lipsum() }}'],
    ["'escape'", "{{ ('<'|escape)|length|string ~ ('<'|escape)[0] }}"],
    ['forceescape', "{{ 'a'|forceescape }}"],
    ['pprint', "{{ 'a'|pprint }}"],
    ['wordwrap', "{{ 'a'|wordwrap(3) }}"],
    ['autoescape true', '{% autoescape true %}a{% endautoescape %}'],
    ["'safe'", "{{ ('a'|safe) * 2 }}"],
    ["'safe'", "{{ 'a' == ('a'|safe) }}"],
    ["'safe'", "{{ '3'|safe|int }}"],
    ["'safe'", "{{ 'a'|safe|upper }}"],
    ['complex', '{{ (-2) ** 0.5 }}'],
    ['bytes', '{{ (5).to_bytes() }}'],
    ['encode', "{{ 'a'.encode() }}"],
    ['translate', "{{ 'a'.translate({}) }}"],
    ['%c', "{{ '%c' % 65 }}"],
    ['%e', "{{ '%e' % 65 }}"],
    ["'c'", "{{ '{:c}'.format(65) }}"],
  ])('%s is refused by name: %s', (name, source) => {
    expect(() => rendered(source)).toThrow(TemplateError);
    expect(() => rendered(source)).toThrow(/^not supported in chat templates: /);
    expect(() => rendered(source)).toThrow(name);
  });

  it('prints, joins and tests what safe returns', () => {
    expect(rendered("{{ '<a>'|safe }}{{ 'x' ~ ('<'|safe) }}{{ ('a'|safe) is string }}{{ ('a'|safe) is escaped }}{{ [1]|tojson|safe }}{{ ''|safe or 'b' }}{{ ['<'|safe, '>']|join }}{{ '<' + ('<'|safe) + \"'\" }}{{ '<'|e|e }}{{ 1|escape }}")).toBe('<a>x<TrueTrue[1]b<>&lt;<&#39;&lt;1');
  });
});
