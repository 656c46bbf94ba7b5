// Templates of models (from ../shared, which a clone may lack) and our own, with seeded conversations, compared with
// transformers: goldens/published.json and goldens/own-templates.json have hashes of its output. The tier `chat` makes
// Python render other conversations (live.test.ts).

import { describe, expect, it } from 'vitest';

import { sample } from '../share.js';
import { hashOf, readGolden } from './goldens.mjs';
import { agree, isLeftOut, ours } from './ours.js';
import { chatFor, FOLDERS, templatesIn } from './published.mjs';

interface Golden {
  seed: number;
  results: [name: string, source: string, prints: string[]][];
}

describe.each(Object.entries(FOLDERS))('%s', (golden, folder) => {
  const { seed, results } = readGolden(golden) as unknown as Golden;
  const templates = new Map(templatesIn(folder).map(({ name, source }) => [name, source]));

  it.for(results)('%s renders as in Python', ([name, sourceHash, prints], { skip }) => {
    const source = templates.get(name);
    if (source === undefined) return skip(`there is no ${name} in ../shared/templates`);
    expect(hashOf(source), 'another template than the goldens are of').toBe(sourceHash);
    const differences: string[] = [];
    const count = sample(prints.length, 5);
    let leftOut = 0;
    for (let index = 0; index < count; index++) {
      const mine = ours(source, chatFor(source, seed, index));
      if (folder === FOLDERS['own-templates'] && isLeftOut(mine)) leftOut++;
      else if (!agree(prints[index]!, mine))
        differences.push(`conversation ${index} of seed ${seed}: python ${prints[index]}, ours ${JSON.stringify(mine).slice(0, 300)}`);
    }
    expect(leftOut).toBeLessThan(count / 2);
    if (differences.length > 0) expect.fail(`${differences.length} of ${count} differ\n${differences.slice(0, 10).join('\n')}`);
  });
});
