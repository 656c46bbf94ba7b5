// Outcomes of renderings, ours beside Python's.

import { TemplateError } from '../../lib/chat/jinja/index.js';

/** Text, or the type of Python's exception and the line of the template (0: none). */
export type Outcome = string | [type: string, line: number];

/** What `render` leads to. Errors that are no errors of templates are shown by their names: none of them is expected. */
export function outcomeOf(render: () => string): Outcome {
  try {
    return render();
  } catch (error) {
    if (error instanceof TemplateError) return [error.pythonType, error.line];
    return [`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)} (not a TemplateError)`, 0];
  }
}

/** A difference that a failed test shows. */
export interface Difference {
  what: string;
  python: Outcome;
  ours: Outcome;
}

/**
 * Whether Python and we disagree. Errors agree if they have the same type and line; where Python knows no line, or Jinja2 has
 * that of the statement before (its check of namespaces carries none), any line from there on will do.
 */
export function differs(python: Outcome, ours: Outcome): boolean {
  if (typeof python === 'string' || typeof ours === 'string') return python !== ours;
  const [type, line] = python;
  if (type !== ours[0]) return true;
  return line !== 0 && line !== ours[1] && !(type === 'TemplateRuntimeError' && line < ours[1]);
}

const SHOWN = 25;

/** How many differ of how many, and the first of them. */
export function report(differences: readonly Difference[], all: number): string {
  const shown = differences.slice(0, SHOWN).map(({ what, python, ours }) => `${JSON.stringify(what)}\n  python ${JSON.stringify(python)}\n  ours   ${JSON.stringify(ours)}`);
  return `${differences.length} of ${all} differ\n${shown.join('\n')}`;
}
