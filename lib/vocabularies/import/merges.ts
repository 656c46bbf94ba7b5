// The merges of a tokenizer.json: pairs of tokens in the order of merging, as texts with a space between or lists of two.

import { kindAt, eachElement, stringAt } from '../../base/json-text.js';
import { type JsonNode, shown } from './json-node.js';

/** Pairs of ids, in order. */
export type Merges = Uint32Array;

/** The vocabulary that they are about. */
interface Tokens {
  ids: ReadonlyMap<string, number>;
  texts: readonly (string | undefined)[];
}

/** Reads all pairs; throws a TokenizerError for one that is none of tokens. */
export function readMerges(merges: JsonNode, ids: ReadonlyMap<string, number>): Merges {
  let pairs = new Uint32Array(1 << 12);
  let count = 0;
  let isText: boolean | undefined;
  // No JsonNode for each: there are many.
  merges.eachElement((text, at, index) => {
    const kind = kindAt(text, at);
    isText ??= kind === 'string';
    const expected = isText ? 'a string, as before,' : 'a list of two strings';
    if (kind !== (isText ? 'string' : 'list')) merges.element(index, at).malformed(expected);
    const pair = isText ? halvesOf(stringAt(text, at)) : listOf(text, at);
    if (pair === undefined) return isText ? undefined : merges.element(index, at).malformed(expected);
    const [left, right] = pair;
    if (right === undefined) return noPair(merges.element(index, at));
    const leftId = ids.get(left);
    const rightId = ids.get(right);
    if (leftId === undefined) return missing(merges.element(index, at), left);
    if (rightId === undefined) return missing(merges.element(index, at), right);
    if (count === pairs.length) {
      const larger = new Uint32Array(2 * count);
      larger.set(pairs);
      pairs = larger;
    }
    pairs[count++] = leftId;
    pairs[count++] = rightId;
    return undefined;
  });
  return pairs.subarray(0, count);
}

function noPair(merge: JsonNode): never {
  const expected = 'two tokens and a space between';
  if (!/ .* /.test(merge.text())) return merge.malformed(expected);
  // As in copies of Llama 2, whose tokens have U+00A0.
  const cause = 'as in a copy whose no-break spaces have become spaces: get the original';
  throw merge.error(`expected ${expected} but found ${merge.shown}, ${cause}`, 'CORRUPT_STRUCTURE');
}

/** Undefined for the line of a version; the second half is undefined if there are not two. */
function halvesOf(merge: string): [string, string | undefined] | undefined {
  if (merge.startsWith('#version')) return undefined;
  const space = merge.indexOf(' ');
  if (space < 0 || merge.indexOf(' ', space + 1) >= 0) return ['', undefined];
  return [merge.slice(0, space), merge.slice(space + 1)];
}

/** Undefined if they are not two strings. */
function listOf(text: string, list: number): [string, string] | undefined {
  let left: string | undefined;
  let right: string | undefined;
  let isPair = true;
  eachElement(text, list, (at, index) => {
    isPair = index < 2 && kindAt(text, at) === 'string';
    if (!isPair) return true;
    if (index === 0) left = stringAt(text, at);
    else right = stringAt(text, at);
    return false;
  });
  return isPair && left !== undefined && right !== undefined ? [left, right] : undefined;
}

/** Which of some texts merges result in. */
export function resultsAmong(merges: Merges, texts: Tokens['texts'], wanted: ReadonlySet<string>): Set<string> {
  const lengths = new Set([...wanted].map(({ length }) => length));
  const found = new Set<string>();
  for (let at = 0; at < merges.length; at += 2) {
    const left = texts[merges[at] as number] as string;
    const right = texts[merges[at + 1] as number] as string;
    if (!lengths.has(left.length + right.length)) continue;
    const result = left + right;
    if (wanted.has(result)) found.add(result);
  }
  return found;
}

/** Those without the pairs of some tokens. What these make has to be a token all the same. */
export function mergesWithout(node: JsonNode, merges: Merges, { ids, texts }: Tokens, left: ReadonlySet<number>): Merges {
  if (left.size === 0) return merges;
  const remaining = new Uint32Array(merges.length);
  let count = 0;
  for (let at = 0; at < merges.length; at += 2) {
    const pair = [merges[at] as number, merges[at + 1] as number] as const;
    if (left.has(pair[0]) || left.has(pair[1])) {
      const result = `${texts[pair[0]]}${texts[pair[1]]}`;
      if (!ids.has(result)) missing(mergeNode(node, texts[pair[0]], texts[pair[1]]), result);
    } else {
      remaining[count++] = pair[0];
      remaining[count++] = pair[1];
    }
  }
  return remaining.subarray(0, count);
}

export function missing(node: JsonNode, text: string): never {
  return node.malformed(`tokens of model.vocab, which has no ${shown(text)},`);
}

/** The element of the list that holds a pair. */
export function mergeNode(merges: JsonNode, left: string | undefined, right: string | undefined): JsonNode {
  let found = merges;
  merges.eachElement((text, at, index) => {
    const pair = kindAt(text, at) === 'string' ? halvesOf(stringAt(text, at)) : listOf(text, at);
    if (pair?.[0] !== left || pair?.[1] !== right) return false;
    found = merges.element(index, at);
    return true;
  });
  return found;
}
