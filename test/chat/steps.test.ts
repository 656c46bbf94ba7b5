// The steps around a template and the values of JSON text, compared with transformers (goldens/chats.json). If
// transformers refuses a chat, we refuse it; errors of the template itself have the same type and line.

import { expect, it } from 'vitest';

import { TemplateError } from '../../lib/chat/jinja/template.js';
import { compiled } from '../../lib/chat/prepared.js';
import { type Difference, isLeftOut, type Outcome, report } from './differences.js';
import { readGolden } from './goldens.mjs';
import { renderedByUs, spansOf } from './ours.js';

type Result = [source: string, chat: string, outcome: Outcome, spans?: [number, number][]];

/** The difference of one case; none if both refuse it. */
function differenceIn([source, chat, python, spans]: Result): Difference | undefined {
  const what = `${source} ${chat}`;
  try {
    const rendered = renderedByUs(source, chat);
    if (rendered.text !== python) return { what, python, ours: rendered.text };
    const [theirs, ours] = [JSON.stringify(spans), JSON.stringify(spansOf(rendered))];
    return spans === undefined || theirs === ours ? undefined : { what, python: theirs!, ours };
  } catch (error) {
    const ours: Outcome = error instanceof TemplateError ? [error.pythonType, error.line] : [String(error), 0];
    if (isLeftOut(source, ours)) return undefined;
    if (typeof python === 'string') return { what, python, ours };
    const isSame = !(error instanceof TemplateError) || (error.pythonType === python[0] && error.line === python[1]);
    return isSame ? undefined : { what, python, ours };
  }
}

it("the steps around templates equal transformers'", () => {
  const results = readGolden('chats').results as unknown as Result[];
  expect(results.length).toBeGreaterThan(250);
  const differences = results.map(differenceIn).filter((each) => each !== undefined);
  if (differences.length > 0) expect.fail(report(differences, results.length));
});

it('of the templates that are kept, the one goes that was not used for longest', () => {
  const of = (text: string) => compiled(text, text);
  const texts = Array.from({ length: 8 }, (_, index) => `template ${index}`);
  const [first, second] = texts.map(of);
  expect(of(texts[0]!)).toBe(first);
  of('another');
  expect(of(texts[0]!)).toBe(first);
  expect(of(texts[1]!)).not.toBe(second);
});
