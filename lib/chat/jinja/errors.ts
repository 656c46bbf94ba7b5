// What goes wrong with a template: in reading it, or in rendering, by the name that Python gives the error.

/**
 * `syntax`: the template cannot be read. `undefined`: it uses a value that does not exist. `security`: it asks for what the
 * sandbox withholds. `budget`: it takes more steps, memory or time than a chat may. `runtime`: any other error.
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

/** A chat that transformers refuses before or after it renders the template. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
}

/** An exception on its way up through a template, before anybody has asked where. */
export class PythonError extends Error {
  constructor(
    readonly pythonType: string,
    message: string,
  ) {
    super(message);
  }
}

/** A limit of the budget: nothing in a template can catch it. */
export class BudgetError extends PythonError {
  constructor(message: string, pythonType = 'BudgetExceeded') {
    super(pythonType, message);
  }
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
