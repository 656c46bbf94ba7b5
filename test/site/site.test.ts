/// <reference lib="dom" />
// Every page of the built site in Chromium, as wide as a phone and as a screen, light and dark; and its first page as a visitor uses it.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Tokenizer } from '../../dist/node/index.js';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
// @ts-ignore: a script
import { serve } from '../playground/serve.mjs';

const SITE = process.env.CRAYON_TEST_SITE ?? fileURLToPath(new URL('../../build/test/site', import.meta.url));
const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// The playground has tests of its own.
const PAGES = fs
  .readdirSync(SITE, { recursive: true })
  .map((name) => String(name).split(path.sep).join('/'))
  .filter((name) => name.endsWith('.html') && !name.startsWith('playground/'))
  .sort();

let server: { url: string; sent: { name: string; bytes: number }[]; close(): Promise<void> };
let browser: Browser;

beforeAll(async () => {
  server = await serve(SITE, { base: '/crayon-tokenizer/' });
  browser = await chromium.launch({ executablePath: chromiumPath()!, args: CHROMIUM_ARGUMENTS });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Reduced motion, since a colour that is on its way to another is no finding. */
const opened = (colorScheme: 'light' | 'dark', width: number) =>
  browser.newPage({ colorScheme, viewport: { width, height: 860 }, reducedMotion: 'reduce' });

describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
  it.each([1280, 390])('every page is as wide as the screen and passes axe at %i pixels', async (width) => {
    const findings: string[] = [];
    // The pages of interfaces are two thirds of all, and alike: each width and each theme once.
    const isAgain = (colorScheme === 'light') === (width === 390);
    const left = PAGES.filter((name) => !isAgain || !name.includes('/interfaces/'));
    const looked = async (page: Page) => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        await page.goto(server.url + name);
        await page.evaluate(AXE);
        const found = await page.evaluate(async () => {
          const { violations } = await (window as any).axe.run(document, { resultTypes: ['violations'] });
          const { scrollWidth } = document.documentElement;
          return [
            ...violations.map((each: any) => `${each.id}: ${each.nodes.map((node: any) => node.html.slice(0, 160)).slice(0, 3)}`),
            ...(scrollWidth > innerWidth ? [`is ${scrollWidth} pixels wide`] : []),
          ];
        });
        findings.push(...found.map((each) => `${name}: ${each}`));
      }
      await page.close();
    };
    await Promise.all([looked(await opened(colorScheme, width)), looked(await opened(colorScheme, width))]);
    expect(findings).toEqual([]);
  });
});

describe('the first page', () => {
  it('shows its text as tokens without the engine, and the ids of whatever is written with it', async () => {
    const page = await opened('light', 390);
    const ids = async () => await page.$$eval('.strip-ids [class^="crayon-"]', (all) => all.map((each) => Number(each.textContent)));
    const before = server.sent.length;
    await page.goto(server.url, { waitUntil: 'networkidle' });
    using first = await Tokenizer.load('cl100k_base');
    const given = await page.inputValue('.strip-text textarea');
    expect(await ids()).toEqual([...first.encode(given)]);
    const sent = server.sent.slice(before);
    expect(sent.filter(({ name }) => name.startsWith('engine/'))).toEqual([]);
    expect(sent.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(300_000);

    const text = 'hello 日本語 👩‍🚀\nnaïve <|endoftext|>';
    await page.fill('.strip-text textarea', text);
    await expect.poll(ids, { timeout: 20_000 }).toEqual([...first.encode(text)]);
    expect(await page.textContent('.strip-count strong')).toBe(String(first.count(text)));
    await page.selectOption('.strip-head select', 'o200k_base');
    using second = await Tokenizer.load('o200k_base');
    await expect.poll(ids, { timeout: 20_000 }).toEqual([...second.encode(text)]);
    await page.close();
  });
});
