// The `normalizer` of a file as steps, for either path of the engine. What the file may have, file-rules.ts has checked.

import type { MetaspaceStep, NormalizerStep } from '../compile/normalizer-steps.js';
import { base64Bytes } from '../../base/text-encodings.js';
import { patternAt } from './decoder-steps.js';
import { NORMALIZER, typeOf } from './file-rules.js';
import type { JsonNode } from './json-node.js';

/** A step; the pattern of a Replace is Oniguruma's still, or an empty text. */
export type ImportedStep = NormalizerStep | { kind: 'replace-regex'; pattern: JsonNode; by: string };

/** Far more than any model has; the fast path takes no more (cartridges/FORMAT.md). */
const MOST_STEPS = 64;
/** In bytes. */
const LONGEST_TEXT = 256;

const PLAIN: Record<string, 'nfc' | 'nfd' | 'nfkc' | 'nfkd' | 'nmt' | 'lowercase' | 'strip-accents' | 'byte-level'> = {
  NFC: 'nfc',
  NFD: 'nfd',
  NFKC: 'nfkc',
  NFKD: 'nfkd',
  Nmt: 'nmt',
  Lowercase: 'lowercase',
  StripAccents: 'strip-accents',
  ByteLevel: 'byte-level',
};

/** The steps of a normalizer, in order; none for a file without one. */
export function normalizerStepsOf(node: JsonNode): ImportedStep[] {
  if (node.isNone) return [];
  const type = typeOf(node, NORMALIZER);
  switch (type) {
    case 'Sequence':
      return node.at('normalizers').few().flatMap(normalizerStepsOf);
    case 'Strip':
      return [{ kind: 'strip', left: node.at('strip_left').boolean(), right: node.at('strip_right').boolean() }];
    case 'Prepend':
      return [{ kind: 'prepend', text: node.at('prepend').text() }];
    case 'Replace': {
      const pattern = patternAt(node.at('pattern'));
      const by = node.at('content').text();
      return ['String' in pattern ? { kind: 'replace', text: pattern.String, by } : { kind: 'replace-regex', pattern, by }];
    }
    case 'Bert':
    case 'BertNormalizer':
      return [bertOf(node)];
    case 'Precompiled':
      return [{ kind: 'precompiled', charsmap: base64Bytes(node.at('precompiled_charsmap').text())! }];
    // Version 2.0 has this pretokenizer as a normalizer, the last one: added tokens are not searched for in what it makes.
    case 'MetaspaceNormalizer':
      return [metaspaceStep(node, node.at('prepend'), node.at('drop_whitespace').truth(false))];
    default:
      return [{ kind: PLAIN[type]! }];
  }
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

/** The step of a Metaspace pretokenizer. */
export function metaspaceOf(node: JsonNode, dropsWhitespace: boolean): MetaspaceStep {
  return metaspaceStep(node, node.at('prepend_scheme'), dropsWhitespace);
}

function metaspaceStep(node: JsonNode, scheme: JsonNode, dropsWhitespace: boolean): MetaspaceStep {
  const prepend = scheme.isNone ? 'always' : (scheme.text() as MetaspaceStep['prepend']);
  return { kind: 'metaspace', replacement: node.at('replacement').text(), prepend, dropsWhitespace };
}

/** Throws a TokenizerError for steps that the fast path does not have. */
export function checkSteps(node: JsonNode, steps: readonly ImportedStep[]): void {
  if (steps.length > MOST_STEPS) node.unsupported(`more than ${MOST_STEPS} normalizers are not supported`);
  for (const step of steps) {
    if (step.kind === 'byte-level') node.unsupported('ByteLevel is not supported');
    if (step.kind === 'prepend' && step.text === '')
      node.unsupported('an empty text, behind which the first character comes from nowhere, is not supported');
    if (step.kind === 'replace-regex' && step.pattern.at('Regex').kind === undefined)
      step.pattern.unsupported('an empty text, which matches everywhere, is not supported');
    for (const text of ['text' in step ? step.text : '', 'by' in step ? step.by : '']) {
      const length = 3 * text.length > LONGEST_TEXT ? new TextEncoder().encode(text).length : 0;
      if (length > LONGEST_TEXT) node.unsupported(`${length} bytes are too many: at most ${LONGEST_TEXT} are supported`);
    }
  }
}
