// Our own templates for every construct, filter, test and method, compared with the output of Jinja2 in transformers'
// sandbox (goldens/*.json, rendered by `node test/chat/goldens.mjs`). Errors are compared by their Python type and line.

import { describe, expect, it } from 'vitest';

import { compileTemplate, TemplateError } from '../../lib/chat/jinja/template.js';
import { parseJson } from '../../lib/chat/data.js';
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
  ['Jinja computes constants more leniently than Python runs them', /none\[1:\]|'abc'\[(?:1\.0:|'a':|:, 1)\]|new='b', new='c'/],
  ['that there is no namespace is one error', /\{% set ns\.x %\}/],
  ['what is printed has an address', /\bdict is (?:lower|upper)/],
  ['a lone surrogate is U+FFFD in all of this library', /\\ud83d'/],
];

const isException = (source: string, ours: Outcome) => EXCEPTIONS.some(([, has]) => has.test(source)) || isLeftOut(source, ours);

describe.each(Object.keys(CASES))('templates of %s', (name) => {
  const { results } = readGolden(name) as { results: [string, Outcome][] };

  it('match Python', () => {
    const differences: Difference[] = [];
    for (const [source, python] of results) {
      const ours = outcomeOf(() => rendered(source, variablesOf(parseJson(VARIABLES))));
      if (differs(python, ours, source) && !isException(source, ours)) differences.push({ what: source, python, ours });
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

describe('a template is refused before it runs', () => {
  it.each([
    ['an unknown filter in a loop', '{% if false %}{% for x in [1] %}{{ x | nope }}{% endfor %}{% endif %}', "No filter named 'nope'."],
    ['an unknown filter in a macro that is not called', '{% macro m() %}{{ 1 | nope }}{% endmacro %}', "No filter named 'nope'."],
    ['a break outside of loops', '{% if false %}{% break %}{% endif %}', "'break' outside loop"],
    ['a name twice', '{% if false %}{{ dict(a=1, a=2) }}{% endif %}', 'keyword argument repeated: a'],
    [
      'an assignment to loop',
      '{% if false %}{% for loop in [1] %}{% endfor %}{% endif %}',
      "Can't assign to special loop variable in for-loop target",
    ],
  ])('for %s', (_, source, message) => {
    expect(() => compileTemplate(source)).toThrow(message);
  });

  it('but not for an unknown filter in a branch that is not taken', () => {
    expect(rendered('{% if false %}{{ 1 | nope }}{% endif %}')).toBe('');
  });

  it('and what is compiled when it runs has its own line', () => {
    const source = '{% macro m() %}\n{{ 1 // 0 }}{% endmacro %}\n{% if x is undefined %}\n{{ m() }}{% endif %}';
    expect(() => rendered(source)).toThrow(expect.objectContaining({ line: 2, pythonType: 'ZeroDivisionError' }));
  });
});

describe('what has no use in chats', () => {
  it.each([
    ['random', '{{ [1]|random }}'],
    ['urlize', "{{ 'a'|urlize }}"],
    ['striptags', "{{ 'a'|striptags }}"],
    ['xmlattr', '{{ {}|xmlattr }}'],
    ['lipsum', '{{ lipsum() }}'],
    ['escape', "{{ '<'|escape }}"],
    ["'e'", "{{ '<'|e }}"],
    ['forceescape', "{{ 'a'|forceescape }}"],
    ['pprint', "{{ 'a'|pprint }}"],
    ['wordwrap', "{{ 'a'|wordwrap(3) }}"],
    ['autoescape', '{% autoescape true %}a{% endautoescape %}'],
    ['include', "{% include 'a' %}"],
    ['import', "{% import 'a' as b %}"],
    ['from', "{% from 'a' import b %}"],
    ['extends', "{% extends 'a' %}"],
    ['block', '{% block a %}{% endblock %}'],
    ["'self'", '{{ self.a() }}'],
    ['print', '{% print 1 %}'],
    ['batch', '{{ [1]|batch(2)|list }}'],
    ['slice', '{{ [1]|slice(2)|list }}'],
    ['filesizeformat', '{{ 1000|filesizeformat }}'],
    ['urlencode', "{{ 'a'|urlencode }}"],
    ['wordcount', "{{ 'a'|wordcount }}"],
    ['cycler', "{{ cycler('a').next() }}"],
    ['joiner', '{{ joiner()() }}'],
    ['sets', '{{ {}.keys() - [1] }}'],
    ['hex', '{{ (0.5).hex() }}'],
    ['as_integer_ratio', '{{ (0.5).as_integer_ratio() }}'],
    ['{0.a}', "{{ '{0.a}'.format(1) }}"],
    ['!r', "{{ '{!r}'.format(1) }}"],
    ['fields inside fields', "{{ '{:{1}}'.format(1, 2) }}"],
    ['>8x', "{{ '{:>8x}'.format(1) }}"],
    ['.2', "{{ '{:.2}'.format(1.5) }}"],
    ["'safe'", "{{ ('a'|safe) * 2 }}"],
    ["'safe'", "{{ 'a' == ('a'|safe) }}"],
    ["'safe'", "{{ '3'|safe|int }}"],
    ["'safe'", "{{ 'a'|safe|upper }}"],
    ['complex', '{{ (-2) ** 0.5 }}'],
    ['to_bytes', '{{ (5).to_bytes() }}'],
    ['encode', "{{ 'a'.encode() }}"],
    ['translate', "{{ 'a'.translate({}) }}"],
    ['%c', "{{ '%c' % 65 }}"],
    ['%e', "{{ '%e' % 65 }}"],
    ["'c'", "{{ '{:c}'.format(65) }}"],
    ['integers beyond 2^53', '{{ 9007199254740991 + 1 }}'],
    ['integers beyond 2^53', '{{ 2 * 4503599627370496 }}'],
    ['integers beyond 2^53', '{{ 9007199254740993 - 9007199254740993 }}'],
    ['integers beyond 2^53', '{{ 10 ** 16 }}'],
    ['base 36', "{{ 'z'|int(0, 36) }}"],
    ['rounding to tens', '{{ 1234|round(-2) }}'],
    ['100 digits', '{{ 1.5|round(100) }}'],
    ['a tuple as the key', '{{ {(1, 2): 3} }}'],
    ['a list as the key', '{{ {[1]: 3} }}'],
    ["'real'", '{{ 1.5.real }}'],
    ["'start'", '{{ range(3).start }}'],
    ["'index' of ranges", '{{ range(3).index(1) }}'],
    ['fromkeys', '{{ dict.fromkeys([1]) }}'],
    ['isidentifier', "{{ 'a'.isidentifier() }}"],
    ['comparison of two keys', '{{ {}.keys() == {}.keys() }}'],
    ['the text of a', '{{ {}.keys() }}'],
    ['the text of a', '{{ range(3) }}'],
    ['the date as %j', "{{ strftime_now('%j') }}"],
    ['names beyond ASCII', '{{ é }}'],
    ['a backslash before', "{{ '\\é' }}"],
  ])('%s is refused by name: %s', (name, source) => {
    expect(() => rendered(source)).toThrow(TemplateError);
    expect(() => rendered(source)).toThrow(/^not supported in chat templates: /);
    expect(() => rendered(source)).toThrow(name);
  });

  it('prints, joins and tests what safe returns', () => {
    expect(
      rendered(
        "{{ '<a>'|safe }}{{ 'x' ~ ('<'|safe) }}{{ ('a'|safe) is string }}{{ ('a'|safe) is escaped }}{{ [1]|tojson|safe }}{{ ''|safe or 'b' }}{{ ['<'|safe, '>']|join }}{{ '<' + ('<'|safe) + \"'\" }}",
      ),
    ).toBe('<a>x<TrueTrue[1]b<>&lt;<&#39;');
  });
});
