// A vocabulary as the engine takes it.

/** The tokens, back to back: token i is bytes[offsets[i], offsets[i + 1]). An empty one is an id without a token. */
export interface TokenTable {
  bytes: Uint8Array;
  offsets: Uint32Array;
}

const MAX_BYTES = 0x7fffffff;

/** Joins tokens; strings become UTF-8. Throws a RangeError for more bytes than an engine takes. */
export function joinTokens(tokens: readonly (string | Uint8Array | undefined)[]): TokenTable {
  let capacity = 0;
  for (const token of tokens) capacity += typeof token === 'string' ? 3 * token.length : (token?.length ?? 0);
  if (capacity > MAX_BYTES) throw new RangeError(`tokens must have at most ${MAX_BYTES} bytes together; received ${capacity}`);
  const bytes = new Uint8Array(capacity);
  const offsets = new Uint32Array(tokens.length + 1);
  let at = 0;
  for (let id = 0; id < tokens.length; id++) {
    const token = tokens[id];
    if (typeof token === 'string') at = putText(token, bytes, at);
    else if (token) {
      bytes.set(token, at);
      at += token.length;
    }
    offsets[id + 1] = at;
  }
  return { bytes: bytes.slice(0, at), offsets };
}

const encoder = new TextEncoder();

/** Returns where the text ends. The loop is several times as fast as the encoder for a token of ASCII. */
function putText(text: string, bytes: Uint8Array, at: number): number {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return at + encoder.encodeInto(text, bytes.subarray(at)).written;
    bytes[at + i] = code;
  }
  return at + text.length;
}
