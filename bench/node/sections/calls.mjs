/** The cost of one call with a short text, warm: the same text repeatedly. The contenders take turns, in rounds. */
import { SHORT_TEXTS } from '../../texts/texts.mjs';
import { ContenderProcess } from '../contender-process.mjs';

export async function calls({ contenders, encodings, options, rows, say }) {
  for (const encoding of encodings) {
    const processes = contenders.map((spec) => new ContenderProcess(spec));
    try {
      for (const contender of processes) await contender.ask('load', { spec: contender.spec, encoding });
      for (const text of SHORT_TEXTS) {
        for (const operation of ['encode', 'count', 'decode']) {
          say(`calls: ${operation} ${text}, ${encoding}`);
          const able = [];
          for (const contender of processes) if (await contender.ask('can', { operation })) able.push(contender);
          const samples = new Map(able.map(({ spec }) => [spec, []]));
          // The first round is for the compilers.
          for (let round = -1; round < options.rounds; round++) {
            for (let turn = 0; turn < able.length; turn++) {
              const contender = able[(turn + round + 1) % able.length];
              const nanoseconds = await contender.ask('call', { text, operation, budget: options.turn / 2 });
              if (round >= 0) samples.get(contender.spec).push(nanoseconds / 1000);
            }
          }
          for (const [spec, each] of samples) {
            rows.add({ section: 'calls', encoding, text, operation, contender: spec, unit: 'µs', samples: each });
          }
        }
      }
    } finally {
      await Promise.all(processes.map((contender) => contender.end()));
    }
  }
}
