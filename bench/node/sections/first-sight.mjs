/**
 * Each text once: a fresh process per pass, the vocabulary loaded, the CPU's caches full of other data.
 *
 * - `first sight`: the contender's code has been compiled on words that occur in no text, so this measures pieces that no
 * cache has yet.
 * - `first pass`: nothing has run before, so this includes compiling the code. A process that encodes one long text sees
 * this. It is measured only for the first encoding, and so is decoding.
 *
 * A pass of more than half a second is not repeated.
 */
import { textNamed } from '../../texts/texts.mjs';
import { withContender } from '../contender-process.mjs';
import { mbps } from '../timing.mjs';

const DECODED = ['english'];
const SLOW = 0.5e9;

export async function firstSight({ contenders, encodings, texts, options, rows, say }) {
  for (const encoding of encodings) {
    const operations = encoding === encodings[0] ? ['first sight', 'first pass'] : ['first sight'];
    for (const text of texts) {
      const { bytes } = textNamed(text);
      const decode = DECODED.includes(text) && encoding === encodings[0];
      for (const operation of operations) {
        say(`${operation}: ${text}, ${encoding}`);
        const encoded = new Map(contenders.map((spec) => [spec, []]));
        const decoded = new Map(contenders.map((spec) => [spec, []]));
        const slow = new Set();
        for (let repeat = 0; repeat < options.repeats; repeat++) {
          for (const spec of contenders) {
            if (slow.has(spec)) continue;
            await withContender(spec, encoding, async (contender) => {
              if (operation === 'first sight') await contender.ask('warmCode');
              const { time, decodeTime } = await contender.ask('firstSight', { text, decode });
              encoded.get(spec).push(mbps(bytes, time));
              if (time > SLOW) slow.add(spec);
              if (decode) decoded.get(spec).push(mbps(bytes, decodeTime));
            });
          }
        }
        for (const [spec, samples] of encoded) {
          rows.add({ section: 'first-sight', encoding, text, operation, contender: spec, unit: 'MB/s', samples });
        }
        for (const [spec, samples] of decoded) {
          if (samples.length === 0) continue;
          rows.add({
            section: 'first-sight',
            encoding,
            text,
            operation: `decode, ${operation}`,
            contender: spec,
            unit: 'MB/s',
            samples,
          });
        }
      }
    }
  }
}
