// The `decoder` of a file, as the metadata of a cartridge has it (cartridges/FORMAT.md, section 4).

import { type DecoderSpec, growsTooMuch, type Program, type Step, type TextForm } from '../decode/decoder-spec.js';
import { PatternError, UnsupportedPattern } from '../patterns/tree.js';
import type { compileRegex } from '../patterns/regex.js';
import type { JsonNode } from './json-node.js';
import { DECODER, typeOf } from './file-rules.js';

/** A decoder whose patterns are not compiled yet. */
export type ImportedDecoder = readonly Step<JsonNode>[];

/** Far more than any model has. */
const MOST_STEPS = 64;
const MOST_STRIPPED = 2 ** 31;

/** The steps of a decoder; a file without one joins tokens by spaces. */
export function decoderStepsOf(node: JsonNode): ImportedDecoder {
  if (node.isNone) return [{ type: 'Join' }];
  const steps = stepsOf(node);
  if (steps.length > MOST_STEPS) node.unsupported(`more than ${MOST_STEPS} decoders are not supported`);
  return steps;
}

/** What of a vocabulary decides how it is decoded: tokenizer-json.ts. */
interface Decoded {
  decoder: ImportedDecoder;
  form: TextForm;
  suffix: string;
  decodesBytes: boolean;
  decodedTexts(): ReadonlyMap<number, string>;
}

/** Whether a step is a Replace with a pattern. */
export function hasPattern(step: Step<JsonNode>): step is Step<JsonNode> & { type: 'Replace'; pattern: JsonNode } {
  return step.type === 'Replace' && !('String' in step.pattern);
}

/**
 * The decoder for the metadata, or undefined if the engine's own decoding, which joins the bytes of tokens, does the same. `compile`: for
 * patterns.
 */
export function decoderSpecOf(
  { decoder: steps, form, suffix, decodesBytes, decodedTexts }: Decoded,
  compile: () => typeof compileRegex,
  node?: JsonNode,
): DecoderSpec<Program> | undefined {
  if (decodesBytes && steps.length === 1 && steps[0]!.type === 'ByteLevel') return undefined;
  const texts = decodedTexts();
  const translated = steps.map(
    (step): Step<Program> =>
      hasPattern(step) ? { ...step, pattern: { Program: [...programOf(step.pattern, compile())] } } : (step as Step<Program>),
  );
  if (growsTooMuch(translated)) {
    const what = 'Replace that may make a text more than 1,024 times as long is not supported';
    if (!node) throw new TypeError(what);
    return node.unsupported(what);
  }
  return { form, ...(texts.size > 0 && { texts: Object.fromEntries(texts) }), suffix: suffix || undefined, steps: translated };
}

/** The program of a file's pattern; an empty text is one, which is found between all characters. */
export function programOf(node: JsonNode, compile: typeof compileRegex): Uint32Array {
  const regex = node.at('Regex');
  try {
    return compile(regex.kind === undefined ? '' : regex.text());
  } catch (error) {
    if (error instanceof UnsupportedPattern) return regex.unsupported(error.message);
    if (error instanceof PatternError) return regex.malformed(`a pattern of Oniguruma (${error.message})`);
    throw error;
  }
}

function stepsOf(node: JsonNode): Step<JsonNode>[] {
  const type = typeOf(node, DECODER);
  switch (type) {
    case 'Sequence':
      return node.at('decoders').few().flatMap(stepsOf);
    case 'WordPiece':
      return [{ type, prefix: node.at('prefix').text(), cleanup: node.at('cleanup').boolean() }];
    case 'Metaspace': {
      const scheme = node.at('prepend_scheme').isNone ? 'always' : node.at('prepend_scheme').text();
      return [{ type, replacement: node.at('replacement').text(), prepend_scheme: scheme as 'always' | 'first' | 'never' }];
    }
    case 'Strip':
      return [{ type, content: node.at('content').text(), start: countAt(node, 'start'), stop: countAt(node, 'stop') }];
    case 'Replace':
      return [{ type, pattern: patternAt(node.at('pattern')), content: node.at('content').text() }];
    case 'BPEDecoder':
      return [{ type, suffix: node.at('suffix').text() }];
    case 'CTC': {
      const [pad_token, word_delimiter_token] = [node.at('pad_token').text(), node.at('word_delimiter_token').text()];
      return [{ type, pad_token, word_delimiter_token, cleanup: node.at('cleanup').boolean() }];
    }
    default:
      return [{ type: type as 'Fuse' }];
  }
}

/** A text that is not empty, or the node of a pattern. */
export function patternAt(node: JsonNode): { String: string } | JsonNode {
  const text = node.at('String');
  return text.kind === undefined || text.text() === '' ? node : { String: text.text() };
}

function countAt(node: JsonNode, key: string): number {
  return Math.min(node.at(key).id(2 ** 53), MOST_STRIPPED);
}
