// Seeded templates from the grammar, compared with Jinja2 (goldens/generated.json): hashes of texts, types and lines of
// errors. The tier `chat` renders more with both (live.test.ts).

import { expect, it } from 'vitest';

import { compileTemplate } from '../../lib/chat/jinja/template.js';
import { parseJson } from '../../lib/chat/data.js';
import { sample } from '../share.js';
import { VARIABLES } from './cases/variables.mjs';
import { NOW } from './clock.js';
import { differs, isLeftOut, type Outcome, outcomeOf } from './differences.js';
import { GENERATED, hashOf, readGolden } from './goldens.mjs';
import { template } from './grammar.mjs';
import { variablesOf } from './ours.js';

it('templates from the grammar match Python', () => {
  const prints = readGolden('generated').results as unknown as (Outcome | null)[];
  const { seed, templates } = GENERATED;
  expect(prints).toHaveLength(templates);
  const variables = variablesOf(parseJson(VARIABLES));
  const differences: string[] = [];
  const count = sample(templates, 200);
  let refused = 0;
  for (let index = 0; index < count; index++) {
    if (prints[index] === null) continue;
    const source = template(seed, index);
    const ours = outcomeOf(() => compileTemplate(source).render(variables, { date: NOW }).text);
    // The grammar also has what chats do without.
    if (isLeftOut(source, ours)) refused++;
    else if (differs(prints[index]!, typeof ours === 'string' ? hashOf(ours) : ours, source))
      differences.push(
        `template ${index} of seed ${seed}: python ${JSON.stringify(prints[index])}, ours ${JSON.stringify(ours).slice(0, 200)}`,
      );
  }
  expect(refused).toBeLessThan(count / 2);
  if (differences.length > 0) expect.fail(`${differences.length} of ${count} differ\n${differences.slice(0, 20).join('\n')}`);
});
