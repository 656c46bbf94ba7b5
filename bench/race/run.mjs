/**
 * The race: this package and the fastest tokenizers of other languages, on one core of one machine; and its calls in Node
 * compared with its engine. bench/README.md describes the measurements. Ids are compared before a time is reported.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { compileCartridge } from '../../dist/node/index.js';
import { MODELS, sourceOf } from '../../scripts/model-cartridges.mjs';
import { corpora, sha256 } from '../../test/corpora.mjs';
import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { packageVersion } from '../node/contenders/package-version.mjs';
import { median } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { unfamiliar } from '../texts/generated.mjs';
import { describe, textNamed } from '../texts/texts.mjs';
import { CALLS, CLASSES, folder, racers, THREADS } from './contenders.mjs';
import { pythonWithPeers } from './python.mjs';

/** Texts of many megabytes, only from the corpora. */
const LARGE = {
  'english-100mb': { title: 'English, 100 MB', part: 'dev', file: 'A_english/english_100mb.txt' },
  'code-48mb': { title: 'code, 48 MB', part: 'train', file: 'general_code.txt' },
  'languages-70mb': { title: '25 languages, 70 MB', part: 'train', file: 'general_multilingual.txt' },
};
const VOCABULARIES = fileURLToPath(new URL('../../../shared/vocabularies', import.meta.url));
const PARTS = ['peers', 'calls', 'threads'];
const DEFAULTS = {
  models: 'gpt2,gptoss,llama3_1,qwen3',
  texts: 'english,code,chinese-japanese,languages,english-100mb',
  calls: 'english:10000000,code:10000000',
  rounds: '5',
  only: PARTS.join(','),
};

const usage = `usage: npm run bench -- race [options]

  --models A,B      of cartridges/models.json, whose tokenizer.json is in node_modules (${DEFAULTS.models});
                    ${Object.keys(CLASSES).join(', ')}: WordPiece, Unigram and others, out of ../shared/vocabularies alone
  --texts A,B       (${DEFAULTS.texts}); ${Object.keys(LARGE).join(', ')}: out of the corpora alone
  --contenders A,B  crayon, gigatoken, tokenizers …; default all
  --only A,B        ${PARTS.join(', ')}; default all
  --rounds N        default ${DEFAULTS.rounds}
  --quick           one round, one model, texts up to 4 MB
  --out FILE        default bench/results/race.json, race-models.json with --models; beside it .md; not saved with --quick or a part
  --no-save         writes no results
  --again FILE      measures nothing: writes the tables of that result anew
`;

/**
 * malloc keeps memory from the system, and asks for large pages: the memory of the results is touched before it is used.
 */
const TOUCHED = ['hugetlb=1', `mmap_threshold=${2 ** 35}`, `trim_threshold=${2 ** 36}`].map((each) => `glibc.malloc.${each}`).join(':');

const { values } = parseArgs({
  options: {
    models: { type: 'string' },
    texts: { type: 'string' },
    contenders: { type: 'string' },
    only: { type: 'string', default: DEFAULTS.only },
    rounds: { type: 'string', default: DEFAULTS.rounds },
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    'no-save': { type: 'boolean', default: false },
    again: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const core = os.cpus().length - 1;
const canPin = spawnSync('taskset', ['-c', String(core), 'true']).status === 0;

async function main() {
  if (values.again) {
    const result = JSON.parse(fs.readFileSync(values.again, 'utf8'));
    const rounds = 1 + Math.max(...result.rows.map(({ round }) => round));
    return console.log(record(result, reportOf(result, { rounds, notes: [] }), { out: values.again }));
  }
  const rounds = values.quick ? 1 : Number(values.rounds);
  const parts = values.only.split(',');
  const names = (values.models ?? (values.quick ? 'gpt2' : DEFAULTS.models)).split(',');
  const wanted = (values.texts ?? (values.quick ? 'english,code' : DEFAULTS.texts)).split(',');
  const load = watchLoad();
  fs.mkdirSync(folder, { recursive: true });
  const models = [];
  for (const name of names) models.push(await modelNamed(name));
  const warmUp = fileWith('warm-up', unfamiliar());
  const notes = [];
  const rows = [];

  if (parts.includes('peers')) {
    const found = pythonWithPeers(folder);
    if (found.missing !== undefined) notes.push(`without gigatoken, tokenizers and tiktoken, as ${found.missing}`);
    const contenders = racers(found.python).filter(
      ({ name }) => values.contenders === undefined || values.contenders.split(',').includes(name),
    );
    rows.push(...race({ part: 'peers', contenders, models, texts: textsNamed(wanted, notes), warmUp, rounds, notes }));
  }
  const ofCalls = textsNamed(values.quick ? ['english'] : DEFAULTS.calls.split(','), notes);
  const few = models.slice(0, 2);
  if (parts.includes('calls')) rows.push(...race({ part: 'calls', contenders: CALLS, models: few, texts: ofCalls, warmUp, rounds, notes }));
  if (parts.includes('threads'))
    rows.push(...race({ part: 'threads', contenders: THREADS, models: few, texts: ofCalls, warmUp, rounds, notes }));

  const small = [...new Set(rows.map(({ text }) => text))].filter((name) => !(name in LARGE));
  const result = {
    date: today(),
    machine: machine(),
    ...commit(),
    ...load(),
    kind: 'race',
    versions: versions(rows),
    texts: describe(small),
    rows,
  };
  const report = reportOf(result, { rounds, notes });
  console.log(report);
  const isPart = values.quick || values.texts || values.contenders || values.only !== DEFAULTS.only;
  if ((values.out || !isPart) && !values['no-save'])
    console.log(record(result, report, { question: values.models ? 'race-models' : 'race', out: values.out }));
}

/** Every contender with every text and model: one process each, in random order, in every round. */
function race({ part, contenders, models, texts, warmUp, rounds, notes }) {
  const rows = [];
  for (const model of models) {
    for (const text of texts) {
      const isLarge = text.bytes > 2 ** 25;
      const passes = isLarge ? 3 : 5;
      let taking = contenders.filter(
        (each) => (each.models?.includes(model.name) ?? true) && (each.large || !isLarge) && !(each.isOfBytes && model.name in CLASSES),
      );
      const hashes = new Map();
      const own = [];
      for (let round = 0; round < rounds; round++) {
        for (const contender of shuffled(taking)) {
          const run = { model, text, warmUp, passes, ids: path.join(folder, 'ids.bin') };
          const raced = processOf(contender, run);
          if ('failure' in raced) {
            if (contender.name.startsWith('crayon') || round > 0)
              throw new Error(`${contender.name}, ${model.name}, ${text.name}: ${raced.failure}`);
            notes.push(`without ${contender.name} at ${model.name}, ${text.name}: ${raced.failure.trim().split('\n').at(-1)}`);
            taking = taking.filter((each) => each !== contender);
            continue;
          }
          const { passes: times, sha256, version } = raced;
          hashes.set(contender.name, sha256);
          const unit = contender.unpinned ? 'wall' : 'cpu';
          const speeds = times.map((time) => (text.bytes * 1000) / time[unit]);
          const row = { part, encoding: model.name, text: text.name, contender: contender.name, version, round, unit: 'MB/s' };
          own.push({ ...row, section: 'first', value: speeds[0] }, { ...row, section: 'warm', value: Math.max(...speeds.slice(1)) });
        }
        if (round === 0) checkIds(part, model, text, hashes);
      }
      const reference = hashes.get('tokenizers') ?? hashes.get('crayon');
      for (const row of own)
        row.exact = hashes.get(row.contender) === undefined || reference === undefined || hashes.get(row.contender) === reference;
      rows.push(...own);
      console.log(`${part}: ${model.name}, ${text.name}`);
    }
  }
  return rows;
}

/** Fails the race if this package's ids differ from Hugging Face's, or between its calls. */
function checkIds(part, model, text, hashes) {
  const reference = hashes.get('tokenizers');
  const own = [...hashes].filter(([name, hash]) => name.startsWith('crayon') && hash !== undefined);
  const expected = reference ?? own[0]?.[1];
  const wrong = own.find(([, hash]) => hash !== expected);
  if (wrong !== undefined)
    throw new Error(`${part}: ${wrong[0]} has other ids than ${reference ? 'tokenizers' : own[0][0]}: ${model.name}, ${text.name}`);
}

function processOf(contender, run) {
  const command = contender.command(run);
  const [program, ...args] = canPin && !contender.unpinned ? ['taskset', '-c', String(core), ...command] : command;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, GLIBC_TUNABLES: TOUCHED },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error || status !== 0) return { failure: error?.message ?? stderr };
  const result = JSON.parse(stdout.trim().split('\n').at(-1));
  return contender.writesIds ? { ...result, sha256: sha256(fs.readFileSync(run.ids)) } : result;
}

function shuffled(list) {
  const out = [...list];
  for (let index = out.length - 1; index > 0; index--) {
    const other = Math.floor(Math.random() * (index + 1));
    [out[index], out[other]] = [out[other], out[index]];
  }
  return out;
}

const titleOfModel = (name) => CLASSES[name]?.title ?? MODELS[name].models;

/** Compiled anew each time, as the compiler may have changed. */
async function modelNamed(name) {
  const file = name in CLASSES ? path.join(VOCABULARIES, CLASSES[name].file) : sourceOf(name);
  const cartridge = path.join(folder, `${name}.cray`);
  fs.writeFileSync(cartridge, await compileCartridge(file, { name }));
  return { name, file, cartridge };
}

function textsNamed(names, notes) {
  const texts = [];
  for (const name of names) {
    if (name in LARGE) {
      const { title, part, file } = LARGE[name];
      const found = corpora({ part, assembled: true })?.find((each) => each.name === file);
      if (found) texts.push({ name, title, path: found.path, bytes: found.bytes });
      else notes.push(`without ${title}, as the corpora are not there`);
    } else {
      const { title, text, bytes } = textNamed(name);
      texts.push({ name, title, path: fileWith('text', text), bytes });
    }
  }
  return texts;
}

function fileWith(stem, text) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const file = path.join(folder, `${stem}-${hash}.txt`);
  if (!fs.existsSync(file)) fs.writeFileSync(file, text);
  return file;
}

function versions(rows) {
  const seen = new Map(rows.map(({ contender, version }) => [contender, version]));
  if (seen.has('hypertok')) seen.set('hypertok', packageVersion('hypertok'));
  return Object.fromEntries([...seen].filter(([, version]) => version !== undefined));
}

function reportOf(result, { rounds, notes }) {
  const { rows } = result;
  const titleOf = (text) => LARGE[text]?.title ?? textNamed(text).title;
  const of = (part, section, encoding, text, contender) =>
    rows
      .filter(
        (row) =>
          row.part === part && row.section === section && row.encoding === encoding && row.text === text && row.contender === contender,
      )
      .map(({ value }) => value);
  const cellsOf = (part) => [
    ...new Map(rows.filter((row) => row.part === part).map((row) => [`${row.encoding} ${row.text}`, row])).values(),
  ];
  const isExact = (part, encoding, text, contender) =>
    rows.every((row) => row.part !== part || row.encoding !== encoding || row.text !== text || row.contender !== contender || row.exact);
  const ratio = (part, section, { encoding, text }, one, other) =>
    median(of(part, section, encoding, text, one)) / median(of(part, section, encoding, text, other));

  const lines = [
    values.models ? '# The race: WordPiece, Unigram and others' : '# The race',
    '',
    ...circumstances(result),
    `- \`npm run bench -- race\`; ${Object.entries(result.versions)
      .map((each) => each.join(' '))
      .join(', ')}`,
    `- each contender a new process in each of ${rounds} rounds, in random order, ${canPin ? 'pinned to one core' : '**not pinned to a core, as there is no taskset**'}; time of its CPU; medians of the rounds`,
    ...notes.map((note) => `- ${note}`),
  ];

  const contenders = racers('').filter(({ name }) => rows.some((row) => row.part === 'peers' && row.contender === name));
  const others = contenders.filter(({ name }) => !name.startsWith('crayon'));
  if (contenders.length > 0) {
    lines.push(
      '',
      '## MB/s of UTF-8: first pass / fastest later pass',
      '',
      '`*`: not the ids of Hugging Face. A gap: not measured (hypertok has other vocabularies in packages that are not installed, tiktoken takes minutes).',
      '',
    );
    const body = cellsOf('peers').map(({ encoding, text }) => [
      `${titleOfModel(encoding)}: ${titleOf(text)}`,
      ...contenders.map(({ name }) => {
        const [first, warm] = ['first', 'warm'].map((section) => of('peers', section, encoding, text, name));
        return first.length === 0
          ? ''
          : `${shown(median(first))} / ${shown(median(warm))}${isExact('peers', encoding, text, name) ? '' : ' *'}`;
      }),
    ]);
    lines.push(...grid(['', ...contenders.map(({ title }) => title)], body));
    const sizes = [
      ['up to 32 MB', (text) => !(text in LARGE)],
      ['larger', (text) => text in LARGE],
    ];
    const owns = [
      ['The engine', 'crayon'],
      ['The package in Node', 'crayon encode'],
    ].filter(([, own]) => others.length > 0 && contenders.some(({ name }) => name === own));
    for (const [title, own] of owns) {
      const summary = sizes.flatMap(([size, fits]) =>
        ['first', 'warm'].map((section) => [
          `${section}, ${size}`,
          ...others.map(({ name }) => {
            const ratios = cellsOf('peers')
              .filter(({ encoding, text }) => fits(text) && of('peers', section, encoding, text, name).length > 0)
              .map((cell) => ratio('peers', section, cell, own, name));
            return ratios.length === 0 ? '' : `${shown(median(ratios))}, ${shown(Math.min(...ratios))}`;
          }),
        ]),
      );
      const measured = summary.filter((line) => line.some((cell, index) => index > 0 && cell !== ''));
      lines.push('', `## ${title} ÷ each of the others: median, worst`, '', ...grid(['', ...others.map((each) => each.title)], measured));
    }
  }

  if (rows.some(({ part }) => part === 'calls')) {
    const calls = CALLS.slice(1);
    lines.push('', '## Calls in Node ÷ the engine, warm (aims: encode 0.85, encodeBatch and encodeFile 0.9; count ÷ encode 1.05)', '');
    const body = cellsOf('calls').map((cell) => [
      `${titleOfModel(cell.encoding)}: ${titleOf(cell.text)}`,
      shown(median(of('calls', 'warm', cell.encoding, cell.text, 'crayon'))),
      ...calls.map(({ name }) => shown(ratio('calls', 'warm', cell, name, 'crayon'))),
      shown(ratio('calls', 'warm', cell, 'crayon count', 'crayon encode')),
    ]);
    lines.push(...grid(['', 'engine, MB/s', ...calls.map(({ title }) => title), 'count ÷ encode'], body));
  }
  if (rows.some(({ part }) => part === 'threads')) {
    const [one, two] = THREADS.map(({ name }) => name);
    lines.push('', '## encodeAsync with two threads, by the clock, warm (aim: 1.8 × one; other work on the machine counts)', '');
    const body = cellsOf('threads').map((cell) => [
      `${titleOfModel(cell.encoding)}: ${titleOf(cell.text)}`,
      ...[one, two].map((name) => shown(median(of('threads', 'warm', cell.encoding, cell.text, name)))),
      shown(ratio('threads', 'warm', cell, two, one)),
    ]);
    lines.push(...grid(['', 'one, MB/s', 'two, MB/s', '÷'], body));
  }
  return lines.join('\n');
}

if (values.help) console.log(usage);
else await main();
