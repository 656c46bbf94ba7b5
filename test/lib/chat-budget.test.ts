// Templates that would use unbounded time or memory stop early, with an error that names the line; long ones run in linear
// time.

import { describe, expect, it } from 'vitest';

import { compileTemplate, TemplateError } from '../../lib/chat/jinja/template.js';

/** The text of a template, or its error. `limits`: what is counted, without the clock, which a busy machine may exceed. */
function outcome(source: string, variables: Record<string, unknown> = {}, limits = { milliseconds: 1e9 }): string | TemplateError {
  try {
    return compileTemplate(source).render(variables, { limits }).text;
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}

/** The CPU time of a call, the minimum of several, since the machine also runs other work. */
function milliseconds(call: () => void, times: number): number {
  const all = Array.from({ length: times }, () => {
    const started = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  });
  return Math.min(...all);
}

const doubling = (start: string, step: string, end: string, times = 60) =>
  `{% set n = namespace(d=${start}) %}\n{% for i in range(${times}) %}\n{% set n.d = ${step} %}{% endfor %}\n${end}`;

describe('a template that asks for too much', () => {
  it.each<[string, string, number]>([
    ['a list in lists, as JSON', doubling('[]', '[n.d, n.d]', '{{ n.d | tojson | length }}'), 4],
    ['a list in lists, printed', doubling('[]', '[n.d, n.d]', '{{ n.d }}'), 4],
    ['a list of 25 levels', doubling('[]', '[n.d, n.d]', '{{ n.d }}', 25), 4],
    ['a list that doubles', doubling('[1]', 'n.d + n.d', ''), 3],
    ['a text that doubles', doubling("'x'", 'n.d ~ n.d', ''), 3],
    ['a repeated text', "\n{{ 'x' * 10**9 }}", 2],
    ['a repeated list', '\n{{ [1] * 10**9 }}', 2],
    ['a wide text', "\n{{ 'x'.center(10**12) }}", 2],
    ['a wide number', "\n{{ '%999999999d' % 1 }}", 2],
    ['a wide field', "\n{{ '{:999999999}'.format(1) }}", 2],
    ['a power', '\n{{ 9 ** (9 ** 9) }}', 2],
    ['a range', '\n{{ range(10 ** 9) | list }}', 2],
    ['a macro that calls itself', '{% macro m() %}\n{{ m() }}{% endmacro %}{{ m() }}', 2],
    ['a loop that calls itself', '{% for x in [[1]] recursive %}\n{{ loop([[1]]) }}{% endfor %}', 2],
    ['a macro that calls itself twice', '{% macro m(n) %}\n{{ m(n + 1) }}{{ m(n + 1) }}{% endmacro %}{{ m(1) }}', 2],
    ['many replacements', "{% set x = 'a' * 100000 %}\n{{ x | replace('a', x) }}", 2],
  ])('%s', (_, source, line) => {
    const error = outcome(source) as TemplateError;
    expect(error).toBeInstanceOf(TemplateError);
    expect(error.line).toBe(line);
    expect(['budget', 'runtime']).toContain(error.kind);
  });

  it('is stopped quickly, whichever of these it is', () => {
    const sources = [
      doubling('[]', '[n.d, n.d]', '{{ n.d | tojson }}'),
      doubling('[1]', 'n.d + n.d', ''),
      '{#'.repeat(50_000),
      '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
    ];
    for (const source of sources) outcome(source);
    for (const source of sources) {
      // An idle machine takes less than 100 ms.
      expect(
        milliseconds(() => expect(outcome(source)).toBeInstanceOf(TemplateError), 5),
        source.slice(0, 60),
      ).toBeLessThan(200);
    }
  });

  it.each([
    "('x' * 10**7) | list",
    "('x ' * 10**7).split() | length",
    "('x ' * 10**7).rsplit(' ') | length",
    "('x\\n' * 10**7).splitlines() | length",
  ])('is refused before a long list is made: %s', (expression) => {
    const source = `\n{{ ${expression} }}`;
    expect(outcome(source)).toMatchObject({ kind: 'budget', pythonType: 'MemoryError', line: 2 });
    // An idle machine takes less than 40 ms, a busy one up to 230.
    expect(milliseconds(() => outcome(source), 5)).toBeLessThan(500);
  });

  it('is rendered if it uses little of a long list', () => {
    expect(outcome("{{ ('x ' * 8 * 10**6).split(' ', 2) | length }}")).toBe('3');
    // Over the limit of a list in UTF-16 units, but not in elements.
    expect(outcome("{{ ('fourscore ' * 250000).split() | length }}")).toBe('250000');
    expect(outcome("{{ ('fourscore ' * 250000).split(' ') | length }}")).toBe('250001');
  });

  it('raises an error that no template can catch', () => {
    expect(outcome("{{ ('x' * 10**9) | int(5) }}")).toMatchObject({ kind: 'budget' });
    expect(outcome('{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}')).toMatchObject({
      kind: 'budget',
      message: expect.stringMatching(/steps|ms/) as string,
    });
  });
});

// Concatenations share their parts until something looks at their characters.
describe('a text of millions of characters', () => {
  const rounds = (count: number, statement: string) =>
    `{% set ns = namespace(a='中') %}{% for i in range(20) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}{% for i in range(${count}) %}{% set b = ns.a ~ i %}{% set c = ns.a ~ (i + 1) %}\n${statement}{% endfor %}done`;

  it.each([
    '{% if b == c %}{% endif %}',
    '{% if b < c %}{% endif %}',
    '{% set d = {b: 1, c: 2} %}',
    '{% if b in {} or c in {} %}{% endif %}',
    '{% if (b, 1) in [(c, 1)] %}{% endif %}',
    "{% if b.startswith('x') or c.endswith('x') %}{% endif %}",
    '{% set x = b[0] ~ c[0] %}',
    "{% set x = b.find('x', 5, 9) + c.find('x', 5, 9) %}",
    '{% set x = b.strip() %}{% set y = c.strip() %}',
    '{% set x = messages[b] %}{% set y = messages[c] %}',
    '{% set x = 1|attr(b) %}{% set y = 1|attr(c) %}',
    '{% set x = b[:5] %}{% set y = c[:5] %}',
    '{% set x = b|length + c|length %}',
    '{% for x in b %}{% break %}{% endfor %}{% for x in c %}{% break %}{% endfor %}',
    '{% set x = b|first ~ c|last %}',
    "{% set x = '%s'|format(b)|trim %}{% set y = '{}'.format(c)|trim %}",
    '{% set x = [b]|join|upper %}{% set y = c|lower %}',
  ])('is charged whenever a concatenation is made flat: %s', (statement) => {
    expect(outcome(rounds(2, statement), { messages: {} })).toBe('done');
    // 200 rounds would make 400 million characters.
    expect(outcome(rounds(200, statement), { messages: {} })).toMatchObject({ kind: 'budget', pythonType: 'MemoryError', line: 2 });
  });

  it.each([
    '{% if b is none or c is defined or b is string %}{% endif %}',
    '{% set x = b or c %}',
    '{% set x = b ~ c %}',
    '{% set x = [b, c]|join %}',
    '{% if b == ns.a %}{% endif %}',
  ])('costs next to nothing otherwise: %s', (statement) => {
    expect(outcome(rounds(200, statement))).toBe('done');
  });

  it.each<[string, string]>([
    ['read', "{% set s = 'x' * 10**7 %}{% for i in range(99999) %}\n{% if s.isascii() %}{% endif %}{% endfor %}"],
    [
      'searched for a long text',
      "{% set s = 'x' * 10**6 %}{% set t = 'x' * 10**5 ~ 'y' ~ s[:10**5] %}{% for i in range(99999) %}\n{% if t in s %}{% endif %}{% endfor %}",
    ],
    [
      'searched from the end',
      "{% set s = 'x' * 10**6 %}{% set t = 'x' * 10**5 ~ 'y' %}{% for i in range(99999) %}\n{% set x = s.rfind(t) %}{% endfor %}",
    ],
    ['read as a number', "{% set s = '1' * 10**6 ~ 'x' %}{% for i in range(99999) %}\n{% set x = s|float %}{% endfor %}"],
    ['an integer in some base', "{% set s = '1' * 10**6 %}\n{{ s|int(base=16) }}"],
  ])('is charged when it is %s', (_, source) => {
    expect(outcome(source)).toMatchObject({ kind: 'budget', line: 2 });
  });
});

describe('a list of millions of elements', () => {
  const big = '{% set a = [1, 2.5] * 10**6 %}{% for i in range(99999) %}\n';

  it.each([
    '{% set x = a|list|sum %}',
    '{% set x = 7 in a %}',
    '{% set x = a[1:] %}',
    '{% set x = a|min %}',
    '{% set x = a.count(7) %}',
    '{% set x = a == a[:] %}',
    '{% set x = a|unique|list %}',
  ])('is charged: %s', (statement) => {
    expect(outcome(`${big}${statement}{% endfor %}`)).toMatchObject({ kind: 'budget', line: 2 });
  });

  it('costs nothing where one of them is read', () => {
    expect(outcome(`${big}{% set x = a|last + a|first + a|length + a[5] %}{% endfor %}done`)).toBe('done');
  });
});

describe('a large template that does little', () => {
  // Ten times the input takes ten times the time, or a hundred times if the time is quadratic.
  const grows = (source: (size: number) => string, size: number) => {
    const time = (count: number) => {
      const text = source(count);
      return milliseconds(() => expect(typeof outcome(text)).toBe('string'), 4);
    };
    time(size);
    return time(10 * size) / Math.max(1, time(size));
  };

  it.each<[string, (size: number) => string]>([
    ['spaces before a tag', (size) => `\n${' '.repeat(size)}{%- if 1 -%}${' '.repeat(size)}{% endif %}`],
    ['spaces in a comment', (size) => `{#${' '.repeat(size)}#}`.repeat(2)],
    ['braces', (size) => '{ '.repeat(size)],
    ['tags', (size) => '{{ 1 }}'.repeat(size / 10)],
    ['spaces to trim', (size) => `{{ (' ' * ${size} ~ 'x' ~ ' ' * ${size}) | trim }}`],
    [
      'an indexed text beyond U+FFFF',
      (size) => `{% set s = '🙂' * ${size / 10} %}{% for i in range(${size / 10}) %}{{ s[i] }}{% endfor %}`,
    ],
  ])('%s take linear time', (_, source) => {
    expect(grows(source, 20_000)).toBeLessThan(60);
  });

  it('is never refused within 16 MB and ten million steps', () => {
    expect((outcome("{{ ('x' * 16000000) | upper | replace('y', 'z') }}") as string).length).toBe(16_000_000);
    expect(outcome('{% for i in range(90000) %}{% for j in range(50) %}{% endfor %}{% endfor %}done')).toBe('done');
    // Each level doubles the text of the previous one and adds four characters.
    expect(outcome(doubling('[]', '[n.d, n.d]', '{{ n.d | tojson | length }}', 15))).toBe(String(6 * 2 ** 15 - 4));
  });
});
