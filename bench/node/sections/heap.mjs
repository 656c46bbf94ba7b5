/**
 * Memory that a million calls of `encode` leave behind: the chat messages in turn, after a warm-up of a quarter as many,
 * with the ids dropped, and the garbage collected before and after. A quick run measures only this package.
 */
import { withContender } from '../contender-process.mjs';
import { isOwn } from '../contenders/contenders.mjs';

const CALLS = 1_000_000;
const WARMED = CALLS / 4; // until the allocator has reached its steady state

export async function heap({ contenders, encodings, options, rows, say }) {
  const [encoding] = encodings;
  for (const spec of options.quick ? contenders.filter(isOwn) : contenders) {
    say(`heap: ${spec}, ${encoding}`);
    await withContender(spec, encoding, async (contender) => {
      await contender.ask('encodeMany', { text: 'chat', calls: WARMED });
      await contender.ask('memory'); // has its own code, which is compiled now
      const before = await contender.ask('memory');
      await contender.ask('encodeMany', { text: 'chat', calls: CALLS });
      const after = await contender.ask('memory');
      if (before === null) return;
      const row = { section: 'heap', encoding, text: 'chat', contender: spec, unit: 'MB' };
      rows.add({ ...row, operation: 'JavaScript heap', samples: [(after.heap - before.heap) / 1e6] });
      rows.add({ ...row, operation: 'private memory', samples: [(after.private - before.private) / 1e6] });
    });
  }
}
