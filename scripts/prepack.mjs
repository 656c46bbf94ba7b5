/**
 * Before the package is packed: builds everything and lays this machine's addon where the loader finds it,
 * prebuilds/<platform>-<arch>/crayon.node.
 */
import fs from 'node:fs';
import path from 'node:path';
import { buildAddon, buildTypeScript } from './build.mjs';
import { buildCartridges } from './cartridges.mjs';
import { outputOf, root, runMain } from './process.mjs';
import { setUp } from './setup.mjs';

await runMain(() => {
  setUp('start');
  buildAddon();
  buildTypeScript();
  buildCartridges();
  const isMusl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  const folder = path.join(root, 'prebuilds', `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`);
  const target = path.join(folder, 'crayon.node');
  fs.mkdirSync(folder, { recursive: true });
  // By rename: a process that has loaded the one before keeps it.
  fs.copyFileSync(path.join(root, 'build', 'release', 'crayon.node'), `${target}.tmp`);
  outputOf('strip', ['--strip-unneeded', `${target}.tmp`]);
  fs.renameSync(`${target}.tmp`, target);
});
