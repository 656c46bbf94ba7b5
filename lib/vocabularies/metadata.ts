// A cartridge's metadata: a JSON object that describes it. Encoding does not depend on it, so it is parsed only on request,
// and a cartridge with unreadable metadata works in all other respects.

import { TokenizerError } from '../base/errors.js';
import { deepFreeze } from '../base/public-objects.js';
import type { Description, EngineTokenizer } from '../engine/engine.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import { isEncodingName } from './models.js';

/** The deepest nesting of objects and lists (cartridges/FORMAT.md). */
const DEEPEST = 100;
const METADATA_SECTION = 1;

/** Parses the metadata and freezes it. Throws a TokenizerError with the code `CORRUPT_STRUCTURE` if it is unreadable. */
export function readMetadata(json: string): Readonly<Record<string, unknown>> {
  let metadata: unknown;
  try {
    metadata = JSON.parse(json);
  } catch (cause) {
    throw unreadable(`it is not valid JSON (${(cause as Error).message})`, cause);
  }
  if (!deepFreeze(metadata, DEEPEST)) throw unreadable(`it is nested deeper than ${DEEPEST} levels`);
  return metadata as Record<string, unknown>;
}

function unreadable(reason: string, cause?: unknown): TokenizerError {
  const message =
    `cannot read the metadata of the cartridge: ${reason}. Encoding and decoding do not need it; ` +
    'to repair the cartridge, compile or download it again';
  const options = cause === undefined ? undefined : { cause };
  return new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', section: METADATA_SECTION }, options);
}

// How ids become text if that takes more than joining token bytes: the decoder of a tokenizer.json, stored in a
// cartridge's metadata (cartridges/FORMAT.md, section 4). lib/vocabularies/decode implements it; most vocabularies have none.

/** Decodes the ids of one vocabulary. An id without a token is a TokenizerError (`INVALID_ID`) with its index. */
export interface Decoding {
  decode(ids: Uint32Array, skipSpecial: boolean): string;
  decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array;
  begin(skipSpecial: boolean): DecodingRun;
}

/** Decodes ids that arrive in chunks: the texts of all calls together equal one `decode`. */
export interface DecodingRun {
  push(ids: Uint32Array): string;
  end(): string;
}

/** Creates an engine's decoding. `spec`: `decoder` from its metadata, not checked yet. */
export type MakeDecoding = (spec: unknown, engine: EngineTokenizer) => Decoding;

/** Who opens vocabularies: pages load the code with the first one that has a decoder. */
export interface Decoders {
  readonly decoderOf?: MakeDecoding | undefined;
}

/** The decoder in a cartridge's metadata; undefined if there is none. `json` is not parsed if it cannot contain one. */
export function decoderIn(json: string, metadata: () => Readonly<Record<string, unknown>> = () => readMetadata(json)): unknown {
  return json.includes('"decoder"') ? (metadata().decoder ?? undefined) : undefined;
}

/** The error if they have not been loaded. */
export const DECODERS_MISSING =
  'the vocabulary has a decoder, which is a separate script: await Tokenizer.load() for it once before loadSync';

// The ids of the tokens that begin and end a text, pad it, and stand for unknown text.

export interface TokenRoles {
  bos?: number | undefined;
  eos?: number | undefined;
  pad?: number | undefined;
  unk?: number | undefined;
}

/** The roles in the metadata; else the published encodings' roles, and longest match's unknown id. */
export function tokenRolesOf(
  { name, vocabularySize, unknownId }: Description,
  metadata: Readonly<Record<string, unknown>>,
  specialIds: ReadonlyMap<string, number>,
): TokenRoles {
  const roles = Object(metadata.roles) as Record<string, unknown>;
  const idOf = (role: string) => {
    const id = Object.hasOwn(roles, role) ? roles[role] : undefined;
    return typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < vocabularySize ? id : undefined;
  };
  return {
    bos: idOf('bos'),
    eos: idOf('eos') ?? (isEncodingName(name) ? specialIds.get('<|endoftext|>') : undefined),
    pad: idOf('pad'),
    unk: idOf('unk') ?? unknownId,
  };
}

// The ids that a tokenizer.json puts around one text and around two, with the type of each: the templates in a
// cartridge's metadata (cartridges/FORMAT.md, section 4), as in version 2.0 of that file.

/** Fixed ids, or the ids of the first (A) or the second text (B). */
export type Piece = { ids: readonly number[]; type_id: number } | { seq: 'A' | 'B'; type_id: number };

export interface Templates {
  single: readonly Piece[];
  pair: readonly Piece[];
}

/** Whether a template contains both texts. */
export function hasBoth(pieces: readonly Piece[]): boolean {
  return ['A', 'B'].every((seq) => pieces.some((piece) => 'seq' in piece && piece.seq === seq));
}

/** How many ids there are around the texts. */
export function addedBy(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + ('ids' in piece ? piece.ids.length : 0), 0);
}

const FIRST: Piece = { seq: 'A', type_id: 0 };
const SECOND: Piece = { seq: 'B', type_id: 1 };
/** The template for two texts if a file does not define one. */
export const ONE_AFTER_THE_OTHER: readonly Piece[] = [FIRST, SECOND];

/** A vocabulary's templates; missing ones default to the types 0 and 1. Throws a TokenizerError for an invalid one. */
export function templatesOf({ prefix, suffix, vocabularySize }: Description, metadata: Readonly<Record<string, unknown>>): Templates {
  const { single, pair } = Object(metadata.templates) as Record<string, unknown>;
  const around = (ids: number[]): Piece[] => (ids.length > 0 ? [{ ids, type_id: 0 }] : []);
  return {
    single: single === undefined ? [...around(prefix), FIRST, ...around(suffix)] : checkedPieces(single, 'single', vocabularySize),
    pair: pair === undefined ? ONE_AFTER_THE_OTHER : checkedPieces(pair, 'pair', vocabularySize),
  };
}

const MOST_PIECES = 1024;

function checkedPieces(pieces: unknown, name: string, limit: number): readonly Piece[] {
  const isBelow = (value: unknown, limit: number) => typeof value === 'number' && value >>> 0 === value && value < limit;
  const isPiece = (piece: unknown) => {
    const { ids, seq, type_id } = Object(piece) as Record<string, unknown>;
    if (!isBelow(type_id, 2 ** 32)) return false;
    if (ids === undefined) return seq === 'A' || seq === 'B';
    return seq === undefined && Array.isArray(ids) && ids.length <= MOST_PIECES && ids.every((id) => isBelow(id, limit));
  };
  if (Array.isArray(pieces) && pieces.length <= MOST_PIECES && pieces.every(isPiece)) return pieces;
  const message = `cannot encode with the templates of this cartridge: templates.${name} of its metadata is not one that this version reads`;
  throw new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', section: METADATA_SECTION });
}

const problems = new WeakMap<EngineTokenizer, TokenizerError>();

/** Records why a vocabulary has no templates although there is a file for them: the error for a chat that needs one. */
export function lacksTemplates(engine: EngineTokenizer, why: TokenizerError): void {
  problems.set(engine, why);
}

/** That error, if there is one. */
export function whyNoTemplates(engine: EngineTokenizer): TokenizerError | undefined {
  return problems.get(engine);
}
