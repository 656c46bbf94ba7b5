// Who wrote which part of a rendered chat, for templates of models, our own and generated ones. The caller's letters are
// Cyrillic, which no template contains: the caller wrote every one in the text. With other letters of the same case, in
// the same order, nothing that the template wrote may change or move.

import { describe, expect, it } from 'vitest';

import { compileTemplate, type Rendered } from '../../lib/chat/jinja/template.js';
import { parseJson } from '../../lib/chat/data.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { VARIABLES } from './cases/variables.mjs';
import { template } from './grammar.mjs';
import { renderedByUs, variablesOf } from './ours.js';
import { FOLDERS, templatesIn } from './published.mjs';

const CALLERS = /[а-яА-Я]/;
const LETTERS = 'абвгдежз';

/** Text with each letter shifted by eight, which keeps their order. */
function shifted(text: string): string {
  return text.replace(/[а-з]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 8));
}

function words(random: Random): string {
  return Array.from({ length: random.length(5) }, () => Array.from({ length: random.length(6) }, () => random.pick(LETTERS)).join('')).join(
    random.pick([' ', '\n', '. ', '<|']),
  );
}

/** A chat whose texts, names and keys are the caller's, as JSON text. */
function chat(seed: number, index: number): string {
  const random = new Random(seed, index);
  const say = (role: string, more: object = {}) => ({ role, content: words(random), ...more });
  const parameters = () => ({
    type: 'object',
    properties: { [words(random)]: { type: 'string', description: words(random) } },
    required: [],
  });
  const tools = random.chance(0.5)
    ? [{ type: 'function', function: { name: words(random), description: words(random), parameters: parameters() } }]
    : undefined;
  const messages = random.chance(0.4) ? [say('system')] : [];
  for (let turns = random.length(3); turns > 0; turns--) {
    messages.push(say('user'), say('assistant', random.chance(0.3) ? { reasoning_content: words(random) } : {}));
    if (!tools || random.chance(0.5)) continue;
    const called = { name: words(random), arguments: { [words(random)]: words(random), n: 1.5, list: [words(random)] } };
    messages.push(
      say('user'),
      { role: 'assistant', content: '', tool_calls: [{ id: 'call_0001', type: 'function', function: called }] } as never,
      say('tool', { name: called.name, tool_call_id: 'call_0001' }),
    );
  }
  if (random.chance(0.6)) messages.pop();
  const documents = random.chance(0.1) ? [{ title: words(random), text: words(random) }] : undefined;
  return JSON.stringify({
    messages,
    tools,
    documents,
    addGenerationPrompt: random.chance(0.5),
    variables: random.chance(0.3) ? { datetime: 'now', functions: '[]', enable_thinking: random.chance(0.5) } : undefined,
  });
}

/** The stretches that the template wrote, with their positions. */
function written({ text, ranges }: Rendered): [number, string][] {
  return Array.from({ length: ranges.length / 2 }, (_, index) => [
    ranges[2 * index]!,
    text.slice(ranges[2 * index], ranges[2 * index + 1]),
  ]);
}

/** The rendered text; undefined if it is refused. */
function attempt(render: () => Rendered): Rendered | undefined {
  try {
    return render();
  } catch (error) {
    if (error instanceof RangeError || (error instanceof TypeError && error.message.includes('undefined'))) throw error;
    return undefined;
  }
}

function check(first: Rendered | undefined, second: Rendered | undefined, what: string): void {
  expect(second === undefined, `${what}: refused`).toBe(first === undefined);
  if (!first || !second) return;
  const stretches = written(first);
  for (const [at, text] of stretches) {
    if (CALLERS.test(text)) expect.fail(`${what}: of the caller, but counted as the template's, at ${at}: ${JSON.stringify(text)}`);
  }
  expect(written(second), what).toEqual(stretches);
}

const templates = Object.entries(FOLDERS).flatMap(([folder, path]) =>
  templatesIn(path).map(({ name, source }) => [`${folder}: ${name}`, source] as const),
);

describe('chats', () => {
  it.each(templates)('%s', (name, source) => {
    let marked = 0;
    for (let index = 0; index < sample(50, 3); index++) {
      const text = chat(36, index);
      const first = attempt(() => renderedByUs(source, text));
      check(
        first,
        attempt(() => renderedByUs(source, shifted(text))),
        `${name}, conversation ${index}`,
      );
      if (first && first.ranges.length > 0 && CALLERS.test(first.text)) marked++;
    }
    // Some refuse all of these: they require tools, or no system message.
    if (!/firefunction|command-r-plus/.test(name)) expect(marked).toBeGreaterThan(0);
  });
});

describe('templates from the grammar', () => {
  /** The variables, with the caller's letters in their strings; a template finds them by the same keys. */
  const cyrillic = VARIABLES.replace(/"(?:[^"\\]|\\.)*"(\s*:)?/g, (text, isKey: string | undefined) =>
    isKey ? text : text.replace(/\\u[0-9a-f]{4}|\\.|[a-h]/g, (found) => (found.length > 1 ? found : LETTERS[found.charCodeAt(0) - 97]!)),
  );

  it("keep the caller's and the template's text apart", () => {
    const first = variablesOf(parseJson(cyrillic));
    const second = variablesOf(parseJson(shifted(cyrillic)));
    for (let index = 0; index < sample(2000, 100); index++) {
      const source = template(7, index);
      const render = (variables: Record<string, unknown>) => attempt(() => compileTemplate(source).render(variables));
      check(render(first), render(second), `template ${index} of seed 7: ${source}`);
    }
  });
});

/** The caller's text in angle quotes, in templates with the variables x = 'а б', y = 'в', n = 7 and a message's role. */
const MARKED: [source: string, expected: string][] = [
  ['a{{ x }}b', 'a«а б»b'],
  ['{{ "x" }}', 'x'],
  ['{{ "x" + y }}', 'x«в»'],
  ['{{ "x" ~ y ~ "z" }}', 'x«в»z'],
  ['{{ x[0] }}-', '«а»-'],
  ['{{ ("<" + x + ">")[1:-1] }}', '«а б»'],
  ['{{ ("<" + x + ">")[0] }}', '<'],
  ['{{ x.split(" ")|join("|") }}', '«а»|«б»'],
  ['{{ "a-b".split("-")|join(y) }}', 'a«в»b'],
  ['{{ ("<  " + x).strip("< ") }}', '«а б»'],
  ['{{ x.replace(" ", "_") }}', '«а»_«б»'],
  ['{{ "a b"|replace(" ", y) }}', 'a«в»b'],
  ['{{ ["<", x, ">"]|join }}', '<«а б»>'],
  ['{% set t %}<{{ y }}>{% endset %}{{ t }}', '<«в»>'],
  ['{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(y) }}', '<«в»>'],
  ['{{ "<" ~ (y|upper) ~ ">" }}', '<«В»>'],
  ['{% for c in x %}{{ c }},{% endfor %}', '«а»,« »,«б»,'],
  ['{{ messages[0].role }}:{{ messages[0].content }}', 'user:«г»'],
  ['{{ "<|" ~ messages[0].role ~ "|>" }}', '<|user|>'],
  ['{{ messages[0]|tojson }}', '«{"role": "user", "content": "г"}»'],
  ['{{ x if y else "z" }}', '«а б»'],
  ['{{ y * 2 ~ "-" * 2 }}', '«вв»--'],
  ['{% if y %}a{% endif %}', 'a'],
];

describe('handwritten templates', () => {
  it.each(MARKED)('%s is %s', (source, expected) => {
    const { text, ranges } = renderedByUs(
      source,
      '{"messages": [{"role": "user", "content": "г"}], "variables": {"x": "а б", "y": "в", "n": 7}}',
    );
    let marked = '';
    let end = 0;
    for (let at = 0; at <= ranges.length; at += 2) {
      const begin = ranges[at] ?? text.length;
      if (begin > end) marked += `«${text.slice(end, begin)}»`;
      marked += text.slice(begin, ranges[at + 1] ?? begin);
      end = ranges[at + 1] ?? begin;
    }
    expect(marked).toBe(expected);
  });
});
