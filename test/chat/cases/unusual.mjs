/** Filters, tests, methods and formats with arguments of every type: products of small lists, one per line. */

const VALUES = ["'ab'", "('<a>'|safe)", '42', 'big', '-7', 'f', 'h', 'whole', 'huge', 'nan', 'ninf', 'minuszero', 'true', 'none', '[1, "x"]', '(1,)', "{'k': 1}", 'range(3)', 'nothing', "('é'.encode())"];

/** @param {readonly string[]} list @param {(each: string) => readonly string[]} of */
const each = (list, of) => list.flatMap(of);

const SPECS = ['', 'd', 'n', 'x', '#X', '#o', 'b', '08b', 'c', 'e', '.3e', 'E', 'f', '.0f', '#.0f', 'g', '.2g', '#.3G', '%', '.1%', 's', '.1s', '<8', '>8', '^8', '*^9', '=+9', '+', '-', ' ', ',', '_', '010,', '_x', ',.2f', 'z.1f', '<<5', '0', '05', '.0', '1.1', 'q', ' ^+12,.3f', '=8', '12345678901234567890'];
const FORMATTED = ["'ab'", "('<a>'|safe)", '42', 'big', '-7', 'f', 'h', 'huge', 'nan', 'ninf', 'minuszero', 'true', 'none', '[1]', 'nothing'];

const PERCENTS = ['%s', '%r', '%a', '%d', '%i', '%u', '%5d|', '%-5d|', '%05d', '%+d', '% d', '%x', '%#x', '%#o', '%X', '%e', '%.2e', '%f', '%.0f', '%#.0f', '%g', '%.3G', '%c', '%5c', '%%', '%.1s', '%5.1s|', '%-5s|', '%*d', '%.*f', '%(k)s', '%(k)05d', '%(x)s', '%q', '%', '%s %s', '%ld', '%#+010x'];
const GIVEN = ["'ab'", "('<a>'|safe)", '42', 'big', '-7', 'h', 'f', 'nan', 'minuszero', 'true', 'none', "{'k': 1}", "(1, 2)", '[1, 2]', "('a', 'b')", '(5, 1.5)', 'nothing', '()'];

const MARKUP = [
  ".replace('a', 1)", ".replace('a', none)", ".replace('a', [1, '<'])", ".replace(1, 'a')", ".replace('a', nothing)", ".replace('<', '>', 1)", ".replace('a', '<', true)",
  ".ljust(8, '<')", ".rjust(8, '<')", ".center(8, 1)", ".center(8, '')", ".ljust(9, none)", ".zfill(9)", ".join([1, '<', none])", ".join('<>')", ".join({'<': 1})", ".split()", ".split('a')", ".rsplit('<', 1)",
  ".splitlines()", ".partition('a')", ".rpartition('<')", ".strip('<')", ".lstrip('&')", ".title()", ".capitalize()", ".upper()", ".swapcase()", ".casefold()", ".expandtabs(2)", ".removeprefix('<')", ".removesuffix('>')",
  ".format(1)", ".find('a')", ".count('a')", ".index('q')", ".encode()", ".startswith('<')", ".isalpha()", ".translate({97: '<'})", ".translate({97: none})", ' + 1', ' + "<"', " + ('<'|safe)", ' * 2', ' * "2"', ' % 1', '[0]', '[::-1]', '[1:3]', '[9]', ' ~ "<"', ' ~ 1', '|length', '|list', '|first', '|last', '|reverse', '|upper', '|e', '|escape|escape', '|forceescape', '|string', '|trim("<")',
  '|replace("a", "<")', '|indent(2)', '|wordwrap(2)', '|truncate(2)', '|center(9)', '|tojson', '|pprint', '|urlencode', '|title', '|capitalize', '|int', '|float', '|join("<")', '|wordcount', '|format(1)', '|default("<")', '|sort', '|unique|list', '|batch(2)|list', '|map("upper")|list', '|select|list', ' == "<a>"', ' in "<a>b"', ' < "<b>"', ' is escaped', ' is string', '.upper', '.format', '.escape("<")', '.__html__', '|attr("upper")', '|attr("split")', '|attr("escape")', '|attr("join")',
];
const TEXTS = ["('<a>'|safe)", "('&{}'|safe)", "'<a>'|escape", "('%s'|safe)"];

const TOJSON = ['|tojson', '|tojson(2)', '|tojson(indent=0)', '|tojson(indent=-1)', "|tojson(indent='--')", '|tojson(ensure_ascii=true)', "|tojson(separators=(',', ':'))", '|tojson(sort_keys=true)', "|tojson(separators=(',', ':'), indent=1)", '|tojson(indent=true)', '|tojson(indent=none)', '|tojson(indent=1.5)', '|tojson(separators=1)', '|tojson(unknown=1)'];
const JSON_VALUES = ['[]', '{}', '[[], {}, [1]]', '{1: 2, none: 3, true: 4, 1.5: 5}', "{'b': 1, 'a': {'d': [], 'c': none}}", '{(1, 2): 3}', "{'k': {1}}|default(1)", "'\\x7f\\u2028é🙂\\\\\"/\\x00'", '10 ** 30', '[nan, inf, ninf, minuszero]', 'd.items()', 'd.keys()|list', 'namespace(a=1)', 'range', 'loop', 'people', 'messages', '[[1, [2, [3]]]]', '{"": [""]}', "{'b': 1, 2: 3}"];

const INTS = ['0', '1', '-1', '7', '-3', '9007199254740991', '9007199254740993', '-9007199254740993', '2 ** 64', '-(2 ** 64)', '10 ** 25', '10 ** 4300', 'true'];
const OPERATORS = ['+', '-', '*', '/', '//', '%', '==', '<'];
const OF_INTS = ['|abs', '|string|length', '|float', '|round(-2)', '|round(1)', "|round(0, 'ceil')", '|filesizeformat', '|filesizeformat(true)', '.bit_length()', '.bit_count()', '.to_bytes(40)|length', '.as_integer_ratio()', '.real', '.denominator', '.conjugate()', ' is odd', ' is divisibleby 3', "|format|default('x')", '|tojson', ' in [1, 7.0]', '.is_integer()', '.__add__'];

const METHODS = [
  'split(none, 1)', "split('b', -1)", "split('')", "split(sep='b', maxsplit=1)", "rsplit(maxsplit=1)", 'splitlines(true)', "startswith(('a', 1))", "startswith(('x', 'a'), 0)", "endswith('b', 0, 1)", "find('b', -1)", "find('b', none, 9)", "rfind('')", "count('')", "count('a', 5)", "index('b', 1)", "rindex('z')",
  'center(7)', "center(7, 'ab')", "ljust(true, 'x')", 'zfill(5)', 'zfill(-1)', 'expandtabs(0)', 'expandtabs(tabsize=3)', "join('xyz')", "join([])", 'join(1)', "join(['a', 1])", "partition('')", "rpartition('b')", "removeprefix('a', 'b')", "strip('')", 'strip(1)', "lstrip('ab')", "replace('', '-')", "replace('', '-', 2)", "replace('a', 'b', count=1)", "translate({97: 'X', 98: none})", "translate('ab')", "maketrans('a', 'b')", "maketrans({'a': 1})", "encode('ascii', 'ignore')", "encode('latin-1')", "encode('utf-16')", "format('x', k=1)", "format_map({'a': 1})", 'isidentifier()', 'isprintable()', 'isascii()', 'istitle()', 'casefold()', 'swapcase()', 'title()', 'lower(1)', 'nothing()', 'upper.__name__',
];
const SELVES = ["'ab'", "'-5'", "'A\\tB b\\n'", "'ßǆ '", "''"];

const FIELDS = ["'{}'.format(%)", "'{0!r:>8}'.format(%)", "'{!s}'.format(%)", "'{!a}'.format(%)", "'{0[0]}'.format(%)", "'{0.real}'.format(%)", "'{x}'.format(x=%)", "'{:{}}'.format(%, 5)", "'{0}{}'.format(%)", "'{1}'.format(%)", "'{'.format(%)", "'}}{{'.format(%)", "'{0.__class__}'.format(%)", "'{0[k]}'.format(%)", "'{!q}'.format(%)", "'{:{}{}}'.format(%, '>', 6)"];

const FILTERS = ['abs', 'batch(2)', 'batch(0)', 'capitalize', 'center(5)', 'count', 'default(1, true)', 'dictsort', 'dictsort(by="value")', 'escape', 'filesizeformat', 'first', 'float', 'float("x")', 'groupby("k")', 'indent', 'indent("..", true)', 'int', 'int(5, 16)', 'items', 'join', 'join(1)', 'last', 'length', 'list', 'lower', 'map("string")', 'map(attribute="k")', 'map(attribute=0, default=9)', 'max', 'min', 'pprint', 'reject', 'rejectattr("k")', 'replace(1, 2)', 'reverse', 'round', 'round(1, "floor")', 'select("string")', 'selectattr("k", "eq", 1)', 'slice(2)', 'slice(0)', 'sort', 'sort(true)', 'string', 'sum', 'sum(start=[])', 'title', 'tojson', 'trim', 'truncate(1)', 'truncate(3, true, "")', 'unique', 'upper', 'urlencode', 'wordcount', 'wordwrap(1)'];
const TESTS = ['boolean', 'callable', 'defined', 'divisibleby(2)', 'eq(1)', 'escaped', 'even', 'false', 'filter', 'float', 'ge(1)', 'gt("a")', 'in([1, "ab"])', 'in("abc")', 'integer', 'iterable', 'le(1)', 'lower', 'mapping', 'ne(1)', 'none', 'number', 'odd', 'sameas(1)', 'sameas(none)', 'sequence', 'string', 'test', 'true', 'undefined', 'upper'];

export default [
  ...each(SPECS, (spec) => FORMATTED.map((value) => `{{ '{:${spec}}'.format(${value}) }}`)),
  ...each(PERCENTS, (format) => GIVEN.map((value) => `{{ '${format}' % ${value} }}`)),
  ...each(['%s', '%r', '%d', '%5.1f', '%(k)s'], (format) => GIVEN.map((value) => `{{ ('<${format}>'|safe) % ${value} }}`)),
  ...each(['%s|%5s', '%d'], (format) => VALUES.map((value) => `{{ '${format}'|format(${value}, 1) }}`)),
  ...each(TEXTS, (text) => MARKUP.map((what) => `{{ (${text})${what} }}`)),
  ...each(JSON_VALUES, (value) => TOJSON.map((filter) => `{{ (${value})${filter} }}`)),
  ...each(VALUES, (value) => [TOJSON[0], TOJSON[1]].map((filter) => `{{ {'v': ${value}}${filter} }}`)),
  ...each(INTS, (a) => INTS.flatMap((b) => OPERATORS.map((operator) => `{{ (${a}) ${operator} (${b}) }}`))),
  ...each(INTS, (a) => OF_INTS.map((what) => `{{ (${a})${what} }}`)),
  ...each(SELVES, (self) => METHODS.map((method) => `{{ ${self}.${method} }}`)),
  ...each(FIELDS, (field) => VALUES.map((value) => `{{ ${field.replace('%', value)} }}`)),
  ...each(FILTERS, (filter) => VALUES.map((value) => `{% set x = ${value}|${filter} %}{{ x if x is string or x is not iterable else x|list }}`)),
  ...each(TESTS, (test) => VALUES.map((value) => `{{ ${value} is ${test} }}`)),
  '{{ {[1]: 2} }}', '{{ {[1]: 2}.copy() }}', '{% if false %}{{ {[1]: 2}.copy() }}{% endif %}', '{% if false %}{{ {[1]: 2} }}{% endif %}', "{% macro m() %}{% set y = {'x': messages, [1]: 2}.copy() %}{% endmacro %}a", '{% macro m() %}{% set y = f({[1]: 2}) %}{% endmacro %}a', '{% if false %}{{ [{{}: 1}] is defined }}{% endif %}', "{% if false %}{{ 1 if {[1]: one} else 2 }}{% endif %}",
  "{{ {'bytes a': 1, 'a'.encode(): 2}|length }}", "{{ {'a'.encode(): 2}['a'.encode()] }}", "{{ 'ab'.encode()[true] }}", "{{ 'ab'.encode()[-1] }}", "{{ 'ab'.encode() == 'ab' }}",
];
