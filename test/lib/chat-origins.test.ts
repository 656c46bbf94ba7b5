// Who wrote which part of a rendered chat: no character of the caller's lies in a range of the template's, whatever the
// template does to it, and ids have the origin of their text.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { applyChatTemplate } from '../chat/ours.js';
import { CALLER, type Rendered, TEMPLATE } from '../../lib/chat/jinja/template.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

/** The text of each origin. */
function pieces({ text, ends, origins }: Rendered): [string, number][] {
  return Array.from(ends, (end, index) => [text.slice(index === 0 ? 0 : ends[index - 1], end), origins[index]!]);
}

const render = (template: string, messages: object[], options: object = {}) => applyChatTemplate(messages, { template, ...options });

describe('an origin', () => {
  const messages = [
    { role: 'user', content: ' Abc ' },
    { role: 'assistant', content: 'x,y' },
  ];
  const of = (template: string, options: object = {}) => pieces(render(template, messages, options));
  const [A, B] = ['messages[0].content', 'messages[1].content'];

  it.each<[string, [string, number][]]>([
    [`{{ ${A} }}`, [[' Abc ', 0]]],
    [
      `<{{ ${A} }}>{{ ${B} }}`,
      [
        ['<', TEMPLATE],
        [' Abc ', 0],
        ['>', TEMPLATE],
        ['x,y', 1],
      ],
    ],
    [
      `{{ '<' + ${A} ~ '>' }}`,
      [
        ['<', TEMPLATE],
        [' Abc ', 0],
        ['>', TEMPLATE],
      ],
    ],
    [
      `{{ ('<' ~ ${A} ~ '>')[0:3] }}`,
      [
        ['<', TEMPLATE],
        [' A', 0],
      ],
    ],
    [
      `{{ ('<' ~ ${A} ~ '>')[::-1] }}`,
      [
        ['>', TEMPLATE],
        [' cbA ', 0],
        ['<', TEMPLATE],
      ],
    ],
    [
      `{{ ${A} | trim }}|{{ ${A}.strip() }}`,
      [
        ['Abc', 0],
        ['|', TEMPLATE],
        ['Abc', 0],
      ],
    ],
    [
      `{{ ('[' ~ ${A} ~ ']') | upper }}`,
      [
        ['[', TEMPLATE],
        [' ABC ', 0],
        [']', TEMPLATE],
      ],
    ],
    [
      `{{ ${B}.split(',') | join('; ') }}`,
      [
        ['x', 1],
        ['; ', TEMPLATE],
        ['y', 1],
      ],
    ],
    [
      `{{ ${B} | replace(',', '::') }}`,
      [
        ['x', 1],
        ['::', TEMPLATE],
        ['y', 1],
      ],
    ],
    [
      `{{ 'a,b'.replace(',', ${B}) }}`,
      [
        ['a', TEMPLATE],
        ['x,y', 1],
        ['b', TEMPLATE],
      ],
    ],
    [
      `{{ '<%s|%5d>' % (${B}, 3) }}`,
      [
        ['<', TEMPLATE],
        ['x,y', 1],
        ['|    3>', TEMPLATE],
      ],
    ],
    [
      `{{ '<{}>'.format(${B}) }}`,
      [
        ['<', TEMPLATE],
        ['x,y', 1],
        ['>', TEMPLATE],
      ],
    ],
    [
      `{{ ${B}.center(5, '*') }}`,
      [
        ['*', TEMPLATE],
        ['x,y', 1],
        ['*', TEMPLATE],
      ],
    ],
    [
      `{% for c in ${B} %}{{ c }}{% endfor %}{{ messages[0].role }}`,
      [
        ['x,y', 1],
        ['user', TEMPLATE],
      ],
    ],
    [`{{ [${A}, ${B}] | tojson }}`, [['[" Abc ", "x,y"]', CALLER]]],
    [
      `{{ {'a': ${B}} }}{{ ${A} | tojson }}`,
      [
        ["{'a': 'x,y'}", 1],
        ['" Abc "', 0],
      ],
    ],
    [
      `{% set x %}<{{ ${B} }}>{% endset %}{{ x }}{{ x | length }}`,
      [
        ['<', TEMPLATE],
        ['x,y', 1],
        ['>5', TEMPLATE],
      ],
    ],
    [
      `{% macro m(t) %}({{ t }}){% endmacro %}{{ m(${B}) }}`,
      [
        ['(', TEMPLATE],
        ['x,y', 1],
        [')', TEMPLATE],
      ],
    ],
    [
      `{% filter upper %}a{{ ${B} }}{% endfilter %}`,
      [
        ['A', TEMPLATE],
        ['X,Y', 1],
      ],
    ],
    [
      `{{ (${B} ~ '\\n' ~ ${A}) | indent(1) }}`,
      [
        ['x,y', 1],
        ['\n ', TEMPLATE],
        [' Abc ', 0],
      ],
    ],
    [
      `{{ messages[0] | items | list | length }}{{ messages[0].keys() | list | last }}`,
      [
        ['2', TEMPLATE],
        ['content', 0],
      ],
    ],
  ])('%s', (template, expected) => {
    expect(of(template)).toEqual(expected);
  });

  it("is the caller for tools, documents and variables, and the template for the vocabulary's variables", () => {
    const options = {
      tools: '[{"name": "f"}]',
      documents: [{ text: 'd' }],
      variables: { v: 'V' },
      ownVariables: { bos_token: '<s>', v: 'own' },
    };
    expect(of('{{ tools[0].name }}|{{ documents[0].text }}|{{ v }}{{ bos_token }}', options)).toEqual([
      ['f', CALLER],
      ['|', TEMPLATE],
      ['d', CALLER],
      ['|', TEMPLATE],
      ['V', CALLER],
      ['<s>', TEMPLATE],
    ]);
    expect(of('{{ bos_token }}', { ...options, variables: '{"bos_token": "<b>"}' })).toEqual([['<b>', CALLER]]);
  });

  it("is the message's in JSON text, too", () => {
    const rendered = applyChatTemplate('[{"role": "user", "content": "a"}, {"role": "user", "content": {"k": "b"}}]', {
      template: '{% for m in messages %}{{ m.content }};{% endfor %}',
    });
    expect(pieces(rendered)).toEqual([
      ['a', 0],
      [';', TEMPLATE],
      ["{'k': 'b'}", 1],
      [';', TEMPLATE],
    ]);
  });

  const TEMPLATES = [
    '{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}{{ m.tool | tojson(indent=2) }}{% endfor %}',
    "{% for m in messages %}{% set parts = m.content.split('E') %}{{ parts | join('--') }}{{ parts[-1].lstrip() ~ '/' ~ m.tool }}{% endfor %}",
    "{% set ns = namespace(t='') %}{% for m in messages %}{% set ns.t = ns.t ~ '[' ~ m.content[:3] ~ m.content[-2:] ~ ']' %}{% endfor %}{{ ns.t | replace('[', '(') | upper }}",
    "{% macro show(x) %}{{ '%s=%r' % ('k', x) }}{{ x | title | reverse }}{{ '%9s' % (x | string) }}{% endmacro %}{% for m in messages %}{{ show(m.content) }}{% endfor %}",
    '{% for m in messages | sort(attribute="content") | reverse %}{% for c in m.content %}{{ loop.index }}{{ c }}{% endfor %}{{ m | dictsort }}{% endfor %}',
    "{{ messages | map(attribute='content') | map('capitalize') | join(', ') | indent(2) | truncate(40) }}{{ messages }}",
  ];
  const CHATS = sample(3000, 120);

  it(`is never the template for what a caller wrote: ${CHATS} chats`, () => {
    // The caller writes Cyrillic letters, which no template has.
    const letters = ['Э', 'э', 'Ю', 'я', ' ', '\n', 'Жж', '🙂'];
    for (let seed = 1; seed <= CHATS; seed++) {
      const random = new Random(seed);
      const text = () => Array.from({ length: random.integer(0, 9) }, () => letters[random.integer(0, letters.length - 1)]).join('');
      const chat = Array.from({ length: random.integer(1, 4) }, () => ({ role: 'user', content: text(), tool: { [text()]: [text()] } }));
      const template = TEMPLATES[seed % TEMPLATES.length]!;
      for (const [piece, origin] of pieces(render(template, chat))) {
        if (origin === TEMPLATE) expect(piece, `seed ${seed}`).not.toMatch(/[\u0400-\u04ff🙂]/u);
      }
    }
  });
});

describe('origins of ids, and the ranges of the assistant', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_harmony');
  });
  afterAll(() => tokenizer.close());
  const template =
    '{% for m in messages %}<|start|>{{ m.role }}<|message|>{% generation %}{{ m.content }}{% endgeneration %}<|end|>{% endfor %}{{ tools }}';
  const messages = [
    { role: 'user', content: 'hello world 🙂' },
    { role: 'assistant', content: 'Grüße, 世界' },
  ];

  it('cover the ids, by message', async () => {
    for (const special of ['allow', 'template', 'forbid'] as const) {
      const { ids, origins, assistantMask } = await tokenizer.encodeChat(messages, {
        template,
        special,
        origins: true,
        assistantMask: true,
        tools: [],
      });
      expect([...ids]).toEqual([...(await tokenizer.encodeChat(messages, { template, special, tools: [] }))]);
      for (const [index, { content }] of messages.entries()) {
        expect(tokenizer.decode(ids.filter((_, at) => origins![at] === index))).toBe(content);
      }
      const written = tokenizer.decode(ids.filter((_, at) => assistantMask![at] === 1));
      expect(written).toBe(messages.map(({ content }) => content).join(''));
      expect(origins).toBeInstanceOf(Int32Array);
      expect([...origins!].filter((each) => each === TEMPLATE).length).toBeGreaterThan(5);
    }
  });

  it('are refused if the template marks nothing, or the message is continued', async () => {
    const bare = template.replaceAll(/\{% (end)?generation %\}/g, '');
    await expect(tokenizer.encodeChat(messages, { template: bare, assistantMask: true })).rejects.toThrow('it has no {% generation %}');
    await expect(tokenizer.encodeChat(messages, { template, assistantMask: true, continueFinalMessage: true })).rejects.toThrow(TypeError);
    await expect(tokenizer.encodeChat(messages, { template, origins: 1 as never })).rejects.toThrow(TypeError);
  });
});
