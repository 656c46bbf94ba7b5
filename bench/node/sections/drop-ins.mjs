/**
 * This package's drop-ins and the packages they replace: the time of a call of the drop-in over that of the original,
 * whose ids it must give. The two take turns, and the ratio is formed within a round.
 */
import { referenceOf } from '../../texts/references.mjs';
import { ContenderProcess } from '../contender-process.mjs';

const ORIGINALS = ['tiktoken', 'gpt-tokenizer'];
const TEXTS = ['hi', 'english-60', 'chinese-20', 'english:1000000'];
const OPERATIONS = ['encode', 'decode'];

export async function dropIns({ contenders, encodings, options, rows, say }) {
  const [encoding] = encodings;
  for (const spec of contenders.filter((each) => /^crayon(@|$)/.test(each))) {
    for (const original of ORIGINALS) {
      const pair = [spec.replace('crayon', `${original}-drop-in`), original].map((each) => new ContenderProcess(each));
      try {
        say(`drop-ins: ${original}, ${encoding}`);
        if (!(await loaded(pair, encoding))) continue;
        await measure(pair, { section: 'drop-ins', encoding, contender: spec, unit: '×' }, options, rows);
      } finally {
        await Promise.all(pair.map((contender) => contender.end()));
      }
    }
  }
}

/** Whether both exist: an older checkout may have no drop-ins. */
async function loaded(pair, encoding) {
  try {
    for (const contender of pair) await contender.ask('load', { spec: contender.spec, encoding });
    return true;
  } catch (error) {
    console.error(`drop-ins: ${pair[0].spec} is left out: ${error.message}`);
    return false;
  }
}

async function measure(pair, row, options, rows) {
  const [dropIn, original] = pair;
  for (const text of TEXTS) {
    const { sha256, decodes } = await dropIn.ask('identify', { text });
    const exact = decodes && sha256 === referenceOf(row.encoding, text).sha256;
    for (const operation of OPERATIONS) {
      const samples = [];
      for (let round = -1; round < options.rounds; round++) {
        const times = new Map();
        for (const contender of round % 2 === 0 ? pair : [original, dropIn]) {
          times.set(contender, await contender.ask('call', { text, operation, budget: options.turn / 2 }));
        }
        if (round >= 0) samples.push(times.get(dropIn) / times.get(original)); // the first round is for the compilers
      }
      const note = exact ? undefined : 'not exact';
      rows.add({ ...row, text, operation: `${operation}, over that of ${original.spec}`, samples, note });
    }
  }
}
