// Instances that are functions, as transformers.js has them.

/** `new` gives a function that calls the instance's own `_call`. */
export const Callable = class {
  constructor() {
    const self = (...args: unknown[]) => (self as unknown as { _call(...args: unknown[]): unknown })._call(...args);
    // biome-ignore lint/correctness/noConstructorReturn: the instance is this function.
    return Object.setPrototypeOf(self, new.target.prototype);
  }
};
