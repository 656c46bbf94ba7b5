/**
 * The package and the others in Chromium: `npm run bench -- browser`. The method is that of the Node harness
 * (bench/README.md): ids are compared before anything is timed, contenders take turns, and a page holds one contender.
 */
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { report } from '../node/report.mjs';
import { Rows } from '../node/rows.mjs';
import { mbps, median } from '../node/timing.mjs';
import { commit, machine } from '../machine.mjs';
import { record, today } from '../record.mjs';
import { referenceOf } from '../texts/references.mjs';
import { describe, SHORT_TEXTS, textNamed } from '../texts/texts.mjs';
import { judged } from './aims.mjs';
import { withPages } from './pages.mjs';

const TEXTS = ['english', 'code', 'chinese-japanese', 'languages'];
const CONTENDERS = ['crayon', 'hypertok', 'gpt-tokenizer', 'ai-tokenizer'];
/** The others take minutes for texts of megabytes. */
const IN_LONG_SECTIONS = ['crayon', 'hypertok'];

const SECTIONS = { exactness, warm, 'first-sight': firstSight, calls, load };

const usage = `usage: npm run bench -- browser [options]

  --quick                 short turns, one encoding; not saved
  --only SECTION,…        ${Object.keys(SECTIONS).join(' ')}
  --encodings NAME,…      default o200k_base,cl100k_base
  --contenders NAME,…     default ${CONTENDERS.join(',')}
  --texts NAME,…          default ${TEXTS.join(',')}
  --rounds N              rounds of interleaved turns (default 5)
  --turn MS               length of a turn (default 200)
  --save, --no-save       write bench/results/browser.{json,md}; default: yes, unless --quick or --only
  --out FILE              write the JSON there instead (and the markdown beside it)
`;

/** Compares ids first; a contender that differs is still timed, marked. */
async function exactness({ pages, contenders, encodings, texts, rows }) {
  for (const encoding of encodings) {
    for (const name of contenders) {
      await onPage(pages, name, { encoding }, async ({ ask }) => {
        for (const text of [...(IN_LONG_SECTIONS.includes(name) ? texts : []), ...SHORT_TEXTS]) {
          const [expected, actual] = [referenceOf(encoding, text), await ask('identify', { text })];
          const exact = actual.sha256 === expected.sha256;
          const note = exact ? undefined : `${actual.tokens} tokens, ${expected.by} has ${expected.tokens}`;
          const row = { section: 'exactness', encoding, text, operation: 'encode', contender: name, unit: 'exact' };
          rows.add({ ...row, samples: [exact ? 1 : 0], note });
        }
      });
    }
  }
}

/** The same text repeatedly, in turns. */
async function warm({ pages, contenders, encodings, texts, rounds, turn, rows }) {
  for (const encoding of encodings) {
    for (const text of texts) {
      const { bytes } = textNamed(text);
      const of = (times) => mbps(bytes, median(times));
      const speeds = await inTimeSlices({ pages, contenders: long(contenders), encoding, rounds }, ({ time }) =>
        time('turn', { text, budget: turn }).then(of),
      );
      addRounds(rows, { section: 'warm', encoding, text, operation: 'encode', unit: 'MB/s' }, speeds);
    }
  }
}

/** One pass, in a fresh page whose code is compiled. */
async function firstSight({ pages, contenders, encodings, texts, rounds, rows }) {
  for (const encoding of encodings) {
    for (const text of texts) {
      const { bytes } = textNamed(text);
      const samples = new Map(long(contenders).map((name) => [name, []]));
      for (let repeat = 0; repeat < Math.min(rounds, 3); repeat++) {
        for (const [name, each] of samples) {
          await onPage(pages, name, { encoding }, async ({ ask, time }) => {
            await ask('warmCode');
            each.push(mbps(bytes, ...(await time('firstSight', { text }))));
          });
        }
      }
      for (const [name, each] of samples) {
        const row = { section: 'first-sight', encoding, text, operation: 'first sight', contender: name, unit: 'MB/s' };
        rows.add({ ...row, samples: each });
      }
    }
  }
}

/** Calls with a short text. */
async function calls({ pages, contenders, encodings, rounds, turn, rows }) {
  const [encoding] = encodings;
  for (const text of SHORT_TEXTS) {
    const times = await inTimeSlices({ pages, contenders, encoding, rounds }, ({ time }) =>
      time('call', { text, budget: turn / 2 }).then((each) => median(each) / 1000),
    );
    for (const [name, samples] of times) {
      rows.add({ section: 'calls', encoding, text, operation: 'encode', contender: name, unit: 'µs', samples });
    }
  }
}

/** From the bytes of module and vocabulary to the ids of two words, each in a fresh page. */
async function load({ pages, contenders, encodings, rounds, rows }) {
  for (const encoding of encodings) {
    for (const [name, form] of [
      ['crayon', 'full'],
      ['crayon', 'slim'],
      ['hypertok', 'full'],
    ]) {
      if (!contenders.includes(name)) continue;
      const samples = [];
      for (let repeat = 0; repeat < rounds; repeat++) {
        await onPage(pages, name, { encoding, form }, async (_, { time }) => void samples.push(time / 1e6));
      }
      const operation = `bytes in hand to first ids, ${form}`;
      rows.add({ section: 'load', encoding, text: '', operation, contender: name, unit: 'ms', samples });
    }
  }
}

const long = (contenders) => contenders.filter((name) => IN_LONG_SECTIONS.includes(name));

async function onPage(pages, name, about, use) {
  const page = await pages.open(name);
  try {
    return await use(page, await page.ask('load', about));
  } finally {
    await page.close();
  }
}

/** Each contender's result in each round, in rotating order; a round before them is for the compilers. */
async function inTimeSlices({ pages, contenders, encoding, rounds }, ask) {
  const all = [];
  try {
    for (const name of contenders) {
      const page = await pages.open(name);
      all.push(page);
      await page.ask('load', { encoding });
      await page.ask('warmCode');
    }
    const samples = new Map(contenders.map((name) => [name, []]));
    for (let round = -1; round < rounds; round++) {
      for (let turn = 0; turn < all.length; turn++) {
        const page = all[(turn + round + 1) % all.length];
        const value = await ask(page);
        if (round >= 0) samples.get(page.name).push(value);
      }
    }
    return samples;
  } finally {
    for (const page of all) await page.close();
  }
}

/** Rows with the ratio to the first contender, the median of those within rounds. */
function addRounds(rows, row, speeds) {
  const [first] = speeds.values();
  for (const [contender, samples] of speeds) {
    const ratio = Number(median(samples.map((speed, round) => first[round] / speed)).toPrecision(3));
    rows.add({ ...row, contender, samples, ratio });
  }
}

function optionsOf(argv) {
  const { values } = parseArgs({
    args: argv,
    allowNegative: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      encodings: { type: 'string' },
      contenders: { type: 'string', default: CONTENDERS.join() },
      texts: { type: 'string', default: TEXTS.join() },
      rounds: { type: 'string' },
      turn: { type: 'string' },
      save: { type: 'boolean' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { quick } = values;
  const sections = values.only?.split(',') ?? Object.keys(SECTIONS);
  const unknown = sections.find((name) => !(name in SECTIONS));
  if (unknown !== undefined) throw new Error(`--only: expected ${Object.keys(SECTIONS).join(', ')}, not ${unknown}`);
  return {
    help: values.help,
    sections,
    encodings: values.encodings?.split(',') ?? (quick ? ['o200k_base'] : ['o200k_base', 'cl100k_base']),
    contenders: values.contenders.split(','),
    texts: values.texts.split(','),
    rounds: Number(values.rounds ?? (quick ? 3 : 5)),
    turn: Number(values.turn ?? (quick ? 60 : 200)) * 1e6,
    save: values.save ?? (values.out !== undefined || !(quick || values.only)),
    out: values.out,
  };
}

async function main(options) {
  await withPages(async (pages) => {
    const before = { load: os.loadavg(), time: Date.now() };
    const rows = new Rows();
    for (const section of options.sections) await SECTIONS[section]({ ...options, pages, rows });
    const seconds = (Date.now() - before.time) / 1000;
    const result = {
      format: 1,
      date: today(),
      ...commit(),
      machine: { ...machine(), browser: `Chromium ${pages.version}` },
      packages: {},
      contenders: options.contenders,
      options: { ...options, repeats: Math.min(options.rounds, 3), loads: options.rounds },
      seconds: Math.round(seconds),
      load: { before: before.load, after: os.loadavg() },
      // The browser's processes are not our children, so other load cannot be distinguished from theirs.
      foreign: null,
      texts: describe(rows.all.map((row) => row.text).filter(Boolean)),
      rows: rows.all,
    };
    const text = report(result, judged(result));
    console.log(text);
    if (!options.save) return;
    const file = record(result, text, { question: 'browser', out: options.out });
    console.log(`written: ${path.relative(process.cwd(), file)}`);
  });
}

let options;
try {
  options = optionsOf(process.argv.slice(2));
} catch (error) {
  console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
if (options?.help) console.log(usage);
else if (options) await main(options);
