/**
 * Do the ids equal the reference's? Checked before anything is timed; a contender that differs is still timed, but marked.
 */
import { referenceOf } from '../../texts/references.mjs';
import { SHORT_TEXTS } from '../../texts/texts.mjs';
import { withContender } from '../contender-process.mjs';

export async function exactness({ contenders, encodings, texts, rows, say }) {
  for (const encoding of encodings) {
    for (const spec of contenders) {
      say(`ids: ${spec}, ${encoding}`);
      await withContender(spec, encoding, async (contender) => {
        for (const text of [...texts, ...SHORT_TEXTS]) {
          const expected = referenceOf(encoding, text);
          const actual = await contender.ask('identify', { text });
          const exact = actual.sha256 === expected.sha256;
          rows.add({
            section: 'exactness',
            encoding,
            text,
            operation: 'encode',
            contender: spec,
            unit: 'exact',
            samples: [exact ? 1 : 0],
            note:
              [
                exact ? '' : `${actual.tokens} tokens, ${expected.by} has ${expected.tokens}`,
                actual.decodes ? '' : 'the ids do not decode to the text',
              ]
                .filter(Boolean)
                .join('; ') || undefined,
          });
        }
      });
    }
  }
}
