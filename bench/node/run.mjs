/**
 * The package and others, in Node: `npm run bench`, or `node bench/node/run.mjs --help`. bench/README.md describes the
 * measurements.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { commit, machine, quiet, watchLoad } from '../machine.mjs';
import { record, today } from '../record.mjs';
import { describe, isText } from '../texts/texts.mjs';
import { withContender } from './contender-process.mjs';
import { defaultsOf } from './contenders/contenders.mjs';
import { optionsOf, UsageError } from './options.mjs';
import { report } from './report.mjs';
import { Rows } from './rows.mjs';
import { adversarial } from './sections/adversarial.mjs';
import { calls } from './sections/calls.mjs';
import { cartridges } from './sections/cartridges.mjs';
import { dropIns } from './sections/drop-ins.mjs';
import { exactness } from './sections/exactness.mjs';
import { firstSight } from './sections/first-sight.mjs';
import { heap } from './sections/heap.mjs';
import { load } from './sections/load.mjs';
import { memory } from './sections/memory.mjs';
import { operations } from './sections/operations.mjs';
import { packageSize } from './sections/package-size.mjs';
import { profiles } from './sections/profiles.mjs';
import { stream } from './sections/stream.mjs';
import { warm } from './sections/warm.mjs';

const sections = {
  exactness,
  stream,
  warm,
  'first-sight': firstSight,
  adversarial,
  calls,
  operations,
  'drop-ins': dropIns,
  load,
  memory,
  heap,
  profiles,
  cartridges,
  package: packageSize,
};
/** Sections for which the first vocabulary is enough. */
const ONE_ENCODING = ['adversarial', 'calls', 'operations', 'drop-ins', 'load', 'memory', 'heap'];

/** @returns {Promise<object>} the result, which the JSON file holds */
export async function run(options) {
  const say = progress();
  if (options.wait > 0) {
    say('waiting for the machine to be quiet');
    if (!(await quiet(options.wait))) console.error(`the machine was not quiet within ${options.wait} s`);
  }
  const load = watchLoad();
  const rows = new Rows();
  const { contenders, packages } = await available(options, say);
  const context = { ...options, adversarialTexts: options.adversarial, options, rows, say };
  const spent = {};
  for (const name of options.sections) {
    const begin = Date.now();
    await sections[name]({
      ...context,
      contenders: options.contendersNamed ? contenders : defaultsOf(contenders, name),
      encodings: ONE_ENCODING.includes(name) ? options.encodings.slice(0, 1) : options.encodings,
    });
    spent[name] = Math.round((Date.now() - begin) / 1000);
  }
  say('');
  return {
    format: 1,
    date: today(),
    ...commit(),
    machine: machine(),
    packages,
    contenders,
    options: Object.fromEntries(
      ['encodings', 'sections', 'texts', 'rounds', 'turn', 'limit', 'repeats', 'loads'].map((name) => [name, options[name]]),
    ),
    ...load(),
    secondsOfSections: spent,
    texts: describe(rows.all.map((row) => row.text).filter(isText)),
    rows: rows.all,
  };
}

/** The contenders that load, with their versions; the others are reported with the reason. */
async function available({ contenders, encodings }, say) {
  const packages = {};
  for (const spec of contenders) {
    say(`trying ${spec}`);
    try {
      for (const encoding of encodings) {
        await withContender(spec, encoding, async (_, { version, backend }) => {
          packages[spec] = { version, backend };
        });
      }
    } catch (error) {
      delete packages[spec];
      say('');
      console.error(`${spec} is left out: ${error.message}`);
    }
  }
  return { contenders: contenders.filter((spec) => spec in packages), packages };
}

/** Writes the current step to a terminal, on one line that is overwritten. */
function progress() {
  if (!process.stderr.isTTY) return () => {};
  return (text) => process.stderr.write(`\r\u001b[K${text}`);
}

async function main() {
  const options = optionsOf(process.argv.slice(2));
  if (options.help) {
    console.log(options.help);
    return;
  }
  const result = await run(options);
  const text = report(result);
  console.log(text);
  if (!options.save) return;
  const file = record(result, text, { question: 'node', out: options.out });
  console.log(`written: ${path.relative(process.cwd(), file)}`);
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
