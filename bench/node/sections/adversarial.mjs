/**
 * Texts made to be slow. A process for each, which is ended when its one pass takes longer than the limit: some contenders
 * are quadratic in a piece. Every size is tried, the small one first; whoever fails at it is not asked for the larger one.
 * The ids are compared after the pass, since there may be none. Only the first encoding: those who are slow are so in all.
 */
import { referenceOf } from '../../texts/references.mjs';
import { textNamed } from '../../texts/texts.mjs';
import { Overdue, withContender } from '../contender-process.mjs';
import { mbps } from '../timing.mjs';

export async function adversarial({ contenders, encodings, adversarialTexts, options, rows, say }) {
  for (const encoding of encodings.slice(0, 1)) {
    for (const name of adversarialTexts) {
      const failed = new Map();
      const full = textNamed(name).text.length / (name === 'run-emoji' ? 2 : 1);
      for (const text of options.quick ? [name] : [`${name}:${full / 10}`, name]) {
        for (const spec of contenders) {
          say(`adversarial: ${textNamed(text).title}, ${spec}, ${encoding}`);
          const note = failed.get(spec) ?? (await measure(spec, encoding, text, options, rows));
          if (note === undefined) continue;
          failed.set(spec, `${note} at a tenth`);
          rows.add({ section: 'adversarial', encoding, text, operation: 'first pass', contender: spec, unit: 'MB/s', samples: [], note });
        }
      }
    }
  }
}

/** Adds the rows of a contender, or returns why it has none. */
async function measure(spec, encoding, text, options, rows) {
  const { bytes } = textNamed(text);
  const expected = referenceOf(encoding, text);
  return withContender(spec, encoding, async (contender) => {
    let first;
    try {
      first = await contender.ask('firstSight', { text }, options.limit);
    } catch (error) {
      if (error instanceof Overdue) return `> ${options.limit} s`;
      return `fails: ${error.message}`;
    }
    const note = first.sha256 === expected.sha256 ? undefined : `not exact: ${first.tokens} tokens, ${expected.by} has ${expected.tokens}`;
    const row = { section: 'adversarial', encoding, text, contender: spec, unit: 'MB/s', note };
    rows.add({ ...row, operation: 'first pass', samples: [mbps(bytes, first.time)] });
    if (first.time < 1e9) {
      const turn = await contender.ask('turn', { operation: 'encode', text, budget: options.turn, least: 3 });
      rows.add({ ...row, operation: 'encode', samples: turn.times.map((time) => mbps(bytes, time)) });
    }
    return undefined;
  });
}
