// Deferred compilation: a template in which the parser finds nothing to refuse is compiled branch by branch as it runs.
// Compared with the same template compiled at once, like every other one. Messages and lines below are Jinja2's.

import { expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { begin, limitsFor } from '../../lib/chat/jinja/budget.js';
import { Compiler } from '../../lib/chat/jinja/compile/statements.js';
import { compileTemplate, Template, TemplateError } from '../../lib/chat/jinja/index.js';
import { normalizedSource } from '../../lib/chat/jinja/lexer.js';
import { parseTemplate } from '../../lib/chat/jinja/parser.js';
import { parseJson } from '../../lib/chat/json.js';
import { VARIABLES } from './cases/variables.mjs';
import { NOW } from './clock.js';
import { template } from './grammar.mjs';
import { variablesOf } from './ours.js';

const PIECES = ['not', '(', ')', 'is', 'if', 'else', 'in', '-', '~', '**', 'loop', 'self', '[', ']', '{% break %}', '{% continue %}', '.', '|upper', '|nope', ' is nope', 'caller', ':', ', a=1, a=2', '{[]: 1}', '{% set ns.a = 1 %}', '{% set loop = 1 %}', '{% else %}'];

/** A template from the grammar with a piece omitted, doubled or inserted. */
function damaged(seed: number, index: number): string {
  const random = new Random(seed, index);
  const parts = template(seed, index).match(/\w+|\s+|\{[{%#]-?|-?[}%#]\}|[^\w\s]/g) ?? [];
  const at = random.integer(0, parts.length);
  if (random.chance(0.5)) parts.splice(at, 0, ` ${random.pick(PIECES)} `);
  else if (random.chance(0.5)) parts.splice(at, 1);
  else parts.splice(at, 0, random.pick(parts));
  return parts.join('');
}

const variables = variablesOf(parseJson(VARIABLES));

function outcome(rendered: () => { text: string }): string {
  try {
    return rendered().text;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `${error.pythonType} at ${error.line}:${error.column}: ${error.message}`;
  }
}

/** Without the addresses that Python would print, and text that depends on them. */
const isReproducible = (text: string) => !/ at 0x|ms at|steps/.test(text);

it('a template compiled while it runs is never refused then, and gives the same text', () => {
  const seed = 3 + Math.floor(Math.random() * 1e6);
  let sound = 0;
  for (let index = 0; index < sample(4000, 400); index++) {
    const given = index % 2 === 0 ? template(seed, index) : damaged(seed, index);
    const source = normalizedSource(given);
    const reproducer = `seed ${seed}, index ${index}: ${JSON.stringify(given)}`;
    begin(limitsFor(0));
    let parsed: ReturnType<typeof parseTemplate>;
    try {
      parsed = parseTemplate(source);
    } catch (error) {
      expect(error, reproducer).toBeInstanceOf(TemplateError);
      continue;
    }
    if (!parsed.isSound) continue;
    sound++;
    // Throws if there is anything to refuse.
    const body = new Compiler(source).template(parsed.statements);
    const atOnce = outcome(() => new Template(source, parsed.statements, body).render(variables, { date: NOW }));
    const whenItRuns = outcome(() => compileTemplate(given).render(variables, { date: NOW }));
    if (isReproducible(atOnce)) expect(whenItRuns, reproducer).toBe(atOnce);
  }
  expect(sound).toBeGreaterThan(50);
});

it.each([
  ['an unknown filter in a branch that is not taken', '{% if false %}{{ 1 | nope }}{% endif %}', undefined],
  ['an unknown filter in a loop there', '{% if false %}{% for x in [1] %}{{ x | nope }}{% endfor %}{% endif %}', "No filter named 'nope'."],
  ['an unknown filter in a macro that is not called', '{% macro m() %}{{ 1 | nope }}{% endmacro %}', "No filter named 'nope'."],
  ['a break outside of loops', '{% if false %}{% break %}{% endif %}', "'break' outside loop"],
  ['a name twice', '{% if false %}{{ dict(a=1, a=2) }}{% endif %}', 'keyword argument repeated: a'],
  ['an assignment to loop', '{% if false %}{% for loop in [1] %}{% endfor %}{% endif %}', "Can't assign to special loop variable in for-loop target"],
])('%s', (_, source, message) => {
  const compile = () => compileTemplate(source);
  if (message === undefined) expect(compile().render({}).text).toBe('');
  else expect(compile).toThrow(message);
});

it('setting an attribute of a non-namespace is an error on the previous line, even before that is compiled', () => {
  const source = '{% set x = 1 %}\n{% if false %}\n{{ a }}\n{% endif %}\n{% set x.a = 2 %}';
  expect(() => compileTemplate(source).render({})).toThrow(expect.objectContaining({ line: 3, pythonType: 'TemplateRuntimeError' }));
});
