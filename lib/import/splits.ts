// The pretokenizers of a file that split a text by matches, as patterns of Oniguruma.

import type { Split, SplitBehavior } from '../patterns/compile-pattern.js';
import type { JsonNode } from './json-node.js';

export type { Split } from '../patterns/compile-pattern.js';

/** One of several pretokenizers, each of which splits the pieces of the previous one. */
export interface Stage extends Split {
  /** Where it is in the file. */
  node: JsonNode;
}

/** Of FixedLength, as in the reference. */
const DEFAULT_LENGTH = 5;

const BEHAVIORS: readonly string[] = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];

/** The numbers of npm `tokenizers` 0.23: Rust follows Unicode 17, which patterns do not support yet. */
export const NUMERIC = String.raw`[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]`;

/** Its punctuation: that of an older Unicode, and the ASCII symbols. */
const LATER_PUNCTUATION = [
  ...['61D', '9FD', 'A76', 'C77', 'C84', '1B4E-1B4F', '1B7D-1B7F', '2E43-2E4F', '2E52-2E5D', '10D6E', '10EAD', '10F55-10F59'],
  ...['10F86-10F89', '113D4-113D5', '113D7-113D8', '1144B-1144F', '1145A-1145B', '1145D', '11660-1166C', '116B9', '1183B'],
  ...['11944-11946', '119E2', '11A3F-11A46', '11A9A-11A9C', '11A9E-11AA2', '11B00-11B09', '11BE1', '11C41-11C45', '11C70-11C71'],
  ...['11EF7-11EF8', '11F43-11F4F', '11FFF', '12FF1-12FF2', '16D6D-16D6F', '16E97-16E9A', '16FE2', '1E5FF', '1E95E-1E95F'],
];
const escaped = (range: string) => range.replace(/[0-9A-F]+/g, String.raw`\x{$&}`);
export const PUNCTUATION = `[\\p{P}$+<=>\\^\`|~\\x{166D}\\x{111C9}&&[^${LATER_PUNCTUATION.map(escaped).join('')}]]`;

/** Its words, \w of Rust, and the other text between whitespace. */
const WORDS = String.raw`[\w\x{200C}\x{200D}]+|[^\w\x{200C}\x{200D}\s]+`;

/** Any pretokenizer but ByteLevel, as patterns that apply in order. Throws a TokenizerError if that is not possible. */
export function splitsOf(node: JsonNode, type: string): Stage[] {
  if (type === 'BertPreTokenizer') return [removed(String.raw`\s+`, node), isolated(PUNCTUATION, node)];
  return [splitOf(node, type)];
}

function splitOf(node: JsonNode, type: string): Stage {
  switch (type) {
    case 'Split':
      return {
        pattern: patternOf(node.at('pattern')),
        behavior: behaviorOf(node.at('behavior')),
        invert: node.at('invert').truth(false),
        node,
      };
    case 'Digits':
      return isolated(node.at('individual_digits').truth(false) ? NUMERIC : `${NUMERIC}+`, node);
    case 'Whitespace':
      return { pattern: WORDS, behavior: 'Removed', invert: true, node };
    case 'WhitespaceSplit':
      return removed(String.raw`\s+`, node);
    case 'CharDelimiterSplit':
      return removed(literal(node.at('delimiter').text()), node);
    case 'FixedLength':
      return isolated(String.raw`[\s\S]{1,${lengthOf(node.at('length'))}}`, node);
    case 'Punctuation': {
      const behavior = node.at('behavior').isNone ? 'Isolated' : behaviorOf(node.at('behavior'));
      // The same, in a form that later pretokenizers can use.
      if (behavior === 'Contiguous') return isolated(`${PUNCTUATION}+`, node);
      return { pattern: PUNCTUATION, behavior, invert: false, node };
    }
    case 'ByteLevel':
      return node.unsupported('ByteLevel is supported only once, and only for BPE without another one');
    default:
      return node.at('type').unsupported(`${type} is not supported`);
  }
}

/** In characters. */
export function lengthOf(node: JsonNode): number {
  if (node.kind === undefined) return DEFAULT_LENGTH;
  const length = node.id(2 ** 32);
  return length === 0 ? node.malformed('at least one character') : length;
}

function isolated(pattern: string, node: JsonNode): Stage {
  return { pattern, behavior: 'Isolated', invert: false, node };
}

function removed(pattern: string, node: JsonNode): Stage {
  return { pattern, behavior: 'Removed', invert: false, node };
}

export function behaviorOf(node: JsonNode): SplitBehavior {
  // Version 2.0 may leave it out.
  const name = node.kind === undefined ? 'Isolated' : node.text();
  return BEHAVIORS.includes(name) ? (name as SplitBehavior) : node.malformed(`one of ${BEHAVIORS.join(', ')}`);
}

function patternOf(node: JsonNode): string {
  node.object();
  const text = node.at('String');
  if (text.isNone) return node.at('Regex').text();
  if (text.text() === '') return text.unsupported('an empty text, which matches everywhere, is not supported');
  return literal(text.text());
}

function literal(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`);
}
