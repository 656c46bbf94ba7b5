/** Tables in markdown that read well on a terminal too. */

/** About three significant digits. */
export function shown(value) {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 3);
}

/**
 * The lines of a table; every column but the first is right-aligned.
 * @param {string[]} head
 * @param {string[][]} body
 */
export function grid(head, body) {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...body].map((line) => columns(line[column]))));
  const line = (cells) => `| ${cells.map((each, column) => pad(each, widths[column], column > 0)).join(' | ')} |`;
  const rule = widths.map((each, column) => (column > 0 ? `${'-'.repeat(each + 1)}:` : '-'.repeat(each + 2)));
  return [line(head), `|${rule.join('|')}|`, ...body.map(line)];
}

/** Columns of a terminal: wide characters take two. */
function columns(text) {
  let count = 0;
  for (const character of text)
    count += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(character) ? 2 : 1;
  return count;
}

function pad(text, width, right) {
  const space = ' '.repeat(width - columns(text));
  return right ? space + text : text + space;
}
