/**
 * Results as files: bench/results/<question>.json with every row, and the tables as markdown beside it. There is one report for each
 * question, so that a run replaces that of before, which Git has; its date and machine are in its first lines.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const resultsFolder = fileURLToPath(new URL('results/', import.meta.url));

/** @returns {string} the local date, 2026-11-21 */
export function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/**
 * Writes a result and its report.
 * @param {{ date: string, machine: object, commit: string | null, changed: boolean, rows: object[] }} result
 * @param {string} report begins with a heading, below which the circumstances are put
 * @param {{ question?: string, out?: string }} options `out`: the file instead, to keep what another machine has measured
 * @returns {string} the JSON file
 */
export function record(result, report, { question, out }) {
  const file = path.resolve(out ?? path.join(resultsFolder, `${question}.json`));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, format(result));
  fs.writeFileSync(`${file.replace(/\.json$/, '')}.md`, `${report.trimEnd().replace('\n', () => `\n\n${circumstancesOf(result)}\n`)}\n`);
  return file;
}

/** One line: when, on what, and what was measured. */
function circumstancesOf({ date, machine: { cpu, family, cores, node }, commit, changed }) {
  const model = family ? ` (${family.replace(/ stepping.*/, '')})` : '';
  return `${date}; ${cpu}${model}, ${cores} cores; Node ${node}; commit ${commit ?? 'unknown'}${changed ? ' with changes' : ''}`;
}

/** One row a line, so that two results differ by lines. */
function format({ rows, ...head }) {
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": [\n${lines}\n  ]\n}\n`;
}
