// Errors in parsing or rendering a template, by the names that Python gives them.

/**
 * `syntax`: the template cannot be parsed. `undefined`: it uses a value that does not exist. `security`: it uses something
 * that the sandbox withholds. `budget`: it exceeds the steps, memory or time allowed for a chat. `runtime`: any other
 * error.
 */
export type ErrorKind = 'syntax' | 'runtime' | 'undefined' | 'security' | 'budget';

/** An error of a template, and where in the template it happened. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(
    message: string,
    readonly kind: ErrorKind,
    /** The name of the exception that Python raises: `TypeError`, `UndefinedError`, `TemplateSyntaxError`, … */
    readonly pythonType: string,
    /** From 1, as Jinja counts. */
    readonly line: number,
    /** From 1, in UTF-16 units: where the statement or printed expression begins. */
    readonly column: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A chat that transformers rejects before or after rendering the template. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
}

/** An exception propagating through a template, without a position yet. */
export class PythonError extends Error {
  constructor(
    readonly pythonType: string,
    message: string,
  ) {
    super(message);
  }
}

/** A budget limit was reached: templates cannot catch it. */
export class BudgetError extends PythonError {
  constructor(message: string, pythonType = 'BudgetExceeded') {
    super(pythonType, message);
  }
}

/** Something of Jinja that is not for chats: templates cannot catch it. */
export class UnsupportedError extends PythonError {}

/** Throws for a part of Jinja that we leave out. */
export function unsupported(what: string): never {
  throw new UnsupportedError('NotImplementedError', `not supported in chat templates: ${what}`);
}

/** Whether nothing but the caller of the render may see an error. */
export function isUncatchable(error: unknown): boolean {
  return !(error instanceof PythonError) || error instanceof BudgetError || error instanceof UnsupportedError;
}

export function raise(pythonType: string, message: string): never {
  throw new PythonError(pythonType, message);
}

export function kindOf(error: PythonError): ErrorKind {
  if (error instanceof BudgetError) return 'budget';
  if (error.pythonType === 'UndefinedError') return 'undefined';
  if (error.pythonType === 'SecurityError') return 'security';
  return 'runtime';
}
