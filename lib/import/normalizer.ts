// The `normalizer` of a file as steps for the engine.

import type { NormalizerStep } from '../compile/normalizer-steps.js';
import { base64Bytes } from './base64.js';
import type { Place } from './place.js';

/** A step; the pattern of a Replace is Oniguruma's still. */
export type ImportedStep = NormalizerStep | { kind: 'replace-regex'; regex: string; by: string; place: Place };

/** Far more than any model has; the engine takes no more (cartridges/FORMAT.md). */
const MOST_STEPS = 64;

const PLAIN = {
  NFC: 'nfc',
  NFD: 'nfd',
  NFKC: 'nfkc',
  NFKD: 'nfkd',
  Nmt: 'nmt',
  Lowercase: 'lowercase',
  StripAccents: 'strip-accents',
  ByteLevel: 'byte-level',
} as const;

/** The steps of a normalizer, in order; none for a file without one. Throws a TokenizerError for one that is unknown. */
export function normalizerStepsOf(place: Place): ImportedStep[] {
  if (place.isNone) return [];
  const steps = stepsOf(place);
  if (steps.length > MOST_STEPS) place.unsupported(`more than ${MOST_STEPS} normalizers are not supported`);
  return steps;
}

function stepsOf(place: Place): ImportedStep[] {
  place.object();
  const type = place.at('type').text();
  if (Object.hasOwn(PLAIN, type)) return [{ kind: PLAIN[type as keyof typeof PLAIN] }];
  switch (type) {
    case 'Sequence':
      return place.at('normalizers').few().flatMap(stepsOf);
    case 'Strip':
      return [{ kind: 'strip', left: place.at('strip_left').boolean(), right: place.at('strip_right').boolean() }];
    case 'Prepend': {
      const text = place.at('prepend').text();
      return text === '' ? [] : [{ kind: 'prepend', text }];
    }
    case 'Replace':
      return [replacementOf(place)];
    case 'BertNormalizer':
      return [bertOf(place)];
    case 'Precompiled':
      return [precompiledOf(place.at('precompiled_charsmap'))];
    case 'MetaspaceNormalizer':
      return [metaspaceNormalizerOf(place)];
    default:
      return place.at('type').unsupported(`${type} is not supported`);
  }
}

function replacementOf(place: Place): ImportedStep {
  const pattern = place.at('pattern');
  const by = place.at('content').text();
  pattern.object();
  const literal = pattern.at('String');
  if (literal.kind === undefined) return { kind: 'replace-regex', regex: pattern.at('Regex').text(), by, place };
  const text = literal.text();
  return text === '' ? literal.unsupported('a text that is everywhere is not supported') : { kind: 'replace', text, by };
}

function bertOf(place: Place): NormalizerStep {
  const lowercase = place.at('lowercase').boolean();
  return {
    kind: 'bert',
    cleanText: place.at('clean_text').boolean(),
    spacesCjk: place.at('handle_chinese_chars').boolean(),
    stripAccents: place.at('strip_accents').truth(lowercase),
    lowercase,
  };
}

function precompiledOf(place: Place): NormalizerStep {
  const charsmap = base64Bytes(place.text());
  return charsmap ? { kind: 'precompiled', charsmap } : place.malformed('base64');
}

/** Of version 2.0: what was a pretokenizer. */
function metaspaceNormalizerOf(place: Place): NormalizerStep {
  const prepend = prependSchemeOf(place.at('prepend'));
  return {
    kind: 'metaspace',
    replacement: replacementCharacter(place),
    prepend,
    dropsWhitespace: place.at('drop_whitespace').truth(false),
  };
}

/** The step of a Metaspace pretokenizer. */
export function metaspaceOf(place: Place, dropsWhitespace: boolean): NormalizerStep {
  const scheme = place.at('prepend_scheme');
  const prepend = scheme.isNone ? 'always' : prependSchemeOf(scheme);
  const legacy = place.at('add_prefix_space');
  // As the reference: an old file cannot say `false` without saying `never`.
  if (!legacy.truth(true) && prepend !== 'never') legacy.malformed('true, or a prepend_scheme of never');
  return { kind: 'metaspace', replacement: replacementCharacter(place), prepend, dropsWhitespace };
}

function prependSchemeOf(place: Place): 'always' | 'first' | 'never' {
  const scheme = place.text();
  return scheme === 'always' || scheme === 'first' || scheme === 'never' ? scheme : place.malformed('always, first or never');
}

function replacementCharacter(place: Place): string {
  const text = place.at('replacement').text();
  return [...text].length === 1 ? text : place.at('replacement').malformed('one character');
}
