// What two lists have in common.

/** How many elements are the same at the start, and after these at the end. */
export function sharedEnds<Element>(now: readonly Element[], before: readonly Element[]): [start: number, end: number] {
  const most = Math.min(now.length, before.length);
  let start = 0;
  while (start < most && now[start] === before[start]) start++;
  let end = 0;
  while (end < most - start && now[now.length - 1 - end] === before[before.length - 1 - end]) end++;
  return [start, end];
}

/** `list` with other elements between what it shares with another. */
export function withMiddle<Element>(
  list: readonly Element[],
  [start, end]: readonly [number, number],
  middle: readonly Element[],
): Element[] {
  const all = list.slice(0, start);
  for (let i = 0; i < middle.length; i++) all.push(middle[i] as Element);
  for (let i = list.length - end; i < list.length; i++) all.push(list[i] as Element);
  return all;
}
