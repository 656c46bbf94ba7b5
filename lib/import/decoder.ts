// The `decoder` of a file, as the metadata of a cartridge has it (cartridges/FORMAT.md, section 4).

import type { DecoderSpec, Step, TextForm } from '../decode/spec.js';
import { growsTooMuch } from './decoder-growth.js';
import type { Automaton } from '../patterns/automaton-table.js';
import type { JsonNode } from './json-node.js';
import { DECODER, typeOf } from './file-rules.js';
import { needed, type Steps } from './steps.js';

/** A decoder in the syntax of the file: the patterns of Replace are Oniguruma's. */
export type ImportedDecoder = readonly (Step | ImportedReplace)[];
interface ImportedReplace {
  type: 'Replace';
  pattern: { String: string } | { Regex: string };
  content: string;
}

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

/** The decoder for the metadata, or undefined if the engine's own decoding, which joins the bytes of tokens, does the same. */
export function* decoderSpecOf(
  { decoder: steps, form, suffix, decodesBytes, decodedTexts }: Decoded,
  node?: JsonNode,
): Steps<DecoderSpec | undefined> {
  if (decodesBytes && steps.length === 1 && steps[0]!.type === 'ByteLevel') return undefined;
  const texts = decodedTexts();
  const translated: Step[] = [];
  for (const step of steps) translated.push(yield* translatedStep(step, node));
  if (growsTooMuch(translated)) return refuse(node, 'Replace that may make a text more than 1,024 times as long is not supported');
  return { form, ...(texts.size > 0 && { texts: Object.fromEntries(texts) }), suffix: suffix || undefined, steps: translated };
}

function* translatedStep(step: ImportedReplace | Step, node: JsonNode | undefined): Steps<Step> {
  if (step.type !== 'Replace' || !('Regex' in step.pattern)) return step as Step;
  const { patternAutomaton } = yield* needed('tables', () => import('../patterns/tables.js'));
  const automaton = patternAutomaton(step.pattern.Regex);
  if ('what' in automaton) return refuse(node, `the pattern of Replace: ${automaton.what}, which is not supported`);
  return { ...step, pattern: { Automaton: { ...automaton, table: [...automaton.table] } as unknown as Automaton } };
}

function refuse(node: JsonNode | undefined, what: string): never {
  if (node) return node.unsupported(what);
  throw new TypeError(what);
}

function stepsOf(node: JsonNode): (Step | ImportedReplace)[] {
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

function patternAt(node: JsonNode): { String: string } | { Regex: string } {
  const [text, regex] = [node.at('String'), node.at('Regex')];
  if (text.kind === undefined) return { Regex: regex.text() };
  return { String: textAt(node, 'String') };
}

/** A text that is not empty: such a one would be found between all characters. */
function textAt(node: JsonNode, key: string): string {
  const text = node.at(key).text();
  return text === '' ? node.at(key).unsupported('an empty text is not supported') : text;
}

function countAt(node: JsonNode, key: string): number {
  return Math.min(node.at(key).id(2 ** 53), MOST_STRIPPED);
}
