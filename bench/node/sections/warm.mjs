/**
 * The same text again and again: caches full, code compiled. Every contender has its process; they take turns, round by
 * round, so that a machine that slows down does so for all, and a ratio is formed within a round.
 */
import { textNamed } from '../../texts/texts.mjs';
import { ContenderProcess } from '../contender-process.mjs';
import { mbps, median } from '../timing.mjs';

const OPERATIONS = { text: ['encode', 'count', 'decode'], messages: ['encode', 'count', 'encodeBatch'] };
// Decoding and counting depend little on the language.
const ENCODED_ONLY = ['json', 'chinese', 'japanese', 'korean', 'russian', 'hindi', 'arabic', 'thai', 'png-base64'];

export async function warm({ contenders, encodings, texts, options, rows, say }) {
  for (const encoding of encodings) {
    const processes = contenders.map((spec) => new ContenderProcess(spec));
    try {
      for (const contender of processes) await contender.ask('load', { spec: contender.spec, encoding });
      for (const text of texts) {
        const { messages } = textNamed(text);
        const operations = ENCODED_ONLY.includes(text) ? ['encode'] : OPERATIONS[messages ? 'messages' : 'text'];
        for (const operation of operations) {
          say(`warm: ${operation} ${text}, ${encoding}`);
          await turns(processes, encoding, text, operation, options, rows);
        }
      }
    } finally {
      await Promise.all(processes.map((contender) => contender.end()));
    }
  }
}

async function turns(processes, encoding, text, operation, options, rows) {
  const able = [];
  for (const contender of processes) if (await contender.ask('can', { operation })) able.push(contender);
  if (able.length === 0) return;
  const { bytes } = textNamed(text);
  const speeds = new Map(able.map(({ spec }) => [spec, []]));
  for (const contender of able) await contender.ask('turn', { operation, text, budget: options.turn, least: 1 });
  for (let round = 0; round < options.rounds; round++) {
    for (let place = 0; place < able.length; place++) {
      const contender = able[(place + round) % able.length];
      const turn = await contender.ask('turn', { operation, text, budget: options.turn, least: 1 });
      speeds.get(contender.spec).push(mbps(bytes, turn.median));
    }
  }
  const first = speeds.get(processes[0].spec);
  for (const [spec, samples] of speeds) {
    const ratio = first && median(samples.map((speed, round) => first[round] / speed));
    rows.add({ section: 'warm', encoding, text, operation, contender: spec, unit: 'MB/s', samples, ratio: ratio && Number(ratio.toPrecision(3)) });
  }
}
