// A vocabulary as the engine takes it.

/** The tokens, back to back: token i is bytes[offsets[i], offsets[i + 1]). An empty one is an id without a token. */
export interface TokenTable {
  bytes: Uint8Array;
  offsets: Uint32Array;
}

const MOST_BYTES = 0x7fffffff;
/** From this length, a copy call is faster than a loop. */
const BY_ONE = 64;

/** Joins tokens; strings become UTF-8. Throws a RangeError for more bytes than an engine takes. */
export function joinTokens(tokens: readonly (string | Uint8Array | undefined)[]): TokenTable {
  let most = 0;
  for (const token of tokens) most += typeof token === 'string' ? 3 * token.length : (token?.length ?? 0);
  if (most > MOST_BYTES) {
    throw new RangeError(`expected tokens of at most ${MOST_BYTES} bytes together but received ${most}`);
  }
  const bytes = new Uint8Array(most);
  const offsets = new Uint32Array(tokens.length + 1);
  let at = 0;
  for (let id = 0; id < tokens.length; id++) {
    const token = tokens[id];
    if (typeof token === 'string') at = putText(token, bytes, at);
    else if (token) at = putBytes(token, bytes, at);
    offsets[id + 1] = at;
  }
  return { bytes: bytes.slice(0, at), offsets };
}

const encoder = new TextEncoder();

/** Where the text ends. */
function putText(text: string, bytes: Uint8Array, at: number): number {
  if (text.length >= BY_ONE) return at + encoder.encodeInto(text, bytes.subarray(at)).written;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return at + encoder.encodeInto(text, bytes.subarray(at)).written;
    bytes[at + i] = code;
  }
  return at + text.length;
}

function putBytes(token: Uint8Array, bytes: Uint8Array, at: number): number {
  const { length } = token;
  if (length >= BY_ONE) bytes.set(token, at);
  else for (let i = 0; i < length; i++) bytes[at + i] = token[i] as number;
  return at + length;
}
