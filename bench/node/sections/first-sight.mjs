/**
 * Each text once: a fresh process per pass, the vocabulary loaded, the CPU's caches full of something else.
 *
 * - `first sight`: the contender's code has been compiled on words that no text holds, so what is measured is meeting
 *   pieces that no cache has yet.
 * - `first pass`: nothing has run before; compiling the code is in it. This is what a process that encodes one long text
 *   sees.
 */
import { textNamed } from '../../texts/texts.mjs';
import { withContender } from '../contender-process.mjs';
import { mbps } from '../timing.mjs';

const DECODED = ['english'];

export async function firstSight({ contenders, encodings, texts, options, rows, say }) {
  for (const encoding of encodings) {
    for (const text of texts) {
      const { bytes } = textNamed(text);
      for (const operation of ['first sight', 'first pass']) {
        say(`${operation}: ${text}, ${encoding}`);
        const encoded = new Map(contenders.map((spec) => [spec, []]));
        const decoded = new Map(contenders.map((spec) => [spec, []]));
        for (let repeat = 0; repeat < options.repeats; repeat++) {
          for (const spec of contenders) {
            await withContender(spec, encoding, async (contender) => {
              if (operation === 'first sight') await contender.ask('warmCode');
              const decode = DECODED.includes(text);
              const { time, decodeTime } = await contender.ask('firstSight', { text, decode });
              encoded.get(spec).push(mbps(bytes, time));
              if (decode) decoded.get(spec).push(mbps(bytes, decodeTime));
            });
          }
        }
        for (const [spec, samples] of encoded) {
          rows.add({ section: 'first-sight', encoding, text, operation, contender: spec, unit: 'MB/s', samples });
        }
        for (const [spec, samples] of decoded) {
          if (samples.length === 0) continue;
          rows.add({ section: 'first-sight', encoding, text, operation: `decode, ${operation}`, contender: spec, unit: 'MB/s', samples });
        }
      }
    }
  }
}
