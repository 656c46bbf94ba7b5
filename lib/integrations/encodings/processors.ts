// Post-processors: what a file's `post_processor` makes of encodings after truncation. It puts ids around them, sets their types, and
// takes spaces out of their offsets.

import { addedBy, type Piece, type Templates } from '../../vocabularies/metadata.js';
import {
  allAsSequence,
  asSequence,
  fixedRows,
  merged,
  type OffsetsChange,
  type Place,
  type Range,
  type Rows,
  withCells,
  withOffsets,
} from './encoding-rows.js';

/** An item of a template: one of the texts, or a special token. */
export type TemplateItem = { Sequence: { id: 'A' | 'B'; type_id?: number } } | { SpecialToken: { id: string; type_id?: number } };

/** The `post_processor` of a tokenizer.json. */
export type PostProcessorJson =
  | { type: 'ByteLevel'; trim_offsets?: boolean; add_prefix_space?: boolean }
  | { type: 'BertProcessing'; cls: [string, number]; sep: [string, number] }
  | { type: 'RobertaProcessing'; cls: [string, number]; sep: [string, number]; trim_offsets?: boolean; add_prefix_space?: boolean }
  | {
      type: 'TemplateProcessing';
      single: TemplateItem[];
      pair: TemplateItem[];
      special_tokens: Record<string, { ids: number[]; tokens: string[] }>;
    }
  | { type: 'Sequence'; processors: PostProcessorJson[] };

/** Brings one text or two into the form that a model expects. */
export interface Processor {
  /** The number of ids that it adds. */
  added(isPair: boolean): number;
  process(sequences: readonly Rows[], adds: boolean): readonly Rows[];
}

/** The processor of a file that names none. */
const NONE: Processor = {
  added: () => 0,
  process: (sequences) => (sequences.length === 1 ? sequences : [merged(sequences.map(asSequence))]),
};

/** The processor of a file. */
export function processorOf(json: PostProcessorJson | null | undefined): Processor {
  if (json == null) return NONE;
  return typed(stepOf(json));
}

/** The name of one of the ids of an item. */
type NamesFixed = (ids: readonly number[], at: number) => string;

/** The processor of templates. */
export function processorOfTemplates(templates: Templates, nameOf: NamesFixed): Processor {
  return typed(ofTemplates(templates, nameOf));
}

/** Each sequence begins with a type of its own. */
function typed({ added, process }: Processor): Processor {
  const begun = (rows: Rows, index: number) => allAsSequence(withCells(rows, { typeId: index }), index);
  return { added, process: (sequences, adds) => process(sequences.map(begun), adds) };
}

/** The original recognizes some processors by their fields and not by their type (lib/vocabularies/import/file-rules.ts). */
function stepOf(json: PostProcessorJson): Processor {
  if ('cls' in json) {
    const { cls, sep, trim_offsets, add_prefix_space } = json as Extract<PostProcessorJson, { type: 'RobertaProcessing' }>;
    if (typeof trim_offsets !== 'boolean' || typeof add_prefix_space !== 'boolean') return around(cls, sep, { isRoberta: false });
    const trims = byteLevel(trim_offsets, add_prefix_space);
    const roberta = around(cls, sep, { isRoberta: true });
    const ofFirst = (rows: Rows) => withCells(rows, { typeId: 0 });
    return { added: roberta.added, process: (rows, adds) => roberta.process(trims.process(rows, adds).map(ofFirst), adds) };
  }
  if ('single' in json) {
    const { single, pair, special_tokens: special } = json;
    const names = new Map<readonly number[], string[]>(Object.values(special).map(({ ids, tokens }) => [ids, tokens]));
    const template = (items: readonly TemplateItem[]) => templateOf(items, (token) => special[token]?.ids ?? []);
    return ofTemplates({ single: template(single), pair: template(pair) }, (ids, at) => names.get(ids)![at]!);
  }
  switch (json.type) {
    case 'ByteLevel':
      return byteLevel(json.trim_offsets, json.add_prefix_space);
    case 'Sequence': {
      const all = json.processors.map(stepOf);
      return {
        added: (isPair) => all.reduce((sum, each) => sum + each.added(isPair), 0),
        process: (rows, adds) => all.reduce((sequences, each) => each.process(sequences, adds), rows),
      };
    }
    default:
      return NONE;
  }
}

/** Spaces, and the letter that stands for one. */
const SPACES_BEFORE = /^[\p{White_Space}\u0120]*/u;
const SPACES_AFTER = /[\p{White_Space}\u0120]*$/u;

function byteLevel(trims = true, keepsFirst = true): Processor {
  const trimmed = (rows: Rows) => withOffsets(rows, (first) => trimmer(first, keepsFirst));
  return { added: () => 0, process: (sequences) => sequences.map((rows, index) => asSequence(trims ? trimmed(rows) : rows, index)) };
}

function spacesIn(token: string): Range {
  return [SPACES_BEFORE.exec(token)![0].length, SPACES_AFTER.exec(token)![0].length];
}

/** Leaves out the spaces around a token, but keeps a single one where the text begins. */
function trimmer(first: Place | undefined, keepsFirst: boolean): OffsetsChange {
  return ([start, end], source, index): Range => {
    let [before, after] = source.spacesAt?.(index) ?? spacesIn(source.tokenAt(index));
    if (before === 1 && keepsFirst && (start === 0 || (source === first?.source && index === first.index))) before = 0;
    const from = Math.min(start + before, end);
    return [from, after > 0 && end >= after ? Math.max(end - after, from) : end];
  };
}

/** `[CLS] A [SEP] B [SEP]`, or `<s> A </s></s> B </s>`. */
function around(cls: [string, number], sep: [string, number], { isRoberta }: { isRoberta: boolean }): Processor {
  const special = ([token, id]: [string, number], typeId: number) => fixedRows(() => token, id, { typeId, mask: 1 });
  const cells = isRoberta ? { typeId: 0 } : {};
  const wrapped = (rows: Rows, place: number): Rows => {
    const index = Math.min(place, 1);
    const typeId = isRoberta ? 0 : index;
    const before = index === 0 ? [special(cls, 0)] : isRoberta ? [special(sep, 0)] : [];
    // All count as tokens of the text, even padding.
    const text = withCells({ ...rows, overflowing: [], ranges: new Map([[index, [0, rows.length]]]) }, { ...cells, special: 0, mask: 1 });
    // What overflows of what overflows is dropped.
    const overflowing = rows.overflowing.map((part) => wrapped({ ...part, overflowing: [] }, index));
    return { ...merged([...before, text, special(sep, typeId)]), overflowing };
  };
  return {
    added: (isPair) => (isPair ? (isRoberta ? 4 : 3) : 2),
    process: (sequences, adds) => sequences.map(adds ? wrapped : asSequence),
  };
}

/** The items of a template as ids. `idsOf`: the ids that a special token in it stands for. */
export function templateOf(items: readonly TemplateItem[], idsOf: (token: string) => readonly number[]): Piece[] {
  return items.map((item): Piece => {
    if ('Sequence' in item) return { seq: item.Sequence.id, type_id: item.Sequence.type_id ?? 0 };
    const { id, type_id = 0 } = item.SpecialToken;
    return { ids: idsOf(id), type_id };
  });
}

function ofTemplates({ single, pair }: Templates, nameOf: NamesFixed): Processor {
  const process = (sequences: readonly Rows[], adds: boolean) => {
    if (sequences.length > 2)
      throw new RangeError('`post_processor` must have at most one TemplateProcessing: it makes a text of each of its items');
    return (sequences.length === 2 ? pair : single).flatMap((piece): Rows[] => {
      const { type_id: typeId } = piece;
      if ('ids' in piece)
        return adds ? [merged(piece.ids.map((id, at) => fixedRows(() => nameOf(piece.ids, at), id, { typeId, mask: 1 })))] : [];
      const index = piece.seq === 'A' ? 0 : 1;
      return [asSequence(withCells(sequences[index] as Rows, { typeId }), index)];
    });
  };
  return { added: (isPair) => addedBy(isPair ? pair : single), process };
}
