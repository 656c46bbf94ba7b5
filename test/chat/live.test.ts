// Compares with a running Python, on seeds that no golden covers: the tier `chat`, or by hand
//
//     CRAYON_CHAT_LIVE=1 npx vitest run --config test/vitest.config.ts test/chat/live.test.ts
//
// CRAYON_CHAT_SEED=N repeats the cases of a failure. Skipped if Python or its packages are missing.

import { afterAll, describe, expect, it } from 'vitest';

import { Tokenizer } from 'crayon-tokenizer';

import { compileTemplate } from '../../lib/chat/jinja/template.js';
import { parseJson } from '../../lib/chat/data.js';
import { sample } from '../share.js';
import { VARIABLES } from './cases/variables.mjs';
import { NOW } from './clock.js';
import { differs, isLeftOut, type Outcome, outcomeOf } from './differences.js';
import { isReproducible, outcomeOf as pythonOutcome } from './goldens.mjs';
import { templateParts } from './grammar.mjs';
import { harmonyIds } from './harmony-ids.js';
import { harmonyCall, harmonyRequest } from './harmony-conversations.mjs';
import { agree, isLeftOut as isRefused, ours, variablesOf } from './ours.js';
import { chatFor, fingerprint, FOLDERS, renderedByPython, templatesIn } from './published.mjs';
import { ask } from './reference/ask.mjs';
import { referencePython } from './reference/environment.mjs';
import { shrunk } from './shrink.js';

const isLive = process.env.CRAYON_CHAT_LIVE === '1';
const missing = isLive ? whatIsMissing() : undefined;
const seed = Number(process.env.CRAYON_CHAT_SEED ?? Date.now() % 2 ** 31);
if (isLive) console.log(missing === undefined ? `CRAYON_CHAT_SEED=${seed}` : `skipped: this machine has no ${missing}`);

function whatIsMissing(): string | undefined {
  const reference = referencePython();
  return 'missing' in reference ? reference.missing : undefined;
}

/** The maximum number of failures to shrink: each takes a minute. */
const SHRUNK = 3;
const BATCH = 500;

describe.runIf(isLive && missing === undefined)('compared with Python', () => {
  const variables = variablesOf(parseJson(VARIABLES));
  const request = (parts: readonly string[]) => ({ kind: 'template', source: parts.join(''), variables: VARIABLES });
  const render = (parts: readonly string[]): Outcome =>
    outcomeOf(() => compileTemplate(parts.join('')).render(variables, { date: NOW }).text);

  /** The templates that Python renders differently. */
  async function different(templates: readonly (readonly string[])[]): Promise<boolean[]> {
    const answers = await ask(templates.map(request));
    return templates.map((parts, index) => {
      const mine = render(parts);
      return (
        isReproducible(answers[index]!) && differs(pythonOutcome(answers[index]!), mine, parts.join('')) && !isLeftOut(parts.join(''), mine)
      );
    });
  }

  it('templates from the grammar', { timeout: 3_600_000 }, async () => {
    const failures: string[] = [];
    for (let first = 0; first < sample(5000, BATCH) && failures.length < SHRUNK; first += BATCH) {
      const templates = Array.from({ length: BATCH }, (_, index) => templateParts(seed, first + index));
      for (const [index, isDifferent] of (await different(templates)).entries()) {
        if (!isDifferent || failures.length >= SHRUNK) continue;
        const parts = await shrunk(templates[index]!, different);
        const python = pythonOutcome((await ask([request(parts)]))[0]!);
        failures.push(
          `template ${first + index} of seed ${seed}, made smaller: ${JSON.stringify(parts.join(''))}\n  python ${JSON.stringify(python)}\n  ours   ${JSON.stringify(render(parts))}`,
        );
      }
    }
    if (failures.length > 0) expect.fail(failures.join('\n'));
  });

  it('templates of models and our own, with conversations', { timeout: 3_600_000 }, async () => {
    const failures: string[] = [];
    for (const { name, source } of Object.values(FOLDERS).flatMap(templatesIn)) {
      const answers = await renderedByPython(source, seed, sample(100, 10));
      answers.forEach((answer, index) => {
        const chat = chatFor(source, seed, index);
        const mine = ours(source, chat);
        if (!agree(fingerprint(answer), mine) && !isRefused(mine))
          failures.push(
            `${name}, conversation ${index} of seed ${seed}: ${chat}\n  python ${JSON.stringify(answer)}\n  ours   ${JSON.stringify(mine)}`,
          );
      });
    }
    if (failures.length > 0) expect.fail(`${failures.length} differ\n${failures.slice(0, 5).join('\n')}`);
  });

  it('harmony conversations', { timeout: 3_600_000 }, async () => {
    using tokenizer = await Tokenizer.load('o200k_harmony');
    const calls = Array.from({ length: sample(3000, 300) }, (_, index) => harmonyCall(seed, index));
    const answers = await ask(calls.map(harmonyRequest));
    const failures: string[] = [];
    for (const [index, { ids = null }] of answers.entries()) {
      const mine = await harmonyIds(tokenizer, calls[index]!);
      if (JSON.stringify(mine) !== JSON.stringify(ids))
        failures.push(
          `conversation ${index} of seed ${seed}: ${calls[index]!.messages}\n  python ${ids && tokenizer.decode(ids)}\n  ours   ${mine && tokenizer.decode(mine)}`,
        );
    }
    if (failures.length > 0) expect.fail(`${failures.length} differ\n${failures.slice(0, 5).join('\n')}`);
  });

  afterAll(() => console.log(`CRAYON_CHAT_SEED=${seed}`));
});
