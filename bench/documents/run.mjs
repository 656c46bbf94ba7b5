/**
 * Documents: texts of a megabyte that are edited, natively and in WebAssembly. Each kind of edit is made a thousand times at random
 * places, and its ids compared with one `encode` of the whole text before anything is timed. Contenders take turns, each in a fresh
 * process per round. Memory is what a process grows by, with 24 documents more.
 *
 * Hypothesis: an edit costs what a leaf of 512 bytes costs to encode, two or three microseconds, plus a walk down a tree; so it is
 * a thousandth of an `encode` of the whole text, wherever it is and however long the text.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { median } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { COMPARED_TEXTS, describe, textNamed } from '../texts/texts.mjs';

const usage = `usage: npm run bench -- documents [options]

  --texts LIST      default: ${COMPARED_TEXTS.join()}
  --encodings LIST  default: o200k_base
  --rounds N        default 5
  --quick           1 of them; not saved
  --no-save         writes no results
  --out FILE        default bench/results/documents.json; beside it .md
`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const UNITS = 1_000_000;
const EDITS = 4000;
const CHECKED = 1000;
const DOCUMENTS = 24;

const { values } = parseArgs({
  options: {
    texts: { type: 'string', default: COMPARED_TEXTS.join() },
    encodings: { type: 'string', default: 'o200k_base' },
    rounds: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
    measure: { type: 'string' }, // a process of a contender: its entry
    memory: { type: 'boolean', default: false }, // what it measures instead of times
    help: { type: 'boolean', default: false },
  },
});

/** A repeatable source of random numbers below a limit. */
function randomOf(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** The kinds of edits, each from a document and random numbers to the arguments of `replace`. */
const KINDS = {
  'append 60': ({ length }, text, below) => [length, length, text.substr(below(text.length - 60), 60)],
  'insert 1': ({ length }, text, below) => {
    const at = below(length);
    return [at, at, text[below(text.length)]];
  },
  'replace 8': ({ length }, text, below) => {
    const at = below(length - 8);
    return [at, at + 8, text.substr(below(text.length - 8), 8)];
  },
  'delete 8': ({ length }, _, below) => {
    const at = below(length - 8);
    return [at, at + 8, ''];
  },
};

/** A text of the given length in units: repeated where it is shorter. */
function textOf(name) {
  const { text } = textNamed(name);
  return text.repeat(Math.ceil(UNITS / text.length)).slice(0, UNITS);
}

function check(tokenizer, document, expected) {
  const ids = tokenizer.encode(expected);
  const own = document.ids;
  if (own.length !== ids.length || own.some((id, index) => id !== ids[index])) throw new Error('not the same ids');
}

/** Makes edits and compares; nothing is timed. */
function checkEdits(tokenizer, text) {
  for (const kind of Object.values(KINDS)) {
    const below = randomOf(7);
    let own = text.slice(0, 50_000);
    const document = tokenizer.document(own);
    for (let n = 1; n <= CHECKED; n++) {
      const [start, end, part] = kind(document, text, below);
      document.replace(start, end, part);
      own = own.slice(0, start) + part + own.slice(end);
      if (n % 100 === 0) check(tokenizer, document, own);
    }
    document.close();
  }
}

const microseconds = (work) => {
  const begin = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - begin) / 1e3;
};

async function measure(entry) {
  const { Tokenizer } = await import(pathToFileURL(path.join(root, 'dist/node', `${entry}.js`)).href);
  const rows = [];
  for (const encoding of values.encodings.split(',')) {
    const tokenizer = await Tokenizer.load(encoding);
    for (const name of values.texts.split(',')) {
      const text = textOf(name);
      const add = (operation, value, unit, more) => rows.push({ encoding, text: name, operation, value, unit, ...more });
      checkEdits(tokenizer, text);
      add('encode', median(Array.from({ length: 5 }, () => microseconds(() => tokenizer.encode(text)))), 'µs');
      let document = tokenizer.document(text);
      check(tokenizer, document, text);
      add('open', median(Array.from({ length: 5 }, () => microseconds(() => tokenizer.document(text).close()))), 'µs');
      for (const [operation, kind] of Object.entries(KINDS)) {
        const below = randomOf(11);
        document.close();
        document = tokenizer.document(text);
        const times = [];
        for (let n = 0; n < EDITS; n++) {
          const [start, end, part] = kind(document, text, below);
          times.push(microseconds(() => document.replace(start, end, part)));
        }
        times.sort((a, b) => a - b);
        add(operation, median(times), 'µs', { p99: times[Math.floor(0.99 * times.length)] });
      }
      const below = randomOf(13);
      add(
        'encode of 60',
        median(
          Array.from({ length: EDITS }, () => {
            const tail = text.substr(below(text.length - 60), 60);
            return microseconds(() => tokenizer.encode(tail));
          }),
        ),
        'µs',
      );
      const forked = [];
      for (let n = 0; n < EDITS / 10; n++) {
        const [start, end, part] = KINDS['replace 8'](document, text, below);
        forked.push(
          microseconds(() => {
            const fork = document.fork();
            fork.replace(start, end, part);
            fork.close();
          }),
        );
      }
      add('fork, replace 8, close', median(forked), 'µs');
      add(
        'ids',
        median(
          Array.from({ length: 9 }, () => {
            document.append('.');
            return microseconds(() => document.ids);
          }),
        ),
        'µs',
      );
      document.close();
    }
    tokenizer.close();
  }
  return rows;
}

/** What a process grows by with as many documents again: the first ones take what memory it has free. */
async function measureMemory(entry) {
  const { Tokenizer } = await import(pathToFileURL(path.join(root, 'dist/node', `${entry}.js`)).href);
  const [encoding, name] = [values.encodings, values.texts];
  const tokenizer = await Tokenizer.load(encoding);
  const text = textOf(name);
  const first = Array.from({ length: DOCUMENTS }, () => tokenizer.document(text));
  globalThis.gc();
  const before = process.memoryUsage().rss;
  const others = Array.from({ length: DOCUMENTS }, () => tokenizer.document(text));
  globalThis.gc();
  const value = (process.memoryUsage().rss - before) / others.length / Buffer.byteLength(text);
  for (const each of first) each.close();
  return [{ encoding, text: name, operation: 'memory', value, unit: 'bytes per byte' }];
}

function tables(rows, entries) {
  const of = (contender, encoding, text, operation, field = 'value') =>
    median(
      rows
        .filter((row) => row.contender === contender && row.encoding === encoding && row.text === text && row.operation === operation)
        .map((row) => row[field]),
    );
  return entries.flatMap((contender) => {
    const body = values.encodings.split(',').flatMap((encoding) =>
      values.texts.split(',').map((text) => {
        const cell = (operation) => shown(of(contender, encoding, text, operation));
        const edit = (operation) => `${cell(operation)} (${shown(of(contender, encoding, text, operation, 'p99'))})`;
        return [
          `${encoding}, ${text}`,
          ...Object.keys(KINDS).map(edit),
          cell('encode of 60'),
          cell('fork, replace 8, close'),
          cell('ids'),
          cell('open'),
          cell('encode'),
          cell('memory'),
        ];
      }),
    );
    const head = ['', ...Object.keys(KINDS), '`encode` of 60', 'fork, replace 8', 'ids', 'open', '`encode`', 'bytes per byte'];
    return [`## ${contender}: microseconds, median (99th percentile)`, '', ...grid(head, body), ''];
  });
}

async function main() {
  const rounds = values.quick ? 1 : Number(values.rounds);
  const entries = { native: 'index', wasm: 'wasm' };
  const load = watchLoad();
  const rows = [];
  for (let round = 0; round < rounds; round++) {
    for (const [contender, entry] of Object.entries(entries)) {
      const measured = (texts, encodings, ...more) => {
        const args = [
          '--expose-gc',
          fileURLToPath(import.meta.url),
          '--measure',
          entry,
          '--texts',
          texts,
          '--encodings',
          encodings,
          ...more,
        ];
        for (const row of JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 })))
          rows.push({ contender, round, ...row });
      };
      measured(values.texts, values.encodings);
      for (const encoding of values.encodings.split(',')) for (const text of values.texts.split(',')) measured(text, encoding, '--memory');
    }
  }
  const result = { date: today(), machine: machine(), ...commit(), ...load(), texts: describe(values.texts.split(',')), rows };
  const report = [
    '# Documents',
    '',
    ...circumstances(result),
    `- \`npm run bench -- documents\`; medians of ${rounds} rounds`,
    `- texts of ${UNITS} UTF-16 units; ${EDITS} edits of each kind at random places; the ids of all kinds were compared with \`encode\` first`,
    '',
    ...tables(rows, Object.keys(entries)),
  ].join('\n');
  console.log(report);
  if (!values.quick && !values['no-save']) record(result, report, { question: 'documents', out: values.out });
}

if (values.help) console.log(usage);
else if (values.measure) console.log(JSON.stringify(await (values.memory ? measureMemory : measure)(values.measure)));
else await main();
