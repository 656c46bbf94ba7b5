// Nothing that the caller hands over becomes a control token: templates made of every filter, method, test, operator, function
// and statement that the renderer has, with texts, keys, numbers and formats of the caller at each of their inputs.
//
// The caller writes `<|end|>`, in many disguises. No template here, and nothing that the renderer writes itself, has a bar: a
// bar in what counts as the template's was laundered. The ids are looked at, too.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { applyChatTemplate } from './ours.js';
import { toValue } from '../../lib/chat/data.js';
import { FILTERS, TESTS } from '../../lib/chat/jinja/filters/index.js';
import { globalsAt } from '../../lib/chat/jinja/globals.js';
import { type Rendered, TEMPLATE, TemplateError } from '../../lib/chat/jinja/template.js';
import { methodsOf } from '../../lib/chat/jinja/methods/index.js';
import { TAGS } from '../../lib/chat/jinja/parser.js';
import { List, Range, Tuple } from '../../lib/chat/jinja/values/list.js';
import { Dict, DictView } from '../../lib/chat/jinja/values/dict.js';
import { Float } from '../../lib/chat/jinja/values/numbers.js';
import type { Value } from '../../lib/chat/jinja/values/object.js';
import { COMPARISONS, OPERATIONS } from '../../lib/chat/jinja/values/operators.js';
import { derived, EMPTY, literal, numeral } from '../../lib/chat/jinja/values/text.js';
import { TextWriter } from '../../lib/chat/jinja/values/writer.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';

const END = '<|end|>';

/** What a caller may hand over: the token, and texts and numbers that operations could make it of. */
const MESSAGE = {
  role: 'user',
  content: END,
  text: END,
  list: [END, '<|', 'end|>', END],
  dict: { [END]: END, [`x${END}`]: 1, a: '|', width: '|', k: END },
  pairs: [
    [END, END],
    ['|', 1],
  ],
  codes: [...END].map((character) => character.charCodeAt(0)),
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
  padded: '{:|>9}',
  signed: '{:|=+9}',
  path: `dict.${END}`,
  nested: [{ name: END, [END]: { name: '|' } }, { name: '|a' }],
};
const HANDED = [
  ...Object.keys(MESSAGE).map((key) => `m.${key}`),
  ...[
    'm',
    'm.codes[1]',
    'm.bar',
    'm.text',
    'm.text',
    'm.dict',
    'm.list',
    'messages',
    'm.dict.items()',
    'm.dict.keys()',
    'm.text[1]',
    'm.nested[0]',
  ],
];
/** What most operations have a use for. */
const USUAL = [
  'm.text',
  'm.bar',
  'm.list',
  'm.dict',
  'm.number',
  'm.time',
  "('é' ~ m.text ~ 'ß')",
  "('{:' ~ m.spec ~ '}')",
  "(m.bar ~ '{}')",
  "'a'",
  "'{}'",
  '9',
  '[7]',
];
const OWN = [
  "'a'",
  "' b c '",
  "''",
  "'{}'",
  "'{:>5}'",
  "'{0.name}{0}'",
  "'%s'",
  "'%5.1f'",
  "'%x'",
  "'%r'",
  "'%c'",
  "'{:c}'",
  '0',
  '1',
  '3',
  '2.5',
  'none',
  'true',
  "['a', 'b']",
  "('a', 1)",
  "{'a': 1, 'k': 'v'}",
  "'name'",
  "'upper'",
  "'string'",
  "'abcdefg'",
  'range(3)',
  '[1, 2]',
  'nothing',
  'x',
  'ns',
  'f',
];
/** Names of parameters, of attributes, and any others. */
const NAMES =
  'a attribute case_sensitive by d default default_value boolean width first blank indent separators sort_keys ensure_ascii length killwords end leeway chars old new count fill_with start precision method base key keepends sep maxsplit k'.split(
    ' ',
  );
const ATTRIBUTES = 'a k name items dict text x grouper list current arguments previtem nextitem index numerator'.split(' ');

/** Some operations need arguments that are seldom given. */
const MOST_ROUNDS = 3000;

const FILTER_NAMES = [...FILTERS.keys()];
const TEST_NAMES = [...TESTS.keys()];
const OPERATORS = [...Object.keys(OPERATIONS), ...Object.keys(COMPARISONS), '~', '~', 'and', 'or'];
const FUNCTIONS = [...globalsAt(() => new Date()).keys()].filter((name) => name !== 'raise_exception');

/** Values of each type that has methods, and how templates write such values. */
const KINDS: Record<string, [of: Value, written: string[]]> = {
  text: [
    EMPTY,
    ['m.text', 'm.bar', "'abc'", 'm.fields', 'm.named', 'm.field', 'm.padded', 'm.signed', "'{}'", 'm.lines', "('é' ~ m.spaced)"],
  ],
  dict: [new Dict(), ['m', 'm.dict', "{'a': m.text}"]],
  list: [new List([]), ['m.list', '[m.text, 1]', 'm.codes']],
  tuple: [new Tuple([]), ['(m.text, m.bar)']],
  int: [1, ['m.number', '3']],
  float: [new Float(1), ['m.float']],
  range: [new Range(0, 1, 1), ['range(4)']],
  view: [new DictView(new Dict(), 'keys'), ['m.dict.keys()', 'm.dict.items()']],
};
const METHODS = Object.entries(KINDS).flatMap(([kind, [of]]) => [...(methodsOf(of)?.keys() ?? [])].map((name) => ({ kind, name })));

class Launderer {
  constructor(private readonly random: Random) {}

  value(depth: number): string {
    const { random } = this;
    if (depth <= 0 || random.chance(0.3)) return random.pick(random.chance(0.4) ? USUAL : random.chance(0.65) ? HANDED : OWN);
    const of = () => this.value(depth - 1);
    return random.pick<() => string>([
      () => this.filter(random.pick(FILTER_NAMES), of()),
      () => this.filter(random.pick(FILTER_NAMES), of()),
      () => this.method(random.pick(METHODS)),
      () => this.method(random.pick(METHODS)),
      () => this.operation(random.pick(OPERATORS), depth - 1),
      () => this.operation(random.pick(OPERATORS), depth - 1),
      () => `(${of()} if ${this.test(random.pick(TEST_NAMES))} else ${of()})`,
      () => `(${of()})[${of()}]`,
      () => `(${of()})[${random.pick(['1:', '::-1', ':-1', '::2', 'm.number:', ':3'])}]`,
      () => `(${of()}).${random.pick(ATTRIBUTES)}`,
      () => `[${of()}, ${of()}]`,
      () => `{${of()}: ${of()}}`,
      () => `${random.pick([...FUNCTIONS, 'f', 'f', 'loop.cycle', 'loop.changed', 'caller'])}(${this.args()})`,
      () => `cycler(${of()}, ${of()}).${random.pick(['next()', 'current'])}`,
      () => `${random.pick(['-', '+', 'not '])}(${of()})`,
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

  filter(name: string, value = this.value(0)): string {
    return `(${value})|${name}${this.random.chance(0.7) ? `(${this.args()})` : ''}`;
  }

  method({ kind, name }: { kind: string; name: string }): string {
    return `(${this.random.pick(this.random.chance(0.9) ? KINDS[kind]![1] : HANDED)}).${name}(${this.args()})`;
  }

  operation(operator: string, depth = 0): string {
    return `(${this.value(depth)}) ${operator} (${this.value(depth)})`;
  }

  /** Tests whose names are signs can only be named by a text. */
  test(name: string): string {
    const argument = this.random.chance(0.5) ? '' : this.value(0);
    if (!/^\w+$/.test(name)) return `([${this.value(0)}]|select('${name}', ${argument || 1})|list)`;
    return `((${this.value(0)}) is ${name}${argument && `(${argument})`})`;
  }

  call(name: string): string {
    return `${name}(${this.args()})`;
  }

  body(depth: number): string {
    return Array.from({ length: this.random.integer(1, 3) }, () => this.statement(depth)).join('');
  }

  statement(depth: number): string {
    const { random } = this;
    if (depth <= 0 || random.chance(0.4)) return `{{ ${this.value(random.integer(1, 3))} }}`;
    return this.random.pick(this.statements[random.pick([...TAGS.keys()])]!)(
      () => this.body(depth - 1),
      () => this.value(2),
    );
  }

  /** How templates write each statement: of what is inside, and of values. */
  readonly statements: Record<string, ((inside: () => string, of: () => string) => string)[]> = {
    set: [
      (_, of) => `{% set x = ${of()} %}{{ x }}`,
      (inside) => `{% set x %}a${inside()}{% endset %}{{ x }}`,
      (inside) => `{% set x${'|'}${this.random.pick(FILTER_NAMES)} %}${inside()}{% endset %}{{ x }}`,
      (_, of) => `{% set ns = namespace(${this.args()}) %}{% set ns.a = ${of()} %}{{ ns }}{{ ns.a }}`,
    ],
    for: [
      (inside, of) =>
        `{% for x in ${of()} %}${inside()}{% if loop.previtem is defined %}{{ loop.previtem }}{% endif %}{% else %}${inside()}{% endfor %}`,
      (inside) =>
        `{% for x, y in ${this.random.pick(['m.dict.items()', 'm.pairs', 'm.dict|items', 'm.dict|dictsort'])} %}{{ x }}${inside()}{{ y }}{% endfor %}`,
      () => `{% for x in ${this.random.pick(['m.list', '[m.list]', 'm.text'])} recursive %}{{ x if x is string else loop(x) }}{% endfor %}`,
    ],
    if: [(inside, of) => `{% if ${of()} %}${inside()}{% else %}${inside()}{% endif %}`],
    macro: [
      (_, of) =>
        `{% macro f(a, b=${of()}) %}a{{ a }}{{ b }}{% for k in kwargs %}{{ k }}{{ kwargs[k] }}{% endfor %}{{ varargs }}{% endmacro %}{{ f(${this.args()}) }}{{ f }}`,
    ],
    call: [() => `{% macro f() %}{{ caller(${this.args()}) if caller }}{% endmacro %}{% call(a=1, b=2) f() %}{{ a }}{{ b }}{% endcall %}`],
    filter: [(inside) => `{% filter ${this.random.pick(FILTER_NAMES)} %}${inside()}{% endfilter %}`],
    with: [(inside, of) => `{% with x = ${of()} %}${inside()}{% endwith %}`],
    block: [(inside) => ((name) => `{% block ${name} %}${inside()}{% endblock %}{{ self.${name}() }}`)(`b${this.random.integer(0, 1e9)}`)],
    generation: [(inside) => `{% generation %}${inside()}{% endgeneration %}`],
    autoescape: [(inside) => `{% autoescape false %}${inside()}{% endautoescape %}`],
    break: [(inside, of) => `{% for x in ${of()} %}{{ x }}${inside()}{% break %}{% endfor %}`],
    continue: [(inside, of) => `{% for x in ${of()} %}{{ x }}{% continue %}${inside()}{% endfor %}`],
    print: [(_, of) => `{% print ${of()}, ${of()} %}`],
    // There are no other templates.
    include: [(_, of) => `{% include ${of()} %}`],
    import: [(_, of) => `{% import ${of()} as x %}`],
    from: [(_, of) => `{% from ${of()} import x %}`],
    extends: [(_, of) => `{% extends ${of()} %}`],
  };
}

interface Operation {
  what: string;
  /** An expression with it, of random values. */
  write(launderer: Launderer): string;
  /** Expressions that have each of the usual values at each input. */
  usual: string[];
}

function operationsOf(): Operation[] {
  const withEach = (shapes: (value: string) => string[]) => USUAL.flatMap(shapes);
  const filters = FILTER_NAMES.map((name) => ({
    what: `the filter ${name}`,
    write: (launderer: Launderer) => launderer.filter(name),
    usual: withEach((value) => [
      `${value}|${name}`,
      `${value}|${name}(9)`,
      `'a b'|${name}(${value})`,
      `[7, 7]|${name}(${value})`,
      `'a b'|${name}(9, ${value})`,
      `m.list|${name}('a', ${value})`,
    ]),
  }));
  const methods = METHODS.map(({ kind, name }) => ({
    what: `the method ${name} of a ${kind}`,
    write: (launderer: Launderer) => launderer.method({ kind, name }),
    usual: KINDS[kind]![1].flatMap((of) => [`${of}.${name}()`, `${of}.${name}(9, m.bar)`, `${of}.${name}('a', m.text)`]).concat(
      withEach((value) => [`${KINDS[kind]![1][0]}.${name}(${value})`, `${KINDS[kind]![1].at(-1)}.${name}(${value}, 9)`]),
    ),
  }));
  const tests = TEST_NAMES.map((name) => ({
    what: `the test ${name}`,
    write: (launderer: Launderer) => `${launderer.test(name)} ~ m.text`,
    usual: withEach((value) => [`[${value}]|select('${name}')|list`, `[${value}, 'a']|reject('${name}', ${value})|list`]),
  }));
  const operators = OPERATORS.map((operator) => ({
    what: `the operator ${operator}`,
    write: (launderer: Launderer) => launderer.operation(operator),
    usual: withEach((value) => [
      `(9 ${operator} ${value})`,
      `(${value} ${operator} 9)`,
      `('a%s' ${operator} ${value})`,
      `(${value} ${operator} m.text)`,
    ]),
  }));
  const functions = FUNCTIONS.map((name) => ({
    what: `the function ${name}`,
    write: (launderer: Launderer) => launderer.call(name),
    usual: withEach((value) => [`${name}(${value})`, `${name}(9, ${value})`, `${name}(a=${value})`, `${name}(**${value})`]),
  }));
  return [...filters, ...methods, ...tests, ...operators, ...functions];
}

/** Before each template. The loop comes from a memory where a conversation renders it again. */
const PREFIX =
  '{% set m = messages[0] %}{% macro f(a, b=1) %}{{ a }}{{ b }}{{ kwargs }}{{ varargs }}{{ caller() if caller }}{% endmacro %}{% set ns = namespace(a=1) %}{% for m in messages %}';
const SUFFIX = '{% set ns.a = m.text %}{% endfor %}{{ ns.a }}';

/** The rendered chat, or why it is refused. */
function rendered(template: string): Rendered | TemplateError {
  try {
    return applyChatTemplate([MESSAGE], { template });
  } catch (error) {
    if (error instanceof TemplateError) return error;
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

  /** The error that refuses the template, if one does. */
  async function check(source: string, what: string): Promise<TemplateError | undefined> {
    const template = PREFIX + source + SUFFIX;
    const result = rendered(template);
    if (result instanceof TemplateError) return result;
    const leak = laundered(result);
    if (leak !== undefined) expect.fail(`${what}: ${source}\nwrites as the template's: ${JSON.stringify(leak)}`);
    const options = { template, special: 'template' } as const;
    if (result.text.includes(END) && (await tokenizer.encodeChat([MESSAGE], options)).includes(end))
      expect.fail(`${what}: ${source}\nhas the control token`);
    return undefined;
  }

  it('stays text at every input of every filter, method, test, operator and function', async () => {
    const rounds = sample(400, 5);
    const never: string[] = [];
    for (const { what, write, usual } of operationsOf()) {
      let [done, isWithheld] = [0, false];
      const attempt = async (expression: string, round: number, random: Random) => {
        const error = await check(
          `{{ ${expression} }}${random.chance(0.5) ? `{% for x in ${expression} %}{{ x }}{% endfor %}` : ''}`,
          `${what}, round ${round}`,
        );
        if (error === undefined) done++;
        else if (error.message.startsWith('not supported in chat templates') || error.pythonType === 'SecurityError') isWithheld = true;
      };
      for (const [round, expression] of usual.entries()) await attempt(expression, -round, new Random(90, round));
      for (let round = 0; round < rounds || (done === 0 && !isWithheld && round < MOST_ROUNDS); round++) {
        const random = new Random(91, round);
        await attempt(write(new Launderer(random)), round, random);
      }
      if (done === 0 && !isWithheld) never.push(what);
    }
    // Each of them did its work at least once, or is refused by name.
    expect(never).toEqual([]);
  });

  it('is tried in every statement', () => {
    expect(Object.keys(new Launderer(new Random(0)).statements).sort()).toEqual([...TAGS.keys()].sort());
  });

  const count = sample(30_000, 800);
  it(`stays text in ${count} templates of all statements`, async () => {
    let done = 0;
    for (let index = 0; index < count; index++) {
      if ((await check(new Launderer(new Random(92, index)).body(3), `template ${index} of seed 92`)) === undefined) done++;
    }
    expect(done).toBeGreaterThan(count / 20);
  });

  const again = sample(3000, 60);
  it(`stays text in ${again} conversations that grow`, async () => {
    let done = 0;
    for (let index = 0; index < again; index++) {
      const source = new Launderer(new Random(93, index)).body(2);
      using chat = await tokenizer
        .conversation({ template: PREFIX + source + SUFFIX, special: 'template', addGenerationPrompt: false })
        .catch(() => undefined)!;
      try {
        for (let message = 0; message < 3; message++) chat!.add({ ...MESSAGE, content: `${END}${message}` });
      } catch {
        continue;
      }
      done++;
      if (chat!.ids.includes(end))
        expect.fail(`template ${index} of seed 93, as a conversation of three messages: ${source}\nhas the control token`);
    }
    expect(done).toBeGreaterThan(again / 20);
  });

  it.each<[string, string]>([
    ['keys by dict(**m)', '{% for k in dict(**m.dict) %}{{ k }}{% endfor %}'],
    ['keys by the kwargs of a macro', '{% macro g() %}{% for k in kwargs %}{{ k }}{% endfor %}{% endmacro %}{{ g(**m.dict) }}'],
    ['keys by namespace(**m)', '{{ namespace(**m.dict) }}'],
    ['the indent of tojson', '{{ [""]|tojson(indent=m.text) }}'],
    ['the separators of tojson', '{{ [1, 2]|tojson(separators=[m.text, ":"]) }}'],
    ['a path of attributes', '{% for x in [m]|map(attribute=m.path) %}{{ x }}{% endfor %}'],
    ['the fills of a format', "{{ m.fields.format('') }}"],
    ['the format of a date', '{{ strftime_now(m.time) }}'],
    ['keywords of the filter format', "{{ '%(a)s'|format(**m.dict) }}"],
  ])('stays text: %s', async (what, source) => {
    expect(await check(source, what)).toBeUndefined();
  });

  it.each([
    "{{ 'abcdefg'.translate(''.maketrans('abcdefg', m.text)) }}",
    "{{ '%c' % m.codes[1] }}",
    "{{ '{:c}'.format(m.codes[1]) }}",
    '{{ m.text.encode() }}',
  ])('is refused: %s', (source) => {
    expect(() => applyChatTemplate([MESSAGE], { template: `{% set m = messages[0] %}${source}` })).toThrow(
      'not supported in chat templates',
    );
  });
});

it('what was computed cannot pass for our own text', () => {
  const computed: string = END;
  // @ts-expect-error: any text
  literal(computed);
  // @ts-expect-error: a pattern
  literal(`a${computed}` as const);
  // @ts-expect-error: any text, written
  new TextWriter(null).write(computed);
  // @ts-expect-error: of nothing
  expect(() => derived(computed)).toThrow();
  expect(() => numeral(computed)).toThrow('expected a number as text');
  expect(toValue(END, 0, 'text')).toMatchObject({ origin: 0, text: END });
});
