// Random templates whose loops look at everything that a change of the chat can change: `loop`, namespaces, other messages.

import type { Random } from '../fuzz/random.mjs';

/** What an iteration writes and assigns. `item` stands for the message. */
const FRAGMENTS: ((random: Random) => string)[] = [
  (random) => `{{ loop.${random.pick(['index', 'index0', 'revindex', 'revindex0', 'length', 'depth', 'first', 'last'])} }}`,
  (random) => `{% if ${random.pick(['not ', ''])}loop.${random.pick(['first', 'last'])} %}!{% endif %}`,
  () => '{% if not loop.first %}{{ loop.previtem.n }}{% endif %}',
  () => '{% if not loop.last %}{{ loop.nextitem.n }}{% endif %}',
  (random) => `{% if loop.${random.pick(['previtem', 'nextitem'])} is defined and item.n > 5 %}d{{ loop.nextitem }}{% endif %}`,
  () => "{{ loop.cycle('a', 'b', 'c') }}",
  () => '{% if loop.changed(item.role) %}~{% endif %}',
  (random) => `{% if ${comparison(random)} %}<{% else %}>{% endif %}`,
  (random) => `{% if ${comparison(random)} %}<{% else %}>{% endif %}`,
  (random) => `{% if ${comparison(random)} and ${comparison(random)} %}{% set ns.a = loop.index0 %}{% endif %}`,
  (random) => `{% if item.n ${operator(random)} ns.${name(random)} %}{% set ns.${name(random)} = item.n %}{% endif %}`,
  (random) => `{% set ns.${name(random)} = ns.${name(random)} + ${random.integer(-1, 2)} %}`,
  (random) => `{% set ns.${name(random)} = ${random.pick(['item.n', 'loop.index', 'not ns.flag', 'messages|length', 'ns.other'])} %}`,
  (random) => `{{ ns.${name(random)} }}`,
  (random) => `{{ (messages[${random.pick(['0', '-1', '2', '-2', 'loop.index0 - 1', 'loop.index', 'ns.a'])}] | default(item)).n }}`,
  (random) => `{% if (messages[${random.pick(['loop.index0', 'loop.index', '-1'])}] | default(item)).role != "tool" %}t{% endif %}`,
  () => '{% if loop.last or messages[loop.index0 + 1].role != "tool" %}u{% endif %}',
  (random) =>
    `{% for part in item.parts %}{% if loop.index0 ${operator(random)} ns.${name(random)} %}p{% endif %}{% if loop.last %};{% endif %}{% endfor %}`,
  (random) =>
    `{% if ${random.pick(['item.n == 7', 'ns.a > 20', 'loop.index0 == ns.a + 6'])} %}{% ${random.pick(['break', 'continue'])} %}{% endif %}`,
  (random) =>
    `{% set k = ${random.pick(['loop.index0', 'messages|length - 1 - loop.index0', 'loop.revindex'])} %}{% if item.n > 4 %}{{ k }}{% set ns.b = k %}{% endif %}`,
];

const operator = (random: Random) => random.pick(['<', '<=', '==', '!=', '>=', '>']);
const name = (random: Random) => random.pick(['a', 'b', 'a', 'flag', 'other']);

/** A comparison of a place and an attribute, and others like it. */
function comparison(random: Random): string {
  const shift = () => random.pick(['', '', ' + 1', ' - 1', ' + 3', ' - 4']);
  const place = `${random.pick(['loop.index0', 'loop.index0', 'loop.index', 'loop.revindex'])}${shift()}`;
  const other = `${random.pick(['ns.a', 'ns.b', 'ns.a', 'ns.other', 'ns.flag', '-ns.a', '2 * ns.b', 'messages|length', 'item.n'])}${shift()}`;
  return random.chance(0.5) ? `${place} ${operator(random)} ${other}` : `${other} ${operator(random)} ${place}`;
}

const START = [
  'messages|length - 1',
  'messages[-1].n',
  'messages[0].n',
  '0',
  '5',
  '(messages|length) // 2',
  'messages|length - messages[-1].n',
];
const OVER = [
  ...['messages', 'messages', 'messages[::-1]', 'messages[1:]', 'messages[-9:]', 'messages[::2]'],
  ...['range(messages|length)', 'range(messages|length - 1, -1, -1)'],
];

/** A template of one to three loops. */
export function randomTemplate(random: Random): string {
  const start = () => random.pick(START);
  const other = random.pick(['1.5', '"x"', 'true', 'none', 'messages[-1].n * 0.5', start()]);
  let template = `{% set ns = namespace(a=${start()}, b=${start()}, flag=false, other=${random.chance(0.4) ? other : start()}) %}`;
  const loops = random.length(3);
  for (let loop = 0; loop < loops; loop++) {
    const over = random.pick(OVER);
    const isRange = over.startsWith('range');
    template += `{% for ${isRange ? 'i' : 'item'} in ${over} %}${isRange ? '{% set item = messages[i] %}' : ''}`;
    if (random.chance(0.7)) template += '{{ item.role }}{{ item.n }}';
    const fragments = random.length(4);
    for (let n = 0; n < fragments; n++) template += random.pick(FRAGMENTS)(random);
    template += `${random.chance(0.6) ? '<|endoftext|>' : ''}{% else %}none{% endfor %}{{ ns.a }}`;
  }
  return template;
}
