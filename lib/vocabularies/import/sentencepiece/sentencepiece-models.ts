// The models of SentencePiece as the engine compiles them: BPE, characters alone, and Unigram.

import type { CompilerModel } from '../../../engine/compiler.js';
import { joinTokens, type TokenTable } from '../../../base/token-table.js';
import { type CharacterMerges, withHiddenTokens } from '../character-bpe.js';
import { partsOfLastMerge } from '../../compile/ranks.js';
import { MODEL, type ModelProto, type Piece, PIECE, type ProtoFile } from './model-proto.js';
import { mergeOrderOf } from './merge-order.js';
import type { KnownPieces } from './piece-checks.js';

/** In characters; merging one takes time with its square. */
const LONGEST_MERGED = 1024;
/** Makes an unknown character less likely than any known piece, in floats. */
const UNKNOWN_PENALTY = 10;
const MOST_FLOAT = 3.4028234663852886e38;

/** BPE, or with the model `char` BPE without merges. */
export function characterModelOf(file: ProtoFile, proto: ModelProto, { unknownId, byteIds }: KnownPieces): TokenTable & CompilerModel {
  const { pieces } = proto;
  const isSingle = ({ text }: Piece) => [...text].length === 1;
  const singles = new Map(pieces.flatMap((piece, id) => (isNormal(piece) && isSingle(piece) ? [[piece.text, id] as const] : [])));
  const isMerged = (piece: Piece) => (isNormal(piece) || isUnused(piece)) && !isSingle(piece);
  const merged = proto.model === MODEL.bpe ? pieces.filter(isMerged) : [];
  const characters = [...new Set(merged.flatMap(({ text }) => [...text]))].filter((character) => !singles.has(character));
  // An unused piece is merged, and then split again into its two parts, which merging produces from its own characters.
  const parts = [...characters, ...merged.filter(isUnused).map(({ text }) => text)];
  const idOf = new Map([...singles, ...parts.map((character, index) => [character, pieces.length + index] as const)]);
  pieces.forEach((piece, id) => isNormal(piece) && idOf.set(piece.text, id));
  const table = withHiddenTokens({
    // User-defined symbols and control pieces are added tokens.
    texts: pieces.map((piece) => (isNormal(piece) || isUnused(piece) ? piece.text : undefined)),
    parts,
    ...mergesOf(file, merged, idOf),
    unmatched: pieces.flatMap((piece, id) => (isUnused(piece) ? [id] : [])),
    byteIds,
    unknownId,
    fusesUnknown: true,
    limit: pieces.length,
  });
  return { bytes: table.bytes, offsets: table.offsets, model: 'bpe', merges: table.merges };
}

function isNormal({ type }: Piece): boolean {
  return type === PIECE.normal;
}

function isUnused({ type }: Piece): boolean {
  return type === PIECE.unused;
}

/** One pair for each piece that merging produces, in the order of merging, or with priorities. */
function mergesOf(file: ProtoFile, pieces: readonly Piece[], idOf: ReadonlyMap<string, number>): CharacterMerges {
  const { pieces: ordered, turns, hasEquals } = mergeOrderOf(pieces);
  const ranks = new Map(ordered.map(({ text }, index) => [text, turns[index] as number]));
  const pairs: number[] = [];
  const priorities: number[] = [];
  for (const { text, at } of ordered) {
    const cuts: number[] = [0];
    for (const character of text) cuts.push((cuts.at(-1) as number) + character.length);
    if (cuts.length > LONGEST_MERGED) file.unsupported(`a piece of ${cuts.length - 1} characters is not supported`, at);
    const cut = partsOfLastMerge(text, cuts, ranks);
    if (cut === 0) continue;
    pairs.push(idOf.get(text.slice(0, cut)) as number, idOf.get(text.slice(cut)) as number);
    priorities.push(ranks.get(text) as number);
  }
  return { merges: Uint32Array.from(pairs), priorities: hasEquals ? Uint32Array.from(priorities) : undefined };
}

export function unigramModelOf(file: ProtoFile, { pieces }: ModelProto, { unknownId, byteIds }: KnownPieces): TokenTable & CompilerModel {
  if (unknownId === undefined) file.unsupported('Unigram without an unknown piece is not supported', 0);
  const encoder = new TextEncoder();
  let lowest = MOST_FLOAT;
  const scores = new Float64Array(pieces.length);
  pieces.forEach(({ type, score, text }, id) => {
    if (type === PIECE.normal) lowest = Math.min(lowest, score);
    // So that it always wins.
    scores[id] = type === PIECE.userDefined ? Math.fround(0.1 * (encoder.encode(text).length - 1)) : score;
  });
  const isMatched = ({ type }: Piece) => type === PIECE.normal || type === PIECE.userDefined;
  const unmatched = pieces.flatMap((piece, id) => (isMatched(piece) ? [] : [id]));
  const ofByte = new Map(byteIds && [...byteIds].map((id, byte) => [id, byte]));
  const tokens = pieces.map(({ text }, id) => (ofByte.has(id) ? Uint8Array.of(ofByte.get(id) as number) : text));
  return {
    ...joinTokens(tokens),
    model: 'unigram',
    unigram: {
      scores,
      unknownScore: Math.fround(lowest - UNKNOWN_PENALTY),
      unknownId,
      byteIds,
      unmatched: Uint32Array.from(unmatched),
      sumsFloats: true,
    },
  };
}
