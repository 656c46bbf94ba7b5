// What a file's `pre_tokenizer` splits by: a family that the engine has a scanner for, or patterns.

import { DEEPSEEK3 } from './deepseek3.js';
import type { Place } from './place.js';
import { type Split, type Stage, splitOf } from './splits.js';

const raw = String.raw;

/** What ByteLevel splits by. */
const GPT2 = raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;

/**
 * The patterns that Oniguruma, which Hugging Face reads them with, splits by as a family does. One alone matches every
 * character, so there is nothing between matches. Several lines are one after the other: each splits the pieces of the one
 * before.
 */
const FAMILIES: Record<string, string> = {
  [GPT2]: 'gpt2',
  [raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`]: 'gpt2',
};
for (const contraction of [raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)`, raw`(?i:[sdmt]|ll|ve|re)`]) {
  const suffix = contraction.includes("'") ? contraction : `'${contraction}`;
  const rest = raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
  FAMILIES[raw`${suffix}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|${rest}`] = 'cl100k';
  FAMILIES[raw`${suffix}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|${rest}`] = 'qwen2';
}
for (const [family, suffix, numbers] of [
  ['o200k', raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)?`, raw`\p{N}{1,3}`],
  ['tekken', '', raw`\p{N}`],
] as const) {
  FAMILIES[
    [
      raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+${suffix}`,
      raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*${suffix}`,
      raw`${numbers}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    ].join('|')
  ] = family;
}
FAMILIES[DEEPSEEK3.join('\n')] = 'deepseek3';

/** The name of the family that splits as these do, one after the other; undefined if there is none. */
export function familyOf(splits: readonly Split[]): string | undefined {
  const isAlone = splits.length === 1;
  // Where every character is in a match, these are the same.
  const keepsMatches = ({ behavior, invert }: Split) => behavior === 'Isolated' || (isAlone && behavior === 'Removed' && invert);
  if (!splits.every(keepsMatches)) return undefined;
  // Some files have the characters themselves.
  const spelled = splits.map(({ pattern }) => pattern.replaceAll('\r', raw`\r`).replaceAll('\n', raw`\n`)).join('\n');
  return Object.hasOwn(FAMILIES, spelled) ? FAMILIES[spelled] : undefined;
}

export interface Pretokenizer {
  /** The name of the family, `none`, or the patterns that it splits by, one after the other. */
  splits: string | Stage[];
  /** Whether a space is put in front of the text between two added tokens, unless it begins with one. */
  putsSpaceFirst: boolean;
}

/** Throws a TokenizerError for one that is not byte-level, or cannot be said in these terms. */
export function pretokenizerOf(place: Place): Pretokenizer {
  const stages = stagesOf(place);
  const last = stages.at(-1);
  if (!last || typeOf(last) !== 'ByteLevel') {
    return (last ?? place).unsupported('only byte-level vocabularies are imported: expected ByteLevel as the last pretokenizer');
  }
  const putsSpaceFirst = last.at('add_prefix_space').truth(true);
  if (putsSpaceFirst && stages.length > 1) {
    last.at('add_prefix_space').unsupported('a space in front of each piece of another pretokenizer is not supported');
  }
  const splits = stages.slice(0, -1).map((each) => splitOf(each, typeOf(each)));
  if (last.at('use_regex').truth(true)) splits.push({ pattern: GPT2, behavior: 'Isolated', invert: false, place: last });
  return { splits: splits.length === 0 ? 'none' : (familyOf(splits) ?? splits), putsSpaceFirst };
}

function stagesOf(place: Place): Place[] {
  if (place.isNone) return place.unsupported('only byte-level vocabularies are imported: expected ByteLevel');
  if (typeOf(place) !== 'Sequence') return [place];
  return place
    .at('pretokenizers')
    .few()
    .flatMap((each) => stagesOf(each));
}

function typeOf(place: Place): string {
  place.object();
  return place.at('type').text();
}
