/**
 * `node in-vitest.mjs VITEST BACKEND`: the check as a Vitest test; VITEST is the program, whose tests run in their own
 * node:vm contexts. Reports like check.mjs.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [vitest, backend = 'native'] = process.argv.slice(2);
const folder = path.dirname(fileURLToPath(import.meta.url));
const report = path.join(folder, 'report.json');

for (const name of ['one', 'two']) {
  // Vitest caches a module that two test files import.
  fs.copyFileSync(path.join(folder, 'check.mjs'), path.join(folder, `${name}.mjs`));
  fs.writeFileSync(
    path.join(folder, `${name}.test.mjs`),
    `test('the check', { timeout: 120_000 }, async () => {
       process.argv.splice(2, Infinity, ${JSON.stringify(backend)}, ${JSON.stringify(`${report}.${name}`)});
       await import('./${name}.mjs');
     });`,
  );
}
// Results equal values that a test makes itself, with the classes of its own context.
fs.writeFileSync(
  path.join(folder, 'results.test.mjs'),
  `import * as texts from 'crayon-tokenizer';
   import * as dna from 'crayon-tokenizer/dna';
   import own from './own-results.cjs';
   test('results', { timeout: 120_000 }, async () => {
     const results = await own.resultsOf({ ...texts, ...dna });
     // Vitest shares these two among all its contexts.
     expect(own.foreignIn(results, [Uint8Array, ArrayBuffer])).toEqual([]);
     expect(results.encode.subarray(0, 2)).toStrictEqual(Uint32Array.of(24912, 2375));
     expect(results['encodeAsync of a long text'].subarray(0, 2)).toStrictEqual(Uint32Array.of(24912, 2375));
     expect(results.encodeWithOffsets.offsets.subarray(0, 4)).toStrictEqual(Uint32Array.of(0, 5, 5, 11));
     expect(results['a matrix of DNA'].shape).toBeInstanceOf(Array);
     expect(results.trainBpe.merges[0]).toStrictEqual([75, 78]);
   });`,
);
const args = [vitest, 'run', '--root', folder, '--globals', '--pool', 'vmThreads'];
const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
const reports = ['one', 'two'].map((name) => `${report}.${name}`).map((file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''));
const isOk = status === 0 && reports.every((said) => said.includes('"ok":true'));
console.log(isOk ? reports[0].trim() : [...reports, stdout, stderr].join('\n'));
if (!isOk) process.exitCode = 1;
