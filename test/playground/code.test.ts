// The programs that the playground writes run, and count what the page counts.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from 'crayon-tokenizer';
import { DnaTokenizer, reverseComplement } from 'crayon-tokenizer/dna';
import { expect, it } from 'vitest';

import { codeOf, type CodeState } from '../../docs/playground/src/code.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CHAT = [{ role: 'user', content: 'say "hi" </script>' }];
const STATE: CodeState = {
  tab: 'tokens',
  model: 'cl100k_base',
  special: true,
  text: 'quotes " and \\ and `\u2028` <|endoftext|> 東京',
  split: { maxTokens: 4, overlap: 1, separators: 'text' },
  chat: { messages: CHAT, template: '', addGenerationPrompt: true, billed: 'gpt-4' },
  dna: { model: 'nt-v2', sequence: '>header\nACGTACRYACGT\nACGTACGT', complement: true },
};

/** What a program prints, run as a package would be that has this one installed. */
const printed = (code: string) =>
  Number(execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT, encoding: 'utf8' }));

it('in Node', async () => {
  using tokenizer = await Tokenizer.load(STATE.model);
  using dna = await DnaTokenizer.load('nt-v2', { lowerCase: 'normalize', ambiguous: 'keep' });
  const template = '{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}';
  expect(printed(codeOf(STATE, 'node'))).toBe(tokenizer.count(STATE.text, { special: 'allow' }));
  expect(printed(codeOf({ ...STATE, tab: 'split' }, 'node'))).toBe(
    tokenizer.split(STATE.text, { ...STATE.split, separators: 'text', special: 'allow' }).length,
  );
  expect(printed(codeOf({ ...STATE, tab: 'chat' }, 'node'))).toBe(tokenizer.countMessages(CHAT as never, { model: 'gpt-4' }));
  const own = { ...STATE, tab: 'chat', chat: { ...STATE.chat, billed: '', template } } as const;
  expect(printed(codeOf(own, 'node'))).toBe(await tokenizer.countChat(CHAT, { template, addGenerationPrompt: true }));
  const sequence = reverseComplement('ACGTACRYACGTACGTACGT');
  expect(printed(codeOf({ ...STATE, tab: 'dna' }, 'node'))).toBe(dna.encode(sequence, { addSpecialTokens: false }).length);
});

it('in a page, and for texts and tokenizers that are files', () => {
  const long = { ...STATE, text: 'a'.repeat(3000), model: 'import:0123abcd:my tokenizer.json' };
  expect(codeOf(long, 'page')).toContain('await (await fetch("text.txt")).text()');
  expect(codeOf(long, 'page')).toContain('Tokenizer.load(await (await fetch("my tokenizer.json")).arrayBuffer())');
  expect(codeOf(long, 'page')).toContain('document.body.append');
  expect(codeOf(long, 'node')).toContain('await readFile("text.txt", \'utf8\')');
  expect(codeOf(long, 'node')).toContain('Tokenizer.load("my tokenizer.json")');
});
