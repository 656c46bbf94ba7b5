// Steps that change each token separately, and may depend on whether it is the first.

import type { Step } from './decoder-spec.js';

export type TokenMap = (token: string, first: boolean) => string;

/** Undefined for a step that depends on several tokens. */
export function tokenMap(step: Step): TokenMap | undefined {
  switch (step.type) {
    case 'WordPiece': {
      const { prefix, cleanup } = step;
      return (token, first) => {
        const joined = first ? token : token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`;
        return cleanup ? cleanedUp(joined) : joined;
      };
    }
    case 'Metaspace': {
      const { replacement, prepend_scheme } = step;
      // Every one at the beginning of the text is removed, not only the one added there.
      const atStart = prepend_scheme === 'never' ? ' ' : '';
      return (token, first) => replaceAllText(token, replacement, first ? atStart : ' ');
    }
    case 'Strip': {
      const { content, start, stop } = step;
      return (token) => {
        const from = startOf(token, content, start);
        return token.slice(from, Math.max(from, endOf(token, content, stop)));
      };
    }
    case 'Replace': {
      const { pattern, content } = step;
      if ('String' in pattern) return (token) => replaceAllText(token, pattern.String, content);
      return (token) => replaceMatches(token, pattern.matches(token), content);
    }
    case 'Join':
      return (token, first) => (first ? token : ` ${token}`);
    default:
      return undefined;
  }
}

/** SentencePiece's text for a token that is not a byte; `leads`: the text before it is empty. */
export function sentencePieceMap({ strips }: Step & { type: 'SentencePiece' }): TokenMap {
  return (token, leads) =>
    replaceAllText(leads && strips !== 'none' && token.startsWith(MARK) ? token.slice(MARK.length) : token, MARK, ' ');
}

const MARK = '\u2581';

/** The position after at most `limit` leading occurrences of a character. */
export function startOf(text: string, character: string, limit: number): number {
  let at = 0;
  for (let count = 0; count < limit && text.startsWith(character, at); count++) at += character.length;
  return at;
}

/** The position before at most `limit` trailing occurrences of a character. */
export function endOf(text: string, character: string, limit: number): number {
  let at = text.length;
  for (let count = 0; count < limit && text.endsWith(character, at); count++) at -= character.length;
  return at;
}

const CLEANUP: readonly (readonly [what: string, by: string])[] = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [' do not', " don't"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];

/** Removes the spaces before punctuation and contractions. */
export function cleanedUp(text: string): string {
  return text.includes(' ') ? CLEANUP.reduce((cleaned, [what, by]) => replaceAllText(cleaned, what, by), text) : text;
}

// Replaces every occurrence of a text, like Rust, and every match of a pattern.

export function replaceAllText(text: string, what: string, by: string): string {
  if (what !== '') return text.includes(what) ? text.split(what).join(by) : text;
  // An empty text matches at the beginning, at the end and between characters.
  return by === '' ? text : [by, ...[...text].map((character) => character + by)].join('');
}

/** Replaces matches: begin and end of each, in bytes of UTF-8, in which a lone surrogate is U+FFFD (bytes.ts). */
function replaceMatches(text: string, matches: Uint32Array, by: string): string {
  let [output, at, byte, copied] = ['', 0, 0, 0];
  const unitAt = (wanted: number) => {
    while (byte < wanted) {
      const code = text.codePointAt(at)!;
      byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      at += code < 0x10000 ? 1 : 2;
    }
    return at;
  };
  for (let i = 0; i < matches.length; i += 2) {
    output += text.slice(copied, unitAt(matches[i]!)) + by;
    copied = unitAt(matches[i + 1]!);
  }
  return output + text.slice(copied);
}
