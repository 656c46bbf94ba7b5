/**
 * What a keystroke costs in the playground: `node bench/browser/typing.mjs [--sizes 100000,1000000] [--keys 30] [--out FILE.json]`,
 * after `npm run build`.
 *
 * Letters are typed in the middle of a text, one after the tokens of the one before are shown. Measured is the time from the event of
 * the key until its tokens are there, until the next frame, and of the page's script for the event. `bare`: the time until the next
 * frame of a page with nothing but such a box, which is what the browser itself takes.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';

import { buildPlayground } from '../../docs/playground/build.mjs';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
import { longText } from '../../test/playground/long-paste.mjs';
import { serve } from '../../test/playground/serve.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';

const site = fileURLToPath(new URL('../../build/bench/playground/', import.meta.url));
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    keys: { type: 'string', default: '30' },
    out: { type: 'string' },
    'no-save': { type: 'boolean', default: false },
  },
});
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** In the page: types a letter and waits for its frame, and for its tokens if there are any. */
async function type(waitsForTokens) {
  const begun = performance.now();
  const tokens = new Promise((resolve) => {
    if (!waitsForTokens) return resolve(begun);
    const observer = new PerformanceObserver((list) => {
      if (!list.getEntriesByName('tokens-shown').some(({ startTime }) => startTime >= begun)) return;
      observer.disconnect();
      resolve(list.getEntriesByName('tokens-shown').at(-1).startTime);
    });
    observer.observe({ entryTypes: ['mark'] });
  });
  document.execCommand('insertText', false, 'x');
  const handler = performance.now() - begun;
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const frame = performance.now() - begun;
  const found = (await tokens) - begun;
  return { handler, frame, tokens: found };
}

async function typed(page, size, waitsForTokens) {
  await page.evaluate((at) => {
    const box = document.querySelector('#text');
    box.focus();
    box.setSelectionRange(at, at);
  }, size >> 1);
  const rows = [];
  for (let key = 0; key < Number(values.keys) + 3; key++) {
    const row = await page.evaluate(`(${type})(${waitsForTokens})`);
    if (key >= 3) rows.push(row);
    // What follows the tokens, such as the comparison, is not part of the next key.
    await page.waitForTimeout(150);
  }
  return Object.fromEntries(['handler', 'frame', 'tokens'].map((name) => [name, median(rows.map((row) => row[name]))]));
}

const around = watchLoad();
await buildPlayground({ out: site });
const server = await serve(site);
const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_ARGUMENTS });
const rows = [];
for (const size of values.sizes.split(',').map(Number)) {
  const text = longText().slice(0, size);
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.setContent('<textarea id="text" rows="12" style="width:600px" spellcheck="false"></textarea>');
  await page.evaluate((given) => (document.querySelector('#text').value = given), text);
  const bare = await typed(page, size, false);
  await page.goto(server.url);
  await page.waitForFunction(() => document.documentElement.dataset.engine === 'ready');
  await page.evaluate((given) => {
    const box = document.querySelector('#text');
    box.value = given;
    box.dispatchEvent(new Event('input'));
  }, text);
  await page.waitForTimeout(2000);
  const own = (await page.isVisible('#text')) ? await typed(page, size, true) : undefined;
  rows.push({ size, bare: bare.frame, ...own });
  console.error(rows.at(-1));
  await page.close();
}
const version = browser.version();
await browser.close();
await server.close();
const result = { date: today(), machine: machine(), ...commit(), chromium: version, around: around(), rows };
const cell = (value) => (value === undefined ? 'not edited' : shown(value));
const report = [
  '# Typing in the playground',
  '',
  `Chromium ${version}; medians of ${values.keys} keys, milliseconds. \`node bench/browser/typing.mjs\` says how this is measured.`,
  '',
  ...grid(
    ['characters', 'frame of a bare box', 'script of the key', 'its frame', 'its tokens'],
    rows.map((row) => [row.size.toLocaleString('en'), shown(row.bare), cell(row.handler), cell(row.frame), cell(row.tokens)]),
  ),
].join('\n');
console.log(report);
if (!values['no-save']) record(result, report, { question: 'typing', out: values.out });
