// The `normalizer` of a file as steps for the engine.

import type { NormalizerStep } from '../compile/normalizer-steps.js';
import { hasLoneSurrogate } from '../open/utf8-text.js';
import { base64Bytes } from '../base/texts.js';
import type { JsonNode } from './json-node.js';

/** A step; the pattern of a Replace is Oniguruma's still. */
export type ImportedStep = NormalizerStep | { kind: 'replace-regex'; regex: string; by: string; node: JsonNode };

/** Far more than any model has; the engine takes no more (cartridges/FORMAT.md). */
const MOST_STEPS = 64;
/** In bytes. */
const LONGEST_TEXT = 256;

const PLAIN = {
  NFC: 'nfc',
  NFD: 'nfd',
  NFKC: 'nfkc',
  NFKD: 'nfkd',
  Nmt: 'nmt',
  Lowercase: 'lowercase',
  StripAccents: 'strip-accents',
} as const;

/** The steps of a normalizer, in order; none for a file without one. Throws a TokenizerError for one that is unknown. */
export function normalizerStepsOf(node: JsonNode): ImportedStep[] {
  if (node.isNone) return [];
  const steps = stepsOf(node);
  if (steps.length > MOST_STEPS) node.unsupported(`more than ${MOST_STEPS} normalizers are not supported`);
  return steps;
}

function stepsOf(node: JsonNode): ImportedStep[] {
  node.object();
  const type = node.at('type').text();
  if (Object.hasOwn(PLAIN, type)) return [{ kind: PLAIN[type as keyof typeof PLAIN] }];
  switch (type) {
    case 'Sequence':
      return node.at('normalizers').few().flatMap(stepsOf);
    case 'Strip':
      return [{ kind: 'strip', left: node.at('strip_left').boolean(), right: node.at('strip_right').boolean() }];
    case 'Prepend': {
      const text = stepText(node.at('prepend'));
      if (text === '')
        node.at('prepend').unsupported('an empty text, behind which the first character comes from nowhere, is not supported');
      return [{ kind: 'prepend', text }];
    }
    case 'Replace':
      return [replacementOf(node)];
    case 'BertNormalizer':
      return [bertOf(node)];
    case 'Precompiled':
      return [{ kind: 'precompiled', charsmap: base64Bytes(node.at('precompiled_charsmap').text())! }];
    case 'MetaspaceNormalizer':
      return [metaspaceNormalizerOf(node)];
    default:
      return node.at('type').unsupported(`${type} is not supported`);
  }
}

function replacementOf(node: JsonNode): ImportedStep {
  const pattern = node.at('pattern');
  const by = stepText(node.at('content'));
  pattern.object();
  const literal = pattern.at('String');
  if (literal.kind === undefined) return { kind: 'replace-regex', regex: pattern.at('Regex').text(), by, node };
  const text = stepText(literal);
  return text === '' ? literal.unsupported('an empty text, which matches everywhere, is not supported') : { kind: 'replace', text, by };
}

function bertOf(node: JsonNode): NormalizerStep {
  const lowercase = node.at('lowercase').boolean();
  return {
    kind: 'bert',
    cleanText: node.at('clean_text').boolean(),
    spacesCjk: node.at('handle_chinese_chars').boolean(),
    stripAccents: node.at('strip_accents').truth(lowercase),
    lowercase,
  };
}

function stepText(node: JsonNode): string {
  const text = node.text();
  if (hasLoneSurrogate(text)) node.malformed('a text without lone surrogates');
  const length = 3 * text.length > LONGEST_TEXT ? new TextEncoder().encode(text).length : 0;
  return length > LONGEST_TEXT ? node.unsupported(`${length} bytes are too many: at most ${LONGEST_TEXT} are supported`) : text;
}

/** Version 2.0 has this pretokenizer as a normalizer. */
function metaspaceNormalizerOf(node: JsonNode): NormalizerStep {
  const prepend = prependSchemeOf(node.at('prepend'));
  return {
    kind: 'metaspace',
    replacement: replacementCharacter(node),
    prepend,
    dropsWhitespace: node.at('drop_whitespace').truth(false),
  };
}

/** The step of a Metaspace pretokenizer. */
export function metaspaceOf(node: JsonNode, dropsWhitespace: boolean): NormalizerStep {
  const scheme = node.at('prepend_scheme');
  const prepend = scheme.isNone ? 'always' : prependSchemeOf(scheme);
  const legacy = node.at('add_prefix_space');
  // As the reference: an old file cannot say `false` without saying `never`.
  if (!legacy.truth(true) && prepend !== 'never') legacy.malformed('true, or a prepend_scheme of never');
  return { kind: 'metaspace', replacement: replacementCharacter(node), prepend, dropsWhitespace };
}

function prependSchemeOf(node: JsonNode): 'always' | 'first' | 'never' {
  const scheme = node.text();
  return scheme === 'always' || scheme === 'first' || scheme === 'never' ? scheme : node.malformed('always, first or never');
}

function replacementCharacter(node: JsonNode): string {
  const text = node.at('replacement').text();
  return [...text].length === 1 ? text : node.at('replacement').malformed('one character');
}
