/**
 * Runs the modules of examples one by one and prints the failures and the output of each as JSON.
 *
 *     node run.mjs FOLDER     with an examples.json: [{ file, checked: [line, …] }, …]
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, inspect, isDeepStrictEqual, types } from 'node:util';

const folder = path.resolve(process.argv[2]);
let problems;
let unseen;
let printed;

/**
 * Checks a comment: `actual()` must return this value, or throw this error.
 * @param {number} line
 * @param {() => unknown} actual
 * @param {{ value: unknown } | { throws: string, code?: string }} expected
 */
globalThis.check = (line, actual, expected) => {
  unseen.delete(line);
  const wrong = problems;
  const compare = (outcome) => {
    const problem = difference(outcome, expected);
    if (problem !== undefined) wrong.push(`line ${line}: ${problem}`);
  };
  try {
    const value = actual();
    if (!types.isAsyncFunction(actual)) return compare({ value });
    return value.then(
      (value) => compare({ value }),
      (error) => compare({ error }),
    );
  } catch (error) {
    return compare({ error });
  }
};

function difference(outcome, expected) {
  if ('throws' in expected) {
    const wanted = expected.code === undefined ? expected.throws : `${expected.throws} (${expected.code})`;
    if (!('error' in outcome)) return `is ${inspect(outcome.value)} instead of throwing ${wanted}`;
    const { name, code } = outcome.error;
    if (name === expected.throws && (expected.code === undefined || code === expected.code)) return undefined;
    return `throws ${outcome.error} (${code}) instead of ${wanted}`;
  }
  if ('error' in outcome) return `throws ${outcome.error} instead of being ${inspect(expected.value)}`;
  if (isDeepStrictEqual(outcome.value, expected.value)) return undefined;
  return `is ${inspect(outcome.value)} instead of ${inspect(expected.value)}`;
}

console.log = (...values) => {
  printed += `${format(...values)}\n`;
};

const outcomes = [];
for (const { file, checked } of JSON.parse(fs.readFileSync(path.join(folder, 'examples.json'), 'utf8'))) {
  problems = [];
  unseen = new Set(checked);
  printed = '';
  try {
    await import(pathToFileURL(path.join(folder, file)).href);
  } catch (error) {
    problems.push(`throws ${error}`);
  }
  for (const line of unseen) problems.push(`line ${line}: is not reached`);
  outcomes.push({ problems, printed });
}
process.stdout.write(JSON.stringify(outcomes));
