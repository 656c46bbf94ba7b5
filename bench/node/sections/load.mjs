/**
 * From nothing to ids. `import` and `load` inside a fresh process, each once; `load again` in the same process; and the
 * whole process to first ids, over an empty `node -e ''`. The file cache of the system is warm.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { withContender } from '../contender-process.mjs';
import { contenderNamed } from '../contenders/contenders.mjs';
import { median, now } from '../timing.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const FIRST = { text: 'hello world', tokens: 2 };

export async function load({ contenders, encodings, options, rows, say }) {
  for (const encoding of encodings) {
    const times = new Map(
      contenders.map((spec) => [spec, { import: [], load: [], 'import + load': [], 'load again': [], 'first ids': [] }]),
    );
    const empty = [];
    for (let repeat = 0; repeat < options.loads; repeat++) {
      say(`load: ${encoding}, ${repeat + 1} of ${options.loads}`);
      empty.push(runNode(''));
      for (const [spec, each] of times) {
        await withContender(spec, encoding, async (contender, loaded) => {
          each.import.push(loaded.import / 1e6);
          each.load.push(loaded.load / 1e6);
          each['import + load'].push((loaded.import + loaded.load) / 1e6);
          each['load again'].push((await contender.ask('loadAgain', { encoding })).time / 1e6);
        });
        const source = (await contenderNamed(spec)).firstIds(encoding, FIRST.text);
        each['first ids'].push(runNode(`${source}\nif (ids.length !== ${FIRST.tokens}) process.exit(1);`));
      }
    }
    const floor = median(empty);
    rows.add({ section: 'load', encoding, text: '', operation: 'first ids', contender: "node -e ''", unit: 'ms', samples: empty });
    for (const [spec, each] of times) {
      for (const [operation, samples] of Object.entries(each)) {
        rows.add({ section: 'load', encoding, text: '', operation, contender: spec, unit: 'ms', samples });
      }
      rows.add({
        section: 'load',
        encoding,
        text: '',
        operation: 'first ids, over an empty process',
        contender: spec,
        unit: 'ms',
        samples: each['first ids'].map((time) => time - floor),
      });
    }
  }
}

/** Milliseconds of a whole process that runs a source text. */
function runNode(source) {
  const kind = source === '' ? [] : ['--input-type=module'];
  const begin = now();
  const result = spawnSync(process.execPath, [...kind, '-e', source], { cwd: here, stdio: ['ignore', 'ignore', 'pipe'] });
  const time = (now() - begin) / 1e6;
  if (result.status !== 0) throw new Error(`a process failed:\n${source}\n${result.stderr}`);
  return time;
}
