/**
 * Seeded conversations, as JSON text: what callers of chat templates send, and what they should not. Two thirds are tidy:
 * their contents are text, their tools are fully described. The others have contents in parts or none at all, roles that
 * templates refuse, and fields of the wrong type.
 */
import { Random } from '../fuzz/random.mjs';
import { jsonText, NumberText } from './json-text.mjs';

const WORDS = [
  'hello',
  'What is',
  'the weather',
  'in Paris?',
  'Zürich',
  '東京',
  'مرحبا',
  '🙂👩‍🚀',
  'a<b>&"c"',
  "it's",
  '{{ x }}',
  '{% raw %}',
  '<|im_end|>',
  '</s>',
  '<think>',
  '</think>',
  '[INST]',
  '\\n',
  '\\',
  '```js\ncode\n```',
  '1.0',
  'null',
  'e\u0301',
  '\u0130stanbul',
  '\u01c6',
];
const SPACES = [
  ' ',
  ' ',
  ' ',
  ' ',
  '\n',
  '\n\n',
  '\t',
  '  ',
  '\u00a0',
  '\u2003',
  '\u3000',
  '\r\n',
  '\u2028',
  '\u0085',
  '\u001c',
  '\u200b',
  '\ufeff',
  '',
];
const NAMES = ['get_weather', 'search', 'calc.add', 'f', 'naïve', 'a-b', 'final_answer', 'browser.open'];
const NUMBERS = [
  '0',
  '1',
  '-7',
  '42',
  '1.0',
  '2.5',
  '-0.0',
  '1e16',
  '1e-05',
  '1E5',
  '123456789012345678901234567890',
  '0.1',
  '1e100',
  '100000.0',
  '3.14159',
  '1e400',
  'NaN',
  '-Infinity',
];
const VARIABLES = [
  'enable_thinking',
  'thinking',
  'preserve_thinking',
  'clear_thinking',
  'keep_past_thinking',
  'drop_thinking',
  'keep_reasoning',
  'enable_citations',
  'skip_thinking',
  'tools_in_user_message',
  'render_assistant_messages_raw',
  'add_thoughts',
  'training_prompt',
  'convert_first_system_msg',
  'grounding',
];
const TEXT_VARIABLES = {
  reasoning_effort: ['low', 'medium', 'high', 'none', 'max'],
  date_string: ['26 Jul 2024'],
  current_date: ['2026-07-04'],
  model_identity: ['You are a test.'],
  developer_instruction: ['Be kind.'],
  system_prompt: ['Be brief.'],
  bos_token: ['<bos>'],
  knowledge_cutoff: ['2024-06'],
  citation_mode: ['fast'],
  response_format: ['json'],
};

/** @param {Random} random */
function text(random) {
  if (random.chance(0.06)) return '';
  if (random.chance(0.04)) return random.pick(SPACES).repeat(random.integer(1, 3));
  const parts = random.chance(0.2) ? [random.pick(SPACES)] : [];
  for (let words = random.length(12); words > 0; words--) parts.push(random.pick(WORDS), random.pick(SPACES));
  if (random.chance(0.7)) parts.pop();
  return parts.join('');
}

/** Any JSON value. @param {Random} random @param {number} depth @returns {unknown} */
function anything(random, depth = 0) {
  const kind = random.integer(0, depth > 3 ? 4 : 6);
  if (kind === 0) return text(random);
  if (kind === 1 || kind === 2) return new NumberText(random.pick(NUMBERS));
  if (kind === 3) return random.pick([true, false, null]);
  if (kind === 4) return random.pick(WORDS);
  const size = random.length(4) - 1;
  if (kind === 5) return Array.from({ length: size }, () => anything(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: size }, (_, index) => [random.chance(0.7) ? `key${index}` : random.pick(WORDS), anything(random, depth + 1)]),
  );
}

/** Random choices, and whether the conversation is tidy. */
class Choices extends Random {
  /** @param {number} seed @param {number} index */
  constructor(seed, index) {
    super(seed, index);
    this.tidy = this.chance(2 / 3);
  }

  /** Like `chance`, but never true in tidy conversations. @param {number} probability */
  oddity(probability) {
    return this.chance(probability) && !this.tidy;
  }
}

/** @param {Choices} random */
function toolArguments(random) {
  const names = ['location', 'unit', 'n', 'nested', 'items', 'city name'];
  const given = Object.fromEntries(names.filter(() => random.chance(0.4)).map((name) => [name, anything(random, 1)]));
  if (random.oddity(0.3)) return jsonText(given);
  return random.oddity(0.1) ? anything(random) : given;
}

/** @param {Choices} random */
function toolCall(random) {
  const called = { name: random.pick(NAMES), arguments: toolArguments(random) };
  const id = random.pick(['call_1', 'abcdefghi', 'functions.f:0', '123456789', undefined]);
  if (random.oddity(0.3)) return { id, ...called };
  return { id, type: random.oddity(0.1) ? undefined : 'function', function: called };
}

/** @param {Choices} random @param {number} depth */
function schema(random, depth = 0) {
  const type = random.pick(
    depth > 2
      ? ['string', 'number', 'integer', 'boolean']
      : ['string', 'string', 'number', 'integer', 'boolean', 'object', 'array', random.tidy ? 'string' : ['string', 'null']],
  );
  const result = { type, description: random.oddity(0.5) ? undefined : text(random) };
  if (random.chance(0.15))
    result.enum = ['celsius', 'fahrenheit', new NumberText(random.pick(NUMBERS)), null].slice(0, random.integer(1, 4));
  if (random.chance(0.15)) result.default = anything(random, 2);
  if (random.chance(0.1)) result.nullable = true;
  if (type === 'array' && random.chance(0.8)) result.items = schema(random, depth + 1);
  if (type === 'object' && random.chance(0.8)) Object.assign(result, parameters(random, depth + 1));
  return result;
}

/** @param {Choices} random @param {number} depth */
function parameters(random, depth = 0) {
  const names = ['location', 'unit', 'n', 'items', 'naïve key', 'options'].filter(() => random.chance(0.4));
  const properties = Object.fromEntries(names.map((name) => [name, schema(random, depth + 1)]));
  return {
    type: 'object',
    properties,
    required: random.chance(0.8) ? names.filter(() => random.chance(0.5)) : undefined,
    additionalProperties: random.chance(0.3) ? random.pick([false, true, { type: 'string' }]) : undefined,
  };
}

/** @param {Choices} random */
function tool(random) {
  const described = {
    name: random.pick(NAMES),
    description: random.oddity(0.2) ? undefined : text(random),
    parameters: random.oddity(0.2) ? undefined : parameters(random),
  };
  if (random.chance(0.1)) described.return = schema(random);
  if (random.chance(0.1)) described.strict = true;
  return random.oddity(0.2) ? described : { type: 'function', function: described };
}

/** @param {Choices} random @param {string} words */
function content(random, words) {
  if (!random.oddity(0.4)) return words;
  const parts = [{ type: 'text', text: words }];
  if (random.chance(0.5))
    parts.push(
      random.pick([
        { type: 'image' },
        { type: 'image', image: 'x.png' },
        { type: 'image_url', image_url: { url: 'http://x/y.png' } },
        { type: 'video' },
        { type: 'text', text: text(random) },
      ]),
    );
  if (random.chance(0.2)) parts.reverse();
  return random.chance(0.05) ? [words] : parts;
}

/** @param {Choices} random */
function assistant(random) {
  const message = { role: 'assistant', content: content(random, text(random)) };
  if (random.chance(0.15)) message.content = `<think>\n${text(random)}\n</think>\n\n${text(random)}`;
  if (random.chance(0.25)) message[random.pick(['reasoning_content', 'reasoning', 'thinking'])] = text(random);
  if (random.chance(0.3)) message.tool_calls = Array.from({ length: random.tidy ? 1 : random.length(3) }, () => toolCall(random));
  if (message.tool_calls && random.chance(0.6)) message.content = random.tidy ? '' : random.pick([null, '', undefined]);
  if (random.oddity(0.1)) message.tool_calls = random.pick([null, []]);
  if (random.chance(0.03)) message.prefix = true;
  if (random.chance(0.03)) message.tool_plan = text(random);
  return message;
}

/** @param {Choices} random @param {{ id?: string, name?: string, function?: { name: string } } | undefined} call */
function toolAnswer(random, call) {
  const answer = random.oddity(0.3) ? anything(random) : random.pick([text(random), jsonText(anything(random))]);
  const message = { role: random.oddity(0.1) ? 'ipython' : 'tool', content: answer };
  if (random.chance(0.7)) message.tool_call_id = call?.id ?? 'call_1';
  if (random.chance(0.6)) message.name = call?.function?.name ?? call?.name ?? random.pick(NAMES);
  return message;
}

/** @param {Choices} random */
function messages(random) {
  const list = [];
  if (random.chance(0.4)) list.push({ role: random.oddity(0.3) ? 'developer' : 'system', content: content(random, text(random)) });
  for (let turns = random.length(4); turns > 0; turns--) {
    list.push({ role: 'user', content: content(random, text(random)) });
    if (turns === 1 && random.chance(0.5)) break;
    let said = assistant(random);
    list.push(said);
    while (said.tool_calls?.length && random.chance(0.85)) {
      for (const call of said.tool_calls) list.push(toolAnswer(random, call));
      if (random.chance(0.2)) break;
      said = assistant(random);
      list.push(said);
    }
  }
  if (random.oddity(0.3)) spoil(random, list);
  return list;
}

/** Content that well-behaved callers do not send. @param {Choices} random @param {Record<string, unknown>[]} list */
function spoil(random, list) {
  const at = random.integer(0, list.length - 1);
  const message = list[at];
  const ways = [
    () => (message.role = random.pick(['critic', 'SYSTEM', '', 'model', 'function', 'tool', 'user', 'assistant'])),
    () => list.splice(at, 1),
    () => list.splice(at, 0, { ...message }),
    () => delete message.content,
    () => (message.content = null),
    () => (message.content = anything(random)),
    () => delete message.role,
    () => (message.tool_calls = anything(random)),
    () => (message.name = text(random)),
    () => list.push({ role: 'system', content: text(random) }),
    () => (message.extra = anything(random)),
    () => list.reverse(),
  ];
  random.pick(ways)();
}

/** Mostly content that a template expects. @param {number} seed @param {number} index @returns {string} JSON text of a chat */
export function conversation(seed, index) {
  const random = new Choices(seed, index);
  const chat = { messages: messages(random) };
  if (random.chance(0.5)) chat.tools = Array.from({ length: random.length(3) }, () => tool(random));
  else if (random.chance(0.05)) chat.tools = [];
  if (random.chance(0.08))
    chat.documents = Array.from({ length: random.length(2) }, (_, at) => ({
      title: text(random),
      text: text(random),
      doc_id: random.chance(0.5) ? at : undefined,
      contents: random.chance(0.2) ? text(random) : undefined,
    }));
  if (random.chance(0.5)) chat.addGenerationPrompt = true;
  else if (random.chance(0.15))
    chat.continueFinalMessage = random.chance(0.9) ? true : random.pick(['reasoning_content', 'content', 'thinking']);
  if (random.chance(0.4)) {
    const flags = VARIABLES.filter(() => random.chance(0.15)).map((name) => [name, random.chance(0.5)]);
    const texts = Object.entries(TEXT_VARIABLES)
      .filter(() => random.chance(0.1))
      .map(([name, values]) => [name, random.pick(values)]);
    // firefunction requires this.
    const needed = random.chance(0.7)
      ? [
          ['datetime', '2026-07-04 15:04'],
          ['functions', '[]'],
        ]
      : [];
    chat.variables = Object.fromEntries([...flags, ...texts, ...needed]);
  }
  return jsonText(chat);
}
