// What a file's `post_processor` puts around the ids of one text and of two, with their types, and whether it takes whitespace
// off their offsets.

import { ONE_AFTER_THE_OTHER, type Piece, type Templates } from '../metadata.js';
import { POST_PROCESSOR, typeOf } from './file-rules.js';
import type { JsonNode } from './json-node.js';

/** The ids before and after a text. */
export interface Template {
  prefix: number[];
  suffix: number[];
}

/** Which spaces at the beginning and end of a token its offsets do not include. */
export type Trimming = 'spaces' | 'all but a first space';

export interface PostProcessor extends Template {
  /** One after the other: most files have none or one. */
  trimming: readonly Trimming[];
  /** As in the metadata of a cartridge: missing keys have the value of a vocabulary without a post-processor. */
  templates?: Partial<Templates>;
}

/** More than any model has. */
const MOST_IDS = 256;
const MOST_TYPES = 2 ** 32;

/** All ids that it adds. */
export function idsAround({ prefix, suffix, templates }: PostProcessor): number[] {
  return [...prefix, ...suffix, ...idsOf(templates?.single ?? []), ...idsOf(templates?.pair ?? [])];
}

/** Ids are below `limit`. */
export function postProcessorOf(node: JsonNode, limit: number): PostProcessor {
  const steps = node.isNone ? [] : stepsOf(node, limit);
  const processor = processed(steps);
  const counts = [processor.templates?.single ?? [], processor.templates?.pair ?? []].map((pieces) => idsOf(pieces).length);
  if (Math.max(processor.prefix.length + processor.suffix.length, ...counts) > MOST_IDS) {
    node.unsupported(`more than ${MOST_IDS} ids around a text are not supported`);
  }
  return processor;
}

/** `<s> A </s>`, and `<s> A </s><s> B </s>`, whose second part has the type 1; each of the two ids may be missing. */
export function pieceProcessing(bos: number | undefined, eos: number | undefined): PostProcessor {
  const around = (seq: 'A' | 'B', type_id: number): Piece[] => [
    ...(bos === undefined ? [] : [ids(bos, type_id)]),
    { seq, type_id },
    ...(eos === undefined ? [] : [ids(eos, type_id)]),
  ];
  return processed([ofTemplates(around('A', 0), [...around('A', 0), ...around('B', 1)])]);
}

/** What becomes of one text or two, each pieces; undefined where the reference panics. */
type Step = { trimming?: Trimming; process?(sequences: Piece[][]): Piece[][] | undefined };

/** All steps, on one text and on two. A template that the reference panics for has no text: it cannot be used. */
function processed(steps: readonly Step[]): PostProcessor {
  const after = (sequences: readonly Piece[]): Piece[] => {
    let current: Piece[][] | undefined = sequences.map((piece) => [piece]);
    for (const { process } of steps) current = process && current ? process(current) : current;
    return current?.flat() ?? [];
  };
  const [single, pair] = [after(ONE_AFTER_THE_OTHER.slice(0, 1)), after(ONE_AFTER_THE_OTHER)];
  const at = single.findIndex((piece) => 'seq' in piece);
  const isAround = at >= 0 && single.filter((piece) => 'seq' in piece).length === 1;
  const templates: Partial<Templates> = {
    ...((!isAround || single.some(({ type_id }) => type_id !== 0)) && { single }),
    ...(JSON.stringify(pair) !== JSON.stringify(ONE_AFTER_THE_OTHER) && { pair }),
  };
  return {
    prefix: isAround ? idsOf(single.slice(0, at)) : [],
    suffix: isAround ? idsOf(single.slice(at + 1)) : [],
    trimming: steps.flatMap(({ trimming }) => trimming ?? []),
    ...(Object.keys(templates).length > 0 && { templates }),
  };
}

function idsOf(pieces: readonly Piece[]): number[] {
  return pieces.flatMap((piece) => ('ids' in piece ? piece.ids : []));
}

function ids(id: number, type_id = 0): Piece {
  return { ids: [id], type_id };
}

function typed(pieces: readonly Piece[], type_id: number): Piece[] {
  return pieces.map((piece) => ({ ...piece, type_id }));
}

function bert(cls: number, sep: number): Step {
  return { process: (all) => all.map((sequence, index) => (index === 0 ? [ids(cls), ...sequence, ids(sep)] : [...sequence, ids(sep, 1)])) };
}

function roberta(cls: number, sep: number): Step {
  return { process: (all) => all.map((sequence, index) => [ids(index === 0 ? cls : sep), ...typed(sequence, 0), ids(sep)]) };
}

/** Each piece is a text of its own to the steps behind. */
function ofTemplates(single: readonly Piece[] | undefined, pair: readonly Piece[] | undefined): Step {
  const process = (sequences: Piece[][]) => {
    const template = sequences.length === 2 ? pair : sequences.length === 1 ? single : undefined;
    const isMissing = (piece: Piece) => 'seq' in piece && piece.seq === 'B' && sequences.length < 2;
    if (!template || template.some(isMissing)) return undefined;
    return template.map((piece) => ('ids' in piece ? [piece] : typed(sequences[piece.seq === 'A' ? 0 : 1]!, piece.type_id)));
  };
  return { process };
}

function stepsOf(node: JsonNode, limit: number): Step[] {
  const type = typeOf(node, POST_PROCESSOR);
  switch (type) {
    case 'ByteLevel':
      return [{ trimming: trimmingOf(node) }];
    case 'RobertaProcessing':
      return [{ ...roberta(tokenOf(node.at('cls'), limit), tokenOf(node.at('sep'), limit)), trimming: trimmingOf(node) }];
    case 'BertProcessing':
      return [bert(tokenOf(node.at('cls'), limit), tokenOf(node.at('sep'), limit))];
    case 'Sequence':
      return node
        .at('processors')
        .few()
        .flatMap((each) => stepsOf(each, limit));
    default: {
      const special = node.at('special_tokens');
      // Version 2.0 need not define pairs.
      const pair = node.at('pair').isNone ? ONE_AFTER_THE_OTHER : piecesOf(node.at('pair'), special, limit);
      return [ofTemplates(piecesOf(node.at('single'), special, limit), pair)];
    }
  }
}

function trimmingOf(node: JsonNode): Trimming | undefined {
  if (!node.at('trim_offsets').boolean()) return undefined;
  return node.at('add_prefix_space').boolean() ? 'all but a first space' : 'spaces';
}

/** The id of a token with its id. */
function tokenOf(pair: JsonNode, limit: number): number {
  return pair.few()[1]!.id(limit);
}

/** The pieces of a template, in the form of version 1.0 or of 2.0; undefined if it has a token that nothing tells the ids of. */
function piecesOf(template: JsonNode, special: JsonNode, limit: number): Piece[] | undefined {
  const pieces = template.few().map((piece): Piece | undefined => {
    piece.object();
    const fields = ['Sequence', 'SpecialToken'].map((key) => piece.at(key)).find((inner) => !inner.isNone) ?? piece;
    const type_id = fields.at('type_id').isNone ? 0 : fields.at('type_id').id(MOST_TYPES);
    const sequence = piece.at('Sequence').isNone ? piece.at('seq') : piece.at('Sequence').at('id');
    if (!sequence.isNone) {
      const seq = sequence.text();
      return seq === 'A' || seq === 'B' ? { seq, type_id } : sequence.malformed('A or B');
    }
    const list = piece.at('ids').isNone ? special.entry(piece.at('SpecialToken').at('id').text()).at('ids') : piece.at('ids');
    return list.isNone ? undefined : { ids: list.few().map((id) => id.id(limit)), type_id };
  });
  return pieces.includes(undefined) ? undefined : (pieces as Piece[]);
}

// What a tokenizer.json says about the lengths of its sequences: `truncation` and `padding`.
//
// Encoding ignores both, as does the reference once they are switched off. They are kept in the metadata of the cartridge, in
// the words of the file, for those who make batches.

/** As in the file, and checked (file-rules.ts); what the file leaves out is left out. */
export interface Limits {
  truncation?: Record<string, unknown> | undefined;
  padding?: Record<string, unknown> | undefined;
}

const TRUNCATION = ['direction', 'max_length', 'strategy', 'stride'];
const PADDING = ['strategy', 'direction', 'pad_to_multiple_of', 'pad_id', 'pad_type_id', 'pad_token'];

export function limitsOf(root: JsonNode): Limits {
  return { truncation: fieldsOf(root.at('truncation'), TRUNCATION), padding: fieldsOf(root.at('padding'), PADDING) };
}

function fieldsOf(node: JsonNode, names: readonly string[]): Record<string, unknown> | undefined {
  if (node.isNone) return undefined;
  node.object();
  return Object.fromEntries(names.filter((name) => !node.at(name).isNone).map((name) => [name, node.at(name).json()]));
}
