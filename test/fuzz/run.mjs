/**
 * `npm run fuzz`: runs generated strings through our tokenizer and the live reference, until they differ or the count is
 * reached.
 *
 *     npm run fuzz -- --strings N      strings per encoding (default 100,000)
 *     npm run fuzz -- --seed S         (default: a new one every run, printed)
 *     npm run fuzz -- --encodings a,b  (default: all)
 *     npm run fuzz -- --index I        only one string, to reproduce a failure
 *     npm run fuzz -- --failures N     stop an encoding after N differences (default 5)
 *     npm run fuzz -- --contender gpt-tokenizer   compare another package with the reference
 *     npm run fuzz -- --cache-bytes 65536,default,268435456   ours once for each: each string with every cache size; caches
 *                                      fill as strings arrive, and the reference has none
 */
import { parseArgs } from 'node:util';
import { ENCODINGS, loadTiktoken } from '../golden/references.mjs';
import { CONTENDERS } from './contenders.mjs';
import { differenceOn, escaped, report } from './differential.mjs';
import { nastyString, textsOf } from './strings.mjs';

const { values: flags } = parseArgs({
  options: {
    strings: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    encodings: { type: 'string', default: ENCODINGS.join(',') },
    index: { type: 'string' },
    failures: { type: 'string', default: '5' },
    contender: { type: 'string', default: 'crayon-tokenizer' },
    'cache-bytes': { type: 'string', default: 'default' },
  },
});
const whole = (name, text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) {
    console.error(`--${name}: expected a whole number but received '${text}'`);
    process.exit(2);
  }
  return value;
};
const seed = flags.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : whole('seed', flags.seed);
const first = flags.index === undefined ? 0 : whole('index', flags.index);
const count = flags.index === undefined ? whole('strings', flags.strings) : 1;
const load = CONTENDERS[flags.contender];
const encodings = flags.encodings.split(',');
const unknown = encodings.find((name) => !ENCODINGS.includes(name));
if (load === undefined || unknown !== undefined) {
  console.error(
    load === undefined
      ? `--contender: one of ${Object.keys(CONTENDERS).join(', ')}`
      : `--encodings: '${unknown}' is none of ${ENCODINGS.join(', ')}`,
  );
  process.exit(2);
}

const sizes = flags['cache-bytes'].split(',').map((size) => (size === 'default' ? undefined : whole('cache-bytes', size)));
const caches = sizes.length > 1 || sizes[0] !== undefined ? `, caches of ${flags['cache-bytes']} bytes` : '';

/** The reference; every contender asks it for each string. */
function rememberingTheLast(reference) {
  let [last, ids] = [];
  return { ...reference, encode: (text) => (text === last ? ids : (([last, ids] = [text, reference.encode(text)]), ids)) };
}

console.log(`seed ${seed}, ${count} strings for each of ${encodings.join(', ')}, ${flags.contender} against tiktoken${caches}`);
let failures = 0;
for (const encoding of encodings) {
  const reference = await loadTiktoken(encoding);
  const remembering = rememberingTheLast(reference);
  const contenders = [];
  for (const cacheBytes of sizes) contenders.push(await load(encoding, { cacheBytes }));
  const tokens = textsOf(reference.vocabulary());
  const began = Date.now();
  let units = 0;
  let found = 0;
  let index = first;
  for (; index < first + count && found < whole('failures', flags.failures); index++) {
    const text = nastyString(seed, index, tokens);
    units += text.length;
    if (flags.index !== undefined) console.log(`text ${escaped(text)}\nids  ${reference.encode(text).join(' ')}`);
    const contender = contenders.find((each) => differenceOn(text, each, remembering) !== null);
    if (contender === undefined) continue;
    found++;
    const origin = `npm run fuzz -- --encodings ${encoding} --seed ${seed} --index ${index}`;
    console.log(report({ encoding, text, contender, reference, origin }));
  }
  failures += found;
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(
    `${encoding.padEnd(14)} ${index - first} strings, ${(units / 1e6).toFixed(1)} million units, ${seconds} s: ${found === 0 ? 'the same ids' : `${found} DIFFERENCES`}`,
  );
  reference.free();
}
process.exitCode = failures > 0 ? 1 : 0;
