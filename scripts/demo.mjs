/**
 * A table of every built-in encoding over real texts: tokens, speed of encoding, counting and decoding, and whether
 * decoding gives the text back. Needs the package built; `npm start` does that first.
 *
 * The texts are the committed fixtures, joined by kind. Where the corpora are there (../shared/corpora/dev), megabytes
 * of real text take their place.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isMain, root, runMain } from './process.mjs';

const corpora = path.join(root, '..', 'shared', 'corpora', 'dev');
const fixtures = path.join(root, 'test', 'fixtures');

/** Each text: a corpus file, and the fixtures that stand in for it. */
const TEXTS = [
  { title: 'English', corpus: 'A_english/english_1mb.txt', fixtures: ['prose/english.txt', 'prose/english-questions.txt'] },
  { title: 'code', corpus: 'B_code/code_1mb.txt', fixtures: ['code'] },
  { title: 'Chinese', corpus: 'C_multilingual/zh_hans.txt', fixtures: ['prose/chinese.txt'] },
  { title: 'Russian', corpus: 'C_multilingual/ru.txt', fixtures: ['prose/russian.txt'] },
  { title: 'chat messages', corpus: 'D_chat/messages.jsonl', fixtures: ['data/messages.jsonl'] },
  { title: 'base64', corpus: 'E_structured/base64.txt', fixtures: ['edge/base64.txt'] },
];
const MOST_BYTES = 1_000_000;
const MILLISECONDS_PER_FIGURE = 40;

/**
 * Prints the table; throws if any text does not come back, or if `count` and `encode` disagree.
 * @param {{ milliseconds?: number }} [options] for each figure
 */
export async function demonstrate({ milliseconds = MILLISECONDS_PER_FIGURE } = {}) {
  const { Tokenizer } = await import('../dist/node/index.js');
  const texts = TEXTS.map(readText).filter((text) => text !== undefined);
  // DNA cartridges have no views: they encode sequences of bases, not texts.
  const encodings = recipes().flatMap(({ views = [] }) => views.map((view) => view.name));
  const rows = [];
  let wrong = 0;
  for (const encoding of encodings) {
    const tokenizer = Tokenizer.loadSync(encoding);
    if (rows.length === 0) console.log(heading(tokenizer.backend, texts));
    for (const { title, text, bytes } of texts) {
      const ids = tokenizer.encode(text).slice();
      const roundTrip = tokenizer.decode(ids) === text && tokenizer.count(text) === ids.length;
      if (!roundTrip) ++wrong;
      const speed = (call) => (bytes / 1e6 / secondsOf(call, milliseconds)).toFixed(0);
      rows.push([
        encoding,
        title,
        bytes.toLocaleString('en'),
        ids.length.toLocaleString('en'),
        speed(() => tokenizer.encode(text)),
        speed(() => tokenizer.count(text)),
        speed(() => tokenizer.decode(ids)),
        roundTrip ? 'yes' : 'NO',
      ]);
    }
    tokenizer.close();
  }
  console.log(table(['encoding', 'text', 'bytes', 'tokens', 'encode MB/s', 'count MB/s', 'decode MB/s', 'round trip'], rows));
  if (wrong > 0) throw new Error(`${wrong} texts did not come back as they were`);
}

function heading({ kind, kernel }, texts) {
  const sources = texts.some((text) => text.isCorpus) ? 'the corpora' : 'test/fixtures';
  return `\ncrayon-tokenizer: backend ${kind}, kernel ${kernel}, texts of ${sources}; one thread, MB of UTF-8\n`;
}

function recipes() {
  const folder = path.join(root, 'cartridges', 'recipes');
  return fs
    .readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')));
}

function readText({ title, corpus, fixtures: names }) {
  const unpacked = readCorpus(corpus);
  const content =
    unpacked ?? Buffer.concat(names.flatMap((name) => filesOf(path.join(fixtures, name))).map((file) => fs.readFileSync(file)));
  if (content.length === 0) return undefined;
  // A character that the limit cuts in two is left out.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.subarray(0, MOST_BYTES), { stream: true });
  return { title, text, bytes: Buffer.byteLength(text), isCorpus: unpacked !== undefined };
}

/** A corpus file, packed with xz; `undefined` if it, or xz, is not there. */
function readCorpus(name) {
  const packed = path.join(corpora, `${name}.xz`);
  if (!fs.existsSync(packed)) return undefined;
  const unpacked = spawnSync('xz', ['-dc', packed], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
  return unpacked.status === 0 ? unpacked.stdout : undefined;
}

function filesOf(location) {
  if (!fs.existsSync(location)) return [];
  if (!fs.statSync(location).isDirectory()) return [location];
  return fs
    .readdirSync(location)
    .sort()
    .flatMap((name) => filesOf(path.join(location, name)));
}

/** The minimum of as many times as fit the budget, at least three. */
function secondsOf(call, milliseconds) {
  let least = Infinity;
  const end = performance.now() + milliseconds;
  for (let turn = 0; turn < 3 || performance.now() < end; ++turn) {
    const started = performance.now();
    call();
    least = Math.min(least, performance.now() - started);
  }
  return least / 1000;
}

/** Columns padded to their widest cell: figures to the right, words to the left. */
function table(titles, rows) {
  const isFigure = titles.map((_, column) => rows.every((row) => /^[\d,]+$/.test(row[column])));
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells.map((cell, column) => (isFigure[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join('  ');
  return [line(titles), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

if (isMain(import.meta.url)) await runMain(() => demonstrate());
