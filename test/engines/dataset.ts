// Datasets for the examples of engines, and what has to come out of them, by tiktoken.

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { get_encoding } from 'tiktoken';
import { mergeDataset, planDataset, verifyDataset } from 'crayon-tokenizer/dataset';
import { plainEnvironment } from '../lib/command.js';

export const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const cli = fileURLToPath(new URL('../../dist/node/cli.js', import.meta.url));
const END_OF_TEXT = 50256;

/** Texts of some words each, the same in every run. */
export function someTexts(count: number, words = 40): string[] {
  const known = ['hello', 'world', 'naïve', '東京', 'function', 'return', '👍🏽', '\n', '"', '  ', '1234567', 'tokenize'];
  let state = count;
  const next = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % limit;
  };
  return Array.from({ length: count }, () => Array.from({ length: 1 + next(2 * words) }, () => known[next(known.length)]).join(' '));
}

/** The ids of gpt2. */
export function referenceIds(texts: readonly string[]): number[][] {
  const reference = get_encoding('gpt2');
  const ids = texts.map((text) => [...reference.encode_ordinary(text)]);
  reference.free();
  return ids;
}

function shellScript(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Writes `crayon` to a folder, behind a few lines of shell script. */
export function crayonProgram(folder: string, script: string): void {
  shellScript(folder, 'crayon', `${script}\nexec "${process.execPath}" "${cli}" "$@"`);
}

/** A folder with files of JSON lines, a plan, and a `crayon` that programs find. */
export class PlannedDataset {
  readonly folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  readonly dataset = join(this.folder, 'tokens');
  readonly programs = join(this.folder, 'bin');
  readonly #texts: string[];

  private constructor(documents: number) {
    this.#texts = someTexts(documents);
    const files = 3;
    const perFile = Math.ceil(documents / files);
    for (let file = 0; file < files; file++) {
      const lines = this.#texts.slice(file * perFile, (file + 1) * perFile).map((text, id) => `${JSON.stringify({ id, text })}\n`);
      writeFileSync(join(this.folder, `${file}.jsonl`), lines.join(''));
    }
    this.crayonBehind('');
  }

  static async of({ documents = 400, taskBytes = 8192, shardBytes = 2048 } = {}): Promise<PlannedDataset> {
    const dataset = new PlannedDataset(documents);
    const { tasks } = await planDataset([join(dataset.folder, '*.jsonl')], {
      ...{ output: dataset.dataset, tokenizer: 'gpt2', format: 'nanogpt', taskBytes, shardBytes },
    });
    if (tasks.length < 5) throw new Error(`${tasks.length} tasks are too few for these tests`);
    return dataset;
  }

  /** Puts a shell script on the PATH. */
  program(name: string, script: string): void {
    shellScript(this.programs, name, script);
  }

  /** Puts `crayon` on the PATH, behind a few lines of shell script. */
  crayonBehind(script: string): void {
    crayonProgram(this.programs, script);
  }

  /** The environment of programs. `path`: folders in place of the usual ones. */
  environment(extra: Record<string, string> = {}, path = process.env.PATH): NodeJS.ProcessEnv {
    return { ...plainEnvironment(), PATH: `${this.programs}${delimiter}${path}`, ...extra } as NodeJS.ProcessEnv;
  }

  /** Starts a program, whose end is a promise. */
  start(command: string, args: string[], env: NodeJS.ProcessEnv = this.environment()) {
    const child = spawn(command, args, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const ended = new Promise<{ status: number | null; signal: string | null; output: string }>((resolve, reject) => {
      child.once('error', reject).once('close', (status, signal) => resolve({ status, signal, output }));
    });
    return { child, ended };
  }

  /** Merges, after a check of everything that was written. */
  async merge(): Promise<void> {
    await verifyDataset(this.dataset);
    await mergeDataset(this.dataset);
  }

  /** The merged file. */
  merged(): Uint16Array {
    const { buffer, byteOffset, byteLength } = readFileSync(join(this.dataset, 'data.bin'));
    return new Uint16Array(buffer.slice(byteOffset, byteOffset + byteLength));
  }

  /** What it has to be. */
  expected(): Uint16Array {
    return Uint16Array.from(referenceIds(this.#texts).flatMap((ids) => [...ids, END_OF_TEXT]));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
