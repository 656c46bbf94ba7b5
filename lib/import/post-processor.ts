// What a file's `post_processor` puts around the ids of one text and of two, with their types, and whether it takes whitespace
// off their offsets.

import { ONE_AFTER_THE_OTHER, type Piece, type Templates } from '../vocabulary/pieces.js';
import type { JsonNode } from './json-node.js';

/** The ids before and after a text. */
export interface Template {
  prefix: number[];
  suffix: number[];
}

/** Whether the offsets of a token include spaces at its beginning and end. */
export type Trimming = 'none' | 'spaces' | 'all but a first space';

export interface PostProcessor extends Template {
  trimming: Trimming;
  /** As in the metadata of a cartridge: missing keys have the value of a vocabulary without a post-processor. */
  templates?: Partial<Templates>;
}

const NOTHING: PostProcessor = { prefix: [], suffix: [], trimming: 'none' };

/** More than any model has. */
const MOST_IDS = 256;
const MOST_TYPES = 2 ** 32;

/** Ids are below `limit`. */
export function postProcessorOf(node: JsonNode, limit: number): PostProcessor {
  if (node.isNone) return NOTHING;
  node.object();
  const type = node.at('type').text();
  switch (type) {
    case 'ByteLevel':
      return { ...NOTHING, trimming: trimmingOf(node) };
    case 'RobertaProcessing': {
      const { cls, sep } = tokensOf(node, limit);
      return { ...robertaProcessing(cls, sep), trimming: trimmingOf(node) };
    }
    case 'BertProcessing': {
      const { cls, sep } = tokensOf(node, limit);
      return bertProcessing(cls, sep);
    }
    case 'TemplateProcessing':
      return ofTemplates(node, limit);
    case 'Sequence':
      return ofSequence(node, limit);
    default:
      return node.at('type').unsupported(`${type} is not supported`);
  }
}

/** `[CLS] A [SEP]`, and `[CLS] A [SEP] B [SEP]`, whose second part has the type 1. */
export function bertProcessing(cls: number, sep: number): PostProcessor {
  const first: Piece[] = [ids(cls), { seq: 'A', type_id: 0 }, ids(sep)];
  return { prefix: [cls], suffix: [sep], trimming: 'none', templates: { pair: [...first, { seq: 'B', type_id: 1 }, ids(sep, 1)] } };
}

/** `<s> A </s>`, and `<s> A </s></s> B </s>`, all of the type 0, which the texts keep without these ids. */
export function robertaProcessing(cls: number, sep: number): PostProcessor {
  const pair: Piece[] = [ids(cls), { seq: 'A', type_id: 0 }, ids(sep), ids(sep), { seq: 'B', type_id: 0 }, ids(sep)];
  return { prefix: [cls], suffix: [sep], trimming: 'none', templates: { pair } };
}

/** `<s> A </s>`, and `<s> A </s><s> B </s>`, whose second part has the type 1; each of the two ids may be missing. */
export function pieceProcessing(bos: number | undefined, eos: number | undefined): PostProcessor {
  const all = (...some: (number | undefined)[]) => some.filter((id) => id !== undefined);
  const [prefix, suffix] = [all(bos), all(eos)];
  if (prefix.length + suffix.length === 0) return NOTHING;
  const around = (seq: 'A' | 'B', type_id: number): Piece[] => [
    ...prefix.map((id) => ids(id, type_id)),
    { seq, type_id },
    ...suffix.map((id) => ids(id, type_id)),
  ];
  return { prefix, suffix, trimming: 'none', templates: { pair: [...around('A', 0), ...around('B', 1)] } };
}

function ids(id: number, type_id = 0): Piece {
  return { ids: [id], type_id };
}

function ofSequence(node: JsonNode, limit: number): PostProcessor {
  const list = node.at('processors');
  const processors = list.few().map((each) => postProcessorOf(each, limit));
  const withTemplates = processors.filter(({ prefix, suffix, templates }) => prefix.length + suffix.length > 0 || templates);
  const trimmings = processors.map(({ trimming }) => trimming).filter((trimming) => trimming !== 'none');
  // Hugging Face itself cannot apply two.
  if (withTemplates.length > 1) list.unsupported('more than one template is not supported');
  if (trimmings.length > 1) list.unsupported('more than one post-processor with trim_offsets is not supported');
  return { ...(withTemplates[0] ?? NOTHING), trimming: trimmings[0] ?? 'none' };
}

function trimmingOf(node: JsonNode): Trimming {
  const keepsFirst = node.at('add_prefix_space').boolean();
  if (!node.at('trim_offsets').boolean()) return 'none';
  return keepsFirst ? 'all but a first space' : 'spaces';
}

/** The ids of one token before a text, and of one after it. */
function tokensOf(node: JsonNode, limit: number): { cls: number; sep: number } {
  const idOf = (name: string) => {
    const pair = node.at(name);
    const [text, id, another] = pair.few();
    if (!text || !id || another) return pair.malformed('a token and its id');
    text.text();
    return id.id(limit);
  };
  return { cls: idOf('cls'), sep: idOf('sep') };
}

function ofTemplates(node: JsonNode, limit: number): PostProcessor {
  const single = node.at('single');
  const special = node.at('special_tokens');
  const pieces = piecesOf(single, special, limit);
  const at = pieces.findIndex((piece) => 'seq' in piece);
  const sequences = pieces.filter((piece) => 'seq' in piece);
  if (sequences.some((piece) => 'seq' in piece && piece.seq !== 'A')) single.malformed('no text but A');
  if (sequences.length !== 1) single.unsupported(`the text is in it ${sequences.length} times, and only once is supported`);
  const idsOf = (some: Piece[]) => some.flatMap((piece) => ('ids' in piece ? piece.ids : []));
  // A file need not define pairs; one that defines them wrongly cannot encode them.
  const pair = node.at('pair').isNone ? [] : piecesOf(node.at('pair'), special, limit);
  const templates: Partial<Templates> = {
    ...(pieces.some(({ type_id }) => type_id !== 0) && { single: pieces }),
    ...(JSON.stringify(pair) !== JSON.stringify(ONE_AFTER_THE_OTHER) && { pair }),
  };
  return {
    prefix: idsOf(pieces.slice(0, at)),
    suffix: idsOf(pieces.slice(at + 1)),
    trimming: 'none',
    ...(Object.keys(templates).length > 0 && { templates }),
  };
}

/** The pieces of a template, in the form of version 1.0 or of 2.0. */
function piecesOf(template: JsonNode, special: JsonNode, limit: number): Piece[] {
  let count = 0;
  return template.few().map((piece): Piece => {
    piece.object();
    const own = ['Sequence', 'SpecialToken'].map((key) => piece.at(key)).find((inner) => !inner.isNone) ?? piece;
    const type_id = own.at('type_id').isNone ? 0 : own.at('type_id').id(MOST_TYPES);
    const sequence = piece.at('Sequence').isNone ? piece.at('seq') : piece.at('Sequence').at('id');
    if (!sequence.isNone) {
      const seq = sequence.text();
      return seq === 'A' || seq === 'B' ? { seq, type_id } : sequence.malformed('A or B');
    }
    let list = piece.at('ids');
    if (list.isNone) {
      const token = special.entry(piece.at('SpecialToken').at('id').text());
      token.object();
      list = token.at('ids');
    }
    const ids = list.few().map((id) => id.id(limit));
    count += ids.length;
    if (count > MOST_IDS) template.unsupported(`more than ${MOST_IDS} ids around a text are not supported`);
    return { ids, type_id };
  });
}
