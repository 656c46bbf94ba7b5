/** Asks the reference in Python (render.py), a process that starts with the first question and lives as long as this one. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { root } from '../../../scripts/process.mjs';
import { referencePython } from './environment.mjs';

const script = fileURLToPath(new URL('render.py', import.meta.url));

/** Where openai-harmony finds the ranks of o200k_base, to avoid a download. */
const ranks = path.join(root, 'build', 'chat-reference', 'ranks');

/**
 * @typedef {{ text?: string, spans?: [number, number][], ids?: number[], mask?: number[], error?: string, line?: number | null, message?: string }} Answer
 */

/** @type {ReturnType<typeof start> | undefined} */
let reference;

/**
 * The answers to requests, in their order.
 * @param {readonly object[]} requests
 * @returns {Promise<Answer[]>}
 */
export async function ask(requests) {
  reference ??= start();
  return reference.ask(requests);
}

function start() {
  const found = referencePython();
  if ('missing' in found) throw new Error(`the reference cannot be asked: missing ${found.missing}`);
  fs.mkdirSync(ranks, { recursive: true });
  fs.copyFileSync(path.join(root, 'node_modules', 'gpt-tokenizer', 'data', 'o200k_base.tiktoken'), path.join(ranks, 'o200k_base.tiktoken'));
  const child = spawn(found.python, ['-X', 'utf8', '-W', 'ignore', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // The order of sets of strings, and so their printed form, depends on the seed.
    env: { ...process.env, PYTHONHASHSEED: '0', TIKTOKEN_ENCODINGS_BASE: ranks, TRANSFORMERS_VERBOSITY: 'error', TZ: 'UTC' },
  });
  /** @type {{ resolve(answer: Answer): void, reject(error: Error): void }[]} */
  const waiting = [];
  let ended = false;
  const handles = [child, child.stdin, child.stdout];
  const hold = (/** @type {'ref' | 'unref'} */ how) => handles.forEach((handle) => /** @type {any} */ (handle)[how]());
  createInterface({ input: child.stdout }).on('line', (line) => {
    waiting.shift()?.resolve(JSON.parse(line));
    if (waiting.length === 0) hold('unref');
  });
  child.on('close', (code, signal) => {
    ended = true;
    for (const { reject } of waiting.splice(0)) reject(new Error(`the reference has ended: ${signal ?? `exit code ${code}`}`));
  });
  return {
    /** @param {readonly object[]} requests */
    ask(requests) {
      if (ended) throw new Error('the reference has ended');
      if (requests.length > 0) hold('ref');
      const answers = requests.map(() => new Promise((resolve, reject) => waiting.push({ resolve, reject })));
      child.stdin.write(requests.map((each) => `${JSON.stringify(each)}\n`).join(''));
      return Promise.all(answers);
    },
  };
}
