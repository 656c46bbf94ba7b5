// The text of single tokens, and joining the texts of several.

import { bytesOfToken, type OpenEncoding, type TokenText, unknownToken } from './vocabulary.js';

/** How many texts a vocabulary caches; when full, the cache is cleared. */
const REMEMBERED = 16 * 1024;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text or bytes of a token; undefined if there is no such token. */
export function textOfToken(encoding: OpenEncoding, token: number): TokenText | undefined {
  const { texts } = encoding;
  const found = texts.get(token);
  if (found !== undefined) return found;
  const bytes = bytesOfToken(encoding, token);
  if (bytes === undefined) return undefined;
  const text = textOrBytes(bytes);
  if (texts.size >= REMEMBERED) texts.clear();
  texts.set(token, text);
  return text;
}

/** The text of the bytes if they are valid UTF-8, otherwise the bytes. */
export function textOrBytes(bytes: Uint8Array): TokenText {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes;
  }
}

/** Joins texts. Bytes are held until their character is complete, or cannot be completed: then it is U+FFFD. */
export class TextAssembler {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #waiting = false;

  /** The text that is complete so far. */
  add(next: TokenText): string {
    if (typeof next === 'string') return this.#waiting ? this.end() + next : next;
    this.#waiting = true;
    return this.#decoder.decode(next, { stream: true });
  }

  /** The text of the bytes still held. */
  end(): string {
    this.#waiting = false;
    return this.#decoder.decode();
  }
}

/** The concatenated text of the tokens; throws for an unknown id. */
export function textOfTokens(encoding: OpenEncoding, ids: Uint32Array): string {
  const assembler = new TextAssembler();
  let text = '';
  for (const [index, id] of ids.entries()) {
    const next = textOfToken(encoding, id);
    if (next === undefined) throw unknownToken(id, index);
    text += assembler.add(next);
  }
  return text + assembler.end();
}
