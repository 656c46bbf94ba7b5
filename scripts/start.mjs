/**
 * `npm start`: from a fresh clone to a table of real texts, encoded, counted and decoded through the C++ engine.
 */
import { buildAddon, buildTypeScript } from './build.mjs';
import { buildCartridges } from './cartridges.mjs';
import { runMain } from './process.mjs';
import { setUp } from './setup.mjs';

await runMain(async () => {
  setUp('start');
  buildAddon();
  await buildTypeScript();
  buildCartridges();
  const { demonstrate } = await import('./demo.mjs');
  await demonstrate();
});
