// What commands share: file arguments, examples in the help, and the values of options. Those that are not valid throw commander's
// InvalidArgumentError, which is reported as a usage error and names the option.

import { existsSync } from 'node:fs';

import { type Command, InvalidArgumentError } from 'commander';

/** Higher than every id; the engine's own value for "no id". */
const NO_ID = 2 ** 32 - 1;

/** The name of an encoding, profile or model, or a path. */
export function vocabulary(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || /^file:/i.test(text)) return text;
  throw new InvalidArgumentError('It is a URL; download the file and give its path.');
}

/** One of several vocabularies. */
export function vocabularies(text: string, before: string[] = []): string[] {
  return [...before, vocabulary(text)];
}

export function nonEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return text;
}

/** A text, which may be empty; given at most once. */
export function onlyText(text: string, before?: string): string {
  if (before !== undefined) throw new InvalidArgumentError('It is given twice; one command takes one text.');
  return text;
}

/** One value of a repeatable option. */
export function repeated(text: string, before: string[] = []): string[] {
  return [...before, nonEmpty(text)];
}

/** Files, or a share of each input, `5%`. */
export type HeldOutValue = { files: string[] } | { share: number };

/** A share, or one of several files. */
export function heldOut(text: string, before: HeldOutValue = { files: [] }): HeldOutValue {
  const [, percent] = /^(\d{1,2}(?:\.\d+)?)%$/.exec(text) ?? [];
  const files = 'files' in before ? before.files : undefined;
  if (percent === undefined && /^\d+(?:\.\d+)?%?$/.test(text) && !existsSync(text)) {
    throw new InvalidArgumentError('Expected a file, or a share such as 5%.');
  }
  if (percent === undefined && files) return { files: [...files, nonEmpty(text)] };
  if (percent === undefined || files?.length !== 0) throw new InvalidArgumentError('Expected one share, or files.');
  if (Number(percent) === 0) throw new InvalidArgumentError('Expected a share above 0%.');
  return { share: Number(percent) / 100 };
}

export function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 3600) return value;
  throw new InvalidArgumentError('Expected a number of seconds, above 0 and up to 3600.');
}

/** `emulated` is for tests, which set it up. */
export function device(text: string): string {
  if (/^(?:auto|cpu|cuda|hip|emulated)$/.test(text)) return text;
  throw new InvalidArgumentError('Expected auto, cpu, cuda or hip.');
}

function integer(least: number, greatest: number, what: string): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= greatest) return Number(text);
    throw new InvalidArgumentError(`Expected ${what}.`);
  };
}

export const tokenCount = integer(0, Number.MAX_SAFE_INTEGER, 'a number of tokens, an integer of 0 or more');
export const byteCount = integer(0, Number.MAX_SAFE_INTEGER, 'a number of bytes, an integer of 0 or more');
export const threads = integer(1, 9999, 'a number of threads, an integer of 1 or more (default: all)');
export const tokenId = integer(0, NO_ID - 1, `a token id, an integer from 0 to ${NO_ID - 1}`);
export const frequency = integer(0, NO_ID, 'an integer of 0 or more');
export const positive = integer(1, NO_ID, 'an integer of 1 or more');

/** `TOKEN=ID`, one of several. */
export function specialToken(text: string, before: Readonly<Record<string, number>> = {}): Record<string, number> {
  const [, token, id] = /^(.+)=(\d{1,10})$/s.exec(text) ?? [];
  if (token === undefined || Number(id) >= NO_ID) {
    throw new InvalidArgumentError('Expected a token, "=" and its id, such as "<|endoftext|>=50256".');
  }
  if (Object.hasOwn(before, token)) throw new InvalidArgumentError(`${JSON.stringify(token)} is given twice.`);
  return Object.fromEntries([...Object.entries(before), [token, Number(id)]]);
}

/** Takes files and patterns. */
export function withFiles(command: Command): Command {
  const what = 'skip matching files, and the contents of matching directories; repeatable';
  return command
    .argument('[FILE...]', 'files, or patterns in quotes; "-" is standard input, which is also the default')
    .option('--ignore <glob>', what, repeated);
}

/** Adds lines that can be typed as they are. */
export function withExamples(command: Command, ...examples: string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
}

/** The inputs that the arguments of `withFiles` name. */
export async function inputsOf(files: readonly string[], ignored?: readonly string[]): Promise<string[]> {
  const inputs = await import('./input/file-arguments.js');
  return inputs.inputsOf(files, ignored);
}

/** The same; throws if a pattern matches nothing. */
export async function allInputsOf(files: readonly string[], ignored?: readonly string[]): Promise<string[]> {
  const inputs = await import('./input/file-arguments.js');
  const all = await inputs.inputsOf(files, ignored);
  inputs.refuseUnmatched(all);
  return all;
}
