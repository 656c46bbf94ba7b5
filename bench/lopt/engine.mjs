/**
 * Inside the engine: the length of slices, the number of threads, batches, the time of a job's stages, and texts that are
 * hard to divide. Writes the texts and their reference ids to a folder and runs crayon_lopt (bench/lopt/native) on them.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

import { adversarial } from '../texts/generated.mjs';
import { cacheFolder } from '../texts/references.mjs';
import { documentsOf, TEXTS } from './documents.mjs';
import { References } from './references.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = path.join(root, 'build', 'release', 'crayon_lopt');

const made = (name) => adversarial.find((each) => each.name === name).make;

/** Texts that are hard to divide, and their names in tables. @type {Record<string, { title: string, make: (size: number) => string }>} */
export const RUNS = {
  letter: { title: 'one letter', make: made('run-letter') },
  space: { title: 'spaces', make: made('run-space') },
  newline: { title: 'newlines', make: made('run-newline') },
  digits: { title: 'digits', make: made('run-digits') },
  devanagari: { title: 'digits of another script (U+0966)', make: (size) => '०'.repeat(size) },
  emoji: { title: 'one emoji', make: (size) => '😀'.repeat(size / 2) },
  letters: { title: 'random letters', make: made('random-letters') },
};

export async function engine({ tokenizers, cores, quick, rows, say }) {
  const folder = path.join(cacheFolder(), `lopt-${process.pid}`);
  fs.mkdirSync(folder, { recursive: true });
  try {
    for (const tokenizer of tokenizers) {
      await exportCartridge(folder, tokenizer);
      await exportTexts(folder, tokenizer, { quick, say });
    }
    say('engine');
    await run(folder, { tokenizers, cores, rounds: quick ? 3 : 7, rows, say });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function exportCartridge(folder, { name, compile }) {
  const file = path.join(folder, `${name}.cray`);
  if (compile) fs.writeFileSync(file, await compile());
  else fs.copyFileSync(path.join(root, 'cartridges', `${name}.cray`), file);
}

/** NAME.txt or NAME.rows, and NAME.ENCODING.ids: the input of bench/native/texts.h. */
async function exportTexts(folder, tokenizer, { quick, say }) {
  const references = new References(tokenizer);
  const write = async (name, documents, options) => {
    say(`engine: ${tokenizer.name}, ${name}`);
    const isBatch = name.startsWith('batch-');
    fs.writeFileSync(
      path.join(folder, `${name}.${isBatch ? 'rows' : 'txt'}`),
      isBatch ? documents.map((document) => `${document}\0`).join('') : documents[0],
    );
    const ids = [];
    for (const document of documents) {
      const some = await references.idsOf(document, options);
      ids.push(Buffer.from(some.buffer, some.byteOffset, some.byteLength));
    }
    fs.writeFileSync(path.join(folder, `${name}.${tokenizer.name}.ids`), Buffer.concat(ids));
  };
  for (const text of TEXTS) {
    await write(`warm-${text}`, documentsOf(text, quick ? 200_000 : 500_000, 4).slice(3)); // of the end, where none of these is
    for (const [name, length] of Object.entries(quick ? { '': 1_000_000 } : { '': 4_000_000, '-quarter': 1_000_000 })) {
      const documents = documentsOf(text, text === 'chinese' ? length / 2 : length, 1);
      await write(`stages-${text}${name}`, documents);
      if (name === '') await write(`sweep-${text}`, documents);
      if (name === '') await write(`run-${text}`, documents);
    }
  }
  await write('batch-english', documentsOf('english', quick ? 16_000 : 64_000, quick ? 16 : 64));
  if (!quick) await write('batch-chinese', documentsOf('chinese', 32_000, 64));
  for (const [name, { make }] of Object.entries(RUNS)) {
    await write(`run-${name}`, [make(quick ? 200_000 : 1_000_000)], { hasLongPieces: true });
  }
}

/** Runs the program and reads its rows, one per line. */
async function run(folder, { tokenizers, cores, rounds, rows, say }) {
  const program = spawn(
    PROGRAM,
    [
      `--texts=${folder}`,
      `--cartridges=${folder}`,
      `--encodings=${tokenizers.map(({ name }) => name).join(',')}`,
      `--cores=${cores}`,
      `--rounds=${rounds}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise((resolve, reject) => {
    program.on('error', reject).on('close', (code, signal) => resolve(signal ?? code));
  });
  for await (const line of readline.createInterface({ input: program.stdout })) {
    const { exact, ...row } = JSON.parse(line);
    say(`engine: ${row.section}, ${row.encoding}, ${row.text}`);
    rows.push({ ...row, accuracy: exact });
  }
  const end = await ended;
  if (end !== 0) throw new Error(`${PROGRAM} failed: ${end}`);
}
