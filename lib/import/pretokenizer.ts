// Which pretokenizer family a file's `pre_tokenizer` is.

import type { Place } from './place.js';

const raw = String.raw;

/**
 * The patterns that Oniguruma, which Hugging Face reads them with, splits by as a family does. Each matches every
 * character, so there is nothing between matches.
 */
const FAMILIES: Record<string, string> = {
  [raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`]: 'gpt2',
  [raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`]: 'gpt2',
};
for (const contraction of [raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)`, raw`(?i:[sdmt]|ll|ve|re)`]) {
  const suffix = contraction.includes("'") ? contraction : `'${contraction}`;
  const rest = raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
  FAMILIES[raw`${suffix}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|${rest}`] = 'cl100k';
  FAMILIES[raw`${suffix}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|${rest}`] = 'qwen2';
}
FAMILIES[
  [
    raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
    raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
    raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  ].join('|')
] = 'o200k';

/**
 * The name of the family. Throws a TokenizerError for one that is not byte-level, or splits in another way. The only place
 * that decides what a pattern is: others than these would become a scanner of their own here.
 */
export function pretokenizerOf(place: Place): string {
  const stages = stagesOf(place);
  const last = stages.at(-1);
  if (!last || typeOf(last) !== 'ByteLevel') {
    return (last ?? place).unsupported('only byte-level vocabularies are imported: expected ByteLevel as the last pretokenizer');
  }
  if (last.at('add_prefix_space').truth(true)) {
    last.at('add_prefix_space').unsupported('a space that is put before a text is not supported');
  }
  const isSplitting = last.at('use_regex').truth(true);
  const others = stages.slice(0, -1);
  if (isSplitting && others.length === 0) return 'gpt2';
  if (!isSplitting && others.length === 1) return familyOfSplit(others[0] as Place);
  if (others.length === 0) return last.at('use_regex').unsupported('a text that is not split into pieces is not supported');
  return place.unsupported(`${stages.map(typeOf).join(', ')}: splitting in several stages is not supported`);
}

function stagesOf(place: Place): Place[] {
  if (place.isNone) return place.unsupported('only byte-level vocabularies are imported: expected ByteLevel');
  if (typeOf(place) !== 'Sequence') return [place];
  return place.at('pretokenizers').elements().flatMap(stagesOf);
}

function typeOf(place: Place): string {
  place.object();
  return place.at('type').text();
}

function familyOfSplit(split: Place): string {
  if (typeOf(split) !== 'Split') return split.unsupported(`${typeOf(split)} is not supported`);
  const behavior = split.at('behavior');
  const isInverted = split.at('invert').truth(false);
  // Where every character is in a match, these are the same.
  const keepsMatches = behavior.text() === 'Isolated' || (behavior.text() === 'Removed' && isInverted);
  if (!keepsMatches) behavior.unsupported(`${behavior.text()} (invert: ${isInverted}) is not supported`);
  const regex = split.at('pattern').at('Regex');
  if (regex.isNone) split.at('pattern').unsupported('only a Regex is supported');
  return familyOfPattern(regex);
}

/** The family that a pattern is of, also one that a file has for tiktoken. */
export function familyOfPattern(regex: Place): string {
  // Some files have the characters themselves.
  const pattern = regex.text().replaceAll('\r', raw`\r`).replaceAll('\n', raw`\n`);
  const family = Object.hasOwn(FAMILIES, pattern) ? FAMILIES[pattern] : undefined;
  return family ?? regex.unsupported('this pattern is not that of gpt2, cl100k, o200k or qwen2, the only ones that are supported');
}
