import { Iteration } from '../values/containers.js';
import type { Value } from '../values/object.js';

/** A generator: nothing runs before its first element is requested. `atLeast`: its least number of elements, if known. */
export function generator(body: () => Generator<Value, void>, atLeast = () => 0): Iteration {
  let running: Generator<Value, void> | undefined;
  return new Iteration('generator', {
    next: () => {
      const { done, value } = (running ??= body()).next();
      return done ? undefined : (value as Value);
    },
    atLeast,
  });
}
