// BPE training by its definition, without any data structure: all pairs are counted anew for each merge.

export interface NaiveOptions {
  vocabularySize: number;
  minFrequency: number;
  maxTokenLength: number;
  tieBreak: 'huggingface' | 'crayon';
  initialAlphabet: 'bytes' | 'observed';
  specialTokens: string[];
}

export interface NaiveResult {
  tokens: string[];
  merges: [number, number][];
}

/** GPT-2's byte-level characters, computed like its code. */
export function byteCharacters(): string[] {
  const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const visible = [...range(33, 126), ...range(161, 172), ...range(174, 255)];
  let next = 256;
  return range(0, 255).map((byte) => String.fromCodePoint(visible.includes(byte) ? byte : next++));
}

/** Tokens as Latin-1 strings, special tokens unchanged (they are ASCII). `pieces`: bytes, as Latin-1. */
export function trainNaively(pieces: string[], options: NaiveOptions): NaiveResult {
  const { vocabularySize, minFrequency, maxTokenLength, tieBreak, initialAlphabet, specialTokens } = options;
  const first = tieBreak === 'huggingface';
  const characters = byteCharacters();
  const order = Array.from({ length: 256 }, (_, byte) => byte);
  if (first) order.sort((a, b) => (characters[a]! < characters[b]! ? -1 : 1));
  const tokens = first ? [...specialTokens] : [];
  const size = first ? vocabularySize : vocabularySize - specialTokens.length;
  const idOf = (token: string) => {
    const known = tokens.indexOf(token);
    return known >= 0 ? known : tokens.push(token) - 1;
  };
  for (const byte of order) {
    const character = String.fromCharCode(byte);
    if (initialAlphabet === 'bytes' || pieces.some((piece) => piece.includes(character))) idOf(character);
  }
  let sequences = pieces.map((piece) => Array.from(piece, idOf));
  const merges: [number, number][] = [];
  while (tokens.length < size) {
    const counts = new Map<string, number>();
    for (const sequence of sequences) {
      for (let at = 1; at < sequence.length; at++) {
        const pair = `${sequence[at - 1]} ${sequence[at]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    }
    let best: [number, number, number] | undefined;
    for (const [pair, count] of counts) {
      const [left, right] = pair.split(' ').map(Number) as [number, number];
      if (count < minFrequency || tokens[left]!.length + tokens[right]!.length > maxTokenLength) continue;
      const difference = best ? left - best[0] || right - best[1] : 0;
      if (!best || count > best[2] || (count === best[2] && (first ? difference < 0 : difference > 0))) {
        best = [left, right, count];
      }
    }
    if (!best) break;
    const [left, right] = best;
    const merged = idOf(tokens[left]! + tokens[right]!);
    merges.push([left, right]);
    sequences = sequences.map((sequence) => {
      const out: number[] = [];
      for (let at = 0; at < sequence.length; at++) {
        const isPair = sequence[at] === left && sequence[at + 1] === right;
        out.push(isPair ? merged : sequence[at]!);
        if (isPair) at++;
      }
      return out;
    });
  }
  return { tokens: first ? tokens : [...tokens, ...specialTokens], merges };
}
