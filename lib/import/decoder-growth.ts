// How much a decoder may make of a text: both the importer and whoever opens a cartridge ask, and neither needs the other.

import type { Step } from '../decode/spec.js';

/** How many times as long Replace may make a text, all steps together, if each finds its pattern everywhere. */
const MOST_GROWTH = 1024;

/** Whether steps could make a text longer than that: a list that doubles a text would take all memory. */
export function growsTooMuch(steps: readonly Step[]): boolean {
  const growthOf = (step: Step) =>
    step.type !== 'Replace' ? 1 : step.content.length / ('String' in step.pattern ? step.pattern.String.length : 1);
  return steps.reduce((growth, step) => growth * Math.max(1, growthOf(step)), 1) > MOST_GROWTH;
}
