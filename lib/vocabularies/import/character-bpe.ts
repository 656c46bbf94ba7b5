// BPE over characters, as SentencePiece and BPE without ByteLevel have it, for an engine that merges bytes.
//
// Every byte gets a token, and so does every byte prefix of a character that has one. Merges that complete characters come before
// all others, and never cross a character boundary. So after them the text is the state from which merging characters starts:
// each character with a token is that token, and the bytes of the others remain as hidden tokens, which take part in no other
// merge. So the engine, exact for bytes, is exact for characters. Hidden tokens become the tokens of their bytes (`<0x41>`), if
// the file has these, or else unknown.

import type { CompilerMerges } from '../../engine/compiler.js';
import { joinTokens, type TokenTable } from '../../base/token-table.js';

export interface CharacterMerges {
  /** Pairs of ids in the order of merging, none with a byte token; the id of parts[i] is `limit` + i. */
  merges: Uint32Array;
  /** The priority of each pair: the lowest is merged first, the leftmost of equals. Default: its index. */
  priorities?: Uint32Array | undefined;
}

export interface CharacterVocabulary extends CharacterMerges {
  /** The texts by id; undefined for an id without a token in the model. */
  texts: readonly (string | undefined)[];
  /**
   * Texts that merge but have no token, and are hidden if they remain: characters of tokens, and texts of several characters, which
   * are replaced by the halves they were merged from.
   */
  parts?: readonly string[];
  /** Ids of tokens that no text produces, without the byte tokens. */
  unmatched: Iterable<number>;
  /**
   * The ids of the byte tokens, by byte, 0xffffffff for one that is a token as a character; undefined if characters without a token
   * are unknown.
   */
  byteIds: Uint32Array | undefined;
  unknownId: number | undefined;
  fusesUnknown: boolean;
  /** Greater than every id, also of added tokens. */
  limit: number;
}

/** Tokens and merges as the engine compiles them. */
export function withHiddenTokens(vocabulary: CharacterVocabulary): TokenTable & { merges: CompilerMerges } {
  const { texts, parts = [], byteIds, unknownId, fusesUnknown, limit } = vocabulary;
  const encoder = new TextEncoder();
  const tokens: Uint8Array[] = Array.from({ length: limit }, () => NOTHING);
  const unmatched = new Set(vocabulary.unmatched);
  const ofByte = new Int32Array(256).fill(-1);
  texts.forEach((text, id) => {
    if (text === undefined) return;
    const bytes = encoder.encode(text);
    tokens[id] = bytes;
    if (bytes.length === 0) unmatched.add(id);
    if (bytes.length === 1 && !unmatched.has(id)) ofByte[bytes[0] as number] = id;
  });
  byteIds?.forEach((id, byte) => {
    if (id === 0xffffffff) return;
    tokens[id] = Uint8Array.of(byte);
    if (ofByte[byte] === -1) ofByte[byte] = id;
    else unmatched.add(id);
  });
  for (let byte = 0; byte < 256; byte++) {
    if (ofByte[byte] === -1) ofByte[byte] = tokens.push(Uint8Array.of(byte)) - 1;
  }
  const idsOfParts = parts.map((part) => {
    const bytes = encoder.encode(part);
    return bytes.length === 1 ? (ofByte[bytes[0] as number] as number) : tokens.push(bytes) - 1;
  });
  const isNoByte = (id: number) => (tokens[id] as Uint8Array).length > 1;
  const characters = [...Array(limit).keys(), ...idsOfParts.filter(isNoByte)];
  const pairs = characterMerges(tokens, characters, unmatched, ofByte);
  const all = new Uint32Array(pairs.length + vocabulary.merges.length);
  all.set(pairs);
  all.set(
    vocabulary.merges.map((id) => (id < limit ? id : (idsOfParts[id - limit] as number))),
    pairs.length,
  );
  const isHiding = tokens.length > limit;
  const known = byteIds ? undefined : unknownId;
  // Or a character with more bytes than the other hidden ones.
  const splitsHidden = parts.some((part) => part.length > 1);
  const hidden = isHiding ? { from: limit, unknownId: known, fusesUnknown, splitsHidden } : undefined;
  const merges = {
    pairs: all,
    priorities: vocabulary.priorities && afterCharacters(vocabulary.priorities, pairs.length / 2),
    unmatched: Uint32Array.from(unmatched).sort(),
    whole: false,
    hidden,
  };
  return { ...joinTokens(tokens), merges };
}

const NOTHING = new Uint8Array(0);

/** Characters come first; `count` merges complete them. */
function afterCharacters(priorities: Uint32Array, count: number): Uint32Array {
  const all = new Uint32Array(count + priorities.length);
  all.set(
    priorities.map((priority) => priority + 1),
    count,
  );
  return all;
}

/**
 * The merges that complete the tokens of single characters. Adds the byte prefixes of these characters to the tokens. `ofByte`: the ids of
 * bytes.
 */
export function characterMerges(tokens: Uint8Array[], ids: Iterable<number>, unmatched: ReadonlySet<number>, ofByte: Int32Array): number[] {
  const pairs: number[] = [];
  const beginnings = new Map<number, number>();
  for (const id of ids) {
    const bytes = tokens[id] as Uint8Array;
    if (bytes.length < 2 || bytes.length > 4 || bytes.length !== lengthOfCharacter(bytes[0] as number) || unmatched.has(id)) continue;
    let left = ofByte[bytes[0] as number] as number;
    let key = bytes[0] as number;
    for (let end = 1; end < bytes.length; end++) {
      const right = ofByte[bytes[end] as number] as number;
      key = key * 256 + (bytes[end] as number);
      if (end === bytes.length - 1) {
        pairs.push(left, right);
        break;
      }
      let beginning = beginnings.get(key);
      if (beginning === undefined) {
        beginning = tokens.push(bytes.slice(0, end + 1)) - 1;
        beginnings.set(key, beginning);
        pairs.push(left, right);
      }
      left = beginning;
    }
  }
  return pairs;
}

/** In bytes, by the first one. */
function lengthOfCharacter(first: number): number {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
