// Words as Unicode has them, also in scripts without spaces. A long text is counted a few milliseconds at a time, so that keystrokes come
// first, and no further once it has changed.

const SLICE = 16_384;
const TURN = 8;
const segmenter = typeof Intl.Segmenter === 'function' ? new Intl.Segmenter('en', { granularity: 'word' }) : undefined;

/** Undefined if the text has become another one meanwhile, or the browser knows no words. */
export async function wordsOf(current: () => string): Promise<number | undefined> {
  if (!segmenter) return undefined;
  const text = current();
  let words = 0;
  let began = performance.now();
  for (let at = 0; at < text.length; ) {
    const end = sliceEnd(text, at);
    for (const { isWordLike } of segmenter.segment(text.slice(at, end))) if (isWordLike) words++;
    at = end;
    if (at === text.length || performance.now() - began < TURN) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (current() !== text) return undefined;
    began = performance.now();
  }
  return words;
}

/** Behind a newline, or before a space, where a word ends; in a text without either, before any character. */
function sliceEnd(text: string, from: number): number {
  const most = from + SLICE;
  if (most >= text.length) return text.length;
  const newline = text.lastIndexOf('\n', most - 1) + 1;
  if (newline > from) return newline;
  const space = text.lastIndexOf(' ', most);
  if (space > from) return space;
  return (text.charCodeAt(most) & 0xfc00) === 0xdc00 ? most - 1 : most;
}
