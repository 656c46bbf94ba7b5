// The fenced blocks of a Markdown text: of a README, or of a doc comment without its stars.

/** A block of code. */
export interface Fence {
  /** The language in the opening line, such as `ts`. */
  language: string;
  /** What its opening line has in brackets, such as a file's name. */
  title?: string;
  code: string;
  /** The first line of code, in the text, counted from 1. */
  line: number;
  /** Why it cannot run: the text of `<!-- not run: … -->` on the line before the block. */
  notRun?: string;
}

/** All blocks, in order. Throws if one is not closed. */
export function fencesOf(text: string): Fence[] {
  const fences: Fence[] = [];
  let open: { language: string; title: string | undefined; lines: string[]; line: number; notRun: string | undefined } | undefined;
  text.split('\n').forEach((line, index, all) => {
    if (open === undefined) {
      // The language may be followed by a title, `js [vite.config.js]`.
      const [, language, title] = /^```([^\s`]*)(?:[ \t]+\[([^\]`]+)\])?(?:[ \t][^`]*)?$/.exec(line) ?? [];
      const notRun = /^<!-- not run: (.+) -->$/.exec(all[index - 1] ?? '')?.[1];
      if (language !== undefined) open = { language, title, lines: [], line: index + 2, notRun };
    } else if (/^```\s*$/.test(line)) {
      const { language, title, lines, line: first, notRun } = open;
      const optional = { ...(title === undefined ? {} : { title }), ...(notRun === undefined ? {} : { notRun }) };
      fences.push({ language, code: lines.join('\n'), line: first, ...optional });
      open = undefined;
    } else open.lines.push(line);
  });
  if (open !== undefined) throw new Error(`the block that begins on line ${open.line} has no end`);
  return fences;
}
