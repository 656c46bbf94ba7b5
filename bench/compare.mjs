/**
 * Two results, or two commits, side by side: `npm run bench:compare A B`.
 *
 * A and B are result files; or commits, which are then built in a temporary folder and run as two contenders of one
 * interleaved run, so that machine noise affects both alike. Options after A and B go to that run (--quick, …).
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { optionsOf, UsageError } from './node/options.mjs';
import { higherIsBetter, keyOf } from './node/rows.mjs';
import { run } from './node/run.mjs';
import { grid, shown } from './tables.mjs';
import { cacheFolder } from './texts/references.mjs';

/** Runs of the same build differ by this much. */
const NOTICEABLE = 1.05;

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * Tables of the rows that both have. A difference counts if the two ranges do not overlap and it is noticeable.
 * @param {import('./node/rows.mjs').Row[]} before
 * @param {import('./node/rows.mjs').Row[]} after
 */
export function comparison(before, after) {
  const earlier = new Map(before.map((row) => [keyOf(row), row]));
  const pairs = after.map((row) => [earlier.get(keyOf(row)), row]).filter(([a, b]) => a?.value > 0 && b.value > 0 && b.unit !== 'exact');
  const out = [];
  for (const section of new Set(pairs.map(([, row]) => row.section))) {
    const some = pairs.filter(([, row]) => row.section === section);
    out.push(`## ${section}`, '');
    const body = some.map(([a, b]) => {
      const name = [b.contender, b.encoding, b.text, b.operation].filter(Boolean).join(', ');
      return [`${name}, ${b.unit}`, shown(a.value), shown(b.value), `${shown(gain(a, b))}×`, verdict(a, b)];
    });
    const mean = Math.exp(some.reduce((sum, [a, b]) => sum + Math.log(gain(a, b)), 0) / some.length);
    out.push(...grid(['', 'A', 'B', 'B is', ''], [...body, ['geometric mean', '', '', `${shown(mean)}×`, '']]), '');
  }
  return out.join('\n');
}

/** B relative to A; above 1 is better. */
function gain(a, b) {
  return higherIsBetter(b.unit) ? b.value / a.value : a.value / b.value;
}

function verdict(a, b) {
  if (a.low === undefined || b.low === undefined) return ''; // one sample proves nothing
  if (a.high >= b.low && b.high >= a.low) return '';
  const times = gain(a, b);
  return times >= NOTICEABLE ? 'better' : times <= 1 / NOTICEABLE ? '**worse**' : '';
}

/** A built checkout of a commit; created once. */
function checkout(commit) {
  const named = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], {
    cwd: root,
    encoding: 'utf8',
  });
  if (named.status !== 0) throw new UsageError(`${commit} is neither a result file nor a commit`);
  const sha = named.stdout.trim();
  const folder = path.join(cacheFolder(), `checkout-${sha.slice(0, 12)}`);
  const complete = path.join(folder, 'build', 'complete');
  if (fs.existsSync(complete)) return folder;
  console.error(`building ${commit} in ${folder}`);
  fs.rmSync(folder, { recursive: true, force: true });
  must('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder], root);
  must('git', ['checkout', '--quiet', '--detach', sha], folder);
  // The same lock file means the same packages; otherwise the set-up installs its own.
  if (same(path.join(root, 'package-lock.json'), path.join(folder, 'package-lock.json'))) {
    fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  }
  must(process.execPath, ['scripts/build.mjs'], folder);
  must(process.execPath, ['scripts/cartridges.mjs'], folder);
  fs.writeFileSync(complete, '');
  return folder;
}

function same(one, other) {
  return fs.existsSync(other) && fs.readFileSync(one).equals(fs.readFileSync(other));
}

function must(command, args, cwd) {
  const result = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed in ${cwd}`);
}

async function main() {
  const [a, b, ...rest] = process.argv.slice(2);
  if (a === undefined || b === undefined) throw new UsageError('usage: npm run bench:compare -- A B [options of the harness]');
  if (fs.existsSync(a) && fs.existsSync(b)) {
    const [before, after] = [a, b].map((file) => JSON.parse(fs.readFileSync(file, 'utf8')));
    console.log(`A: ${a} (${before.commit}), B: ${b} (${after.commit})\n`);
    if (before.machine.cpu !== after.machine.cpu) console.log('**different machines: only ratios within a file say something**\n');
    console.log(comparison(before.rows, after.rows));
    return;
  }
  const contenders = [a, b].map((commit) => `crayon@${checkout(commit)}`);
  if (contenders[0] === contenders[1]) throw new UsageError(`${a} and ${b} are the same commit`);
  const options = optionsOf([
    '--only',
    'exactness,stream,warm,first-sight,adversarial,calls,operations,drop-ins,load,memory,heap',
    ...rest,
    '--contenders',
    contenders.join(','),
  ]);
  const { rows } = await run(options);
  const inexact = rows.filter((row) => row.unit === 'exact' && row.value === 0);
  for (const row of inexact)
    console.log(`**not exact**: ${contenders.indexOf(row.contender) === 0 ? a : b}, ${row.encoding}, ${row.text}: ${row.note}`);
  console.log(`A: ${a}, B: ${b}\n`);
  const of = (index) => rows.filter((row) => row.contender === contenders[index]).map((row) => ({ ...row, contender: 'crayon' }));
  console.log(comparison(of(0), of(1)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
