// How much a decoder may make of a text: both the importer and whoever opens a cartridge ask, and neither needs the other.

/** How many times as long steps may make a text, all together, if each finds its pattern everywhere. */
const MOST_GROWTH = 1024;

/** Whether steps could make a text longer than that: a list that doubles a text would take all memory. */
export function growsTooMuch(steps: readonly DecoderStep[]): boolean {
  const growths = steps.map(({ type, content = '', pattern, suffix, word_delimiter_token }) => {
    const text = (pattern as { String?: string } | undefined)?.String;
    // A pattern may match around each character; so does an empty text, which becomes a space.
    if (type === 'Replace') return text ? content.length / text.length : content.length + 1;
    return suffix === '' || word_delimiter_token === '' ? 2 : 1;
  });
  return growths.reduce((all, growth) => all * Math.max(1, growth), 1) > MOST_GROWTH;
}

/** A step of a decoder (decode/spec.ts), or of a file. */
interface DecoderStep {
  type: string;
  content?: string;
  pattern?: object;
  suffix?: string;
  word_delimiter_token?: string;
}
