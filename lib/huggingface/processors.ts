// What a file's `post_processor` makes of encodings, after truncation: ids around them, their types, offsets without spaces.

import type { Range } from '../vocabulary/lengths.js';
import { allAsSequence, asSequence, fixedRows, merged, type OffsetsChange, type Place, type Rows, withCells, withOffsets } from './rows.js';
import type { PostProcessorJson, TemplatePiece } from './json.js';

/** Brings one text or two into the form that a model expects. */
export interface Processor {
  /** The number of ids that it adds. */
  added(isPair: boolean): number;
  process(sequences: readonly Rows[], adds: boolean): readonly Rows[];
}

/** Of a file without one. */
const NONE: Processor = {
  added: () => 0,
  process: (sequences) => (sequences.length === 1 ? sequences : [merged(sequences.map(asSequence))]),
};

/** The processor of a file. */
export function processorOf(json: PostProcessorJson | null | undefined): Processor {
  if (json == null) return NONE;
  const { added, process } = stepOf(json);
  // Each sequence begins as of its own type.
  return {
    added,
    process: (sequences, adds) =>
      process(
        sequences.map((rows, index) => allAsSequence(withCells(rows, { typeId: index }), index)),
        adds,
      ),
  };
}

/** Of some, the original reads the fields and not the type (lib/import/file-rules.ts). */
function stepOf(json: PostProcessorJson): Processor {
  if ('cls' in json) {
    const { cls, sep, trim_offsets, add_prefix_space } = json as Extract<PostProcessorJson, { type: 'RobertaProcessing' }>;
    if (typeof trim_offsets !== 'boolean' || typeof add_prefix_space !== 'boolean') return around(cls, sep, { isRoberta: false });
    const trims = byteLevel(trim_offsets, add_prefix_space);
    const roberta = around(cls, sep, { isRoberta: true });
    const typed = (rows: Rows) => withCells(rows, { typeId: 0 });
    return { added: roberta.added, process: (rows, adds) => roberta.process(trims.process(rows, adds).map(typed), adds) };
  }
  if ('single' in json) return ofTemplates(json);
  switch (json.type) {
    case 'ByteLevel':
      return byteLevel(json.trim_offsets, json.add_prefix_space);
    case 'Sequence': {
      const all = json.processors.map(stepOf);
      return {
        added: (isPair) => all.reduce((sum, each) => sum + each.added(isPair), 0),
        process: (rows, adds) => all.reduce((made, each) => each.process(made, adds), rows),
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
  const own = (rows: Rows, index: number) => asSequence(trims ? trimmed(rows) : rows, index);
  return { added: () => 0, process: (sequences) => sequences.map(own) };
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
  const special = ([token, id]: [string, number], typeId: number) => fixedRows(token, id, { typeId, mask: 1 });
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

function ofTemplates({ single, pair, special_tokens }: Extract<PostProcessorJson, { type: 'TemplateProcessing' }>): Processor {
  const idsIn = (piece: TemplatePiece) => ('SpecialToken' in piece ? special_tokens[piece.SpecialToken.id]!.ids.length : 0);
  const process = (sequences: readonly Rows[], adds: boolean) => {
    if (sequences.length > 2)
      throw new RangeError('expected one template, since it makes a text of each of its pieces, but there is another');
    const template = sequences.length === 2 ? pair : single;
    return template.flatMap((piece): Rows[] => {
      if ('Sequence' in piece) {
        const index = piece.Sequence.id === 'A' ? 0 : 1;
        return [asSequence(withCells(sequences[index]!, { typeId: piece.Sequence.type_id }), index)];
      }
      if (!adds) return [];
      const { ids, tokens } = special_tokens[piece.SpecialToken.id]!;
      return [merged(ids.map((id, at) => fixedRows(tokens[at]!, id, { typeId: piece.SpecialToken.type_id, mask: 1 })))];
    });
  };
  return { added: (isPair) => (isPair ? pair : single).reduce((sum, piece) => sum + idsIn(piece), 0), process };
}
