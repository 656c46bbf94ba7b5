// Adapts a vocabulary by the definition, without any data structure: the model's rules encode the texts, and all pairs are
// counted anew for each new token. Bytes are Latin-1 strings.

export interface NaiveVocabulary {
  model: 'bpe' | 'longest-match';
  /** By id; an empty string is an id without a token. */
  tokens: string[];
}

/** A symbol: a token's id, or a character that has no token. */
type Symbol = number | string;

/** The symbols of a piece. For longest match, `characters` sets the length of an unknown character. */
export function encodeNaively({ model, tokens }: NaiveVocabulary, piece: string): Symbol[] {
  if (piece !== '' && tokens.includes(piece)) return [tokens.indexOf(piece)];
  return model === 'bpe' ? mergeByRank(tokens, piece) : matchLongest(tokens, piece);
}

function mergeByRank(tokens: string[], piece: string): Symbol[] {
  const parts = Array.from(piece);
  for (;;) {
    let best = -1;
    let lowest = Infinity;
    for (let at = 1; at < parts.length; at++) {
      const rank = tokens.indexOf(parts[at - 1]! + parts[at]!);
      if (rank < 0 || rank >= lowest) continue;
      lowest = rank;
      best = at;
    }
    if (best < 0) return parts.map((part) => tokens.indexOf(part));
    parts.splice(best - 1, 2, tokens[lowest]!);
  }
}

function matchLongest(tokens: string[], piece: string): Symbol[] {
  const symbols: Symbol[] = [];
  for (let at = 0; at < piece.length; ) {
    const longest = tokens.reduce((best, token) => (token.length > best.length && piece.startsWith(token, at) ? token : best), '');
    const lead = piece.charCodeAt(at);
    const character = piece.slice(at, at + (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4));
    symbols.push(longest === '' ? character : tokens.indexOf(longest));
    at += (longest || character).length;
  }
  return symbols;
}

/** The tokens to add and their counts, in order. `forbidden`: texts of other kinds of tokens. */
export function adaptNaively(
  vocabulary: NaiveVocabulary,
  pieces: string[],
  { add = 50, minFrequency = 2, firstId = vocabulary.tokens.length, forbidden = [] as string[] } = {},
): [token: string, count: number][] {
  const tokens = [...vocabulary.tokens];
  while (tokens.length < firstId) tokens.push('');
  let sequences = pieces.map((piece) => encodeNaively(vocabulary, piece));
  const added: [string, number][] = [];
  while (added.length < add) {
    const counts = new Map<string, { symbols: Symbol[]; token: string; count: number }>();
    const count = (symbols: Symbol[], token: string) => {
      const known = counts.get(symbols.join()) ?? { symbols, token, count: 0 };
      known.count++;
      counts.set(symbols.join(), known);
    };
    for (const sequence of sequences) {
      sequence.forEach((symbol, at) => {
        if (typeof symbol === 'string') count([symbol], symbol);
        const before = sequence[at - 1];
        if (typeof symbol === 'number' && typeof before === 'number') count([before, symbol], tokens[before]! + tokens[symbol]!);
      });
    }
    const [best] = [...counts.values()]
      .filter(({ token, count }) => count >= minFrequency && !tokens.includes(token) && !forbidden.includes(token))
      .sort((a, b) => b.count - a.count || a.symbols.length - b.symbols.length || larger(a.symbols, b.symbols));
    if (!best) break;
    added.push([best.token, best.count]);
    const id = tokens.push(best.token) - 1;
    sequences = sequences.map((sequence) => {
      const merged: Symbol[] = [];
      for (let at = 0; at < sequence.length; at++) {
        const isHere = best.symbols.every((symbol, index) => sequence[at + index] === symbol);
        merged.push(isHere ? id : sequence[at]!);
        if (isHere) at += best.symbols.length - 1;
      }
      return merged;
    });
  }
  return added;
}

/** Pairs with larger ids first; characters in order of appearance. */
function larger(a: Symbol[], b: Symbol[]): number {
  if (a.length === 1) return 0;
  return Number(b[0]) - Number(a[0]) || Number(b[1]) - Number(a[1]);
}

export const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
export const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
