/**
 * The same text repeatedly: caches full, code compiled. Every contender has its own process; they take turns, round by
 * round, so that a slowdown of the machine affects all, and a ratio is formed within a round. A contender that needs n
 * turns for one pass has a turn in every n-th round. Beyond the first encoding, only encoding is measured.
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
        const encodedOnly = encoding !== encodings[0] || ENCODED_ONLY.includes(text);
        const operations = encodedOnly ? ['encode'] : OPERATIONS[messages ? 'messages' : 'text'];
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
  const speeds = new Map(able.map(({ spec }) => [spec, []])); // by round
  const every = new Map();
  const timed = (contender) => contender.ask('turn', { operation, text, budget: options.turn, least: 1 });
  for (const contender of able) every.set(contender, Math.ceil((await timed(contender)).median / options.turn));
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < able.length; turn++) {
      const contender = able[(turn + round) % able.length];
      if (round % every.get(contender) !== 0) continue;
      speeds.get(contender.spec)[round] = mbps(bytes, (await timed(contender)).median);
    }
  }
  const first = speeds.get(processes[0].spec);
  for (const [spec, byRound] of speeds) {
    const samples = byRound.filter((speed) => speed !== undefined);
    const ratios = first?.map((speed, round) => speed / byRound[round]).filter((ratio) => !Number.isNaN(ratio));
    const ratio = ratios?.length > 0 ? Number(median(ratios).toPrecision(3)) : undefined;
    rows.add({ section: 'warm', encoding, text, operation, contender: spec, unit: 'MB/s', samples, ratio });
  }
}
