/**
 * The latency of one document by its length, for this package and others. They take turns, document by document; each must
 * return all ids before it is timed. A package that would exceed the limit for a document is omitted there.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { median } from '../node/timing.mjs';
import { unfamiliar } from '../texts/generated.mjs';
import { documentsOf, TEXTS } from './documents.mjs';
import { areEqual, References } from './references.mjs';

/** Characters per document, and number of documents. */
const LENGTHS = new Map([
  [4_000, 16],
  [16_000, 8],
  [64_000, 6],
  [256_000, 3],
  [1_000_000, 2],
  [5_000_000, 1],
]);
/** Milliseconds for one document, above which others are not tried. */
const LIMIT = 4000;

/** The calls of this package, and their numbers of threads. */
export const OWN = 'crayon';
export const onThreads = (count) => `${OWN}, ${count} ${count === 1 ? 'thread' : 'threads'}`;

export async function latency({ tokenizers, cores, quick, rows, say }) {
  for (const tokenizer of tokenizers) {
    const references = new References(tokenizer);
    const contenders = await contendersOf(tokenizer, cores, quick);
    for (const text of TEXTS) {
      for (const [length, count] of LENGTHS) {
        if (quick && length > 256_000) continue;
        say(`latency: ${tokenizer.name}, ${text}, ${length}`);
        const documents = documentsOf(text, length, quick ? Math.ceil(count / 4) : count);
        const expected = [];
        for (const document of documents) expected.push(await references.idsOf(document));
        for (const row of await inTimeSlices(contenders, documents, expected, quick ? 3 : 9)) {
          rows.push({ section: 'latency', encoding: tokenizer.name, text, length, ...row });
        }
      }
    }
    for (const { free } of contenders) free();
  }
}

/** Each has its own tokenizer, so that none profits from another's cache. */
async function contendersOf(tokenizer, cores, quick) {
  const [one, ...threaded] = await Promise.all([1, 1, cores].map(() => tokenizer.load()));
  const own = [
    { name: OWN, encode: (text) => one.encode(text), free: () => one.close() },
    ...threaded.map((each, index) => {
      const threads = [1, cores][index];
      return { name: onThreads(threads), encode: (text) => each.encodeAsync(text, { threads }), free: () => each.close() };
    }),
  ];
  const others = [];
  for (const [name, load] of Object.entries(tokenizer.others)) {
    if (quick && name === 'tokenizers') continue; // takes seconds to load
    const loaded = await load();
    others.push({ name, encode: (text) => loaded.encode(text), free: () => loaded.free?.() });
  }
  const all = [...own, ...others].map((each) => ({ ...each, rate: 0 }));
  for (const { encode } of all) for (let pass = 0; pass < 3; pass++) await encode(unfamiliar(20_000));
  return all;
}

/**
 * The first round measures new texts, whose ids are compared; of the other rounds the medians count.
 */
async function inTimeSlices(contenders, documents, expected, rounds) {
  const length = documents[0].length;
  const all = contenders.filter(({ rate }) => length * rate <= LIMIT).map((contender) => ({ contender, first: [], times: [], right: 0 }));
  for (let round = 0; round <= rounds; round++) {
    global.gc?.();
    for (const [index, document] of documents.entries()) {
      for (let turn = 0; turn < all.length; turn++) {
        const { contender, first, times, right } = all[(turn + round) % all.length];
        // Slow ones have fewer turns.
        const isEnough = round > 1 && times.length * contender.rate * length > 1000;
        if (isEnough || (round > 0 && contender.rate * length * documents.length > 2500)) continue;
        const began = performance.now();
        const ids = await contender.encode(document);
        const spent = performance.now() - began;
        (round === 0 ? first : times).push(spent);
        if (round === 0) all[(turn + round) % all.length].right = right + areEqual(ids, expected[index]);
        // Milliseconds per character.
        if (round === 0 && length >= 64_000) contender.rate = spent / length;
      }
    }
  }
  return all.map(({ contender, first, times, right }) => {
    const counted = times.length > 0 ? times : first;
    return {
      contender: contender.name,
      unit: 'ms',
      value: median(counted),
      low: Math.min(...counted),
      high: Math.max(...counted),
      first: median(first),
      documents: documents.length,
      accuracy: right / documents.length,
    };
  });
}

/** Tokenizers whose masks are measured. */
const MASKED = ['r50k_base', 'cl100k_base', 'o200k_base', 'qwen3'];

/** Other outputs of LoPT: an attention mask, and batches padded to the longest document, beside Hugging Face's of a batch. */
export async function masks({ tokenizers, quick, ...others }) {
  const some = tokenizers.filter(({ name }) => MASKED.includes(name));
  for (const tokenizer of quick || some.length === 0 ? tokenizers.slice(0, 1) : some) {
    for (const text of quick ? ['english'] : TEXTS) await masksOf({ tokenizer, text, quick, ...others });
  }
}

async function masksOf({ tokenizer, text, cores, quick, rows, say }) {
  say(`masks: ${tokenizer.name}, ${text}`);
  const loaded = await tokenizer.load();
  const references = new References(tokenizer);
  const batch = documentsOf(text, 64_000, quick ? 4 : 16);
  const long = documentsOf(text, quick ? 256_000 : 1_000_000, 1)[0];
  const idsOfLong = await references.idsOf(long);
  const idsOfBatch = await Promise.all(batch.map((document) => references.idsOf(document)));
  const threads = cores;
  const huggingFace = await tokenizer.others.tokenizers();
  const processes = await Promise.all(Array.from({ length: cores }, () => huggingFaceProcess(tokenizer.name)));
  const isRightBatch = (all) => all.every(({ ids, mask }, row) => areEqual(ids, idsOfBatch[row]) && mask.length === ids.length);
  const works = [
    ['one document: ids', () => loaded.encodeAsync(long, { threads }), (ids) => areEqual(ids, idsOfLong)],
    [
      'one document: ids and mask',
      async () => masked(await loaded.encodeAsync(long, { threads })),
      ({ ids, mask }) => areEqual(ids, idsOfLong) && mask.length === ids.length && mask.every((each) => each === 1),
    ],
    [
      'a batch: ids and offsets',
      () => loaded.encodeBatchAsync(batch, { threads }),
      ({ ids, offsets }) => idsOfBatch.every((row, index) => areEqual(ids.subarray(offsets[index], offsets[index + 1]), row)),
    ],
    [
      'a batch: padded ids and mask',
      async () => padded(await loaded.encodeBatchAsync(batch, { threads })),
      ({ ids, mask, width }) =>
        idsOfBatch.every((row, index) => {
          const at = index * width;
          const ends = at + row.length;
          return (
            areEqual(ids.subarray(at, ends), row) &&
            mask.subarray(at, ends).every((each) => each === 1) &&
            mask.subarray(ends, at + width).every((each) => each === 0)
          );
        }),
    ],
    ['a batch: ids and masks, tokenizers', () => huggingFace.encodeBatch(batch), isRightBatch],
    [
      `a batch: ids and masks, tokenizers in ${cores} processes`,
      async () => {
        const parts = processes.map((_, index) => batch.filter((_, row) => row % cores === index));
        const answers = await Promise.all(processes.map(({ encode }, index) => encode(parts[index])));
        return batch.map((_, row) => answers[row % cores][Math.floor(row / cores)]);
      },
      isRightBatch,
    ],
  ];
  const times = works.map(() => []);
  const right = works.map(() => true);
  for (let round = 0; round <= (quick ? 3 : 15); round++) {
    for (const [index, [name, work, isRight]] of works.entries()) {
      if (round > 3 && name.includes('tokenizers')) continue; // takes seconds
      const began = performance.now();
      const result = await work();
      if (round > 0) times[index].push(performance.now() - began);
      else right[index] = isRight(result);
    }
  }
  for (const [index, [name]] of works.entries()) {
    rows.push({
      section: 'masks',
      encoding: tokenizer.name,
      text,
      length: name.startsWith('a batch') ? 64_000 : long.length,
      documents: name.startsWith('a batch') ? batch.length : 1,
      contender: onThreads(cores),
      operation: name,
      unit: 'ms',
      value: median(times[index]),
      low: Math.min(...times[index]),
      high: Math.max(...times[index]),
      accuracy: Number(right[index]),
    });
  }
  for (const { end } of processes) end();
  loaded.close();
}

/** npm tokenizers in another process, which gets texts and sends ids and masks. */
async function huggingFaceProcess(name) {
  const child = fork(fileURLToPath(new URL('huggingface-process.mjs', import.meta.url)), [name], { serialization: 'advanced' });
  const answer = async () => {
    const [message] = await once(child, 'message');
    return message;
  };
  await answer(); // it is ready
  return {
    encode: (texts) => {
      const answered = answer();
      child.send(texts);
      return answered;
    },
    end: () => child.kill(),
  };
}

/** @param {Uint32Array} ids */
function masked(ids) {
  return { ids, mask: new Uint8Array(ids.length).fill(1) };
}

/** Rows of one width: ids, then zeros, which the mask tells from ids. */
function padded({ ids, offsets }) {
  const count = offsets.length - 1;
  let width = 0;
  for (let row = 0; row < count; row++) width = Math.max(width, offsets[row + 1] - offsets[row]);
  const all = new Uint32Array(count * width);
  const mask = new Uint8Array(count * width);
  for (let row = 0; row < count; row++) {
    all.set(ids.subarray(offsets[row], offsets[row + 1]), row * width);
    mask.fill(1, row * width, row * width + offsets[row + 1] - offsets[row]);
  }
  return { ids: all, mask, width };
}
