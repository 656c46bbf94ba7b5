/**
 * The gain from the threads of the process, and their cost for the event loop: one text by its length, batches, a text of
 * 100 MB beside short ones. Contenders take turns in one process, and ids are compared before anything is timed.
 * bench/README.md says how to read the tables.
 */
import { parseArgs } from 'node:util';

import { Tokenizer } from '../../dist/node/index.js';
import { grid, shown } from '../tables.mjs';
import { adversarial } from '../texts/generated.mjs';
import { textNamed } from '../texts/texts.mjs';
import { median } from '../node/timing.mjs';

const usage = `usage: npm run bench -- threads [options]

  --encoding NAME   default o200k_base
  --repeats N       default 15
  --quick           3 of them, and only the lengths up to 1 MB
`;

const LENGTHS = [4e3, 16e3, 64e3, 128e3, 512e3, 1e6, 5e6];
const TEXTS = ['english', 'code', 'chinese'];
const LARGE = 100e6;

const { values } = parseArgs({
  options: {
    encoding: { type: 'string', default: 'o200k_base' },
    repeats: { type: 'string', default: '15' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const repeats = values.quick ? 3 : Number(values.repeats);

/** The medians over turns, in milliseconds. */
async function inTimeSlices(contenders) {
  const times = contenders.map(() => []);
  for (let repeat = 0; repeat <= repeats; repeat++) {
    for (const [index, run] of contenders.entries()) {
      const began = performance.now();
      await run();
      if (repeat > 0) times[index].push(performance.now() - began); // the first pass warms the caches
    }
  }
  return times.map(median);
}

function checkSame(ids, expected) {
  const bytes = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);
  if (Buffer.compare(bytes(ids), bytes(expected)) !== 0) throw new Error('not the same ids');
}

function repeated(text, length) {
  return Buffer.from(text.repeat(Math.ceil(length / text.length)).slice(0, length)).toString(); // flat
}

/** One text: `encode` on one thread, `encodeAsync` on all. */
async function byLength(tokenizer) {
  const rows = [];
  const aligned = Object.fromEntries(adversarial.map(({ name, make }) => [name, make]));
  const all = [
    ...TEXTS.map((name) => [name, (length) => repeated(textNamed(name).text, length)]),
    ['one letter, which cannot be divided', (length) => aligned['run-letter'](length)],
    ['random letters', (length) => aligned['random-letters'](length)],
  ];
  for (const [name, make] of all) {
    for (const length of LENGTHS.filter((length) => !values.quick || length <= 1e6)) {
      const text = make(length);
      checkSame(await tokenizer.encodeAsync(text), tokenizer.encode(text));
      const [one, threads] = await inTimeSlices([() => tokenizer.encode(text), () => tokenizer.encodeAsync(text)]);
      rows.push([`${name}, ${length / 1000}k`, shown(one), shown(threads), shown(one / threads)]);
    }
  }
  return rows;
}

/** Ten thousand chat messages, as strings and as bytes. */
async function batches(tokenizer) {
  const chat = repeated(textNamed('chat').text, 2e6);
  const strings = Array.from({ length: 10_000 }, (_, index) => chat.slice(index * 180, index * 180 + 20 + ((index * 37) % 180)));
  const parts = strings.map((text) => Buffer.from(text));
  const offsets = new Uint32Array(parts.length + 1);
  for (const [index, part] of parts.entries()) offsets[index + 1] = offsets[index] + part.length;
  const rows = [];
  for (const [name, texts] of [
    ['strings', strings],
    ['bytes and offsets', { bytes: new Uint8Array(Buffer.concat(parts)), offsets }],
  ]) {
    checkSame(tokenizer.encodeBatch(texts).ids, tokenizer.encodeBatch(texts, { threads: 1 }).ids);
    const [one, all, later] = await inTimeSlices([
      () => tokenizer.encodeBatch(texts, { threads: 1 }),
      () => tokenizer.encodeBatch(texts),
      () => tokenizer.encodeBatchAsync(texts),
    ]);
    rows.push([`10,000 messages, ${name}`, shown(one), shown(all), shown(one / all), shown(later), shown(one / later)]);
  }
  return rows;
}

/** How long the event loop is blocked while a large text is encoded, and how long short ones wait meanwhile. */
async function eventLoop(tokenizer) {
  const large = repeated(textNamed('english').text, LARGE);
  const rows = [];
  for (let repeat = 0; repeat < (values.quick ? 1 : 5); repeat++) {
    let worst = 0;
    let before = performance.now();
    let isOver = false;
    const look = () => {
      worst = Math.max(worst, performance.now() - before);
      before = performance.now();
      if (!isOver) setImmediate(look);
    };
    const began = performance.now();
    const whole = tokenizer.encodeAsync(large);
    look();
    await whole;
    const time = performance.now() - began;
    isOver = true;
    const beside = tokenizer.encodeAsync(large);
    const waits = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index / 10));
        const began = performance.now();
        await tokenizer.encodeAsync(large.slice(index * 2048, (index + 1) * 2048));
        return performance.now() - began;
      }),
    );
    await beside;
    waits.sort((a, b) => a - b);
    rows.push([shown(time), shown(worst), shown(waits[500]), shown(waits[990])]);
  }
  return rows;
}

if (values.help) {
  console.log(usage);
} else {
  const tokenizer = await Tokenizer.load(values.encoding);
  console.log(`${values.encoding}, ${tokenizer.backend.kernel}; medians of ${repeats}\n`);
  console.log(grid(['one text', 'encode, ms', 'encodeAsync, ms', 'ratio'], await byLength(tokenizer)).join('\n'));
  console.log('');
  const head = ['batches', 'one thread, ms', 'encodeBatch, ms', 'ratio', 'encodeBatchAsync, ms', 'ratio'];
  console.log(grid(head, await batches(tokenizer)).join('\n'));
  console.log('');
  console.log(grid(['100 MB, ms', 'longest block, ms', '2 KB beside it, ms', 'p99, ms'], await eventLoop(tokenizer)).join('\n'));
  tokenizer.close();
}
