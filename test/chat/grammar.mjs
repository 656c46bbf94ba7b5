/**
 * Seeded templates, generated from the grammar of Jinja2: mostly well typed, since a template that fails at once tests
 * little, and occasionally not. They read the variables of cases/variables.mjs.
 */
import { Random } from '../fuzz/random.mjs';

/** Expressions of a type without subexpressions. */
const LEAVES = {
  str: [
    "'a'",
    "''",
    "' x '",
    "'b\\nC'",
    "'é🙂'",
    "'<&>'",
    "'1'",
    "'%s'",
    "'{}'",
    's',
    'w',
    'u',
    'e',
    'html',
    'astral',
    'digits',
    'lines',
    'spaces',
    'long',
    'messages[0].content',
    'people[0].name',
    "('<'|e)",
    "('a&'|safe)",
  ],
  int: ['0', '1', '2', '-1', '7', 'i', 'neg', 'zero', 'big', '10 ** 3', 'true', '255', '100'],
  float: ['1.0', '2.5', '-0.5', 'f', 'h', 'whole', 'huge', '1e-7', '0.1', 'inf', 'nan', 'minuszero'],
  bool: ['true', 'false', 'tr', 'fa', 'none', 'undefinedvar'],
  list: [
    'l',
    'words',
    'empty',
    'nested',
    '[]',
    '[1, 2, 3]',
    "['b', 'A', 'c']",
    '(1, 2)',
    'range(4)',
    'people',
    'mixed',
    'd.keys()|list',
    'messages',
    "[('a', 1), ('b', 2)]",
  ],
  dict: ['d', '{}', "{'a': 1, 'b': 'x'}", 'people[0]', 'messages[1]', "{1: 'a', 'k': [1]}", 'odd', 'dict(x=1, y=2)'],
};
const TYPES = Object.keys(LEAVES);

/** Constructs that make a value of a type from others: `@type` is an expression of that type. */
const MAKERS = {
  str: [
    '@str ~ @any',
    '@str + @str',
    '@str * @small',
    '(@str if @bool else @str)',
    '@str[@slice]',
    '@str[@small]',
    '@any|string',
    '@any|tojson',
    "'%s|%s' % (@any, @any)",
    "'%5d' % @int",
    "'%.2f' % @float",
    "'{}-{}'.format(@any, @any)",
    "'{:>6}'.format(@str)",
    "'{:.3f}'.format(@float)",
    '@list|join(@str)',
    "@str.join(@list|map('string'))",
    '@str|upper',
    '@str|lower',
    '@str|title',
    '@str|capitalize',
    '@str|trim',
    '@str|e',
    '@str|safe',
    '@str|replace(@str, @str)',
    '@str|truncate(@small)',
    '@str|indent(2)',
    '@str|wordwrap(5)',
    '@str|center(9)',
    '@str|first',
    '@str|last',
    '@str|reverse',
    '@str|default(@str)',
    '@str|urlencode',
    '@str|forceescape',
    '@str|format(@any)',
    '@str.upper()',
    '@str.lower()',
    '@str.strip()',
    '@str.strip(@str)',
    '@str.lstrip()',
    '@str.rstrip(@str)',
    '@str.title()',
    '@str.capitalize()',
    '@str.swapcase()',
    '@str.casefold()',
    '@str.replace(@str, @str)',
    '@str.replace(@str, @str, @small)',
    '@str.center(7)',
    '@str.ljust(7)',
    "@str.rjust(7, '*')",
    '@str.zfill(6)',
    '@str.removeprefix(@str)',
    '@str.removesuffix(@str)',
    '@str.expandtabs(4)',
    '@str.split(@str)[0]',
    '@str.partition(@str)[2]',
    '@list|pprint',
    '@int|filesizeformat',
    "@list|map('string')|join",
    "strftime_now('%Y-%m')",
    '@list|first ~ @str',
  ],
  int: [
    '@int + @int',
    '@int - @int',
    '@int * @small',
    '@int // @int',
    '@int % @int',
    '@small ** @small',
    '-@int',
    '(@int if @bool else @int)',
    '@str|length',
    '@list|length',
    '@dict|length',
    '@str|int',
    '@float|int',
    '@int|abs',
    '@str.find(@str)',
    '@str.count(@str)',
    '@str.rfind(@str)',
    '@str|wordcount',
    '@list.count(@any)',
    '[@int, @int]|max',
    '[@int, @int]|min',
    '[@int, @int]|sum',
    'loop.index',
    'loop.length',
    'loop.revindex0',
    '@str.index(@str)',
  ],
  float: [
    '@float + @int',
    '@float * @float',
    '@int / @int',
    '@float - @float',
    '@float // @int',
    '@float % @float',
    '-@float',
    '@int|float',
    '@str|float',
    '@float|round',
    '@float|round(1)',
    "@float|round(0, 'floor')",
    '@float|abs',
    '@float ** 2',
    '[@float, @float]|sum',
  ],
  bool: [
    'not @any',
    '@any and @any',
    '@any or @any',
    '@any == @any',
    '@any != @any',
    '@int < @float',
    '@int >= @int',
    '@str < @str',
    '@str in @str',
    '@any in @list',
    '@str in @dict',
    '@any not in @list',
    '@any is @test',
    '@any is not @test',
    '@str.startswith(@str)',
    '@str.endswith(@str)',
    '@str.isdigit()',
    '@str.isalpha()',
    '@str.isspace()',
    '@str.isupper()',
    '@int < @int < @int',
    '@int is divisibleby 3',
    '@any is eq(@any)',
    '@any is in(@list)',
    '@any is sameas(@any)',
    'loop.first',
    'loop.last',
    'loop is defined',
    '@list == @list',
    '@list < @list',
  ],
  list: [
    '@list + @list',
    '@list * 2',
    '@list[@slice]',
    '(@list if @bool else @list)',
    '[@any, @any]',
    '(@any, @any)',
    '[@list]',
    '@str|list',
    '@str.split()',
    '@str.split(@str)',
    '@str.split(none, 1)',
    '@str.rsplit(@str, 1)',
    '@str.splitlines()',
    '@str.partition(@str)',
    '@list|list',
    '@list|reverse|list',
    '@list|sort',
    '@list|sort(reverse=true)',
    '@list|unique|list',
    '@list|batch(2)|list',
    '@list|slice(2)|list',
    "@list|map('string')|list",
    "@list|map('length')|list",
    "@list|map('upper')|list",
    "@list|map(attribute='name')|list",
    "@list|map(attribute=0, default='-')|list",
    '@list|select|list',
    "@list|reject('none')|list",
    "@list|select('@test')|list",
    "@list|selectattr('name')|list",
    "@list|selectattr('name', 'defined')|list",
    "@list|rejectattr('age', '@test')|list",
    "@list|map('default', @any)|list",
    '@dict|list',
    '@dict|items|list',
    '@dict.items()|list',
    '@dict.keys()|list',
    '@dict.values()|list',
    '@dict|dictsort',
    '@list|groupby(0)|list',
    'range(@small)|list',
    'range(@small, @small)|list',
    "@list|map('tojson')|list",
    '@list|batch(3, @any)|list',
  ],
  dict: [
    '{@str: @any}',
    '{@int: @any, @str: @any}',
    '(@dict if @bool else @dict)',
    'dict(@dict, k=@any)',
    "{'x': @list, 'y': @dict}",
    '@dict.copy()',
    'dict([(@str, @any)])',
  ],
  any: [
    '@list[@small]',
    '@list|first',
    '@list|last',
    '@list|max',
    '@list|min',
    '@list|sum',
    '@dict.get(@str)',
    '@dict.get(@str, @any)',
    '@dict[@str]',
    '@dict.a',
    '@dict.items',
    '@list.0',
    '@any|default(@any)',
    '@any|d(@any, true)',
    '@any.name',
    "@any['name']",
    '@str|attr("upper")',
    '@any()',
    '@any|length',
    '@any + @any',
    '@any * @any',
    '@any % @any',
    '@any|@filter',
    'x',
    'y',
    'ns.a',
    'm(@any)',
    'm(@any, b=@any)',
    'caller(@any)',
    'loop.previtem',
    'loop.nextitem',
    'loop.cycle(@any, @any)',
    'loop.changed(@any)',
    'loop.depth',
    'namespace(a=@any).a',
    'cycler(@any, @any).next()',
    'joiner(@str)()',
    '@any if @bool',
    'undefinedvar.x',
    'varargs',
    'kwargs',
    'self.b()',
  ],
};
const TESTS = [
  'defined',
  'undefined',
  'none',
  'boolean',
  'true',
  'false',
  'integer',
  'float',
  'string',
  'mapping',
  'number',
  'sequence',
  'iterable',
  'callable',
  'escaped',
  'odd',
  'even',
  'lower',
  'upper',
];
const FILTERS = [
  'upper',
  'trim',
  'length',
  'list',
  'first',
  'last',
  'int',
  'float',
  'string',
  'tojson',
  'e',
  'safe',
  'sort',
  'join',
  'sum',
  'abs',
  'round',
  'reverse|list',
  'unique|list',
  'title',
  'capitalize',
  'dictsort',
  'items|list',
  'default(1)',
  'wordcount',
  'max',
  'min',
  'indent',
  'center',
  'truncate(5)',
  'urlencode',
  'pprint',
  'replace("a", "b")',
];
const SLICES = ['1:', ':1', ':-1', '-2:', '::-1', '::2', '1:3', ':', '-1:0:-1', '5:', ':100'];
const SMALL = ['0', '1', '2', '3', '-1', 'zero', 'one', '5'];

const TEXTS = ['', 'a', ' ', '\n', '  \n  ', 'text', '\n\n', 'x\n', '\t', ' b ', '\r\n', 'é🙂', '<', '{ }', "'", '\u00a0', '\n  c'];

class Maker {
  /** @param {Random} random */
  constructor(random) {
    this.random = random;
    this.loops = 0;
    this.blocks = 0;
  }

  /** @param {string} type @param {number} depth @returns {string} */
  expression(type, depth) {
    const { random } = this;
    if (type !== 'any' && random.chance(0.02)) type = 'any';
    if (type === 'any' && random.chance(0.8)) type = random.pick(TYPES);
    const isLeaf = depth <= 0 || random.chance(0.25);
    if (isLeaf && type === 'any') type = random.pick(TYPES);
    if (isLeaf) return random.pick(LEAVES[type]);
    let maker = random.pick(MAKERS[type]);
    // Outside loops and macros these are errors, of which a few are enough.
    if (/^(?:loop|caller|varargs|kwargs|self)\b/.test(maker) && this.loops === 0 && random.chance(0.95)) maker = '@any|default(@any)';
    const made = maker.replace(/@([a-z]+)/g, (_, wanted) => this.#part(wanted, depth - 1));
    return random.chance(0.6) ? `(${made})` : made;
  }

  #part(wanted, depth) {
    if (wanted === 'test') return this.random.pick(TESTS);
    if (wanted === 'filter') return this.random.pick(FILTERS);
    if (wanted === 'slice') return this.random.pick(SLICES);
    if (wanted === 'small') return this.random.pick(SMALL);
    const made = this.expression(wanted, depth);
    return /^[a-z]\w*$|^'[^']*'$/.test(made) || this.random.chance(0.15) ? made : `(${made})`;
  }

  /** @param {string} statement */
  tag(statement) {
    const { random } = this;
    const open = random.pick(['', '', '', '', '-', '-', '+']);
    const close = random.pick(['', '', '', '', '-', '-', '+']);
    return `{%${open} ${statement} ${close}%}`;
  }

  output() {
    const { random } = this;
    return `{{${random.pick(['', '', '', '-'])} ${this.expression('any', random.integer(1, 4))} ${random.pick(['', '', '', '-'])}}}`;
  }

  /** A few statements, one per list item, so that a shrinker can remove them. @param {number} depth @returns {string[]} */
  body(depth) {
    const { random } = this;
    const parts = [];
    for (let count = random.length(5); count > 0; count--) parts.push(random.pick(TEXTS), ...this.statement(depth));
    parts.push(random.pick(TEXTS));
    return parts.filter((part) => part !== '');
  }

  /** @param {number} depth @returns {string[]} */
  statement(depth) {
    const { random } = this;
    const kinds = ['output', 'output', 'output', 'output', 'set', 'set', 'comment', 'namespace'];
    if (depth > 0)
      kinds.push(
        'if',
        'if',
        'for',
        'for',
        'for',
        'macro',
        'setBlock',
        'filter',
        'with',
        'call',
        'raw',
        'generation',
        'autoescape',
        'block',
      );
    if (this.loops > 0) kinds.push('leave');
    return this[random.pick(kinds)](depth);
  }

  if(depth) {
    const { random } = this;
    const middle = [];
    if (random.chance(0.3)) middle.push(this.tag(`elif ${this.expression('bool', 2)}`), ...this.body(depth - 1));
    if (random.chance(0.4)) middle.push(this.tag('else'), ...this.body(depth - 1));
    return [this.tag(`if ${this.expression('bool', 2)}`), ...this.body(depth - 1), ...middle, this.tag('endif')];
  }

  for(depth) {
    const { random } = this;
    const [target, over] = random.pick([
      ['x', this.expression('list', 2)],
      ['x', this.expression('list', 2)],
      ['x', this.expression('str', 1)],
      ['x', this.expression('any', 1)],
      ['x, y', 'd.items()'],
      ['x, y', `${this.expression('dict', 1)}|items`],
      ['x, (y, z)', '[(1, (2, 3))]'],
      ['x', 'messages'],
      ['x', "l|map('string')"],
    ]);
    const condition = random.chance(0.2) ? ` if ${this.expression('bool', 1).replace(/^(\w+ or|\w+ and).*$/, 'x')}` : '';
    const recursive = random.chance(0.08) ? ' recursive' : '';
    this.loops++;
    const inside = this.body(depth - 1);
    this.loops--;
    const otherwise = random.chance(0.2) ? [this.tag('else'), ...this.body(depth - 1)] : [];
    return [this.tag(`for ${target} in ${over}${condition}${recursive}`), ...inside, ...otherwise, this.tag('endfor')];
  }

  macro(depth) {
    const { random } = this;
    const loops = this.loops;
    this.loops = 0;
    const inside = this.body(depth - 1);
    this.loops = loops;
    return [this.tag(`macro m(${random.pick(['', 'a', 'a, b', 'a=1', 'a, b=x', "a='<', b=[]"])})`), ...inside, this.tag('endmacro')];
  }

  call(depth) {
    const { random } = this;
    const loops = this.loops;
    this.loops = 0;
    const inside = this.body(depth - 1);
    this.loops = loops;
    return [
      this.tag(`call${random.pick(['', '(x)', '(x, y=1)'])} m(${random.pick(['', 'i', "'<'", 'b=2'])})`),
      ...inside,
      this.tag('endcall'),
    ];
  }

  #buffered(opening, closing, depth) {
    const loops = this.loops;
    this.loops = 0;
    const inside = this.body(depth - 1);
    this.loops = loops;
    return [this.tag(opening), ...inside, this.tag(closing)];
  }

  setBlock(depth) {
    return this.#buffered(
      this.random.pick(['set x', 'set y', 'set x | upper', "set y | replace('a', 'b')", 'set x | trim']),
      'endset',
      depth,
    );
  }

  filter(depth) {
    return this.#buffered(
      `filter ${this.random.pick(['upper', 'trim', 'e', 'indent(1, true)', "replace('a', '<')", 'title', 'safe', 'truncate(9)', 'wordwrap(4)'])}`,
      'endfilter',
      depth,
    );
  }

  with(depth) {
    return [
      this.tag(`with ${this.random.pick(['', `x = ${this.expression('any', 2)}`, `x = 1, y = ${this.expression('any', 1)}`])}`),
      ...this.body(depth - 1),
      this.tag('endwith'),
    ];
  }

  generation(depth) {
    return this.#buffered('generation', 'endgeneration', depth);
  }

  autoescape(depth) {
    return [this.tag(`autoescape ${this.random.pick(['true', 'true', 'false', 'i'])}`), ...this.body(depth - 1), this.tag('endautoescape')];
  }

  block(depth) {
    if (this.loops > 0 || this.blocks++ > 2) return [this.output()];
    return this.#buffered(`block b${this.blocks > 1 ? this.blocks : ''}`, 'endblock', depth);
  }

  raw() {
    return [this.tag('raw').replace('+%}', '%}'), this.random.pick(['{{ x }}', '{% if %}', '{# #}', ' a \n', '']), this.tag('endraw')];
  }

  comment() {
    return [
      `{#${this.random.pick(['', '-', '+'])} ${this.random.pick(['c', '{{ x }}', '{% if %}', "'"])} ${this.random.pick(['', '-', '+'])}#}`,
    ];
  }

  set() {
    const { random } = this;
    if (random.chance(0.1)) return [this.tag(`set x, y = ${random.pick([this.expression('list', 1), '1, 2', "'ab'"])}`)];
    return [this.tag(`set ${random.pick(['x', 'y', 'i', 'x', 'e'])} = ${this.expression('any', 3)}`)];
  }

  namespace() {
    const { random } = this;
    return [
      this.tag(
        random.pick([
          `set ns = namespace(a=${this.expression('any', 1)})`,
          `set ns.a = ${this.expression('any', 2)}`,
          "set ns = namespace(a=1, b='x')",
        ]),
      ),
    ];
  }

  leave() {
    return [this.tag(`if ${this.expression('bool', 1)}`), this.tag(this.random.pick(['break', 'continue'])), this.tag('endif')];
  }
}

/** The parts of a template; joined, they form its source. @param {number} seed @param {number} index @returns {string[]} */
export function templateParts(seed, index) {
  const random = new Random(seed, index);
  const maker = new Maker(random);
  const parts = maker.body(random.integer(0, 3));
  // Names that most of the statements and expressions above rely on.
  if (random.chance(0.8))
    parts.unshift(
      '{% set ns = namespace(a=1) %}',
      '{% macro m(a, b=2) %}',
      '[{{ a }}{{ caller() if caller }}]',
      '{% endmacro %}',
      random.pick(TEXTS),
    );
  // Occasionally, introduce an error.
  if (random.chance(0.05)) parts.splice(random.integer(0, parts.length - 1), 1);
  if (random.chance(0.03))
    parts.splice(
      random.integer(0, parts.length),
      0,
      random.pick([
        '{%',
        '{{',
        '}}',
        '{% endif %}',
        '{% else %}',
        '{#',
        '{{ 1 + }}',
        '{% for %}',
        '{{ x|nosuch }}',
        '{{ x is nosuch }}',
        '{% set %}',
        '{{ (1 }}',
        "{{ 'a }}",
        '{% break %}',
        '{% nosuch %}',
      ]),
    );
  return parts;
}

/** @param {number} seed @param {number} index @returns {string} */
export function template(seed, index) {
  return templateParts(seed, index).join('');
}
