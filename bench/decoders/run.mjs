/**
 * Decoders of tokenizer.json files: tokens decoded per second, warm and the first time, compared with npm `tokenizers`
 * with the same file in the same process. npm `tokenizers` encodes a text to the ids; the texts of both
 * are compared first. Both take turns, and the figure is the median of the process's CPU time.
 *
 * Hypothesis: the text of an id nearly always depends on the id alone, so that decoding is one lookup and one copy of a
 * few bytes each, whatever the decoder's steps.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { compileRegex, decoderOf, decoderSpecOf, decoderStepsOf, JsonNode } from '../../dist/node/internals.js';
import { grid, shown } from '../tables.mjs';

const usage = `usage: npm run bench -- decoders FILE… [options]

  --text FILE    what is encoded, repeated to two megabytes; default: README.md
  --rounds N     default 9
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { text: { type: 'string' }, rounds: { type: 'string', default: '9' }, help: { type: 'boolean', default: false } },
});
if (values.help || positionals.length === 0) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}

const { Tokenizer } = createRequire(import.meta.url)('tokenizers');
const part = fs.readFileSync(values.text ?? new URL('../../README.md', import.meta.url), 'utf8');
const text = part.repeat(Math.ceil(2e6 / part.length)).slice(0, 2e6);
const rows = [];
for (const file of positionals) rows.push(await measured(file));
console.log(
  grid(['file', 'ids', 'units an id', 'M ids/s', 'first', 'npm tokenizers', 'ratio', '100 ids, µs', 'ids one by one, µs'], rows).join('\n'),
);

async function measured(path) {
  const json = fs.readFileSync(path, 'utf8');
  const file = JSON.parse(json);
  const theirs = Tokenizer.fromString(JSON.stringify({ ...file, truncation: null, padding: null }));
  const ids = Uint32Array.from((await theirs.encode(text, null, { addSpecialTokens: true })).getIds());
  const list = [...ids];
  const ours = await decoderFor(file);
  const first = await cpuTime(() => ours.decode(ids, false));
  const expected = await theirs.decode(list, false);
  if (ours.decode(ids, false) !== expected) throw new Error(`${path}: the texts differ`);
  const times = { ours: [], theirs: [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    times.ours.push(await cpuTime(() => ours.decode(ids, false)));
    times.theirs.push(await cpuTime(() => theirs.decode(list, false)));
  }
  const [own, other] = [median(times.ours), median(times.theirs)];
  const rate = (time) => shown(ids.length / time / 1e3);
  const some = ids.subarray(0, 100);
  const short = await cpuTime(() => {
    for (let i = 0; i < 10_000; i++) ours.decode(some, false);
  });
  const run = ours.begin(false);
  const one = await cpuTime(() => {
    for (let i = 0; i < 100_000; i++) run.push(ids.subarray(i, i + 1));
  });
  return [
    path.split('/').at(-1),
    String(ids.length),
    shown(expected.length / ids.length),
    rate(own),
    rate(first),
    rate(other),
    shown(other / own),
    shown(short / 10),
    shown(one / 100),
  ];
}

/** A decoder with the tokens of a file, in the format of a cartridge. */
async function decoderFor(file) {
  const node = JsonNode.ofValue(file, 'file').at('decoder');
  const { vocab } = file.model;
  const tokens = [];
  if (Array.isArray(vocab)) for (const [text] of vocab) tokens.push(text);
  else for (const [text, id] of Object.entries(vocab)) tokens[id] = text;
  for (const { id, content } of file.added_tokens) tokens[id] = content;
  const bytes = tokens.map((text) => Buffer.from(text));
  const addedTokens = file.added_tokens.map(({ content, id, special }) => ({ text: content, id, special }));
  const decoded = { decoder: decoderStepsOf(node), form: 'plain', suffix: '', decodesBytes: false, decodedTexts: () => new Map() };
  const spec = decoderSpecOf(decoded, () => compileRegex, node);
  return decoderOf(spec, { describe: () => ({ addedTokens, vocabularySize: tokens.length }), tokenBytes: (id) => bytes[id] });
}

/** In milliseconds, with all threads. */
async function cpuTime(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}
