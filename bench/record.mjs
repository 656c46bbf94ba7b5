/** Results as files: bench/results/<date>-<machine>[-KIND].json with every row, and the tables as markdown beside it. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { slugOf } from './machine.mjs';

export const resultsFolder = fileURLToPath(new URL('results/', import.meta.url));

/** @returns {string} the local date, 2026-11-21 */
export function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/**
 * Writes a result and its report; a second one on the same day gets a number.
 * @param {{ date: string, machine: object, rows: object[] }} result
 * @param {string} report
 * @param {{ kind?: string, machine?: string, out?: string }} options `out`: the file instead
 * @returns {string} the JSON file
 */
export function record(result, report, { kind, machine, out }) {
  const file = out ? path.resolve(out) : freeFile([result.date, machine ?? slugOf(result.machine), kind].filter(Boolean).join('-'));
  fs.writeFileSync(file, format(result));
  fs.writeFileSync(`${file.replace(/\.json$/, '')}.md`, `${report.trimEnd()}\n`);
  return file;
}

function freeFile(stem) {
  fs.mkdirSync(resultsFolder, { recursive: true });
  for (let number = 1; ; number++) {
    const file = path.join(resultsFolder, `${stem}${number > 1 ? `-${number}` : ''}.json`);
    if (!fs.existsSync(file)) return file;
  }
}

/** One row a line, so that two results differ by lines. */
function format({ rows, ...head }) {
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": [\n${lines}\n  ]\n}\n`;
}
