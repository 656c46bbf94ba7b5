// The fenced blocks of a text in Markdown: of a README, or of a doc comment without its stars.

/** A block of code. */
export interface Fence {
  /** What the opening line names, such as `ts`. */
  language: string;
  code: string;
  /** Of its first line of code, in the text, from 1. */
  line: number;
}

/** All blocks, in order. Throws if one is not closed. */
export function fencesOf(text: string): Fence[] {
  const fences: Fence[] = [];
  let open: { language: string; lines: string[]; line: number } | undefined;
  text.split('\n').forEach((line, index) => {
    if (open === undefined) {
      const language = /^```(\S*)\s*$/.exec(line)?.[1];
      if (language !== undefined) open = { language, lines: [], line: index + 2 };
    } else if (/^```\s*$/.test(line)) {
      fences.push({ language: open.language, code: open.lines.join('\n'), line: open.line });
      open = undefined;
    } else open.lines.push(line);
  });
  if (open !== undefined) throw new Error(`the block that begins on line ${open.line} has no end`);
  return fences;
}
