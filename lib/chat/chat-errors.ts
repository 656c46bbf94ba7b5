// Converts chat errors to tokenizer errors.

import { TokenizerError } from '../base/errors.js';
import type { Work } from '../base/time-slices.js';
import { ChatError, TemplateError } from './jinja/template.js';

export function missing(message: string): TokenizerError {
  return new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
}

/** Runs code that parses or renders a template. `name`: the template's, for errors. */
export function explained<Result>(template: string, name: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw explanationOf(error, template, name);
  }
}

/** The same for work in steps. */
export function* explainedSteps<Result>(template: string, name: string, work: Work<Result>): Work<Result> {
  try {
    return yield* work;
  } catch (error) {
    throw explanationOf(error, template, name);
  }
}

function explanationOf(cause: unknown, template: string, name: string): unknown {
  if (cause instanceof ChatError) return new TokenizerError(cause.message, { code: 'TEMPLATE_REFUSED' }, { cause });
  return cause instanceof TemplateError ? explanation(cause, template, name) : cause;
}

function explanation(cause: TemplateError, template: string, name: string): TokenizerError {
  const { message, kind, line, column, pythonType } = cause;
  const location = `at line ${line}, column ${column}`;
  // The template's own message, from raise_exception.
  if (pythonType === 'TemplateError') {
    const why = message.trim() || `an exception without a message ${location}`;
    const what = `${name} refuses this chat: ${why}. Change the messages as it asks, or pass another template`;
    return new TokenizerError(what, { code: 'TEMPLATE_REFUSED' }, { cause });
  }
  const position = positionOf(template, line, column);
  if (kind === 'syntax') {
    return new TokenizerError(
      `cannot read ${name}: ${message} ${location}. Expected a template in Jinja, as chat_template of tokenizer_config.json`,
      { code: 'INVALID_TEMPLATE', position },
      { cause },
    );
  }
  const isBudget = kind === 'budget';
  const advice = isBudget
    ? 'this is more than any chat needs'
    : pythonType === 'NotImplementedError'
      ? 'write the template without it'
      : 'look at what it reads of messages, tools and variables';
  return new TokenizerError(
    `cannot render ${name}: ${message} (${pythonType}) ${location}; ${advice}`,
    { code: isBudget ? 'CHAT_BUDGET' : 'INVALID_TEMPLATE', position },
    { cause },
  );
}

/** The position in UTF-16 units of a line and column, both counted from 1. */
function positionOf(text: string, line: number, column: number): number {
  const breaks = /\r\n?|\n/g;
  for (let at = 1; at < line && breaks.exec(text); at++);
  return Math.min(breaks.lastIndex + column - 1, text.length);
}
