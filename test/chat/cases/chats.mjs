/**
 * The steps of transformers around a template: how it prepares messages and options, what it refuses, and how JSON text
 * becomes values. Each case is a template and the JSON text of a chat.
 */

/** @typedef {[source: string, chat: string]} ChatCase */

const MESSAGES = '{% for m in messages %}{{ m }}\n{% endfor %}';
const PROMPT = '{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}';
const TRIMMED = '{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}</{{ m.role }}>{% endfor %}';
const PARTS = '{% for m in messages %}<{{ m.role }}>{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}{{ p.text }}|{% endfor %}{% endif %}</{{ m.role }}>{% endfor %}';
const THINKING = '{% for m in messages %}<{{ m.role }}>{% if m.reasoning_content %}[{{ m.reasoning_content }}]{% endif %}{{ m.content }}{% endfor %}';
const VALUE = '{{ x }}|{{ x|tojson }}';
const BY_ROLE = '{%- for m in messages %}{%- if m.role == "user" or (m.role == "system" and not loop.first) %}{{- "<" + m.role + ">" + m.content + "</>" }}{%- elif m.role == "assistant" %}{{- "A:" + m.content }}{%- elif m.role == "tool" %}T{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{- "A:" }}{%- endif %}';

/** @param {string} messages JSON text @param {string} rest more members */
const chat = (messages, rest = '') => `{"messages": ${messages}${rest && `, ${rest}`}}`;
const said = (content) => `[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ${content}}]`;

const steps = [
  ...['[]', '[{}]', '[{"role": "user", "content": null}]', '[{"role": null, "content": "a", "x": null, "y": {"z": null}}]', '[{"a": null, "b": [null], "c": false, "d": 0, "e": ""}]', '[{"content": "b", "role": "a"}]',
    '[{"role": "a", "reasoning": "r"}]', '[{"role": "a", "thinking": "t"}]', '[{"role": "a", "reasoning_content": "c"}]', '[{"role": "a", "reasoning": "r", "thinking": "t"}]', '[{"role": "a", "reasoning": "r", "reasoning_content": "c"}]', '[{"role": "a", "thinking": "t", "reasoning_content": "c", "reasoning": "r"}]', '[{"reasoning": null, "thinking": "t"}]', '[{"reasoning": "", "thinking": "t"}]', '[{"reasoning": ""}]', '[{"reasoning": {"a": 1}}]', '[{"reasoning": 0}]', '[{"thinking": false, "role": "x"}]', '[{"role": "a", "content": "x", "reasoning": "r", "z": 1}]',
    '["a"]', '[1]', '[null]', '[["a"]]', '[{"role": "a"}, "b"]', '[{"role": "a"}, null]', '[{"role": "a"}, 1]', '[{"role": "a"}, []]', '"a"', '1', 'null', '{"role": "user"}', 'true',
  ].map((messages) => [MESSAGES, chat(messages)]),
  ...['[{"content": "b"}]', '[{"role": null, "content": "b"}]', '[{"role": "user", "content": "a"}, {"content": "b"}]', '[{"content": "a"}, {"role": "user", "content": "b"}]'].flatMap((messages) => ['', '"addGenerationPrompt": true'].map((rest) => [BY_ROLE, chat(messages, rest)])),
  ...['"tools": null', '"tools": []', '"tools": [{"a": 1}]', '"tools": [1]', '"tools": ["a"]', '"tools": [null]', '"tools": [[]]', '"tools": {"a": 1}', '"tools": "a"', '"tools": 1', '"documents": null', '"documents": []', '"documents": [{"title": "a"}]', '"documents": [1]', '"documents": ["a"]', '"documents": [null]', '"documents": {"a": 1}', '"documents": "a"', '"addGenerationPrompt": true', '"addGenerationPrompt": false', '"variables": {"x": 1.0}', '"variables": {"bos_token": "<B>"}', '"variables": {"bos_token": null}', '"variables": {"add": [1, {"a": null}]}'].map((rest) => ["{{ tools }}|{{ documents }}|{{ add_generation_prompt }}|{{ bos_token }}|{{ eos_token }}|{{ unk_token is defined }}|{{ x }}|{{ add }}|{{ continue_final_message is defined }}", chat('[{"role": "user"}]', rest)]),
  ['{{ messages is sequence }}{{ messages is mapping }}{{ messages[0] is mapping }}', chat('[{"a": 1}]')],
  ['{{ messages.append(1) }}', chat('[{"a": 1}]')],
  ['{{ messages[0].update({"a": 2}) }}', chat('[{"a": 1}]')],
  ['{% set _ = messages[0].pop("a") %}', chat('[{"a": 1}]')],
];

const contents = ['"Hello"', '" Hello "', '"Hello\\n"', '"Hello \\u00a0\\u2003"', '"\\nHello"', '""', '" "', 'null', '0', '1', 'true', '[]', '{}', '{"text": "x"}', '[{"type": "text", "text": "Hello"}]', '[{"type": "text", "text": "Hello "}]', '[{"type": "text", "text": "a"}, {"type": "image"}]', '[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]', '[{"type": "image"}]', '[{"type": "text", "text": null}]', '[{"type": "text", "text": 1}]', '["text"]', '["a text"]', '["a"]', '[1]', '[null]', '"CONTINUE_FINAL_MESSAGE_TAG"', '"CONTINUE_FINAL_MESSAGE_TAG "', '"Hi"', '"a\\u001c"', '"a\\ufeff"', '"<user>"'];
const continued = [
  ...[PROMPT, TRIMMED, PARTS].flatMap((template) => contents.map((content) => [template, chat(said(content), '"continueFinalMessage": true')])),
  ...['"content"', '"reasoning_content"', '"thinking"', '"reasoning"', '"nosuch"', '"role"', 'false'].flatMap((field) => [
    [THINKING, chat('[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Answer", "reasoning_content": "Hm "}]', `"continueFinalMessage": ${field}`)],
    [THINKING, chat('[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "", "thinking": "Hm"}]', `"continueFinalMessage": ${field}`)],
  ]),
  [PROMPT, chat(said('"a"'), '"continueFinalMessage": true, "addGenerationPrompt": true')],
  [PROMPT, chat('[{"role": "user", "content": "Hi"}]', '"continueFinalMessage": true')],
  [PROMPT, chat('[]', '"continueFinalMessage": true')],
  ['{{ messages[0].content }}', chat(said('"a"'), '"continueFinalMessage": true')],
  ['{{ messages[1].content }}{{ messages[1].content }}!', chat(said('"a"'), '"continueFinalMessage": true')],
  ['{{ messages[1].content|upper }}!', chat(said('"A"'), '"continueFinalMessage": true')],
  ['{{ messages[1].content|upper }}!', chat(said('"a"'), '"continueFinalMessage": true')],
  ['{{ messages[1].content|replace(" ", "_") }}!', chat(said('"a b"'), '"continueFinalMessage": true')],
  ['{{ messages[1].content|replace(" ", "_") }}!', chat(said('"ab"'), '"continueFinalMessage": true')],
  ['  {{ messages[1].content|trim }}  end', chat(said('"  "'), '"continueFinalMessage": true')],
  ['{{ messages[1].content|trim }}\n', chat(said('"ab \\n"'), '"continueFinalMessage": true')],
  ['{{ messages[1]["content"]|length }}', chat(said('"ab"'), '"continueFinalMessage": true')],
  ['{{ messages[1][k] }}', chat(said('"ab"'), '"continueFinalMessage": true, "variables": {"k": "content"}')],
  ['{{ messages[1].content|tojson }}', chat(said('"ab"'), '"continueFinalMessage": true')],
  ['{{ messages[1].content|tojson }}', chat(said('"a\\"b"'), '"continueFinalMessage": true')],
];

const NUMBERS = ['1', '-1', '0', '-0', '1.0', '-0.0', '1e5', '1E+5', '1e-5', '0.1', '1e16', '123456789012345678901234567890', '9007199254740993', '1e400', '-1e400', '1e-400', 'NaN', 'Infinity', '-Infinity', '0.30000000000000004', '100000000000000000000.0', '5e-324', '01', '+1', '.5', '1.', '1e', '0x10', '-', '1_000', 'nan', '-NaN', 'inf'];
const TEXTS = ['""', '"a"', '"\\u0041\\n\\t\\b\\f\\r\\"\\/\\\\"', '"\\ud83d\\ude42"', '"🙂"', '"\\u00e9"', '"\\u2028"', '"\\u0000"', '"\\x41"', '"\\u12"', '"\\uD83D x"|length', '"a\nb"', '"a\tb"', '"a', "'a'", '"\\'];
const OTHERS = ['true', 'false', 'null', 'True', 'None', 'nul', '[]', '[1, 2]', '[1,]', '[,1]', '[1 2]', '[', ']', '{}', '{"a": 1}', '{"a": 1,}', '{"a" 1}', '{a: 1}', "{'a': 1}", '{"a": 1, "a": 2}', '{"a": 1, "b": 2, "a": 3}', '{"2": 1, "1": 2}', '{"__proto__": 1}', '{"constructor": 1, "toString": 2}', '{"": 1}', '{1: 2}', '{"a": {"b": [1.0, {"c": null}]}}', '', ' ', '1 2', '// x', '/* x */ 1', '[1] x', '\u00a01', '\ufeff1', '\t\r\n 1 \t', `${'['.repeat(100)}${']'.repeat(100)}`];
const parsed = [...NUMBERS, ...TEXTS.filter((each) => !each.includes('|')), ...OTHERS].map((value) => [VALUE, chat('[{"role": "user"}]', `"variables": {"x": ${value}}`)]);

const GENERATION = '{% for m in messages %}{% if m.role == "assistant" %}{% generation %}{{ m.content }}</s>{% endgeneration %}{% else %}<{{ m.role }}>{{ m.content }}{% endif %}{% endfor %}';
const marked = [
  ...['"a"', '""', '"🙂é"', '"a\\nb"', '"  "'].map((content) => [GENERATION, chat(said(content), '"spans": true')]),
  ...[
    '{% generation %}a{% endgeneration %}b{% generation %}{% endgeneration %}c{% generation %}d{% endgeneration %}', 'a{% set x %}b{% generation %}c{% endgeneration %}{% endset %}{{ x }}', '{% macro m() %}a{% generation %}b{% endgeneration %}{% endmacro %}x{{ m() }}y{{ m() }}', '{% filter upper %}a{% generation %}b{% endgeneration %}{% endfilter %}', '{% generation %}a{% generation %}b{% endgeneration %}c{% endgeneration %}', '{% for x in [1, 2] %}{% generation %}{{ x }}{% endgeneration %}{% endfor %}', 'a{% if 1 %}{% generation %}b{% endgeneration %}{% endif %}', 'x{% call m() %}{% endcall %}', '{% macro m() %}[{{ caller() }}]{% endmacro %}x{% call m() %}a{% generation %}b{% endgeneration %}{% endcall %}', 'x{% with a = 1 %}{% generation %}{{ a }}{% endgeneration %}{% endwith %}', 'x{% block b %}{% generation %}y{% endgeneration %}{% endblock %}', 'a{{ "é🙂" }}{% generation %}🙂{{ 1 }}{% endgeneration %}b', '{%- generation -%} a {%- endgeneration -%}', '{% generation %}{{ 1/0 }}{% endgeneration %}', 'ab{% autoescape true %}{% generation %}<{{ "<" }}{% endgeneration %}{% endautoescape %}', '{% for x in [[1], [2]] recursive %}{% generation %}{{ x if x is integer else loop(x) }}{% endgeneration %}{% endfor %}',
  ].map((source) => [source, chat('[{"role": "user", "content": "a"}]', '"spans": true')]),
];

/** @type {ChatCase[]} */
export default [...steps, ...continued, ...parsed, ...marked];
