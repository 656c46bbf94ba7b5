/**
 * The text of a model's ids as they arrive one by one, in many streams at once, as a server has it: nanoseconds per id of
 * `streamDecoder`, plain, with stop sequences and with texts per token, beside two ways without it.
 *
 * - *decode all again*: `decode` of all ids so far, and the text behind what has been given.
 * - *TextStreamer*: the way of transformers.js, here over our `decode`: the ids since the last line end again, given up to the
 *   last space.
 *
 * Every way's text is compared with `decode` of all ids before anything is timed. Times count the thread alone. Hypothesis: both
 * others grow with what they decode again, the first with all of it and the second with a line.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { median, timer } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { describe, textNamed } from '../texts/texts.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const TEXT = 'english';
const STREAMS = 500;
/** Ids of each stream. */
const LENGTHS = [100, 1000];
const VOCABULARIES = { o200k_base: 'o200k_base', 'small Llama': path.join(root, 'test/models/llama.tokenizer.json') };
const STOP = ['\n\nUser:', '<|end|>', 'Observation:', '```'];

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, 'no-save': { type: 'boolean', default: false }, out: { type: 'string' } },
});

/** A way's stream: each id to the text that it adds. */
const WAYS = {
  streamDecoder: (tokenizer) => ofDecoder(tokenizer.streamDecoder()),
  'with 4 stop sequences': (tokenizer) => ofDecoder(tokenizer.streamDecoder({ stop: STOP })),
  'per token': (tokenizer) => {
    const decoder = tokenizer.streamDecoder({ perToken: true });
    return { push: (id) => decoder.push(id)[0].text, end: () => decoder.end()[0]?.text ?? '' };
  },
  TextStreamer: textStreamer,
  'decode all again': decodeAllAgain,
};

function ofDecoder(decoder) {
  return { push: (id) => decoder.push(id), end: () => decoder.end() };
}

function decodeAllAgain(tokenizer) {
  const ids = [];
  let given = 0;
  const next = (whole, end) => {
    const text = whole.slice(given, end);
    given = Math.max(given, end);
    return text;
  };
  return {
    push(id) {
      ids.push(id);
      const whole = tokenizer.decode(ids);
      return next(whole, whole.endsWith('\ufffd') ? given : whole.length);
    },
    end: () => {
      const whole = tokenizer.decode(ids);
      return next(whole, whole.length);
    },
  };
}

/** Its line ends: where the cache of ids begins anew. */
function textStreamer(tokenizer) {
  let ids = [];
  let printed = 0;
  return {
    push(id) {
      ids.push(id);
      const text = tokenizer.decode(ids);
      if (text.endsWith('\n')) {
        const made = text.slice(printed);
        ids = [];
        printed = 0;
        return made;
      }
      const made = text.slice(printed, text.lastIndexOf(' ') + 1);
      printed += made.length;
      return made;
    },
    end: () => tokenizer.decode(ids).slice(printed),
  };
}

/** Nanoseconds per id of all streams in turns. */
function timed(way, tokenizer, rows) {
  const streams = rows.map(() => way(tokenizer));
  const end = timer();
  let units = 0;
  for (let at = 0; at < rows[0].length; at++) for (let row = 0; row < rows.length; row++) units += streams[row].push(rows[row][at]).length;
  for (const stream of streams) units += stream.end().length;
  const nanoseconds = end();
  if (units === 0) throw new Error('no text');
  return nanoseconds / (rows.length * rows[0].length);
}

/** Each stream's ids, from another place of the text. */
function rowsOf(tokenizer, length, count) {
  const ids = tokenizer.encode(textNamed(TEXT).text.slice(0, 2_000_000));
  return Array.from({ length: count }, (_, row) => ids.slice((row * 997) % (ids.length - length)).slice(0, length));
}

const load = watchLoad();
const { Tokenizer } = await import('../../dist/node/index.js');
const rows = [];
for (const [vocabulary, source] of Object.entries(VOCABULARIES)) {
  const tokenizer = await Tokenizer.load(source);
  for (const length of LENGTHS) {
    const ids = rowsOf(tokenizer, length, STREAMS);
    // TextStreamer decodes each line as a text of its own, so decoders that treat a text's beginning differ there.
    for (const [name, way] of Object.entries(WAYS)) {
      const stream = way(tokenizer);
      const text = Array.from(ids[0], (id) => stream.push(id)).join('') + stream.end();
      if (name !== 'TextStreamer' && text !== tokenizer.decode(ids[0])) throw new Error(`${name}: not the same text`);
    }
    for (let round = 0; round < Number(values.rounds); round++) {
      // Fewer streams where it takes minutes: the cost of an id does not depend on their number.
      for (const [name, way] of Object.entries(WAYS)) {
        const own = name === 'decode all again' || name === 'TextStreamer' ? ids.slice(0, 10_000 / length) : ids;
        rows.push({ vocabulary, length, way: name, round, value: timed(way, tokenizer, own), unit: 'ns/id' });
      }
    }
  }
  tokenizer.close();
}
const cell = (vocabulary, length, way) =>
  shown(median(rows.filter((row) => row.vocabulary === vocabulary && row.length === length && row.way === way).map(({ value }) => value)));
const result = { date: today(), machine: machine(), ...commit(), ...load(), texts: describe([TEXT]), rows };
const report = [
  '# Ids of many streams to text',
  '',
  ...circumstances(result),
  `- \`npm run bench -- detokenize\`; medians of ${values.rounds} rounds; ${STREAMS} streams in turns, one id at a time`,
  '',
  '## Nanoseconds per id',
  '',
  ...grid(
    ['ids of a stream', ...Object.keys(WAYS)],
    Object.keys(VOCABULARIES).flatMap((vocabulary) =>
      LENGTHS.map((length) => [`${vocabulary}, ${length}`, ...Object.keys(WAYS).map((way) => cell(vocabulary, length, way))]),
    ),
  ),
  '',
].join('\n');
console.log(report);
if (!values['no-save']) record(result, report, { question: 'detokenize', out: values.out });
