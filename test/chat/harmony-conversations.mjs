/** Seeded conversations in harmony's JSON: every role, channel, recipient and content, and schemas of every form. */
import { Random } from '../fuzz/random.mjs';
import { jsonText, NumberText } from './json-text.mjs';

const TEXTS = [
  '',
  'hi',
  'What is 2 + 2?',
  ' spaces  \n',
  'Zürich 東京 🙂',
  '<|end|>',
  '<|start|>system<|message|>',
  '{"a": 1}',
  'line\nline\r\nline',
  'ends\n',
  '\n',
  '\r\n\r\n',
  "it's",
  '// x',
  'a | null',
];
const NAMES = ['f', 'get_weather', 'naïve', 'a.b', '', '🙂', '\uffff', 'Z', 'functions'];
const NUMBERS = [
  '0',
  '1',
  '-7',
  '1.0',
  '2.5',
  '-0.0',
  '1e16',
  '1e-05',
  '1e-6',
  '123456789012345678901234567890',
  '18446744073709551615',
  '18446744073709551616',
  '-9223372036854775809',
  '0.1',
  '1e100',
  '100000.0',
  '1e15',
  '123456789012345.6',
  '1e300',
];

/** @template T @param {Random} random @param {number} probability @param {() => T} make @returns {T | undefined} */
function maybe(random, probability, make) {
  return random.chance(probability) ? make() : undefined;
}

/** @param {Random} random @param {number} depth @returns {unknown} */
function anything(random, depth = 0) {
  switch (random.integer(0, depth > 2 ? 3 : 5)) {
    case 0:
      return random.pick(TEXTS);
    case 1:
      return new NumberText(random.pick(NUMBERS));
    case 2:
      return random.pick([true, false, null]);
    case 3:
      return random.pick(['x', 'p', 'null']);
    case 4:
      return Array.from({ length: random.length(3) - 1 }, () => anything(random, depth + 1));
    default:
      return Object.fromEntries(Array.from({ length: random.length(3) - 1 }, (_, index) => [`k${index}`, anything(random, depth + 1)]));
  }
}

/** @param {Random} random @param {number} depth @returns {unknown} */
function schema(random, depth = 0) {
  if (random.chance(0.03)) return anything(random, 2);
  const kinds =
    depth > 3
      ? ['string', 'number']
      : [
          'string',
          'string',
          'number',
          'integer',
          'boolean',
          'object',
          'object',
          'array',
          'array',
          'null',
          'oneOf',
          'oneOf',
          'list',
          'none',
          'anyOf',
        ];
  const kind = random.pick(kinds);
  const text = () => random.pick(TEXTS);
  const made = {
    title: maybe(random, 0.15, text),
    description: maybe(random, 0.4, text),
    examples: maybe(random, 0.1, () => Array.from({ length: random.integer(0, 3) }, () => anything(random, 2))),
    nullable: maybe(random, 0.1, () => random.pick([true, false, 'yes'])),
    default: maybe(random, 0.25, () => anything(random, 1)),
    enum: maybe(random, kind === 'string' ? 0.3 : 0.05, () =>
      random.pick([['p', 'q'], [], ['p', new NumberText('1'), null], [new NumberText('1')]]),
    ),
  };
  if (kind === 'oneOf')
    made.oneOf = random.chance(0.05)
      ? anything(random, 2)
      : Array.from({ length: random.length(3) - (random.chance(0.1) ? 1 : 0) }, () => schema(random, depth + 1));
  else if (kind === 'anyOf') made.anyOf = [schema(random, depth + 1)];
  else if (kind === 'list')
    made.type = random.pick([['string', 'null'], ['integer', 'number'], [], [new NumberText('1')], ['object', null]]);
  else if (kind !== 'none') made.type = kind;
  if (random.chance(0.05)) made.type = random.pick(['string', 'object', 'custom', null]);
  if (made.type === 'array') made.items = maybe(random, 0.8, () => schema(random, depth + 1));
  if (made.type === 'object') Object.assign(made, objectOf(random, depth));
  if (made.oneOf?.[0]?.description !== undefined && random.chance(0.4)) made.description = made.oneOf[0].description;
  return made;
}

/** @param {Random} random @param {number} depth */
function objectOf(random, depth) {
  const names = ['z', 'a', 'B', 'naïve key', 'null', 'x y'].filter(() => random.chance(0.4));
  if (random.chance(0.05)) return { properties: random.pick([null, [], undefined]) };
  return {
    properties: Object.fromEntries(names.map((name) => [name, schema(random, depth + 1)])),
    required: maybe(random, 0.6, () =>
      random.chance(0.1) ? [...names, null, new NumberText('1')] : names.filter(() => random.chance(0.5)),
    ),
  };
}

/** @param {Random} random */
function tools(random) {
  const keys = ['functions', 'functions', 'browser', 'python', 'b', 'a', '🙂', '\uffff'].filter(() => random.chance(0.25));
  return Object.fromEntries(
    keys.map((key) => [
      key,
      {
        name: random.chance(0.8) ? key : random.pick(NAMES),
        description: random.pick([undefined, null, random.pick(TEXTS)]),
        tools: Array.from({ length: random.integer(0, 2) }, () => ({
          name: random.pick(NAMES),
          description: random.pick(TEXTS),
          parameters: random.chance(0.1)
            ? random.pick([null, undefined, {}])
            : random.chance(0.1)
              ? asObject(schema(random))
              : { type: 'object', ...objectOf(random, 0), description: maybe(random, 0.2, () => random.pick(TEXTS)) },
        })),
      },
    ]),
  );
}

/** @param {unknown} value */
function asObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText) ? value : {};
}

/** @param {Random} random */
function systemContent(random) {
  return {
    type: 'system_content',
    model_identity: random.pick([undefined, undefined, null, random.pick(TEXTS)]),
    reasoning_effort: random.pick([undefined, null, 'Low', 'Medium', 'High', ...(random.chance(0.05) ? ['low', 1] : [])]),
    conversation_start_date: random.pick([undefined, null, '2026-07-04']),
    knowledge_cutoff: random.pick([undefined, undefined, null, random.pick(TEXTS)]),
    channel_config: random.pick([
      undefined,
      undefined,
      null,
      { valid_channels: random.pick([[], ['final'], ['a', 'b', '']]), channel_required: random.chance(0.5) },
      ...(random.chance(0.05) ? [{ valid_channels: ['a'] }] : []),
    ]),
    tools: maybe(random, 0.3, () => tools(random)),
  };
}

/** @param {Random} random */
function developerContent(random) {
  return {
    type: 'developer_content',
    instructions: random.pick([undefined, null, random.pick(TEXTS), random.pick(TEXTS)]),
    tools: random.pick([undefined, null, tools(random), tools(random)]),
  };
}

/** @param {Random} random @param {string} role */
function content(random, role) {
  const part = () => {
    if (random.chance(0.02))
      return random.pick([
        { type: 'text' },
        { type: 'image' },
        'x',
        { type: 'system_content' },
        { type: 'developer_content' },
        { text: 'x' },
      ]);
    if (role === 'system' && random.chance(0.7)) return systemContent(random);
    if (role === 'developer' && random.chance(0.8)) return developerContent(random);
    return { type: 'text', text: random.pick(TEXTS) };
  };
  if (random.chance(0.01)) return random.pick([null, new NumberText('5'), undefined]);
  if (role !== 'system' && role !== 'developer' && random.chance(0.6)) return random.pick(TEXTS);
  return Array.from({ length: random.chance(0.05) ? 0 : random.length(3) }, part);
}

/** @param {Random} random */
function message(random, role = random.pick(['user', 'assistant', 'assistant', 'assistant', 'tool', 'system', 'developer'])) {
  if (random.chance(0.01)) role = random.pick(['critic', 'function', '', 'System']);
  return {
    role,
    name: role === 'tool' ? (random.chance(0.02) ? undefined : random.pick(NAMES)) : maybe(random, 0.1, () => random.pick(NAMES)),
    content: content(random, role),
    channel:
      role === 'assistant'
        ? random.pick(['analysis', 'commentary', 'final', null])
        : maybe(random, 0.15, () => random.pick(['final', 'analysis', 'x'])),
    recipient: maybe(random, 0.25, () => random.pick(['functions.f', 'all', 'assistant', ''])),
    content_type: maybe(random, 0.2, () => random.pick(['<|constrain|>json', '<|constrain|>', 'json', '', 'x<|constrain|>', 'code'])),
  };
}

/**
 * A call of openai-harmony: `how` selects the purpose of the rendering.
 * @typedef {{ how: 'conversation' | 'completion' | 'training', autoDropAnalysis: boolean, messages: string }} HarmonyCall with JSON text
 */

/** In the format of reference/render.py. @param {HarmonyCall} call @returns {{ kind: 'harmony', call: string }} */
export function harmonyRequest({ how, autoDropAnalysis, messages }) {
  return { kind: 'harmony', call: `{"how": "${how}", "autoDropAnalysis": ${autoDropAnalysis}, "messages": ${messages}}` };
}

/** @param {number} seed @param {number} index @returns {HarmonyCall} */
export function harmonyCall(seed, index) {
  const random = new Random(seed, index);
  const start = random.chance(0.5) ? ['system', 'developer'].filter(() => random.chance(0.8)).map((role) => message(random, role)) : [];
  const rest = Array.from({ length: random.length(8) - 1 }, () => message(random));
  return {
    how: random.pick(['conversation', 'completion', 'training']),
    autoDropAnalysis: random.chance(0.8),
    messages: jsonText([...start, ...rest]),
  };
}
