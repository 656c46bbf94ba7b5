/** What one call with a short text costs, warm: the same text again and again. */
import { ContenderProcess } from '../contender-process.mjs';

const CALLS = [
  { name: "'hi'", text: 'hi' },
  { name: '60 characters of English', text: 'The quick brown fox jumps over the lazy dog, and then sleeps' },
  { name: '20 characters of Chinese', text: '今天天气很好我们一起去公园散步然后喝一杯' },
];

export async function calls({ contenders, encodings, options, rows, say }) {
  for (const encoding of encodings) {
    const processes = contenders.map((spec) => new ContenderProcess(spec));
    try {
      for (const contender of processes) await contender.ask('load', { spec: contender.spec, encoding });
      for (const { name, text } of CALLS) {
        for (const operation of ['encode', 'count', 'decode']) {
          say(`calls: ${operation} ${name}, ${encoding}`);
          for (const contender of processes) {
            if (!(await contender.ask('can', { operation }))) continue;
            await contender.ask('call', { text, operation, budget: options.turn });
          }
          const samples = new Map(contenders.map((spec) => [spec, []]));
          for (let round = 0; round < options.rounds; round++) {
            for (const contender of processes) {
              if (!(await contender.ask('can', { operation }))) continue;
              const nanoseconds = await contender.ask('call', { text, operation, budget: options.turn / 3 });
              samples.get(contender.spec).push(nanoseconds / 1000);
            }
          }
          for (const [spec, each] of samples) {
            if (each.length === 0) continue;
            rows.add({ section: 'calls', encoding, text: name, operation, contender: spec, unit: 'µs', samples: each });
          }
        }
      }
    } finally {
      await Promise.all(processes.map((contender) => contender.end()));
    }
  }
}
