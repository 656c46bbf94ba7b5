// Long texts that are edited in the playground: ids and offsets after every edit are those of encoding the whole text.

import { Tokenizer } from 'crayon-tokenizer';
import { expect, it } from 'vitest';

import { EditedText } from '../../docs/playground/src/edited-text.js';
import { editBetween, editedTokens } from '../../docs/playground/src/edits.js';
import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';

const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);

it.each(['o200k_base', 'cl100k_base', 'lite'])('%s: edits have the tokens of the whole text', async (model) => {
  using tokenizer = await Tokenizer.load(model);
  for (let trace = 0; trace < 12; trace++) {
    const random = new Random(SEED, trace);
    const special = trace % 2 === 0 ? 'text' : 'allow';
    const part = () =>
      random.pick([
        nastyString(SEED, random.integer(0, 2 ** 30)),
        'hello world, ',
        '<|endoftext|>',
        ' 12345678',
        '\n\n',
        'é',
        '👩‍👩‍👧',
        '\ud83d',
        'aaaaaaaa',
      ]);
    let text = Array.from({ length: 300 }, part).join('');
    const edited = new EditedText(tokenizer, text, special);
    let shown = edited.tokens as Parameters<typeof editedTokens>[0];
    for (let step = 0; step < 60; step++) {
      const at = random.integer(0, text.length);
      const next =
        text.slice(0, at) + (random.chance(0.7) ? part() : '') + text.slice(at + random.integer(0, random.chance(0.1) ? 500 : 3));
      const change = edited.edit(editBetween(text, next), next);
      shown = editedTokens(shown, change);
      text = next;
      const { ids, offsets } = tokenizer.encodeWithOffsets(text, { special });
      const where = `${model}, seed ${SEED}, trace ${trace}, step ${step}`;
      expect(Array.from(shown.ids).join(), where).toBe(ids.join());
      expect(Array.from(shown.offsets).join(), where).toBe(offsets.join());
    }
    edited.close();
  }
});

it('the edit between two texts makes one of the other', () => {
  for (let trial = 0; trial < 2000; trial++) {
    const random = new Random(SEED, trial, 1);
    const text = () => Array.from({ length: random.integer(0, 12) }, () => random.pick(['a', 'b', 'é', '😀'])).join('');
    const [before, after] = [text(), text()];
    const { start, end, inserted } = editBetween(before, after);
    expect(before.slice(0, start) + inserted + before.slice(end)).toBe(after);
    expect(start).toBeLessThanOrEqual(end);
  }
});
