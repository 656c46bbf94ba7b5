/**
 * The checks of an installed package on every host: `node check.mjs [EXPECTED_BACKEND] [REPORT]`, run in a folder where it
 * is installed. Exits with 0 and a line of JSON, on standard output and in the file REPORT; or with 1 and the reason.
 *
 * Uses only features common to Node, Bun and Deno. Ids are tiktoken's.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const [expected = 'native', report] = process.argv.slice(2);

async function check() {
  const began = performance.now();
  const { Tokenizer, compileCartridge } = await import('crayon-tokenizer');
  const tokenizer = await Tokenizer.load('o200k_base');
  assert.deepEqual([...tokenizer.encode('hello world')], [24912, 2375]);
  const firstIds = performance.now() - began;
  const { kind, kernel } = tokenizer.backend;
  assert.equal(kind, expected);

  const text = 'Hello, мир! 你好 👋🏽 naïve café\r\n\tif (x) { return 0; }\n';
  const ids = [...tokenizer.encode(text)];
  assert.equal(tokenizer.decode(ids), text);
  assert.equal(tokenizer.count(text), ids.length);
  const lone = '\ud83d';
  assert.equal(tokenizer.decode(tokenizer.encode(lone)), '\ufffd');

  // Threads, a batch and a file, compared with one call.
  const long = text.repeat(20_000);
  const whole = tokenizer.encode(long);
  assert.deepEqual(await tokenizer.encodeAsync(long), whole);
  const { ids: batch } = tokenizer.encodeBatch([text, long]);
  assert.equal(batch.length, ids.length + whole.length);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon smoke ö '));
  const file = path.join(folder, 'text.txt');
  fs.writeFileSync(file, long);
  const parts = [];
  for await (const part of tokenizer.encodeFile(file)) parts.push(Buffer.from(part.ids.buffer, part.ids.byteOffset, part.ids.byteLength));
  assert.ok(Buffer.concat(parts).equals(Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength)));

  // A cartridge that two tokenizers map from a path that is not ASCII, and longer than the 260-unit limit of older Windows
  // calls.
  const deep = path.join(folder, ...Array.from({ length: 4 }, () => 'ä'.repeat(80)));
  fs.mkdirSync(deep, { recursive: true });
  const cartridge = path.join(deep, 'own.cray');
  fs.writeFileSync(cartridge, await compileCartridge(['a', 'b', 'ab', '<unk>']));
  const own = [await Tokenizer.load(cartridge), await Tokenizer.load(cartridge)];
  for (const each of own) assert.deepEqual([...each.encode('abba?')], [2, 1, 0, 3]);
  await assert.rejects(Tokenizer.load(path.join(folder, 'none.cray')), { code: 'FILE_NOT_FOUND' });
  await assert.rejects(Tokenizer.load(folder), { code: 'FILE_UNREADABLE' });
  for (const each of [...own, tokenizer]) each.close();
  fs.rmSync(folder, { recursive: true, force: true });

  // The same package through `require`.
  const { Tokenizer: Required } = createRequire(import.meta.url)('crayon-tokenizer');
  const required = await Required.load('cl100k_base');
  assert.deepEqual([...required.encode('hello world')], [15339, 1917]);
  required.close();
  return { ok: true, backend: kind, kernel, host: hostName(), firstIds: Math.round(firstIds) };
}

function hostName() {
  const { bun, deno, node } = process.versions;
  const name = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`;
  return `${name}, ${process.platform}-${process.arch}`;
}

let line;
try {
  line = JSON.stringify(await check());
} catch (error) {
  line = String(error?.stack ?? error);
  process.exitCode = 1;
}
// Node for Windows has no standard output under Wine.
if (report) fs.writeFileSync(report, `${line}\n`);
else console.log(line);
