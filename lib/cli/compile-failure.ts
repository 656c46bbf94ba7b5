// Explains why a file cannot be compiled in terms of the command: options and lines instead of arguments and ids.

import { listKind } from '../import/job-of.js';
import { TokenizerError } from '../base/errors.js';
import { UsageError } from './usage-error.js';
import { InputError } from './output/streams.js';

const FLAGS: Record<string, string> = {
  model: '--model',
  pretokenizer: '--pretokenizer or --pattern',
  specialTokens: '--special-token',
  unknownId: '--unknown-id',
  unknownUnit: '--unknown-unit',
};

/** Renames the subject of an error to the command's terms. */
export function explainCompileError(error: unknown, source: string): unknown {
  const isSaid = error instanceof TypeError ? /^expected no value for (\w+), since .* says it$/.exec(error.message)?.[1] : undefined;
  if (isSaid)
    return new UsageError(
      `${FLAGS[isSaid] ?? isSaid} is for a list of tokens or a rank file; ${source} is the file of a model, which says it`,
    );
  if (!(error instanceof TokenizerError || error instanceof RangeError)) return error;
  const message = error.message
    .replace(/ for unknownId /, ' for --unknown-id ')
    .replace(/ for pretokenizer(?:\[\d+\])? /, ' for --pattern ')
    .replace(/ for specialTokens\[(.*)\] but /, ' for --special-token $1 but ');
  return new InputError(listKind(source) === 'lines' ? withLines(message) : message);
}

function withLines(message: string): string {
  const line = (id: string) => Number(id) + 1;
  return message.replace(/the ids (\d+) and (\d+)/, (ids, a: string, b: string) => `${ids} (lines ${line(a)} and ${line(b)})`);
}
