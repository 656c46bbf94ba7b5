// A vocabulary as the engine takes it.

/** The tokens one behind the other: token i is bytes[offsets[i], offsets[i + 1]). An empty one is an id without a token. */
export interface TokenTable {
  bytes: Uint8Array;
  offsets: Uint32Array;
}

const MOST_BYTES = 0x7fffffff;

/** Joins tokens; strings become UTF-8. Throws a RangeError for more bytes than an engine takes. */
export function joinTokens(tokens: readonly (string | Uint8Array | undefined)[]): TokenTable {
  let most = 0;
  for (const token of tokens) most += typeof token === 'string' ? 3 * token.length : (token?.length ?? 0);
  if (most > MOST_BYTES) throw new RangeError(`expected tokens of at most ${MOST_BYTES} bytes together but received ${most}`);
  const bytes = new Uint8Array(most);
  const offsets = new Uint32Array(tokens.length + 1);
  const encoder = new TextEncoder();
  let at = 0;
  for (let id = 0; id < tokens.length; id++) {
    const token = tokens[id];
    if (typeof token === 'string') at += encoder.encodeInto(token, bytes.subarray(at)).written;
    else if (token) {
      bytes.set(token, at);
      at += token.length;
    }
    offsets[id + 1] = at;
  }
  return { bytes: bytes.slice(0, at), offsets };
}
