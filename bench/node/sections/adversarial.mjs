/**
 * Texts built to be slow. Each runs in a process that is killed when its single pass exceeds the limit: some contenders
 * are quadratic in a piece. A tenth of a text is tried first, once; a contender that fails it skips the whole text. The
 * ids are compared after the pass, since there may be none.
 */
import { referenceOf } from '../../texts/references.mjs';
import { textNamed } from '../../texts/texts.mjs';
import { Overdue, withContender } from '../contender-process.mjs';
import { mbps } from '../timing.mjs';

const QUICK = 0.5e9;

export async function adversarial({ contenders, encodings, adversarialTexts, options, rows, say }) {
  for (const encoding of encodings) {
    for (const name of adversarialTexts) {
      const failed = new Map();
      const full = textNamed(name).text.length / (name === 'run-emoji' ? 2 : 1);
      for (const text of options.quick ? [name] : [`${name}:${full / 10}`, name]) {
        for (const spec of contenders) {
          say(`adversarial: ${textNamed(text).title}, ${spec}, ${encoding}`);
          const repeats = text === name ? options.repeats : 1;
          const note = failed.get(spec) ?? (await measure(spec, encoding, text, { ...options, repeats }, rows));
          if (note === undefined) continue;
          failed.set(spec, `${note} at a tenth`);
          rows.add({
            section: 'adversarial',
            encoding,
            text,
            operation: 'first pass',
            contender: spec,
            unit: 'MB/s',
            samples: [],
            note,
          });
        }
      }
    }
  }
}

/** Adds the rows of a contender, or returns why it has none. Quick passes are repeated, each in a fresh process. */
async function measure(spec, encoding, text, options, rows) {
  const { bytes } = textNamed(text);
  const expected = referenceOf(encoding, text);
  const row = { section: 'adversarial', encoding, text, contender: spec, unit: 'MB/s' };
  const times = [];
  let again = [];
  for (let repeat = 0; repeat < options.repeats && (times[0] ?? 0) < QUICK; repeat++) {
    const failure = await withContender(spec, encoding, async (contender) => {
      let first;
      try {
        first = await contender.ask('firstSight', { text }, options.limit);
      } catch (error) {
        return error instanceof Overdue ? `> ${options.limit} s` : `fails: ${error.message}`;
      }
      times.push(first.time);
      if (repeat > 0) return undefined;
      if (first.sha256 !== expected.sha256) row.note = `not exact: ${first.tokens} tokens, ${expected.by} has ${expected.tokens}`;
      if (first.time >= QUICK) return undefined;
      const turn = await contender.ask('turn', { operation: 'encode', text, budget: options.turn, least: 3 });
      again = turn.times;
      return undefined;
    });
    if (failure !== undefined && times.length === 0) return failure;
  }
  const speeds = (some) => some.map((time) => mbps(bytes, time));
  rows.add({ ...row, operation: 'first pass', samples: speeds(times) });
  if (again.length > 0) rows.add({ ...row, operation: 'repeated', samples: speeds(again) });
  return undefined;
}
