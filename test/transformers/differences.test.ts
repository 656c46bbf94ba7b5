// Writes docs/transformers-differences.md: calls of Python's transformers, of transformers.js and of this package, and their answers.
// The test fails if an answer here changes; `vitest run -u` rewrites the file. differences.py and differences.mjs record the other two.

import fs from 'node:fs';
import { expect, it } from 'vitest';
import { AutoTokenizer } from 'crayon-tokenizer/transformers';
import { answerOf, CONFIGS, withLists } from './answers.mjs';

interface Case {
  what: string;
  model: string;
  config?: Record<string, unknown>;
  js: string;
  py: string;
  python: string;
  'transformers.js': string;
}

const cases: Case[] = JSON.parse(fs.readFileSync(new URL('differences.json', import.meta.url), 'utf8'));
/** Where this package differs from Python, on purpose. */
const OWN = [
  'Offsets are UTF-16 units, as in strings of JavaScript',
  'A model without a pad token pads with its end token',
  'An id that no token has',
  'An option that does not exist',
  'Words instead of texts',
  'Tokens that only the configuration names',
  "The file's normalizer and pretokenizer, where the class has its own",
  'An option of a chat that does not exist',
];

const shown = (text: string) => (text.length > 120 ? `${text.slice(0, 119)}…` : text);
const cell = (text: string) => `\`${shown(text).replaceAll('|', '\\|').replaceAll('`', "'")}\``;
const visible = (text: string) => text.replace(/[\u0080-\u009f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

it("the documented answers are the actual ones, and Python's but for a list", async () => {
  const rows: { same: string[]; differing: string[]; own: string[] } = { same: [], differing: [], own: [] };
  for (const each of cases) {
    const file = fs.readFileSync(new URL(`../models/${each.model}.tokenizer.json`, import.meta.url));
    const config = { ...CONFIGS[each.model as keyof typeof CONFIGS], ...each.config };
    const tokenizer = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file, 'tokenizer_config.json': config });
    const ours: string = answerOf(each.js, withLists(tokenizer));
    const { python, 'transformers.js': js, what } = each;
    if (!OWN.includes(what)) expect(ours, what).toBe(python);
    else expect(ours, what).not.toBe(python);
    const call = cell(visible(each.js));
    if (OWN.includes(what)) rows.own.push(`| ${what} | ${call} | ${cell(python)} | ${cell(js)} | ${cell(ours)} |`);
    else if (ours === js) rows.same.push(`| ${what} | ${call} | ${cell(ours)} |`);
    else rows.differing.push(`| ${what} | ${call} | ${cell(js)} | ${cell(ours)} |`);
  }
  const text = `<!-- Written by test/transformers/differences.test.ts. -->

# Answers beside transformers.js and Python

Calls of \`crayon-tokenizer/transformers\`, beside the same of \`@huggingface/transformers\` 4.3.1 and Python's transformers 5.24.0, for small
vocabularies like those of BERT, Llama and CLIP. Python's calls have the same names and options; those here ask for lists.

## The same in all three

| what | call | answer |
|---|---|---|
${rows.same.join('\n')}

## As in Python, unlike transformers.js

| what | call | transformers.js | Python and here |
|---|---|---|---|
${rows.differing.join('\n')}

## Unlike Python

| what | call | Python | transformers.js | here |
|---|---|---|---|---|
${rows.own.join('\n')}
`;
  await expect(text).toMatchFileSnapshot('../../docs/transformers-differences.md');
});
