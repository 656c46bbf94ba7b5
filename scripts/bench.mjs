/**
 * `npm run bench`: builds what is to be measured and measures it: the engine alone (bench/native/run.mjs), then the package
 * beside others in Node (bench/node/run.mjs). `npm run bench -- engine …` and `npm run bench -- node …` run one of them and
 * take its own options; both know --quick, --encodings, --save, --no-save, --machine and --wait.
 */
import path from 'node:path';
import { buildAddon, buildNative, buildTypeScript } from './build.mjs';
import { buildCartridges } from './cartridges.mjs';
import { root, run, runMain } from './process.mjs';
import { setUp } from './setup.mjs';

await runMain(() => {
  const given = process.argv.slice(2);
  const harnesses = ['engine', 'node'].includes(given[0]) ? [given.shift()] : ['engine', 'node'];
  setUp('test');
  buildAddon();
  buildTypeScript();
  buildCartridges();
  for (const harness of harnesses) {
    if (harness === 'engine') buildNative('release', ['crayon_bench'], { reconfigure: true });
    run(process.execPath, [path.join(root, 'bench', harness === 'engine' ? 'native' : 'node', 'run.mjs'), ...given]);
  }
});
