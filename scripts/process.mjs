/**
 * Running other programs from the developer loop: output goes straight to the terminal, a failure is an exception that
 * names the command.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

/** A program that could not be started or ended with a failure. */
export class CommandFailed extends Error {
  name = 'CommandFailed';
}

/**
 * Runs a program in the project's root and waits for it.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, quiet?: boolean, allowFailure?: boolean }} [options] `quiet`
 *   shows the output only if the program fails; `env` is added to this process's environment
 * @returns {number} the exit code, 0 unless `allowFailure`
 */
export function run(command, args, { cwd = root, env = {}, quiet = false, allowFailure = false } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    maxBuffer: 1 << 28,
  });
  if (result.error === undefined && result.status === 0) return 0;
  if (quiet) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  if (allowFailure && result.error === undefined) return result.status ?? 1;
  const why = result.error?.message ?? (result.signal ? `signal ${result.signal}` : `exit code ${result.status}`);
  throw new CommandFailed(`${path.basename(command)} ${args.join(' ')}: ${why}`);
}

/** What a program prints on its standard output, trimmed; `undefined` if it fails or does not exist. */
export function outputOf(command, args) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** Runs `main` and turns its exceptions into a message and exit code 1. */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    printFailure(error);
    process.exitCode = 1;
  }
}

/** Prints an exception: without a stack if the reader can act on it. */
export function printFailure(error) {
  console.error(error instanceof CommandFailed || error.expected ? `\n${error.message}` : error);
}

/** A failure that the reader can act on: shown without a stack. */
export function expected(message) {
  return Object.assign(new Error(message), { expected: true });
}

/** True if the module at `url` is the program that was started. */
export function isMain(url) {
  return process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === fileURLToPath(url);
}
