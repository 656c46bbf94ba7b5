// The contents of a SentencePiece model: the fields of its ModelProto on which encoding and decoding depend.

import { PbfReader } from 'pbf';
import { TokenizerError } from '../../../base/errors.js';

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
  unknownSurfaceAt: number;
}

const FIELDS = { pieces: 1, trainer: 2, normalizer: 3, denormalizer: 5 };
const OF_PIECE = { text: 1, score: 2, type: 3 };
const OF_TRAINER = { model: 3, whitespaceAsSuffix: 24, byteFallback: 35, unknownSurface: 44, unknown: 45, bos: 46, eos: 47, pad: 48 };
const OF_NORMALIZER = { charsmap: 2, addsDummyPrefix: 3, removesExtraWhitespaces: 4, escapesWhitespaces: 5 };

/** As a cartridge has them. */
const MOST_PIECES = (1 << 21) - 1;

/** Throws a TokenizerError for bytes that are no ModelProto. */
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
    normalizer: { charsmap: undefined, addsDummyPrefix: true, removesExtraWhitespaces: true, escapesWhitespaces: true },
    unknownSurfaceAt: 0,
  };
  file.eachField(0, file.bytes.length, (field, value) => {
    if (!value.isBytes) return;
    if (field === FIELDS.pieces) proto.pieces.push(pieceAt(file, value, proto.pieces.length));
    if (field === FIELDS.trainer) readTrainer(file, value, proto);
    if (field === FIELDS.normalizer) readNormalizer(file, value, proto.normalizer);
    if (field === FIELDS.denormalizer) refuseDenormalizer(file, value);
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
      // Nobody publishes one.
      if (model === MODEL.word) file.unsupported('a model of the type WORD is not supported', value.begin);
      if (model >= MODEL.unigram && model <= MODEL.char) proto.model = model;
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

/** For decoded text, which is unchanged without a charsmap, as in all published models. */
function refuseDenormalizer(file: ProtoFile, { begin, end }: FieldValue): void {
  file.eachField(begin, end, (field, value) => {
    if (field === OF_NORMALIZER.charsmap && value.isBytes && value.end > value.begin) {
      file.unsupported('a denormalizer is not supported', value.begin);
    }
  });
}

function textAt(file: ProtoFile, value: FieldValue, what: string): string {
  return file.text(value) ?? file.malformed(`expected UTF-8 for ${what}`, value.begin);
}

// The fields of messages in a file of protocol buffers. Every read stays inside of its message; errors name the byte.

const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];
const LONGEST_VARINT = 10;
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The value of a field: bytes begin … end of the file. */
interface FieldValue {
  isVarint: boolean;
  isBytes: boolean;
  isFloat: boolean;
  begin: number;
  end: number;
}

/** A file: its bytes, and its name for errors. */
export class ProtoFile {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly #reader: PbfReader;

  constructor(bytes: Uint8Array, name: string) {
    this.bytes = bytes;
    this.name = name;
    this.#reader = new PbfReader(bytes);
  }

  /** Visits the fields of a message, bytes[begin, end), in their order. Throws a TokenizerError at a byte where no field begins. */
  eachField(begin: number, end: number, visit: (field: number, value: FieldValue) => void): void {
    for (let at = begin; at < end; ) {
      const tag = this.#varint(at, end);
      const value = this.#value(tag % 8, this.#reader.pos, end, at);
      visit(Math.floor(tag / 8), value);
      at = value.end;
    }
  }

  /** A number that is not negative; others are beyond what doubles hold exactly. */
  integer({ begin, end }: FieldValue): number {
    return this.#varint(begin, end);
  }

  float({ begin }: FieldValue): number {
    this.#reader.pos = begin;
    return this.#reader.readFloat();
  }

  content({ begin, end }: FieldValue): Uint8Array {
    return this.bytes.subarray(begin, end);
  }

  /** Undefined for bytes that are not UTF-8. */
  text(value: FieldValue): string | undefined {
    try {
      return strict.decode(this.content(value));
    } catch {
      return undefined;
    }
  }

  error(what: string, position: number, code: 'CORRUPT_STRUCTURE' | 'BUILD_FAILED'): TokenizerError {
    return new TokenizerError(`cannot import ${this.name}: ${what}, at byte ${position}`, { code, position });
  }

  malformed(what: string, position: number): never {
    throw this.error(what, position, 'CORRUPT_STRUCTURE');
  }

  unsupported(what: string, position: number): never {
    throw this.error(what, position, 'BUILD_FAILED');
  }

  /** Leaves the reader behind it. */
  #varint(at: number, end: number): number {
    let last = at;
    while (last < end && (this.bytes[last] as number) >= 0x80) last++;
    if (last >= end) this.malformed('the message ends within a number', at);
    if (last - at >= LONGEST_VARINT) this.malformed(`expected a number of at most ${LONGEST_VARINT} bytes`, at);
    this.#reader.pos = at;
    const value = this.#reader.readVarint();
    this.#reader.pos = last + 1;
    return value;
  }

  /** `at`: where the field begins. */
  #value(type: number, from: number, end: number, at: number): FieldValue {
    let begin = from;
    let length: number;
    if (type === VARINT) {
      this.#varint(from, end);
      length = this.#reader.pos - from;
    } else if (type === BYTES) {
      length = this.#varint(from, end);
      begin = this.#reader.pos;
    } else if (type === FIXED32 || type === FIXED64) {
      length = type === FIXED32 ? 4 : 8;
    } else {
      return this.malformed(`expected a field of a protocol buffer but found one of the kind ${type}`, at);
    }
    if (length > end - begin) this.malformed(`expected ${length} bytes for a field but found ${end - begin}`, at);
    return { isVarint: type === VARINT, isBytes: type === BYTES, isFloat: type === FIXED32, begin, end: begin + length };
  }
}
