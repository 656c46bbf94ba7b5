// How ids become text if that takes more than joining token bytes: the decoder of a tokenizer.json, stored in a
// cartridge's metadata (cartridges/FORMAT.md, section 4). lib/decode implements it; most vocabularies have none.

import type { EngineTokenizer } from '../engine/engine.js';
import { readMetadata } from './metadata.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';

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
