// What comes from another context of node:vm, as objects of this one.
//
// Test runners (Jest, Vitest's vmThreads) give each file of tests a context with classes of its own. What the addon makes and
// what threads send is of the context of Node itself: in such a file an array of ids would be no `Uint32Array`.

type Numbers = Uint8Array | Uint32Array;

const CLASSES = [Uint8Array, Uint32Array];

/**
 * The value itself if it is of this context. Of another one: plain objects, lists and typed arrays are made over, in them as
 * well; arrays are views of the same memory, whose `ArrayBuffer` stays what it is. Everything else is left alone.
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
