// The engine's trainer against the BPE trainer of npm `tokenizers`: the same tokens with the same ids, and the same
// merges. Run on the WebAssembly module, without the API around it.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WasmModule } from '../../lib/vocabularies/open/source.js';
import { wasmTrainer } from '../../lib/hosts/module/module-trainer.js';
import { sample } from '../share.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const modulePath = `${project}dist/wasm/build.wasm`;

/** The learned vocabulary; bytes as hexadecimal. */
interface Learnt {
  tokens: string[];
  merges: string[];
}

// --- the reference ------------------------------------------------------------------------------------------------------

interface ReferenceTokenizer {
  setPreTokenizer(preTokenizer: object): void;
  train(files: string[]): void;
  save(path: string): void;
}
interface Reference {
  Tokenizer: new (model: object) => ReferenceTokenizer;
  BPE: { empty(): object };
  byteLevelPreTokenizer(addPrefixSpace: boolean, useRegex: boolean): object;
}
const { Tokenizer, BPE, byteLevelPreTokenizer } = createRequire(import.meta.url)('tokenizers') as Reference;

/** The byte-level character of each byte: itself if printable, else the next one from U+0100 on. */
const characters: number[] = [];
for (let byte = 0, next = 256; byte < 256; byte++) {
  const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
  characters.push(isPrintable ? byte : next++);
}
const bytesOf = new Map(characters.map((character, byte) => [character, byte]));
const hexadecimal = (token: string) => Buffer.from([...token].map((each) => bytesOf.get(each.codePointAt(0)!)!)).toString('hex');

/** Its defaults: 30,000 tokens, from pairs that occur at all. Each line of the file is a text. */
function learnThere(file: string): Learnt {
  const tokenizer = new Tokenizer(BPE.empty());
  tokenizer.setPreTokenizer(byteLevelPreTokenizer(false, true));
  tokenizer.train([file]);
  const saved = `${file}.json`;
  tokenizer.save(saved);
  const { model } = JSON.parse(fs.readFileSync(saved, 'utf8')) as { model: { vocab: Record<string, number>; merges: string[][] } };
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = hexadecimal(token);
  return { tokens, merges: model.merges.map((pair) => pair.map(hexadecimal).join(' ')) };
}

// --- the engine -----------------------------------------------------------------------------------------------------------

const { Module } = (globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => WasmModule } }).WebAssembly;

const OBSERVED_ALPHABET = 1;

function learnHere(texts: string[]): Learnt {
  const alphabet = Uint8Array.from([...characters.keys()].sort((a, b) => characters[a]! - characters[b]!));
  const limits = { vocabularySize: 30000, minFrequency: 0, maxTokenLength: 0 };
  const settings = { ...limits, ties: 1, flags: OBSERVED_ALPHABET, alphabet, scanner: 'gpt2' } as const;
  const trainer = wasmTrainer(new Module(fs.readFileSync(modulePath))).begin({ ...settings, reserved: [] }, 1);
  for (const text of texts) trainer.feed(Buffer.from(text), true);
  trainer.start();
  while (trainer.step(1));
  const { bytes, offsets, merges } = trainer.learned();
  const tokens = Array.from({ length: offsets.length - 1 }, (_, id) =>
    Buffer.from(bytes.subarray(offsets[id], offsets[id + 1])).toString('hex'),
  );
  return {
    tokens,
    merges: Array.from({ length: merges.length / 3 }, (_, i) => `${tokens[merges[3 * i]!]!} ${tokens[merges[3 * i + 1]!]!}`),
  };
}

// --- texts ----------------------------------------------------------------------------------------------------------------

/** mulberry32 */
function random(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) % below;
  };
}

/** Words of few letters, with runs, spaces and some characters of several bytes. */
function randomText(seed: number): string {
  const below = random(seed);
  const letters = [...'aab -éж語😀1'].slice(0, 1 + below(11));
  let text = '';
  for (let words = 1 + below(300); words > 0; words--) {
    const letter = () => letters[below(letters.length)]!;
    text += letter().repeat(1 + (below(3) === 0 ? below(9) : 0)) + letter() + (below(20) === 0 ? '\n' : below(3) === 0 ? ' ' : '');
  }
  return text;
}

/** The lines, each with its end: the reference trains on these. */
const linesOf = (text: string) => text.split(/(?<=\n)/).filter((line) => line !== '');

describe.skipIf(!fs.existsSync(modulePath))('the trainer', () => {
  let folder = '';
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-train-'));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  function compare(text: string): Learnt {
    const file = path.join(folder, 'text.txt');
    fs.writeFileSync(file, text);
    const there = learnThere(file);
    expect(learnHere(linesOf(text))).toEqual(there);
    return there;
  }

  it.each(['README.md', 'cartridges/FORMAT.md', 'native/src/parallel/encode_job.cpp'])('learns the same from %s as tokenizers', (name) => {
    const { merges } = compare(fs.readFileSync(project + name, 'utf8'));
    expect(merges.length).toBeGreaterThan(900);
  });

  it('learns the same from random texts as tokenizers', () => {
    for (let seed = 1; seed <= sample(200, 20); seed++) {
      expect(() => compare(randomText(seed)), `seed ${seed}`).not.toThrow();
    }
  });
});
