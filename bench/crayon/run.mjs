/**
 * CRAYON's Table 1 and its other figures, with its own package and vocabularies: `xerv-crayon` of PyPI by both of its engines,
 * crayon_cpu (the longest match of the paper) and crayon_turbo (what its CrayonVocab takes by default, which splits at spaces first),
 * tiktoken and Hugging Face tokenizers with GPT-2's vocabulary, and this package in Node, on the same texts in one run; the stress
 * text of 95 MiB; compiling its list of 206,373 tokens; and beginnings of that list beside its packer in Python and its compiler
 * in C++, which it calls 500 times as fast.
 *
 * Each contender runs in its own process for each text. They take turns in varying order, and a figure is the median of
 * all passes. Ids are compared with those of crayon_cpu: if ours differ, this exits with 1. bench/README.md says more.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { root } from '../../scripts/process.mjs';
import { circumstances } from '../circumstances.mjs';
import { commit, machine, quiet, watchLoad } from '../machine.mjs';
import { median } from '../node/timing.mjs';
import { pythonWithPeers } from '../race/python.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { describe, textNamed } from '../texts/texts.mjs';

const usage = `usage: npm run bench -- crayon [options]

  --quick        two texts of 300 KB, one round, no stress; not saved
  --rounds N     default 5
  --passes N     of each contender in a round; default 3
  --minutes N    a compiler is not asked for more tokens after it took N minutes, and ends there; default 10
  --out FILE     default bench/results/crayon.json; beside it .md
  --wait S       waits up to S seconds for the machine to be quiet
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    passes: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '10' },
    out: { type: 'string' },
    wait: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const own = path.join(root, 'build', 'crayon');
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));

/** The texts of Table 1, which are repeated sentences, and real text, which no word cache knows beforehand. */
const TEXTS = values.quick
  ? ['repeated-english:300000', 'english:300000']
  : ['repeated-english', 'repeated-code', 'repeated-unicode', 'repeated-mixed', 'english:3000000', 'code:3000000'];
const STRESS = `repeated-english:${95 * 2 ** 20}`;
const PROFILES = ['lite', 'standard'];
const GPT2 = path.join(root, 'node_modules', '@lenml', 'tokenizer-gpt2', 'models', 'tokenizer.json');
/** Names of the contenders with CRAYON's vocabularies; ours first. */
const OURS = 'this package, Node';
const LONGEST_MATCH = 'crayon_cpu';
const OF_PROFILES = [OURS, LONGEST_MATCH, 'crayon_turbo'];
const OF_GPT2 = ['tiktoken', 'tokenizers'];
const CPP_COMPILER = 'its compiler in C++';
const PYTHON_PACKER = 'its packer in Python';
/** The maximum in milliseconds, and the minimum factor over the fastest path of its package. */
const AIMS = { 2: 100, 3: 150, ratio: 2 };

/** What a contender prints; nothing if it takes longer than `limit` milliseconds. */
function run(command, args, limit) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26, timeout: limit });
  if (error?.code === 'ETIMEDOUT') return undefined;
  if (status !== 0) throw new Error(`${path.basename(command)} ${args.join(' ')}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

/** The vocabularies of the package: `vocab_lite.dat` and `.json`, wherever it keeps them. */
function vocabulary(folder, name) {
  const found = fs.readdirSync(folder, { recursive: true }).find((file) => path.basename(file) === name);
  if (!found) throw new Error(`there is no ${name} in ${folder}`);
  return path.join(folder, found);
}

function measured({ python, files }, contender, profile, text, passes) {
  if (contender === OURS) return run(process.execPath, [here('contender.mjs'), 'encode', files[profile], text, String(passes)]);
  return run(python, [here('engines.py'), contender, profile ? files[profile] : GPT2, text, String(passes)]);
}

function table(environment, rows) {
  for (const name of TEXTS) {
    const { text, bytes } = textNamed(name);
    const file = path.join(own, 'text.txt');
    fs.writeFileSync(file, text);
    const contenders = [...PROFILES.flatMap((profile) => OF_PROFILES.map((each) => [each, profile])), ...OF_GPT2.map((each) => [each, ''])];
    const all = contenders.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < contenders.length; turn++) {
        const index = (turn + round) % contenders.length;
        all[index].push(measured(environment, ...contenders[index], file, values.quick ? 1 : values.passes));
      }
    }
    const expected = Object.fromEntries(
      PROFILES.map((profile) => [profile, all[contenders.findIndex(([each, of]) => each === LONGEST_MATCH && of === profile)][0].sha256]),
    );
    contenders.forEach(([contender, profile], index) => {
      const time = median(all[index].flatMap(({ passes }) => passes));
      const [{ sha256, count, version }] = all[index];
      const isSame = profile === '' ? null : sha256 === expected[profile];
      rows.push({
        section: 'table',
        contender,
        version,
        profile,
        text: name,
        bytes,
        ids: count,
        mbps: (bytes * 1000) / time,
        mtoks: (count * 1000) / time,
        isSame,
      });
    });
  }
}

/** The text of their stress test, in each engine with each vocabulary. */
function stress(environment, rows) {
  const { text, bytes } = textNamed(STRESS);
  const file = path.join(own, 'stress.txt');
  fs.writeFileSync(file, text);
  for (const profile of PROFILES) {
    const all = OF_PROFILES.map((contender) => [contender, measured(environment, contender, profile, file, values.passes)]);
    const expected = all.find(([contender]) => contender === LONGEST_MATCH)[1].sha256;
    for (const [contender, { passes, sha256, count }] of all) {
      const time = median(passes);
      rows.push({
        section: 'stress',
        contender,
        profile,
        text: STRESS,
        bytes,
        ids: count,
        ms: time / 1e6,
        mbps: (bytes * 1000) / time,
        mtoks: (count * 1000) / time,
        isSame: sha256 === expected,
      });
    }
  }
  fs.rmSync(file);
}

function compiling({ lists }, rows) {
  for (const profile of PROFILES) {
    for (const version of [2, 3]) {
      const { passes, tokens, size } = run(process.execPath, [
        here('contender.mjs'),
        'compile',
        lists[profile],
        String(version),
        String(values.quick ? 2 : 9),
      ]);
      rows.push({ section: 'compile', contender: OURS, profile, version, tokens, size, ms: median(passes) / 1e6 });
    }
  }
}

/** Version 2 files of the first tokens of its larger list, by its packer in Python, its compiler in C++, and this package. */
function packing({ python, lists }, rows) {
  const out = path.join(own, 'packed.dat');
  const contenders = {
    [OURS]: (tokens) => run(process.execPath, [here('contender.mjs'), 'compile', lists.standard, '2', '5', String(tokens)]),
    [CPP_COMPILER]: (tokens, limit) =>
      run(python, [here('engines.py'), '--compile', 'crayon_compiler', lists.standard, String(tokens), out], limit),
    [PYTHON_PACKER]: (tokens, limit) =>
      run(python, [here('engines.py'), '--compile', 'dat_builder', lists.standard, String(tokens), out], limit),
  };
  const limit = Number(values.minutes) * 60_000;
  const isOver = new Set();
  for (const tokens of values.quick ? [1000, 5000] : [1000, 5000, 20_000, 50_000, 200_000]) {
    for (const [contender, compile] of Object.entries(contenders)) {
      if (isOver.has(contender)) continue;
      const packed = compile(tokens, limit);
      if (packed) rows.push({ section: 'packing', contender, tokens, size: packed.size, ms: median(packed.passes) / 1e6 });
      else isOver.add(contender);
    }
  }
}

/** The table of `packing`: milliseconds, and times as long as this package. */
function packed(rows) {
  const find = (contender, tokens) => rows.find((row) => row.contender === contender && row.tokens === tokens);
  const cell = (contender, tokens) => {
    const row = find(contender, tokens);
    return row ? `${shown(row.ms)} (${shown(row.ms / find(OURS, tokens).ms)}×)` : `over ${values.minutes} minutes`;
  };
  return [...new Set(rows.map(({ tokens }) => tokens))].map((tokens) => [
    String(tokens),
    shown(find(OURS, tokens).ms),
    cell(CPP_COMPILER, tokens),
    cell(PYTHON_PACKER, tokens),
  ]);
}

function report(result) {
  const { rows } = result;
  const of = (section) => rows.filter((row) => row.section === section);
  const cell = (row) => (row ? `${shown(row.mbps)} (${shown(row.mtoks)})${row.isSame === false ? ' *' : ''}` : '');
  const find = (contender, profile, text) =>
    of('table').find((row) => row.contender === contender && row.profile === profile && row.text === text);
  const head = [
    'text',
    ...PROFILES.flatMap((profile) => OF_PROFILES.map((contender) => `${contender}, ${profile}`)),
    ...OF_GPT2.map((contender) => `${contender}, GPT-2`),
  ];
  const body = TEXTS.map((text) => [
    text,
    ...PROFILES.flatMap((profile) => OF_PROFILES.map((contender) => cell(find(contender, profile, text)))),
    ...OF_GPT2.map((contender) => cell(find(contender, '', text))),
  ]);
  const ratios = PROFILES.flatMap((profile) =>
    TEXTS.map((text) => {
      const theirs = Math.max(...OF_PROFILES.slice(1).map((contender) => find(contender, profile, text).mbps));
      const ratio = find(OURS, profile, text).mbps / theirs;
      return [profile, text, shown(ratio), ratio >= AIMS.ratio ? 'yes' : 'no'];
    }),
  );
  return [
    "# CRAYON's Table 1",
    '',
    ...circumstances(result),
    `- \`xerv-crayon\` ${find(LONGEST_MATCH, 'lite', TEXTS[0]).version}, tiktoken ${find('tiktoken', '', TEXTS[0]).version}, tokenizers ${find('tokenizers', '', TEXTS[0]).version}; its own vocabularies`,
    '',
    'MB/s, and millions of ids a second in parentheses. `*`: other ids than those of crayon_cpu, the longest match of the paper;',
    'crayon_turbo splits at spaces first. GPT-2 has another vocabulary.',
    '',
    ...grid(head, body),
    '',
    `This package, times the faster of its two engines (aim: ${AIMS.ratio}):`,
    '',
    ...grid(['profile', 'text', 'times', 'reached'], ratios),
    '',
    ...(of('stress').length === 0
      ? []
      : [
          'The stress text, 95 MiB of a repeated sentence (published: 890 ms on a CPU):',
          '',
          ...grid(
            ['contender', 'profile', 'ids', 'ms', 'MB/s', 'M ids/s'],
            of('stress').map((row) => [
              `${row.contender}${row.isSame ? '' : ' *'}`,
              row.profile,
              String(row.ids),
              shown(row.ms),
              shown(row.mbps),
              shown(row.mtoks),
            ]),
          ),
          '',
        ]),
    'Its lists of tokens, compiled:',
    '',
    ...grid(
      ['list', 'tokens', 'to', 'bytes', 'ms', 'aim', 'reached'],
      of('compile').map(({ profile, tokens, version, size, ms }) => {
        const aim = profile === 'standard' ? AIMS[version] : undefined;
        return [
          profile,
          String(tokens),
          version === 2 ? 'version 2' : 'a cartridge',
          String(size),
          shown(ms),
          aim ? `< ${aim}` : '',
          aim ? (ms < aim ? 'yes' : 'no') : '',
        ];
      }),
    ),
    '',
    'The first tokens of its larger list, to a version 2 file, in ms (times as long as this package):',
    '',
    ...grid(['tokens', `${OURS}, ms`, CPP_COMPILER, PYTHON_PACKER], packed(of('packing'))),
  ].join('\n');
}

if (values.help) {
  console.log(usage);
} else {
  fs.mkdirSync(own, { recursive: true });
  const peers = pythonWithPeers(own, here('requirements.txt'));
  if (peers.missing) throw new Error(`cannot install xerv-crayon: ${peers.missing}`);
  const folder = spawnSync(peers.python, [here('engines.py'), '--vocabularies'], { encoding: 'utf8' }).stdout.trim();
  const each = (ending) => Object.fromEntries(PROFILES.map((profile) => [profile, vocabulary(folder, `vocab_${profile}.${ending}`)]));
  const environment = { python: peers.python, files: each('dat'), lists: each('json') };
  if (Number(values.wait) > 0 && !(await quiet(Number(values.wait)))) console.error(`the machine was not quiet within ${values.wait} s`);
  const rows = [];
  const load = watchLoad();
  table(environment, rows);
  if (!values.quick) stress(environment, rows);
  compiling(environment, rows);
  packing(environment, rows);
  const result = {
    format: 1,
    date: today(),
    ...commit(),
    machine: machine(),
    options: { rounds, passes: Number(values.passes) },
    ...load(),
    texts: describe(TEXTS),
    rows,
  };
  const text = report(result);
  console.log(text);
  if (!values.quick || values.out)
    console.log(`\nwritten: ${path.relative(process.cwd(), record(result, text, { question: 'crayon', out: values.out }))}`);
  const wrong = rows.filter(({ contender, isSame }) => contender === OURS && isSame === false);
  for (const row of wrong) console.error(`NOT EXACT: ${JSON.stringify(row)}`);
  if (wrong.length > 0) process.exitCode = 1;
}
