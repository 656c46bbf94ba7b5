/**
 * How long programs take to start: `node bench/start/run.mjs [--rounds 21] [--out FILE.json] [FOLDER …]`.
 *
 * A folder is a checkout that is built, or the installed package; by default this one. Each round starts a process of each case for
 * each folder, in turns, and one that does nothing. What a case writes is checked once, before.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/process.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { record, today } from '../record.mjs';

const TEXT = 'hello world';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '21' }, out: { type: 'string' } },
});
const packages = positionals.length > 0 ? positionals.map((folder) => path.resolve(folder)) : [root];

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-start-'));
fs.writeFileSync(path.join(home, 'hello.txt'), TEXT);
const shards = path.join(home, 'tokens', 'shards');

/** Arguments of Node for the package in a folder, and a pattern of what it writes. */
const CASES = {
  'import the package': (dist) => [evaluated(`import ${quoted(dist, 'index.js')}`), /^$/],
  'require the package': (dist) => [['--eval', `require(${quoted(dist, 'index.cjs')})`], /^$/],
  'import datasets': (dist) => [evaluated(`import ${quoted(dist, 'dataset.js')}`), /^$/],
  'load and encode': (dist) => [
    evaluated(
      `import { Tokenizer } from ${quoted(dist, 'index.js')}; console.log((await Tokenizer.load('o200k_base')).encode('${TEXT}').join())`,
    ),
    /^24912,2375$/,
  ],
  'runDataset, 11 bytes': (dist) => [
    evaluated(`import { runDataset } from ${quoted(dist, 'dataset.js')}; console.log((await runDataset('tokens')).tokens)`),
    /^3$/,
  ],
  'crayon --version': (dist) => [[path.join(dist, 'cli.js'), '--version'], /^\d+\.\d+\.\d+/],
  'crayon --help': (dist) => [[path.join(dist, 'cli.js'), '--help'], /Usage: crayon/],
  'crayon count, 11 bytes': (dist) => [[path.join(dist, 'cli.js'), 'count', 'hello.txt'], /^2\thello\.txt$/],
  'crayon dataset run, 11 bytes': (dist) => [[path.join(dist, 'cli.js'), 'dataset', 'run', 'tokens', '--all'], /1 documents, 3 tokens/],
};

const planned = spawnSync(
  process.execPath,
  [path.join(distOf(packages[0]), 'cli.js'), 'dataset', 'plan', 'hello.txt', '--format', 'npy', '--output', 'tokens'],
  { cwd: home },
);
if (planned.status !== 0) throw new Error(`no plan: ${planned.stderr}`);

const contenders = [{ case: 'a script of nothing', package: '', args: ['--eval', '0'], expected: /^$/ }];
for (const [name, of] of Object.entries(CASES)) {
  for (const folder of packages) {
    const [args, expected] = of(distOf(folder));
    contenders.push({ case: name, package: path.basename(folder), args, expected });
  }
}
for (const { case: name, args, expected } of contenders) {
  fs.rmSync(shards, { recursive: true, force: true });
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: home, encoding: 'utf8' });
  if (status !== 0 || !expected.test(stdout.trim())) throw new Error(`${name}: ${status}, ${stdout}${stderr}`);
}

const stopWatching = watchLoad();
const rows = contenders.map(({ case: name, package: of }) => ({ case: name, package: of, milliseconds: [] }));
for (let round = 0; round < Number(values.rounds); round++) {
  contenders.forEach(({ args }, index) => {
    fs.rmSync(shards, { recursive: true, force: true });
    const began = performance.now();
    spawnSync(process.execPath, args, { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
    rows[index].milliseconds.push(Number((performance.now() - began).toFixed(2)));
  });
}
const around = stopWatching();
fs.rmSync(home, { recursive: true, force: true });

const result = { date: today(), machine: machine(), ...commit(), node: process.version, around, rows };
const report = reportOf(result);
console.log(report);
console.log(record(result, report, { question: 'start', out: values.out }));

function distOf(folder) {
  return path.join(folder, 'dist', 'node');
}

function quoted(dist, script) {
  return JSON.stringify(path.join(dist, script));
}

function evaluated(program) {
  return ['--input-type=module', '--eval', program];
}

function reportOf({ around: { load, foreign } }) {
  const shown = (numbers) => {
    const sorted = numbers.toSorted((a, b) => a - b);
    return `${sorted[sorted.length >> 1].toFixed(1)} (${sorted[0].toFixed(1)})`;
  };
  const of = (name, folder) => rows.find((row) => row.case === name && row.package === path.basename(folder)).milliseconds;
  const lines = Object.keys(CASES).map((name) => `| ${name} | ${packages.map((folder) => shown(of(name, folder))).join(' | ')} |`);
  const nothing = shown(rows[0].milliseconds);
  return `# Starting programs

Milliseconds of a process, medians of ${values.rounds} rounds in turns, and the shortest. Load before ${load.before[0].toFixed(1)}, after ${load.after[0].toFixed(1)}${foreign === null ? '' : `, other processes kept ${foreign.toFixed(1)} cores busy`}.
\`node bench/start/run.mjs\` says how this is measured.

| case | ${packages.map((folder) => path.basename(folder)).join(' | ')} |
|---|${'--:|'.repeat(packages.length)}
| a script of nothing | ${packages.map(() => nothing).join(' | ')} |
${lines.join('\n')}
`;
}
