// Refuses pieces that sentencepiece does not load, or that cannot be imported, and names the piece.

import { MODEL, type ModelProto, type Piece, PIECE, type ProtoFile } from './model-proto.js';

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

// The charsmap of a model, checked as sentencepiece checks it: every walk over its double array ends inside it, and every
// replacement is UTF-8 that ends with a zero.

/** In bytes: 256 units of a double array. */
const BLOCK = 1024;
const HEAD = 4;
const LEAF = 0x80000000;

export function checkCharsmap(file: ProtoFile, { bytes, at }: { bytes: Uint8Array; at: number }): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length > HEAD ? view.getUint32(0, true) : 0;
  if (length < BLOCK || length % BLOCK !== 0 || length >= bytes.length - HEAD) {
    file.malformed(`expected a double array of whole blocks in the ${bytes.length} bytes of precompiled_charsmap`, at);
  }
  const texts = bytes.subarray(HEAD + length);
  if (texts.at(-1) !== 0) file.malformed('expected texts that end with a zero in precompiled_charsmap', at + bytes.length - 1);
  const textsAt = at + HEAD + length;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(texts);
  } catch {
    file.malformed('expected UTF-8 for the texts of precompiled_charsmap', textsAt);
  }
  const count = length / 4;
  const unitAt = (index: number) => view.getUint32(HEAD + 4 * index, true);
  const offsetOf = (unit: number) => (unit >>> 10) << ((unit & 0x200) >>> 6);
  const endsText = (unit: number) => (unit & 0x100) !== 0;
  const isInside = (index: number, unit: number) => ((index ^ offsetOf(unit)) | 0xff) >>> 0 < count;
  const wrong = (index: number) => file.malformed(`the unit ${index} of precompiled_charsmap leads nowhere`, at + HEAD + 4 * index);
  const root = unitAt(0);
  if ((root & (LEAF | 0xff)) !== 0 || endsText(root) || offsetOf(root) === 0 || !isInside(0, root)) wrong(0);
  for (let index = 1; index < count; index++) {
    const unit = unitAt(index);
    if (unit >= LEAF) {
      if (unit - LEAF >= texts.length) wrong(index);
      continue;
    }
    if (!isInside(index, unit)) wrong(index);
    if (endsText(unit) && unitAt((index ^ offsetOf(unit)) >>> 0) < LEAF) wrong(index);
  }
}
