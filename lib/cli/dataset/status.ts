// `crayon dataset status`.

import { datasetStatus, type DatasetStatus } from '../../dataset/index.js';
import { writeWhole } from '../output/output-file.js';
import { write } from '../output/standard-streams.js';
import { inBytes, inThousands } from '../output/fields.js';
import { exitCodeOf } from './failures.js';
import { reportOf } from './report.js';

/** Numbers of tasks to write out. */
const NAMED = 20;

export function status(folder: string, { report, json }: { report: string | undefined; json: boolean }): Promise<number> {
  return exitCodeOf(async () => {
    const about = await datasetStatus(folder);
    if (report !== undefined) await writeWhole(report, reportOf(folder, about));
    await write(json ? `${JSON.stringify(about)}\n` : inWords(about));
  });
}

function inWords(about: DatasetStatus): string {
  const { tasks, done, begun, waiting, documents, tokens, bytes, empty, damagedCount, duplicates } = about;
  const lines = [
    `tasks      ${done.length} of ${tasks} done`,
    begun.length > 0 && `begun      ${namesOf(begun)}`,
    waiting.length > 0 && `waiting    ${namesOf(waiting)}`,
    `documents  ${inThousands(documents)}${empty > 0 ? `, besides ${inThousands(empty)} without text` : ''}`,
    `text       ${inBytes(bytes)}`,
    `tokens     ${inThousands(tokens)}${tokens > 0 ? `, ${(bytes / tokens).toFixed(2)} bytes each` : ''}`,
    duplicates !== undefined && `duplicates ${inThousands(duplicates)}`,
    damagedCount > 0 && `damaged    ${inThousands(damagedCount)}, left out; --json lists them`,
    ...about.sources.map(({ name, tokens: own, bytes: text }) => `  ${name}: ${inThousands(own)} tokens of ${inBytes(text)}`),
  ];
  return lines
    .filter((line) => line !== false)
    .map((line) => `${line}\n`)
    .join('');
}

function namesOf(tasks: readonly number[]): string {
  const named = tasks.slice(0, NAMED).join(' ');
  return tasks.length > NAMED ? `${named} and ${tasks.length - NAMED} more` : named;
}
