/**
 * The ids that every contender must give: npm `tiktoken`'s, and for the adversarial texts, whose pieces are too long for
 * tiktoken's quadratic merge, those of npm `tokenizers` made from tiktoken's ranks (test/golden/references.mjs). For the
 * profiles, the ids of a naive longest match (test/golden/longest-match.mjs).
 *
 * Deriving them takes seconds, so they are kept in a folder of the system's temporary directory, under the hash of the
 * text and the version of the reference.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadProfile, PROFILES } from '../../test/golden/longest-match.mjs';
import { loadTiktoken, loadTokenizers, versionOf } from '../../test/golden/references.mjs';
import { fingerprint, idsOf } from './fingerprint.mjs';
import { ADVERSARIAL_TEXTS, textNamed } from './texts.mjs';

/** Where texts and ids are kept between runs. */
export function cacheFolder() {
  const folder = path.join(os.tmpdir(), `crayon-bench-${os.userInfo().uid}`);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * The file of a text's reference ids (little-endian u32), derived in a separate process if necessary.
 * @returns {string}
 */
export function referenceFile(encoding, name) {
  const reference = referenceFor(encoding, name);
  const { sha256 } = textNamed(name);
  const version = reference === 'naive' ? '1' : versionOf(reference);
  const file = path.join(cacheFolder(), `${encoding}-${sha256.slice(0, 32)}-${reference}-${version}.ids`);
  if (!fs.existsSync(file)) {
    const result = spawnSync(process.execPath, [fileURLToPath(import.meta.url), encoding, name, file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (result.status !== 0) throw new Error(`the reference ids of ${name} in ${encoding} could not be derived`);
  }
  return file;
}

/** @returns {{ tokens: number, sha256: string, by: string }} */
export function referenceOf(encoding, name) {
  const bytes = fs.readFileSync(referenceFile(encoding, name));
  const ids = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return { ...fingerprint(ids), by: referenceFor(encoding, name) };
}

function referenceFor(encoding, name) {
  if (PROFILES.includes(encoding)) return 'naive';
  return ADVERSARIAL_TEXTS.includes(name.split(':')[0]) ? 'tokenizers' : 'tiktoken';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , encoding, name, file] = process.argv;
  const text = textNamed(name);
  let ids;
  const reference = referenceFor(encoding, name);
  if (reference === 'tokenizers') ids = await (await loadTokenizers(encoding)).encode(text.text);
  else ids = idsOf(text, (reference === 'naive' ? loadProfile(encoding) : await loadTiktoken(encoding)).encode);
  const staging = `${file}.${process.pid}`;
  fs.writeFileSync(staging, new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
  fs.renameSync(staging, file);
}
