/**
 * Documents encoded once each, one after the other, as in services and pipelines: a fresh process per pass, the vocabulary
 * loaded, the contender's code compiled on words that occur in no text.
 *
 * - `stream`: all documents after the first megabyte.
 * - `stream, first MB`: those documents, when every cache is empty.
 *
 * A pass of more than two seconds is not repeated, and one of more than two minutes is given up. The ids are compared with the reference's first.
 */
import { referenceOf } from '../../texts/references.mjs';
import { STREAMS } from '../../texts/texts.mjs';
import { Overdue, withContender } from '../contender-process.mjs';
import { mbps } from '../timing.mjs';

const SLOW = 2e9;
/** Seconds after which a text is given up. */
const LIMIT = 120;

export async function stream({ contenders, encodings, options, rows, say }) {
  const texts = options.quick ? STREAMS.slice(0, 3) : STREAMS;
  for (const encoding of encodings) {
    for (const text of texts) {
      const samples = new Map(contenders.map((spec) => [spec, { first: [], rest: [], note: undefined }]));
      const slow = new Set();
      const expected = referenceOf(encoding, text);
      for (let repeat = 0; repeat < options.repeats; repeat++) {
        for (const spec of contenders) {
          if (slow.has(spec)) continue;
          say(`stream: ${text}, ${encoding}, ${spec}`);
          const of = samples.get(spec);
          await withContender(spec, encoding, async (contender) => {
            await contender.ask('warmCode');
            const { first, rest } = await contender.ask('stream', { text }, LIMIT);
            of.first.push(mbps(first.bytes, first.time));
            if (rest.bytes > 0) of.rest.push(mbps(rest.bytes, rest.time));
            if (first.time + rest.time > SLOW) slow.add(spec);
            if (repeat > 0) return;
            const { sha256 } = await contender.ask('identify', { text }, LIMIT);
            if (sha256 !== expected.sha256) of.note = 'not exact';
          }).catch((error) => {
            if (!(error instanceof Overdue)) throw error;
            slow.add(spec);
            of.note ??= of.first.length > 0 ? 'ids not compared' : `> ${LIMIT} s`;
          });
        }
      }
      const add = (spec, operation, values, note) => {
        if (values.length === 0 && note === undefined) return;
        rows.add({ section: 'stream', encoding, text, operation, contender: spec, unit: 'MB/s', samples: values, note });
      };
      for (const [spec, { rest, note }] of samples) add(spec, 'stream', rest, note);
      for (const [spec, { first, note }] of samples) add(spec, 'stream, first MB', first, note);
    }
  }
}
