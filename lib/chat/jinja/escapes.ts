// Numeric escapes in string literals, and backslashes that do not begin an escape.

/** The text of an escape, and its end; `at`: the position of the character after the backslash. */
export function unescapedAt(text: string, at: number, fail: (message: string) => never): { text: string; end: number } {
  const next = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (next >= '0' && next <= '7') {
    const digits = (/^[0-7]{1,3}/.exec(text.slice(at, at + 3)) as RegExpExecArray)[0];
    return { text: String.fromCodePoint(Number.parseInt(digits, 8)), end: at + digits.length };
  }
  if (next === 'x' || next === 'u' || next === 'U') {
    const width = { x: 2, u: 4, U: 8 }[next];
    const digits = text.slice(at + 1, at + 1 + width);
    if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < width) fail(`truncated \\${next}${'X'.repeat(width)} escape`);
    const code = Number.parseInt(digits, 16);
    if (code > 0x10ffff) fail('illegal Unicode character');
    return { text: String.fromCodePoint(code), end: at + 1 + width };
  }
  if (next === 'N') fail('characters by name, as in \\N{DASH}, are not supported: write the character');
  const code = next.codePointAt(0) as number;
  return { text: `\\${code < 0x80 ? next : asEscape(code)}`, end: at + next.length };
}

/** A character after a backslash that does not begin an escape: the backslash prevents it from being read as an escape itself. */
function asEscape(code: number): string {
  const digits = code.toString(16);
  return code < 0x100 ? `x${digits.padStart(2, '0')}` : code < 0x10000 ? `u${digits.padStart(4, '0')}` : `U${digits.padStart(8, '0')}`;
}
