/**
 * How long `npm install` takes, and the first ids after it: `node bench/install/run.mjs [--rounds 5] [--out FILE.json] [TARBALL …]`.
 *
 * A registry on this machine (scripts/registry.mjs) has the packed package, by default crayon-tokenizer-*.tgz in the project's root, and
 * a package of one small file. Each round installs each of them into an empty folder, with an empty cache, in turns: the empty one shows
 * what npm itself takes. Then a program imports the package by name and prints ids.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { npm } from '../../scripts/npm.mjs';
import { outputOf, root } from '../../scripts/process.mjs';
import { startRegistry } from '../../scripts/registry.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { record, today } from '../record.mjs';

const PROGRAM =
  "import { Tokenizer } from 'crayon-tokenizer'; console.log((await Tokenizer.load('o200k_base')).encode('hello world').join());";
const IDS = '24912,2375';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, out: { type: 'string' } },
});
const tarballs = positionals.length > 0 ? positionals.map((file) => path.resolve(file)) : packedHere();
if (tarballs.length === 0) throw new Error('`npm run pack` first, or name a tarball');

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-install-'));
const stopWatching = watchLoad();
const contenders = [
  { name: 'an empty package', tarball: packEmpty() },
  ...tarballs.map((tarball) => ({ name: path.basename(tarball), tarball })),
];
const rows = [];
for (const contender of contenders) {
  contender.registry = await startRegistry(path.join(home, `registry-${contenders.indexOf(contender)}`));
  const { url, userconfig } = contender.registry;
  npm(['publish', contender.tarball, '--access', 'public', '--registry', url, '--userconfig', userconfig]);
}
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [index, contender] of contenders.entries()) rows.push({ round, name: contender.name, ...measure(contender, index > 0) });
}
for (const { registry } of contenders) await registry.stop();
fs.rmSync(home, { recursive: true, force: true });

const around = stopWatching();
const result = { date: today(), machine: machine(), ...commit(), npm: outputOf('npm', ['--version']), around, rows };
const report = reportOf(result);
console.log(report);
console.log(record(result, report, { question: 'install', out: values.out }));

function packedHere() {
  return fs
    .readdirSync(root)
    .filter((name) => /^crayon-tokenizer-\d.*\.tgz$/.test(name))
    .map((name) => path.join(root, name));
}

function packEmpty() {
  const folder = path.join(home, 'empty');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'empty', version: '1.0.0', main: 'index.js' }));
  fs.writeFileSync(path.join(folder, 'index.js'), '');
  npm(['pack', folder, '--pack-destination', home]);
  return path.join(home, 'empty-1.0.0.tgz');
}

/** Seconds on the clock: of `npm install NAME`, and of the program behind it. */
function measure({ registry, tarball }, hasIds) {
  const folder = fs.mkdtempSync(path.join(home, 'project-'));
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
  const name = hasIds ? 'crayon-tokenizer' : path.basename(tarball).split('-')[0];
  const began = performance.now();
  npm(['install', name, '--registry', registry.url, '--cache', path.join(folder, '.cache'), '--no-audit', '--no-fund'], { cwd: folder });
  const installed = performance.now();
  const files = fs.readdirSync(path.join(folder, 'node_modules', name), { recursive: true, withFileTypes: true });
  const counted = { bytes: fs.statSync(tarball).size, files: files.filter((each) => each.isFile()).length };
  if (hasIds) {
    const env = { ...process.env, CRAYON_CACHE: path.join(folder, '.crayon') };
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], { cwd: folder, encoding: 'utf8', env });
    if (stdout.trim() !== IDS) throw new Error(`other ids than ${IDS}: ${stdout}`);
  }
  const ended = performance.now();
  fs.rmSync(folder, { recursive: true, force: true });
  return { install: (installed - began) / 1000, ...(hasIds ? { firstIds: (ended - installed) / 1000 } : {}), ...counted };
}

function reportOf({ npm: version, around: { load, foreign }, rows: all }) {
  const lines = contenders.map(({ name }) => {
    const own = all.filter((row) => row.name === name);
    const middle = (of) => own.map(of).sort((a, b) => a - b)[Math.floor(own.length / 2)];
    const seconds = (of) => (of(own[0]) === undefined ? '' : `${middle(of).toFixed(2)} s`);
    const { bytes, files } = own[0];
    return `| ${name} | ${(bytes / 1e6).toFixed(2)} | ${files} | ${seconds((row) => row.install)} | ${seconds((row) => row.firstIds)} |`;
  });
  return `# npm install

npm ${version}; ${values.rounds} rounds in turns, medians; load before ${load.before[0].toFixed(1)}, after ${load.after[0].toFixed(1)}${foreign === null ? '' : `, other processes kept ${foreign.toFixed(1)} cores busy`}.
\`node bench/install/run.mjs\` says how this is measured.

| package | MB, packed | files | npm install | first ids |
|---|--:|--:|--:|--:|
${lines.join('\n')}
`;
}
