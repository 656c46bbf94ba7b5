// What compileCartridge does on its own thread: the job comes with the thread, its outcome is the only message.

import { parentPort, workerData } from 'node:worker_threads';

import type { Failure } from './errors.js';
import { native } from './native-loader.js';
import { joinTokens, readRankLines } from './rank-lines.js';

/** A cartridge to compile again, by its path or its bytes. */
interface CartridgeJob {
  cartridge: string | Uint8Array;
  slim: boolean;
}

/** A rank file to compile: its text, and what it does not say. */
interface RanksJob {
  ranks: string;
  file: string;
  name: string;
  pretokenizer: string;
  specialTokens: [string, number][];
  slim: boolean;
}

/** What to compile. */
export type CompileJob = CartridgeJob | RanksJob;

/** The bytes, or why there are none. */
export type CompileOutcome = { bytes: Uint8Array } | { failure: Failure };

function compile(job: CompileJob): CompileOutcome {
  const { addon } = native();
  const bytes = 'ranks' in job ? fromRanks(job) : fromCartridge(job);
  return bytes ? { bytes } : { failure: addon.failure() };
}

function fromCartridge({ cartridge, slim }: CartridgeJob): Uint8Array | undefined {
  const { addon } = native();
  const tokenizer = addon.load(cartridge, 0, 0, '');
  return tokenizer < 0 ? undefined : addon.recompile(tokenizer, slim); // the thread's end closes it
}

function fromRanks({ ranks, file, name, pretokenizer, specialTokens, slim }: RanksJob): Uint8Array | undefined {
  const encoder = new TextEncoder();
  const tokens = specialTokens.map(([text, id]) => ({ bytes: encoder.encode(text), id, special: true }));
  return native().addon.compileBpe({
    ...joinTokens(readRankLines(ranks, file)),
    metadata: JSON.stringify({ name }),
    views: [{ name, scanner: pretokenizer, tokens }],
    slim,
  });
}

parentPort?.postMessage(compile(workerData as CompileJob));
