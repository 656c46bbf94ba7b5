// Promises of any library, told apart from what is there already.

/** Whether a value has to be awaited. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}
