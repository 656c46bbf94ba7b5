// An Electron application that encodes in its main process and in a utility process, and writes the results to a file.

import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { app, utilityProcess } from 'electron';
import { encoded } from './encoded.mjs';

const report = process.argv.at(-1);

/** The same in another process. */
function inUtilityProcess() {
  return new Promise((resolve, reject) => {
    const child = utilityProcess.fork(fileURLToPath(new URL('utility.mjs', import.meta.url)));
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the utility process ended with ${code} and said nothing`)));
  });
}

app.whenReady().then(async () => {
  let line;
  try {
    const [main, utility] = [await encoded(), await inUtilityProcess()];
    line = JSON.stringify({
      ok: main === utility && main === 'native 24912,2375 300001',
      main,
      utility,
      electron: process.versions.electron,
    });
  } catch (error) {
    line = JSON.stringify({ ok: false, error: String(error?.stack ?? error) });
  }
  fs.writeFileSync(report, `${line}\n`);
  app.quit();
});
