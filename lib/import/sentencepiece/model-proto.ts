// The contents of a SentencePiece model: the fields of its ModelProto on which encoding and decoding depend.

import type { FieldValue, ProtoFile } from './fields.js';

/** The types of a piece, as the file numbers them. */
export const PIECE = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;
export type PieceType = (typeof PIECE)[keyof typeof PIECE];
const MOST_PIECE_TYPE = 6;

export const MODEL = { unigram: 1, bpe: 2, word: 3, char: 4 } as const;

/** The id is its index. */
export interface Piece {
  text: string;
  /** A float. */
  score: number;
  type: PieceType;
  /** Where it is in the file. */
  at: number;
}

/** How a text is changed. */
export interface NormalizerSpec {
  charsmap: { bytes: Uint8Array; at: number } | undefined;
  addsDummyPrefix: boolean;
  removesExtraWhitespaces: boolean;
  escapesWhitespaces: boolean;
}

export interface ModelProto {
  pieces: Piece[];
  model: number;
  byteFallback: boolean;
  /** The space added to a text goes behind it rather than in front. */
  whitespaceAsSuffix: boolean;
  unknownPiece: string;
  bosPiece: string;
  eosPiece: string;
  padPiece: string;
  /** What an unknown id decodes to. */
  unknownSurface: string;
  normalizer: NormalizerSpec;
  /** For decoded text, which is unchanged without a charsmap. */
  denormalizer: NormalizerSpec;
  /** The position of the field with the model type. */
  modelAt: number;
  unknownSurfaceAt: number;
}

const FIELDS = { pieces: 1, trainer: 2, normalizer: 3, denormalizer: 5 };
const OF_PIECE = { text: 1, score: 2, type: 3 };
const OF_TRAINER = { model: 3, whitespaceAsSuffix: 24, byteFallback: 35, unknownSurface: 44, unknown: 45, bos: 46, eos: 47, pad: 48 };
const OF_NORMALIZER = { charsmap: 2, addsDummyPrefix: 3, removesExtraWhitespaces: 4, escapesWhitespaces: 5 };

/** As a cartridge has them. */
const MOST_PIECES = (1 << 21) - 1;

const DEFAULT_SPEC: Readonly<NormalizerSpec> = {
  charsmap: undefined,
  addsDummyPrefix: true,
  removesExtraWhitespaces: true,
  escapesWhitespaces: true,
};

/** Throws a TokenizerError for bytes that are not such a message. */
export function readModelProto(file: ProtoFile): ModelProto {
  const proto: ModelProto = {
    pieces: [],
    model: MODEL.unigram,
    byteFallback: false,
    whitespaceAsSuffix: false,
    unknownPiece: '<unk>',
    bosPiece: '<s>',
    eosPiece: '</s>',
    padPiece: '<pad>',
    unknownSurface: ' \u2047 ',
    normalizer: { ...DEFAULT_SPEC },
    denormalizer: { ...DEFAULT_SPEC },
    modelAt: 0,
    unknownSurfaceAt: 0,
  };
  file.eachField(0, file.bytes.length, (field, value) => {
    if (!value.isBytes) return;
    if (field === FIELDS.pieces) proto.pieces.push(pieceAt(file, value, proto.pieces.length));
    if (field === FIELDS.trainer) readTrainer(file, value, proto);
    if (field === FIELDS.normalizer) readNormalizer(file, value, proto.normalizer);
    if (field === FIELDS.denormalizer) readNormalizer(file, value, proto.denormalizer);
  });
  return proto;
}

function pieceAt(file: ProtoFile, { begin, end }: FieldValue, id: number): Piece {
  if (id >= MOST_PIECES) file.unsupported(`more than ${MOST_PIECES} pieces are not supported`, begin);
  const piece: Piece = { text: '', score: 0, type: PIECE.normal, at: begin };
  file.eachField(begin, end, (field, value) => {
    if (field === OF_PIECE.text && value.isBytes) piece.text = textAt(file, value, `the piece ${id}`);
    if (field === OF_PIECE.score && value.isFloat) piece.score = file.float(value);
    if (field === OF_PIECE.type && value.isVarint) {
      const type = file.integer(value);
      if (type >= 1 && type <= MOST_PIECE_TYPE) piece.type = type as PieceType;
    }
  });
  return piece;
}

function readTrainer(file: ProtoFile, { begin, end }: FieldValue, proto: ModelProto): void {
  const TEXTS: Record<number, 'unknownPiece' | 'bosPiece' | 'eosPiece' | 'padPiece'> = {
    [OF_TRAINER.unknown]: 'unknownPiece',
    [OF_TRAINER.bos]: 'bosPiece',
    [OF_TRAINER.eos]: 'eosPiece',
    [OF_TRAINER.pad]: 'padPiece',
  };
  file.eachField(begin, end, (field, value) => {
    if (field === OF_TRAINER.model && value.isVarint) {
      const model = file.integer(value);
      if (model >= MODEL.unigram && model <= MODEL.char) proto.model = model;
      proto.modelAt = value.begin;
    }
    if (field === OF_TRAINER.whitespaceAsSuffix && value.isVarint) proto.whitespaceAsSuffix = file.integer(value) !== 0;
    if (field === OF_TRAINER.byteFallback && value.isVarint) proto.byteFallback = file.integer(value) !== 0;
    if (!value.isBytes) return;
    if (field === OF_TRAINER.unknownSurface) {
      proto.unknownSurface = textAt(file, value, 'unk_surface');
      proto.unknownSurfaceAt = value.begin;
    }
    const key = TEXTS[field];
    // An empty one is the default.
    if (key && value.end > value.begin) proto[key] = textAt(file, value, 'the name of a piece');
  });
}

function readNormalizer(file: ProtoFile, { begin, end }: FieldValue, spec: NormalizerSpec): void {
  file.eachField(begin, end, (field, value) => {
    if (field === OF_NORMALIZER.charsmap && value.isBytes) {
      spec.charsmap = value.end > value.begin ? { bytes: file.content(value), at: value.begin } : undefined;
    }
    if (!value.isVarint) return;
    if (field === OF_NORMALIZER.addsDummyPrefix) spec.addsDummyPrefix = file.integer(value) !== 0;
    if (field === OF_NORMALIZER.removesExtraWhitespaces) spec.removesExtraWhitespaces = file.integer(value) !== 0;
    if (field === OF_NORMALIZER.escapesWhitespaces) spec.escapesWhitespaces = file.integer(value) !== 0;
  });
}

function textAt(file: ProtoFile, value: FieldValue, what: string): string {
  return file.text(value) ?? file.malformed(`expected UTF-8 for ${what}`, value.begin);
}
