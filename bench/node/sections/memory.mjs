/**
 * The memory growth of a process by a contender: before its import, after loading, and after encoding 4 MB of English and
 * dropping the ids, each time after garbage collection. `private` excludes the mapped cartridge: every process that maps
 * the file shares its pages.
 */
import { ContenderProcess } from '../contender-process.mjs';

const TEXT = 'english';

export async function memory({ contenders, encodings, options, rows, say }) {
  for (const encoding of encodings) {
    for (const spec of contenders) {
      say(`memory: ${spec}, ${encoding}`);
      const gained = new Map();
      for (let repeat = 0; repeat < options.repeats; repeat++) {
        const contender = new ContenderProcess(spec);
        try {
          const before = await contender.ask('memory');
          if (before === null) return;
          await contender.ask('load', { spec, encoding });
          note(gained, 'loaded', before, await contender.ask('memory'));
          // The text itself does not count for the contender: it exists before and after.
          await contender.ask('hold', { text: TEXT });
          const held = await contender.ask('memory');
          await contender.ask('touch', { text: TEXT });
          const used = await contender.ask('memory');
          for (const kind of Object.keys(used)) used[kind] -= held[kind];
          note(gained, 'gained by encoding', { resident: 0, cartridge: 0, private: 0, anonymous: 0 }, used);
        } finally {
          await contender.end();
        }
      }
      for (const [operation, samples] of gained) {
        rows.add({ section: 'memory', encoding, text: '', operation, contender: spec, unit: 'MB', samples });
      }
    }
  }
}

function note(gained, when, before, after) {
  for (const kind of ['resident', 'cartridge', 'private']) {
    const operation = `${when}, ${kind === 'cartridge' ? 'mapped cartridge' : kind}`;
    if (!gained.has(operation)) gained.set(operation, []);
    gained.get(operation).push((after[kind] - before[kind]) / 1e6);
  }
}
