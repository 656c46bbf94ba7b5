/** The effect of trim_blocks, lstrip_blocks and tag signs on the surrounding white space. */

const OPENING = ['', '-', '+'];
const CLOSING = ['', '-', '+'];
const BEFORE = ['', 'a', '  ', 'a  ', '\n', '\n  ', 'a\n \t', ' \n\n '];
const AFTER = ['', 'b', '  ', '  b', '\n', '\n\nb', ' \n b', '\r\n b'];

/** Each tag with each sign, between each two kinds of text. */
const around = OPENING.flatMap((open) =>
  CLOSING.flatMap((close) =>
    BEFORE.flatMap((before) =>
      // Two texts for each, so that every pair of texts meets at some tag.
      AFTER.filter((_, index) => (index + before.length + open.length + close.length) % 2 === 0).map((after) => `${before}{%${open} set x = 1 ${close}%}${after}`),
    ),
  ),
);
const outputs = ['', '-', '+'].flatMap((open) => ['', '-'].flatMap((close) => BEFORE.flatMap((before) => ['  b', '\nb', '\n\n b'].map((after) => `${before}{{${open} 1 ${close}}}${after}`))));
const comments = OPENING.flatMap((open) => CLOSING.flatMap((close) => BEFORE.flatMap((before) => ['  b', '\nb', '\n\n b'].map((after) => `${before}{#${open} c ${close}#}${after}`))));

const pairs = OPENING.flatMap((first) =>
  CLOSING.flatMap((second) =>
    OPENING.flatMap((third) => CLOSING.map((fourth) => `a \n  {%${first} if 1 ${second}%} \n x \n  {%${third} endif ${fourth}%} \n b`)),
  ),
);
const raws = OPENING.flatMap((first) => CLOSING.flatMap((second) => OPENING.flatMap((third) => CLOSING.map((fourth) => `a \n  {%${first} raw ${second}%} \n {{ x }} \n  {%${third} endraw ${fourth}%}\n b`))));

const OTHERS = [
  '', ' ', '\n', '\n\n', 'a\n', 'a\n\n', 'a\r\n', 'a\r', 'a\r\n\r\n', '\r\n\r\n', 'a\rb', 'a\r\nb', 'a\n\rb', 'a\u2028b', 'a\x0bb\x0c', '\ufeffa', '\u00a0{% if 1 %}x{% endif %}', '\u2003\n\u2003{% if 1 %}x{% endif %}', '\x0b{%- if 1 %}x{% endif %}', 'a\u00a0{%- if 1 -%}\u00a0x{% endif %}', 'a\u200b{%- if 1 -%}\u200bx{% endif %}', 'a\x1c {%- set x = 1 -%} \x1db', 'a\u0085{%- set x = 1 -%}\u0085b', 'a\ufeff{%- set x = 1 -%}\ufeffb', 'a\u180e{%- set x = 1 -%}\u180eb',
  '{{ 1 }}\n', '{{ 1 }}\n\n', '{% set x = 1 %}\n', '{% set x = 1 %}\n\n', '{% set x = 1 %}\r\n', '{% set x = 1 %}\r\n\r\na', '{% set x = 1 %}\ra', '{% set x = 1 %} \na', '{# c #}\n', '{# c #}\r\na', '{% raw %}\n{% endraw %}\n', '\t{% set x = 1 %}\t\n', '  {{ 1 }}  {% set x = 1 %}  {{ 2 }}  ', '  {% set x = 1 %}{% set y = 1 %}\nb', '  {% set x = 1 %}  {% set y = 1 %}\nb', 'a  {% set x = 1 %}\n  {% set y = 1 %}\nb', '  {# c #}  {# d #}\nb', '  {# c #}{% set x = 1 %}\nb', '  {% set x = 1 %}{# c #}\nb', '{{ 1 -}}\n\n{{- 2 }}', '{{- 1 -}}', ' {{- 1 -}} ', '{{-1}}', '{{- -1}}', '{{--1}}', '{{ 1 -}}', '{{+1}}', '{{+ 1 }}', '{{1+}}', '{{ 1 +}}', '{%-set x = 1-%}a', '{%- set x = 1 -%}{{x}}', '{%+set x = 1%}{{x}}', '{%set x=-1%}{{x}}', '{%\nset\nx\n=\n1\n%}{{\nx\n}}', '{%\tset x = 1\t%}a', '{% set x = 1 %}a{%- set y = 2 -%} b', 'a {%- set x = 1 +%} b', 'a {%- set x = 1 +%}\n b', 'a {%+ set x = 1 -%}\n b', '{{ 1 }}{{ 2 }}', '{{ 1 }} {{ 2 }}', '{{ 1 }}\n{{ 2 }}\n', '{', '{ {', '{ { 1 } }', '{a}', '{{', '}}', '{{{ 1 }}}', '{{{1:2}}}', '{{ {1: 2} }}', '{{ {1: {2: 3}} }}', '{{ {1: {2: 3}}}}', '{%', '%}', '{% ', '{#', '#}', '{{ "}}" }}', "{% set x = '%}' %}{{ x }}", '{{ 1 }', '{% set x = 1 }', '{{ 1 %}', '{% set x = 1 }}', '{$ x $}', '<% x %>', '${x}', '#{x}', '# for x in y', '## comment', '{{ 1 }}}', '{{{{ 1 }}}}', '\\{{ 1 }}', '{%%', '{%-%}', '{{}}', '{{ }}', '{{-}}', '{{- -}}', 'a{{ "" }}b', '🙂{{ 1 }}é', 'a\x00b{{ 1 }}',
  `${' '.repeat(200)}{% set x = 1 %}\n`, `a${' '.repeat(200)}{%- set x = 1 %}b`, `${'\n'.repeat(50)}{%- set x = 1 -%}${'\n'.repeat(50)}b`,
  '{%- for x in l -%}\n  {{ x }}\n{%- endfor -%}\n', '{% for x in l %}\n  {{ x }}\n{% endfor %}\n', '{% for x in l -%}\n  {{ x }}\n{%- endfor %}\n', '{%- for x in l %}\n  {{- x }}\n{% endfor -%}\n', '  {% for x in l %}\n    {% if x > 1 %}\n      {{ x }}\n    {% endif %}\n  {% endfor %}\nend\n', '{% if 1 %}\n\n  a\n\n{% endif %}\n\nb', '{% macro m() %}\n  a\n{% endmacro %}\n[{{ m() }}]\n', '{%- macro m() -%}\n  a\n{%- endmacro -%}\n[{{ m() }}]\n', '{% set x %}\n  a\n{% endset %}\n[{{ x }}]\n', '{% filter upper %}\n  a\n{% endfilter %}\nb', '{% with %}\n  a\n{% endwith %}\nb', '{% block a %}\n  a\n{% endblock %}\nb', '{% if 1 %} {% else %} {% endif %} \n', '{% if 1 -%} a {% else -%} b {%- endif %} \n', '{% for x in [] -%} a {% else -%} b {%- endfor %} \n', 'a {%- for x in l %} {{ x -}} {% endfor %} b', 'a\n  {{- "b" }}\n  {{ "c" -}}\n  d', '{%- if 1 %}{{ "a" }}{%- endif -%} \n {%- if 1 %}{{ "b" }}{% endif %}', 'x\n   {# c #}\n   y', 'x {#- c #}\n   y', 'x   {% raw %}   {% endraw %}   y', 'x\n  {%- raw %}\n  y\n  {% endraw -%}\n z',
];

export default [...around, ...outputs, ...comments, ...pairs, ...raws, ...OTHERS];
