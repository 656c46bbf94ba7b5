/**
 * Texts on which joining chunks at equal tokens fails: at every position where chunks of a given length overlap, the text
 * is in another phase for the second chunk.
 */
import { random } from '../texts/generated.mjs';

/** The text around each overlap. @type {Record<string, { run: string, after: string }>} */
const AT_OVERLAPS = {
  // Cut in groups of three. Each of these digits is the same two tokens wherever the cuts are; the digits after them are
  // not.
  'digits of another script': { run: '०', after: '1234567890'.repeat(3) },
  // \s*[\r\n]+ matches all of it, which a chunk that ends before the newline cannot know.
  'spaces before a newline': { run: ' ', after: '\n    return;' },
  digits: { run: '7', after: '.' },
  'one word again and again': { run: ' la', after: '.' },
};

/**
 * @param {{ chunk: number, overlap: number, overlaps?: number }} options in bytes, and the number of overlaps in the text
 * @returns {{ name: string, text: string }[]}
 */
export function counterexamples({ chunk, overlap, overlaps = 6 }) {
  return Object.entries(AT_OVERLAPS).map(([name, { run, after }]) => {
    const size = Buffer.byteLength(run);
    // Enough before the overlap, and not a multiple of three.
    const lead = (3 * Math.ceil(overlap / 6 / size) + 2) * size;
    const count = Math.ceil((overlap + 2 * lead) / size);
    let text = '';
    let bytes = 0;
    for (let index = 1; index <= overlaps; index++) {
      const begin = index * (chunk - overlap) - lead;
      const between = filler(begin - bytes - 3, index);
      const part = `${between}ab ${run.repeat(count)}${after}`;
      text += `${part} `;
      bytes += Buffer.byteLength(part) + 1;
    }
    return { name, text: text + filler(chunk) };
  });
}

/** Words and line ends, harmless for any strategy. */
function filler(bytes, seed = 1) {
  const words = 'the quick brown fox jumps over a lazy dog and then sleeps in warm grass'.split(' ');
  const next = random(seed);
  let out = '';
  while (out.length < bytes) out += `${words[next() % words.length]}${next() % 12 === 0 ? '\n' : ' '}`;
  return `${out.slice(0, bytes - 1)} `;
}
