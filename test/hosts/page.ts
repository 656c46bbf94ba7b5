// A page in Chromium that runs one script and reports the outcome.

import fs from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright';
import { serve } from './serve.js';

export interface Visit {
  /** The value that the script left in `globalThis.outcome`, awaited. */
  outcome: unknown;
  /** The files that the page requested. */
  asked: string[];
  /** The missing ones among them. */
  lost: string[];
  /** Errors outside the outcome. */
  errors: string[];
  /** How many workers the page started. */
  workers: number;
}

/** Opens a page that contains only a module, `main.js` in a folder, unless the folder has its own page. */
export async function visit(browser: Browser, folder: string): Promise<Visit> {
  const index = path.join(folder, 'index.html');
  if (!fs.existsSync(index)) fs.writeFileSync(index, '<!doctype html><script type="module" src="main.js"></script>');
  const served = await serve(folder);
  const page = await browser.newPage();
  const errors: string[] = [];
  let workers = 0;
  page.on('worker', () => ++workers);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  try {
    await page.goto(served.url, { waitUntil: 'load' });
    const outcome = await page.evaluate(() =>
      Promise.race([
        (globalThis as unknown as { outcome: unknown }).outcome,
        new Promise((_, reject) => setTimeout(() => reject(new Error('no outcome within 60 s')), 60_000)),
      ]).catch((error: Error) => ({ failed: String(error) })),
    );
    return { outcome, asked: served.asked, lost: served.lost, errors, workers };
  } finally {
    await page.close();
    await served.close();
  }
}
