// Reads a `.model` of SentencePiece.
//
// Invariant: the returned vocabulary encodes and decodes as sentencepiece 0.2.3 does with that file; control pieces are special
// tokens, which it never finds in a text. add_bos_token and add_eos_token in the file beside it choose the ids around a text, as
// the options add_bos and add_eos do. A model that cannot be represented is refused, with the byte of the reason.

import { type NormalizerStep, symbolTable } from '../../compile/normalizer-steps.js';
import type { ImportedToken } from '../added-tokens.js';
import { pieceProcessing } from '../post-processor.js';
import { type NamedTokens, rolesOf } from '../token-roles.js';
import type { ImportedVocabulary } from '../tokenizer-json.js';
import { checkCharsmap, checkPieces, type KnownPieces } from './piece-checks.js';
import { MODEL, type ModelProto, type NormalizerSpec, PIECE, ProtoFile, readModelProto } from './model-proto.js';
import { characterModelOf, unigramModelOf } from './sentencepiece-models.js';

/** Numbers of a cartridge: layout/cartridge.h. */
const PROGRAM = 2;
/** In bytes: the limit of cartridges. */
const LONGEST_ADDED = 1024;
const MARK = '\u2581';

/**
 * Throws a TokenizerError. `name`: of the file, for errors. `named`: the token roles from the files beside it.
 */
export function readSentencePiece(bytes: Uint8Array, name: string, named?: NamedTokens): ImportedVocabulary {
  const file = new ProtoFile(bytes, name);
  const proto = readModelProto(file);
  if (proto.unknownSurface.includes(MARK)) file.unsupported(`unk_surface with ${MARK} is not supported`, proto.unknownSurfaceAt);
  const { normalizer } = proto;
  if (normalizer.charsmap) checkCharsmap(file, normalizer.charsmap);
  const known = checkPieces(file, proto);
  const compiled = (proto.model === MODEL.unigram ? unigramModelOf : characterModelOf)(file, proto, known);
  const roles = (named: NamedTokens | undefined) => rolesOf(named, { idOf: (text) => known.ids.get(text), names: namesOf(proto, known) });
  const { bos, eos } = roles(named);
  const isAround = (role: 'bos' | 'eos') => named?.around?.includes(role);
  return {
    ...compiled,
    pretokenizer: 'none',
    normalizer: PROGRAM,
    program: [normalizerOf(proto)],
    addedTokens: addedTokensOf(file, proto),
    postProcessor: pieceProcessing(isAround('bos') ? bos : undefined, isAround('eos') ? eos : undefined),
    decoder: [{ type: 'SentencePiece', strips: stripsOf(normalizer), bytes: proto.byteFallback }],
    form: 'plain',
    suffix: '',
    decodesBytes: false,
    decodedTexts: () => textsOf(proto),
    roles,
  };
}

function normalizerOf(proto: ModelProto): NormalizerStep {
  const { charsmap, addsDummyPrefix, removesExtraWhitespaces, escapesWhitespaces } = proto.normalizer;
  return {
    kind: 'sentencepiece',
    charsmap: charsmap?.bytes,
    symbols: symbolTable(proto.pieces.filter(({ type }) => type === PIECE.userDefined).map(({ text }) => text)),
    putsSpace: addsDummyPrefix,
    spaceBehind: proto.whitespaceAsSuffix,
    collapsesSpaces: removesExtraWhitespaces,
    marksSpaces: escapesWhitespaces,
  };
}

/** Control pieces, and the unknown one, are special; symbols are searched for in normalized text, unless scores find them. */
function addedTokensOf(file: ProtoFile, { pieces, model }: ModelProto): ImportedToken[] {
  return pieces.flatMap(({ text, type, at }, id) => {
    const special = type === PIECE.control || type === PIECE.unknown;
    const isSearched = type === PIECE.userDefined && model !== MODEL.unigram;
    if (!special && !isSearched) return [];
    if (3 * text.length > LONGEST_ADDED && new TextEncoder().encode(text).length > LONGEST_ADDED) {
      file.unsupported(`${JSON.stringify(text.slice(0, 60))} is longer than ${LONGEST_ADDED} bytes, which is not supported`, at);
    }
    return [{ text, id, special, normalized: !special }];
  });
}

/** For the beginning of decoded text. */
function stripsOf({ addsDummyPrefix, removesExtraWhitespaces }: NormalizerSpec): 'none' | 'first' | 'all' {
  return removesExtraWhitespaces ? 'all' : addsDummyPrefix ? 'first' : 'none';
}

/** Control pieces decode to nothing, and byte pieces to their bytes. */
function textsOf({ pieces, unknownSurface }: ModelProto): Map<number, string> {
  const texts = new Map<number, string>();
  pieces.forEach(({ text, type }, id) => {
    if (type === PIECE.control) texts.set(id, '');
    if (type === PIECE.unknown) texts.set(id, unknownSurface);
    if (type === PIECE.byte) texts.set(id, text);
  });
  return texts;
}

/** Only control pieces and the unknown piece have roles. */
function namesOf(proto: ModelProto, { ids }: KnownPieces): NamedTokens {
  const ofType = (text: string, type: number) => {
    const id = ids.get(text);
    return id !== undefined && proto.pieces[id]?.type === type ? text : null;
  };
  return {
    bos: ofType(proto.bosPiece, PIECE.control),
    eos: ofType(proto.eosPiece, PIECE.control),
    pad: ofType(proto.padPiece, PIECE.control),
    unk: ofType(proto.unknownPiece, PIECE.unknown),
  };
}
