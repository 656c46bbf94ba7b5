// Which pretokenizer family a file's `pre_tokenizer` is.

import { DEEPSEEK3 } from './deepseek3.js';
import type { Place } from './place.js';

const raw = String.raw;

/**
 * The patterns that Oniguruma, which Hugging Face reads them with, splits by as a family does. One alone matches every
 * character, so there is nothing between matches. Several lines are one after the other: each splits the pieces of the one
 * before.
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
  if (others.length === 0) return last.at('use_regex').unsupported('a text that is not split into pieces is not supported');
  const family = isSplitting ? undefined : familyOfSplits(others);
  if (family !== undefined) return family;
  const [alone] = isSplitting || others.length > 1 ? [] : others;
  if (alone) return alone.at('pattern').at('Regex').unsupported(`this pattern is not that of ${KNOWN}, the only ones that are supported`);
  return place.unsupported(`${stages.map(typeOf).join(', ')}: splitting in several stages is not supported, but for that of deepseek3`);
}

const KNOWN = 'gpt2, cl100k, o200k, qwen2 or tekken';

function stagesOf(place: Place): Place[] {
  if (place.isNone) return place.unsupported('only byte-level vocabularies are imported: expected ByteLevel');
  if (typeOf(place) !== 'Sequence') return [place];
  return place.at('pretokenizers').elements().flatMap(stagesOf);
}

function typeOf(place: Place): string {
  place.object();
  return place.at('type').text();
}

/** Undefined if the stages are more than one, or another pattern. */
function familyOfSplits(stages: Place[]): string | undefined {
  const isAlone = stages.length === 1;
  if (!isAlone && stages.some((stage) => typeOf(stage) !== 'Split')) return undefined;
  const patterns = stages.map((stage) => patternOf(stage, isAlone)).join('\n');
  return Object.hasOwn(FAMILIES, patterns) ? FAMILIES[patterns] : undefined;
}

/** `coversAll`: every character is in a match, so that it is the same what is done with the others. */
function patternOf(split: Place, coversAll: boolean): string {
  if (typeOf(split) !== 'Split') return split.unsupported(`${typeOf(split)} is not supported`);
  const behavior = split.at('behavior');
  const isInverted = split.at('invert').truth(false);
  const keepsMatches = behavior.text() === 'Isolated' || (coversAll && behavior.text() === 'Removed' && isInverted);
  if (!keepsMatches) behavior.unsupported(`${behavior.text()} (invert: ${isInverted}) is not supported`);
  const regex = split.at('pattern').at('Regex');
  if (regex.isNone) split.at('pattern').unsupported('only a Regex is supported');
  // Some files have the characters themselves.
  return regex.text().replaceAll('\r', raw`\r`).replaceAll('\n', raw`\n`);
}
