// What is shown as one: a token, or all tokens of a grapheme cluster, which is never cut.

export interface Tokens {
  ids: ArrayLike<number>;
  /** Start and end of each token in UTF-16 units of the text. */
  offsets: ArrayLike<number>;
}

export interface Unit {
  /** Tokens `first` to `end - 1`; none for text that no token has. */
  first: number;
  end: number;
  from: number;
  to: number;
}

/** Characters that are clusters by themselves beside each other: Latin, punctuation, ideographs, kana and syllables of Hangul. */
const PLAIN = /^[\0-\u02ff\u2010-\u2027\u3000-\u3029\u3031-\u3098\u309b-\ua48c\uac00-\ud7a3\uff00-\uff9d]*$/;

const segmenter = typeof Intl.Segmenter === 'function' ? new Intl.Segmenter('en', { granularity: 'grapheme' }) : undefined;

/** The units of a stretch of the text that begins and ends between clusters. */
export function unitsOf(text: string, from: number, to: number, { ids, offsets }: Tokens): Unit[] {
  const units: Unit[] = [];
  const inside = clusterInsides(text, from, to);
  const endOf = (token: number) => offsets[2 * token + 1] as number;
  const startOf = (token: number) => offsets[2 * token] as number;
  let token = firstEndingBehind(ids.length, endOf, from);
  let at = from;
  while (at < to) {
    if (token >= ids.length || startOf(token) >= to) {
      units.push({ first: token, end: token, from: at, to });
      break;
    }
    const start = Math.max(startOf(token), at);
    if (start > at) units.push({ first: token, end: token, from: at, to: start });
    const first = token++;
    let end = Math.max(start, Math.min(endOf(first), to));
    // Tokens without text of their own belong to what follows them; tokens of one character have the same offsets.
    while (token < ids.length && end < to && (end === start || startOf(token) < end || inside?.[end - from])) {
      end = Math.max(end, Math.min(endOf(token), to));
      token++;
    }
    while (token < ids.length && startOf(token) < end && endOf(token) <= end) token++;
    if (inside) while (end < to && inside[end - from]) end++;
    units.push({ first, end: token, from: start, to: end });
    at = end;
  }
  return units;
}

/** For each position of the stretch, whether it is inside a cluster; undefined if none is. */
function clusterInsides(text: string, from: number, to: number): Uint8Array | undefined {
  const part = text.slice(from, to);
  if (!segmenter || PLAIN.test(part)) return undefined;
  const inside = new Uint8Array(part.length + 1).fill(1);
  inside[part.length] = 0;
  for (const { index } of segmenter.segment(part)) inside[index] = 0;
  // CR LF is two characters for whoever counts tokens.
  for (let at = part.indexOf('\r\n'); at !== -1; at = part.indexOf('\r\n', at + 2)) inside[at + 1] = 0;
  return inside;
}

function firstEndingBehind(count: number, endOf: (token: number) => number, position: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(middle) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
