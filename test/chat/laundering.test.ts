// Nothing that the caller hands over becomes a control token: templates made of every filter, method, test, operator, function
// and statement, with texts, keys, numbers and formats of the caller at each of their inputs.
//
// The caller writes `<|end|>`, in many disguises. No template here, and nothing that the renderer writes itself, has a bar: a
// bar in what counts as the template's was laundered. The ids are looked at, too.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { applyChatTemplate } from '../../lib/chat/apply.js';
import { FILTERS, TESTS } from '../../lib/chat/jinja/environment.js';
import { type Rendered, TEMPLATE, TemplateError } from '../../lib/chat/jinja/index.js';
import { methodsOf } from '../../lib/chat/jinja/methods/index.js';
import { toValue } from '../../lib/chat/data.js';
import { DictView, Dict } from '../../lib/chat/jinja/values/dict.js';
import { PySet, Range, Tuple } from '../../lib/chat/jinja/values/containers.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const END = '<|end|>';
const CODES = [...END].map((character) => character.charCodeAt(0));

/** What a caller may hand over: the token, and texts and numbers that operations could make it of. */
const MESSAGE = {
  role: 'user',
  content: END,
  text: END,
  list: [END, '<|', 'end|>', END],
  dict: { [END]: END, [`x${END}`]: 1, a: '|', width: '|', k: END },
  pairs: [[END, END], ['|', 1]],
  codes: CODES,
  number: 124,
  big: 2 ** 60,
  float: 124.5,
  bar: '|',
  reversed: [...END].reverse().join(''),
  swapped: '<|END|>',
  spaced: [...END].join(' '),
  lines: `${END}\n|end|>\n`,
  quoted: '%3C%7Cend%7C%3E',
  entities: '&lt;&#124;end&#124;&gt;',
  fields: [...END].map((character) => `{0:${character}<1}`).join(''),
  field: '{0:|>9}{0[0]}{0!r}|{}',
  named: '{k}{a:|^7}',
  percent: '%s|%%|%5s|%r',
  keyed: '%(k)s|%(a)r',
  time: `%Y${END}%B`,
  spec: '|>9',
  path: `dict.${END}`,
  nested: [{ name: END, [END]: { name: '|' } }, { name: '|a' }],
};
const HANDED = [...Object.keys(MESSAGE).map((key) => `m.${key}`), 'm', 'm.codes[1]', 'm.bar', 'm.text', 'm.text', 'm.dict', 'm.list', 'messages', 'm.dict.items()', 'm.dict.keys()', 'm.text[1]', 'm.nested[0]'];
const OWN = ["'a'", "' b c '", "''", "'{}'", "'{:>5}'", "'{0.name}{0}'", "'%s'", "'%5.1f'", "'%x'", "'%r'", "'%c'", "'{:c}'", '0', '1', '3', '2.5', 'none', 'true', "['a', 'b']", "('a', 1)", "{'a': 1, 'k': 'v'}", "'name'", "'upper'", "'string'", "'abcdefg'", 'range(3)', '[1, 2]', 'nothing', 'x', 'ns'];
const NAMES = 'a attribute case_sensitive by d default default_value boolean width first blank indent separators sort_keys ensure_ascii length killwords end leeway chars old new count fill_with start precision method base key keepends sep maxsplit k'.split(' ');
const OPERATORS = ['+', '-', '*', '/', '//', '%', '**', '~', '~', '==', '!=', '<', '>=', 'in', 'not in', 'and', 'or'];

const message = toValue(MESSAGE, 0, 'message') as Dict;
const kinds = { text: message.getText('text')!, dict: message, list: message.getText('list')!, tuple: new Tuple([]), int: 1, float: message.getText('float')!, range: new Range(0, 1, 1), set: new PySet([]), view: new DictView(message, 'keys') };
const METHODS = Object.entries(kinds).flatMap(([kind, value]) => [...(methodsOf(value)?.keys() ?? [])].map((name) => ({ kind, name })));
const OF_KIND: Record<string, string[]> = { text: ['m.text', 'm.bar', "'abc'", 'm.fields', 'm.named', 'm.field', "'{}'", 'm.lines', 'm.spaced'], dict: ['m', 'm.dict', "{'a': m.text}"], list: ['m.list', '[m.text, 1]', 'm.codes'], tuple: ['(m.text, m.bar)'], int: ['m.number', '3'], float: ['m.float'], range: ['range(4)'], set: ['(m.dict.keys() - [1])'], view: ['m.dict.keys()', 'm.dict.items()'] };
/** What is refused by name, whatever its arguments. */
const LEFT_OUT = ['e', 'escape', 'forceescape', 'pprint', 'random', 'striptags', 'urlize', 'wordwrap', 'xmlattr', 'encode', 'format_map', 'maketrans', 'translate', 'to_bytes', 'from_bytes'];
const CHANGING = ['clear', 'pop', 'popitem', 'setdefault', 'update'];

class Launderer {
  constructor(private readonly random: Random) {}

  value(depth: number): string {
    const { random } = this;
    if (depth <= 0 || random.chance(0.3)) return random.pick(random.chance(0.65) ? HANDED : OWN);
    const of = () => this.value(depth - 1);
    return random.pick<() => string>([
      () => this.filter(random.pick(Filters), of()),
      () => this.filter(random.pick(Filters), of()),
      () => this.method(random.pick(METHODS)),
      () => this.method(random.pick(METHODS)),
      () => `(${of()}) ${random.pick(OPERATORS)} (${of()})`,
      () => `(${of()}) ${random.pick(OPERATORS)} (${of()})`,
      () => `(${of()} if (${of()}) is ${random.pick(Tests)} else ${of()})`,
      () => `(${of()})[${of()}]`,
      () => `(${of()})[${random.pick(['1:', '::-1', ':-1', '::2', 'm.number:', ':3'])}]`,
      () => `(${of()}).${random.pick(['a', 'k', 'name', 'items', 'dict', 'text', 'x'])}`,
      () => `[${of()}, ${of()}]`,
      () => `{${of()}: ${of()}}`,
      () => `${random.pick(['dict', 'namespace', 'cycler', 'joiner', 'range', 'f', 'f', 'strftime_now', 'loop.cycle', 'loop.changed', 'caller'])}(${this.args()})`,
      () => `cycler(${of()}, ${of()}).${random.pick(['next()', 'current'])}`,
      () => `-(${of()})`,
      () => `not (${of()})`,
    ])();
  }

  args(): string {
    const { random } = this;
    const all = Array.from({ length: random.integer(0, 2) }, () => this.value(random.integer(0, 1)));
    if (random.chance(0.1)) all.push(`*${random.pick(['m.list', 'm.pairs', 'm.text'])}`);
    if (random.chance(0.3)) all.push(`${random.pick(NAMES)}=${this.value(0)}`);
    if (random.chance(0.15)) all.push(`**${random.pick(['m.dict', '{m.text: m.bar}', 'm'])}`);
    return all.join(', ');
  }

  filter(name: string, value: string): string {
    return `(${value})|${name}${this.random.chance(0.7) ? `(${this.args()})` : ''}`;
  }

  method({ kind, name }: { kind: string; name: string }): string {
    return `(${this.random.pick(this.random.chance(0.9) ? OF_KIND[kind]! : HANDED)}).${name}(${this.args()})`;
  }

  body(depth: number): string {
    return Array.from({ length: this.random.integer(1, 3) }, () => this.statement(depth)).join('');
  }

  statement(depth: number): string {
    const { random } = this;
    const of = () => this.value(2);
    if (depth <= 0 || random.chance(0.4)) return `{{ ${this.value(random.integer(1, 3))} }}`;
    const inside = () => this.body(depth - 1);
    return random.pick<() => string>([
      () => `{% set x = ${of()} %}{{ x }}`,
      () => `{% set x %}a${inside()}{% endset %}{{ x }}`,
      () => `{% set x${'|'}${random.pick(Filters)} %}${inside()}{% endset %}{{ x }}`,
      () => `{% for x in ${of()} %}${inside()}{% if loop.previtem is defined %}{{ loop.previtem }}{% endif %}{% else %}${inside()}{% endfor %}`,
      () => `{% for x, y in ${random.pick(['m.dict.items()', 'm.pairs', 'm.dict|items', 'm.dict|dictsort'])} %}{{ x }}${inside()}{{ y }}{% endfor %}`,
      () => `{% for x in ${random.pick(['m.list', '[m.list]', 'm.text'])} recursive %}{{ x if x is string else loop(x) }}{% endfor %}`,
      () => `{% if ${of()} %}${inside()}{% else %}${inside()}{% endif %}`,
      () => `{% macro f(a, b=${this.value(1)}) %}a{{ a }}{{ b }}{% for k in kwargs %}{{ k }}{{ kwargs[k] }}{% endfor %}{{ varargs }}{% endmacro %}{{ f(${this.args()}) }}`,
      () => `{% macro f() %}{{ caller(${this.args()}) if caller }}{% endmacro %}{% call(a=1, b=2) f() %}{{ a }}{{ b }}{% endcall %}`,
      () => `{% filter ${random.pick(Filters)} %}${inside()}{% endfilter %}`,
      () => `{% with x = ${of()} %}${inside()}{% endwith %}`,
      () => `{% block b${random.integer(0, 1e9)} %}${inside()}{% endblock %}`,
      () => `{% generation %}${inside()}{% endgeneration %}`,
      () => `{% set ns = namespace(${this.args()}) %}{% set ns.a = ${of()} %}{{ ns }}{{ ns.a }}`,
      () => `{% autoescape false %}${inside()}{% endautoescape %}`,
    ])();
  }
}

const Filters = [...FILTERS.keys()].filter((name) => !LEFT_OUT.includes(name));
const Tests = [...TESTS.keys()].filter((name) => /^\w+$/.test(name));

const PREFIX = '{% set m = messages[0] %}{% macro f(a, b=1) %}{{ a }}{{ b }}{{ kwargs }}{{ varargs }}{{ caller() if caller }}{% endmacro %}{% set ns = namespace(a=1) %}';

/** The rendered chat; undefined if the template fails. */
function rendered(source: string): Rendered | undefined {
  try {
    return applyChatTemplate([MESSAGE], { template: PREFIX + source });
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

function laundered({ text, ends, origins }: Rendered): string | undefined {
  for (let run = 0, from = 0; run < ends.length; from = ends[run++]!) {
    const piece = text.slice(from, ends[run]);
    if (origins[run] === TEMPLATE && piece.includes('|')) return piece;
  }
  return undefined;
}

describe('the marker of a caller', () => {
  let tokenizer: Tokenizer;
  let end: number;
  beforeAll(async () => {
    tokenizer = await Tokenizer.load('o200k_harmony');
    end = tokenizer.idOf(END)!;
  });
  afterAll(() => tokenizer.close());

  async function check(source: string, what: string): Promise<boolean> {
    const result = rendered(source);
    if (!result) return false;
    const leak = laundered(result);
    if (leak !== undefined) expect.fail(`${what}: ${source}\nwrites as the template's: ${JSON.stringify(leak)}`);
    if (!result.text.includes(END)) return true;
    const ids = await tokenizer.encodeChat([MESSAGE], { template: PREFIX + source, special: 'template' });
    if (ids.includes(end)) expect.fail(`${what}: ${source}\nhas the control token`);
    return true;
  }

  it('stays text at every input of every filter and method', async () => {
    const rounds = sample(400, 40);
    const never: string[] = [];
    const operations = [
      ...Filters.map((name) => ({ what: `the filter ${name}`, make: (launderer: Launderer) => launderer.filter(name, launderer.value(0)) })),
      ...METHODS.filter(({ name }) => !LEFT_OUT.includes(name) && !CHANGING.includes(name)).map((method) => ({ what: `the method ${method.name} of a ${method.kind}`, make: (launderer: Launderer) => launderer.method(method) })),
      ...Tests.map((name) => ({ what: `the test ${name}`, make: (launderer: Launderer) => `(${launderer.value(0)} is ${name}${'(' + launderer.value(0) + ')'}) ~ (m.text is ${name})` })),
    ];
    for (const { what, make } of operations) {
      let done = 0;
      for (let round = 0; round < rounds; round++) {
        const random = new Random(91, round);
        const expression = make(new Launderer(random));
        const shown = `{{ ${expression} }}{% for x in ${expression} %}{{ x }}{% endfor %}`;
        if (await check(random.chance(0.5) ? `{{ ${expression} }}` : shown, `${what}, round ${round}`)) done++;
      }
      if (done === 0 && !what.startsWith('the test')) never.push(what);
    }
    // Each of them did its work at least once.
    expect(never).toEqual([]);
  });

  const count = sample(30_000, 1500);
  it(`stays text in ${count} templates of all statements`, async () => {
    let done = 0;
    for (let index = 0; index < count; index++) {
      const source = new Launderer(new Random(92, index)).body(3);
      if (await check(source, `template ${index} of seed 92`)) done++;
    }
    expect(done).toBeGreaterThan(count / 20);
  });

  it.each<[string, string]>([
    ['keys by dict(**m)', '{% for k in dict(**m.dict) %}{{ k }}{% endfor %}'],
    ['keys by the kwargs of a macro', '{% macro g() %}{% for k in kwargs %}{{ k }}{% endfor %}{% endmacro %}{{ g(**m.dict) }}'],
    ['keys by namespace(**m)', '{{ namespace(**m.dict) }}'],
    ['the indent of tojson', '{{ [""]|tojson(indent=m.text) }}'],
    ['the separators of tojson', '{{ [1, 2]|tojson(separators=[m.text, ":"]) }}'],
    ['fill characters of a format string', "{{ m.fields.format('') }}"],
    ['a path of attributes', '{% for x in [m]|map(attribute=m.path) %}{{ x }}{% endfor %}'],
    ['the format of a date', '{{ strftime_now(m.time) }}'],
    ['keywords of the filter format', "{{ '%(a)s'|format(**m.dict) }}"],
  ])('stays text: %s', async (what, source) => {
    expect(await check(source, what)).toBe(true);
  });

  it.each(["{{ 'abcdefg'.translate(''.maketrans('abcdefg', m.text)) }}", "{{ '%c' % m.codes[1] }}", "{{ '{:c}'.format(m.codes[1]) }}", "{{ m.codes|map('int')|map('string')|list }}{{ m.text.encode() }}"])('is refused: %s', (source) => {
    expect(() => applyChatTemplate([MESSAGE], { template: PREFIX + source })).toThrow('not supported in chat templates');
  });
});
