// Converts values from another node:vm context to objects of this one.
//
// Test runners (Jest, Vitest's vmThreads) give each test file a context with its own classes. Values that the addon creates
// or threads send belong to Node's own context: in such a file an array of ids would not be a `Uint32Array`.

type Numbers = Uint8Array | Uint32Array;

const CLASSES = [Uint8Array, Uint32Array];

/**
 * Returns a value of this context unchanged. From another context, plain objects, lists and typed arrays are recreated,
 * recursively; new typed arrays are views of the same memory, with the original `ArrayBuffer`. Everything else is left
 * alone.
 */
export function ofThisContext<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof Object) return value;
  return madeOver(value) as Value;
}

function madeOver(value: object): object {
  if (ArrayBuffer.isView(value)) {
    const Own = CLASSES.find(({ name }) => name === (value as Numbers)[Symbol.toStringTag]);
    return Own ? new Own(value.buffer as ArrayBuffer, value.byteOffset, (value as Numbers).length) : value;
  }
  if (Array.isArray(value)) return Array.from(value, ofThisContext);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype !== null && Object.getPrototypeOf(prototype) === null;
  return isPlain ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, ofThisContext(inner)])) : value;
}
