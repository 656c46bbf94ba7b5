/**
 * Checks whether Chromium starts on this machine: `node test/browser/starts.mjs` prints why not, and sets its exit code.
 */
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';

/** @returns {Promise<string>} why Chromium does not start; empty if it does */
export async function whyNoChromium() {
  const executablePath = chromiumPath();
  if (executablePath === undefined) return 'Chromium is not installed';
  try {
    await (await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS })).close();
    return '';
  } catch (error) {
    return `${executablePath} does not start: ${String(error).split('\n')[0]}`;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const why = await whyNoChromium();
  if (why !== '') {
    console.log(why);
    process.exitCode = 1;
  }
}
