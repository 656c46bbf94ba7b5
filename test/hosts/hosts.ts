// Shared setup of the host tests: the package installed in an empty folder, and whether Chromium starts here.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { whyNoChromium } from '../browser/starts.mjs';
import { installInto } from '../package/install.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder whose node_modules holds only the package. */
    folder: string;
    /** The package there. */
    installed: string;
    /** The tarball that npm would publish. */
    tarball: string;
    /** Why Chromium does not start on this machine; empty if it does. */
    noChromium: string;
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-hosts-')));
  const { installed, tarball } = installInto(folder);
  project.provide('folder', folder);
  project.provide('installed', installed);
  project.provide('tarball', tarball);
  const noChromium = await whyNoChromium();
  if (noChromium !== '') console.log(`tests in Chromium are skipped: ${noChromium}`);
  project.provide('noChromium', noChromium);
  return () => fs.rmSync(folder, { recursive: true, force: true });
}
