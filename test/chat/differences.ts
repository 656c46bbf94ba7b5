// Compares the outcomes of our renderings with Python's.

import { TemplateError } from '../../lib/chat/jinja/template.js';

/** Text, or the type of Python's exception and the template's line (0: none), with our own message. */
export type Outcome = string | [type: string, line: number, message?: string];

/** The outcome of `render`. Errors that are not template errors appear by name: none of them is expected. */
export function outcomeOf(render: () => string): Outcome {
  try {
    return render();
  } catch (error) {
    if (error instanceof TemplateError) return [error.pythonType, error.line, error.message];
    return [`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)} (not a TemplateError)`, 0];
  }
}

/** A difference reported by a failed test. */
export interface Difference {
  what: string;
  python: Outcome;
  ours: Outcome;
}

/**
 * Whether Python and we disagree. Errors agree if they have the same type and line; if Python knows no line, or Jinja2
 * reports that of a statement before (its check of namespaces carries none, nor do the values of `with`), any line from there on
 * matches.
 */
export function differs(python: Outcome, ours: Outcome, source: string): boolean {
  if (typeof python === 'string' || typeof ours === 'string') return python !== ours;
  const [type, line] = python;
  if (type !== ours[0]) return true;
  return line !== 0 && line !== ours[1] && !(line < ours[1] && (type === 'TemplateRuntimeError' || /\{%[-+]?\s*with\b/.test(source)));
}

/** What chats do without (docs/guide/chats.md): refused by name, wherever Python has it. */
const LEFT_OUT =
  /\b(?:escape|e|forceescape|pprint|wordwrap|safe|striptags|urlize|xmlattr|random|lipsum|batch|slice|filesizeformat|urlencode|wordcount|cycler|joiner|self)\b|\b(?:autoescape|include|import|extends|block|print)\b|\.(?:encode|decode|translate|maketrans|format_map|to_bytes|from_bytes|unescape|striptags|expandtabs|casefold|istitle|swapcase|hex|fromhex|as_integer_ratio|bit_count|conjugate)\b|%(?:\([^)]*\))?[-+ #0]*[\d*]*(?:\.[\d*]*)?[hlL]?[aciuoXeEFgG]|%(?:\([^)]*\))?[-+ #0]*\d*\.?\*|%[-_0^#]?\d*[cCDeghGjklnPrRstuUVWxXzZ]|%[_0^#]|%-?\d|\.format\(|\.(?:keys|items)\(\) *-|\*\*/;

/** What else they do without, which depends on values: as our message has it. */
const LEFT_OUT_VALUES =
  /templates: (?:the text of a|calculations with integers beyond 2\^53|integers in base|rounding to tens|a number with \d+ digits|a (?:tuple|range|list|dict) as the key|sets, as in the comparison|the attribute '(?:fromkeys|real|imag|numerator|denominator|start|stop|step|mapping)'|names beyond ASCII|a backslash before|the method '(?:fromkeys|isidentifier|isdisjoint|index' of ranges|count' of ranges|bit_length))/;

export function isLeftOut(source: string, ours: Outcome): boolean {
  return ours[0] === 'NotImplementedError' && (LEFT_OUT.test(source) || LEFT_OUT_VALUES.test(ours[2] ?? ''));
}

const SHOWN = 25;

/** The number of differences, and the first of them. */
export function report(differences: readonly Difference[], all: number): string {
  const shown = differences
    .slice(0, SHOWN)
    .map(({ what, python, ours }) => `${JSON.stringify(what)}\n  python ${JSON.stringify(python)}\n  ours   ${JSON.stringify(ours)}`);
  return `${differences.length} of ${all} differ\n${shown.join('\n')}`;
}
