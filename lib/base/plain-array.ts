// Ids as plain arrays, which some packages return.

/** A loop, which is several times as fast as Array.from here. */
export function plainArray(ids: Uint32Array): number[] {
  const { length } = ids;
  const list = new Array<number>(length);
  for (let index = 0; index < length; index++) list[index] = ids[index] as number;
  return list;
}
