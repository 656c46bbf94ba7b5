// Refuses pieces that sentencepiece does not load, or that cannot be imported, and names the piece.

import { type ModelProto, MODEL, type Piece, PIECE } from './model-proto.js';
import type { ProtoFile } from './fields.js';

/** In bytes; sentencepiece refuses longer pieces. */
const LONGEST_PIECE = 7999;
const BYTE = /^<0x([0-9A-F]{2})>$/;
const NULL_PIECE = '\0';
const encoder = new TextEncoder();

/** Ids by their type. */
export interface KnownPieces {
  unknownId: number | undefined;
  /** The ids of bytes, where characters without a token fall back to them. */
  byteIds: Uint32Array | undefined;
  /** The id of a text, as sentencepiece looks it up: reserved pieces first. */
  ids: ReadonlyMap<string, number>;
}

/** Throws a TokenizerError that names the piece. */
export function checkPieces(file: ProtoFile, proto: ModelProto): KnownPieces {
  const { pieces, byteFallback } = proto;
  if (pieces.length === 0) file.malformed('expected pieces but found none', 0);
  const byteIds = new Uint32Array(256).fill(0xffffffff);
  const [reserved, matched] = [new Map<string, number>(), new Map<string, number>()];
  let unknownId: number | undefined;
  pieces.forEach((piece, id) => {
    const named = `the piece ${id}, ${JSON.stringify(piece.text.slice(0, 60))},`;
    if (piece.text === '') file.malformed(`expected a text for the piece ${id}`, piece.at);
    if (3 * piece.text.length > LONGEST_PIECE && encoder.encode(piece.text).length > LONGEST_PIECE) {
      file.malformed(`${named} is longer than ${LONGEST_PIECE} bytes`, piece.at);
    }
    // As sentencepiece does: converters have put one beside the byte <0x00>.
    if (piece.text === NULL_PIECE && byteFallback) piece.type = PIECE.unused;
    if (piece.text === NULL_PIECE && piece.type === PIECE.unused) return;
    if (piece.text.includes(NULL_PIECE)) file.malformed(`${named} has a character U+0000`, piece.at);
    const isReserved = piece.type !== PIECE.normal && piece.type !== PIECE.userDefined && piece.type !== PIECE.unused;
    const ids = isReserved && proto.model !== MODEL.bpe ? reserved : matched;
    if (ids.has(piece.text)) file.malformed(`${named} has the text of the piece ${ids.get(piece.text)}`, piece.at);
    ids.set(piece.text, id);
    if (piece.type === PIECE.unknown) {
      if (unknownId !== undefined) file.malformed(`${named} is a second unknown piece`, piece.at);
      unknownId = id;
    }
    if (piece.type === PIECE.byte) byteIds[byteOf(file, piece, named, byteFallback)] = id;
    if (!Number.isFinite(piece.score) && proto.model === MODEL.unigram)
      file.malformed(`${named} has a score that is not a number`, piece.at);
  });
  if (byteFallback) {
    const missing = byteIds.indexOf(0xffffffff);
    if (missing >= 0) file.malformed(`expected a piece for each byte, for byte_fallback, but found none for ${missing}`, 0);
  } else if (unknownId === undefined) {
    file.malformed('expected an unknown piece', 0);
  }
  return { unknownId, byteIds: byteFallback ? byteIds : undefined, ids: new Map([...matched, ...reserved]) };
}

function byteOf(file: ProtoFile, piece: Piece, named: string, byteFallback: boolean): number {
  if (!byteFallback) file.malformed(`${named} is a byte, which needs byte_fallback`, piece.at);
  const digits = BYTE.exec(piece.text)?.[1];
  return digits === undefined ? file.malformed(`${named} is not a byte, such as <0x0A>`, piece.at) : Number.parseInt(digits, 16);
}
