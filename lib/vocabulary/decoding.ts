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

let makeDecoding: MakeDecoding | undefined;

/** Enables decoding for vocabularies with a decoder. */
export function useDecoders(make: MakeDecoding): void {
  makeDecoding = make;
}

/** Whether {@link useDecoders} has been called. */
export function decodersAreHere(): boolean {
  return makeDecoding !== undefined;
}

/** The decoder in a cartridge's metadata; undefined if there is none. `json` is not parsed if it cannot contain one. */
export function decoderIn(json: string, metadata: () => Readonly<Record<string, unknown>> = () => readMetadata(json)): unknown {
  return json.includes('"decoder"') ? (metadata().decoder ?? undefined) : undefined;
}

/** The decoding for a spec. */
export function decodingOf(spec: unknown, engine: EngineTokenizer): Decoding {
  if (!makeDecoding) throw new TypeError(DECODERS_MISSING);
  return makeDecoding(spec, engine);
}

/** The error if they have not been loaded. */
export const DECODERS_MISSING =
  'the vocabulary has a decoder, which is a separate script: await Tokenizer.load() for it once before loadSync';
