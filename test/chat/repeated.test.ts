// Renders that take over iterations of earlier ones, compared with renders from the start: loops over messages with random
// bodies, while messages come, change and go. And how much is taken over: published templates read old messages no more.

import { describe, expect, it, vi } from 'vitest';

import { inputWith, messageOf, valuesOf } from '../../lib/chat/apply.js';
import { compileTemplate, type Template } from '../../lib/chat/jinja/index.js';
import { parseJson } from '../../lib/chat/json.js';
import { Memory } from '../../lib/chat/jinja/repeat/memory.js';
import { markData } from '../../lib/chat/jinja/repeat/same.js';
import { List } from '../../lib/chat/jinja/values/containers.js';
import { Dict } from '../../lib/chat/jinja/values/dict.js';
import type { Value } from '../../lib/chat/jinja/values/object.js';
import type { Str } from '../../lib/chat/jinja/values/str.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { VARIABLES } from './cases/variables.mjs';
import { NOW } from './clock.js';
import { templateParts } from './grammar.mjs';
import { FOLDERS, templatesIn } from './published.mjs';

const seed = Number(process.env.CRAYON_CHAT_SEED ?? 3);

/** What a render gives: the text with the origins of its parts, or undefined for a failure. */
type Given = { text: string; runs: number[] } | undefined;

function fromStart(template: Template, values: ReadonlyMap<string, Value>): Given {
  try {
    const { text, ends, origins } = template.render(values, { date: NOW });
    return { text, runs: Array.from(ends).flatMap((end, index) => [end, origins[index]!]) };
  } catch {
    return undefined;
  }
}

function again(template: Template, memory: Memory, messages: List, values: ReadonlyMap<string, Value>): Given {
  memory.begin(messages);
  try {
    template.renderWith(memory, values, 0);
  } catch {
    return undefined;
  }
  let text = '';
  const runs: number[] = [];
  for (const piece of memory.root.pieces()) {
    for (let i = 0; i < piece.runs.length; i += 2) {
      if (runs.at(-1) === piece.runs[i + 1] && runs.length > 0) runs.splice(-2);
      runs.push(text.length + piece.runs[i]!, piece.runs[i + 1]!);
    }
    text += piece.text;
  }
  return { text, runs };
}

const given = new Map(Array.from((parseJson(VARIABLES) as Dict).entries(), ({ key, value }) => [(key as Str).text, value]));

function message(data: object): Dict {
  const value = messageOf(data, 0, 'message');
  markData(value);
  return value;
}

/** What loops of templates are like, with `@` for random parts. */
const SHELLS = [
  "{% for m in messages %}{{ m.content }}{{ ',' if not loop.last }}@{% endfor %}",
  '{% set ns = namespace(a=0, n=messages|length) %}{% for m in messages %}{% set ns.a = m.content|length %}{% if ns.a > ns.n %}long{% endif %}{% set ns.a = 9 %}@{% endfor %}',
  '{% set ns = namespace(a=1, last=-1) %}{% for m in messages %}@{% endfor %}@',
  "{% set ns = namespace(a=0) %}{% for m in messages[::-1] %}{% set x = messages|length - 1 - loop.index0 %}{% if ns.a == 0 and m.role == 'user' %}{% set ns.a = x %}{% endif %}{% endfor %}{% for m in messages %}{% if loop.index0 >= ns.a %}@{% else %}{{ m.content }}{% endif %}{% endfor %}",
  '{% set ns = namespace(a=0, list=[]) %}{% for m in messages %}{% set ns.a = ns.a + 1 %}{% if m.role == "user" %}{% set ns.list = ns.list + [m] %}{% endif %}{{ ns.a }}@{% endfor %}{% for m in ns.list %}{{ m.content }}{{ loop.revindex }}@{% endfor %}',
  '{% macro show(m, x=2) %}{{ m.content }}{{ ns.a }}@{% endmacro %}{% set ns = namespace(a=1) %}{% for m in messages %}{{ show(m) }}{% set ns.a = m.content|length %}{% endfor %}',
  '{% set first = messages[0] %}{% set rest = messages[1:] if first.role == "system" else messages %}{% set x = first.content %}{% for m in rest %}{% if loop.first and x %}{{ x }}{% endif %}{% if loop.nextitem and loop.nextitem.role == m.role %}={% endif %}@{{ rest[loop.index].role }}{% if m == rest[-1] %}@{% endif %}{% endfor %}',
  '{% for i in range(messages|length) %}{% set m = messages[i] %}{{ messages[i - 1].role }}{{ loop.last }}@{% endfor %}',
  "{% set ns = namespace(a='') %}{% for m in messages %}{% if loop.previtem.role == m.role %}{% continue %}{% endif %}{{ ns.a }}{% set ns.a = m.role %}{% if messages[loop.index0 + 1].role == 'tool' %}{% break %}{% endif %}@{% endfor %}{{ ns.a }}",
  "{% set users = messages|selectattr('role', 'equalto', 'user')|list %}{% for m in messages %}{% if m.role == 'user' and m == users[-1] %}last{% endif %}{% for other in messages[loop.index:] %}{% if other.role == 'tool' %}{{ loop.index }}{% endif %}{% endfor %}@{% endfor %}",
  "{% set j = joiner(',') %}{% for m in messages %}{{ j() }}@{% endfor %}{% set g = messages|map(attribute='role') %}{% for m in messages %}{{ g|first }}@{% endfor %}",
  '{% set ns = namespace(a=1) %}{% for m in messages %}{% if loop.changed(m.role) %}{{ m.role }}{% endif %}{{ loop.cycle("a", "b") }}{{ ns }}@{% endfor %}',
];

function templateAt(random: Random, index: number): string {
  const shell = random.pick(SHELLS);
  let part = 0;
  const replaced = shell.replace(/@/g, () => (random.chance(0.5) ? '' : templateParts(seed, index * 10 + part++).join('')));
  return random.chance(0.3) ? `${templateParts(seed, index * 10 + 9).join('')}${replaced}` : replaced;
}

const ROLES = ['user', 'assistant', 'system', 'tool'];
const CONTENTS = ['hello', 'a', '', ' x ', 'long and longer', '7', '<b>'];

function anyMessage(random: Random): Dict {
  const name = random.chance(0.2) ? { name: random.pick(CONTENTS) } : {};
  return message({ role: random.pick(ROLES), content: random.pick(CONTENTS), ...name });
}

describe('a render with the memory of earlier ones', () => {
  it('writes what a render from the start writes', { timeout: 600_000 }, () => {
    const tally = { good: 0, failed: 0 };
    for (let index = 0; index < sample(20_000, 300); index++) {
      const random = new Random(seed, index, 5);
      const source = templateAt(random, index);
      let template: Template;
      try {
        template = compileTemplate(source);
      } catch {
        continue;
      }
      const memory = new Memory(template.statements, () => NOW);
      let memories = [memory];
      let messages = Array.from({ length: random.integer(1, 4) }, () => anyMessage(random));
      for (let step = 0; step < 8; step++) {
        const list = new List(messages);
        const values = new Map(given).set('messages', list);
        if (random.chance(0.1)) memories = [...memories, memories[0]!.copy()].slice(-2);
        const expected = fromStart(template, new Map(given).set('messages', new List(messages)));
        const mine = again(template, random.pick(memories), list, values);
        const where = `step ${step} of template ${index}, seed ${seed}: ${JSON.stringify(source)}`;
        expect(mine, where).toEqual(expected);
        expected === undefined ? tally.failed++ : tally.good++;
        const at = random.integer(0, messages.length - 1);
        const kind = random.integer(0, 9);
        if (kind < 5) messages = [...messages, anyMessage(random)];
        else if (kind < 7) messages = messages.with(at, anyMessage(random));
        else if (kind < 9 && messages.length > 1) messages = messages.toSpliced(kind < 8 ? at : -1, 1);
        else messages = [...messages, messages[at]!];
      }
    }
    expect(tally.good).toBeGreaterThan(tally.failed / 4);
  });

  it.for(Object.values(FOLDERS).flatMap(templatesIn))('of $name reads old messages no more', ({ source, name }, { skip }) => {
    const template = compileTemplate(source);
    const ownVariables = { bos_token: '<s>', eos_token: '</s>', datetime: 'x', functions: '[]' };
    const input = inputWith([], { ownVariables, tools: name.includes('tool_use') ? [] : undefined });
    const memory = new Memory(template.statements, () => NOW);
    const messages = Array.from({ length: 81 }, (_, index) => message({ role: index % 2 ? 'assistant' : 'user', content: `number ${index}` }));
    const render = (count: number) => {
      const list = new List(messages.slice(0, count));
      return again(template, memory, list, valuesOf(input, list, true));
    };
    if (render(79) === undefined) return skip('it refuses such chats');
    const read = new Set<unknown>();
    const original = Dict.prototype.getText;
    const spy = vi.spyOn(Dict.prototype, 'getText').mockImplementation(function (this: Dict, key) {
      read.add(this);
      return original.call(this, key);
    });
    render(81);
    spy.mockRestore();
    const seen = messages.filter((each) => read.has(each)).length;
    // The new ones, those beside them, the first one, and those that some templates look for from the end.
    expect(seen).toBeGreaterThanOrEqual(1);
    expect(seen).toBeLessThanOrEqual(LOOKS_BACK.has(name) ? 81 : 8);
  });
});

/** Templates that compare something of each message with what a new one changes. */
const LOOKS_BACK = new Set(['Kimi-K2-Thinking', 'chatml-tools']);
