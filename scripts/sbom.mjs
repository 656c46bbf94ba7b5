/**
 * What is in the package of others, as a bill of materials in CycloneDX: of npm's own list of the project's packages (`npm sbom`)
 * those that are bundled or compiled into it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { npmOutput } from './npm.mjs';
import { expected, root } from './process.mjs';

/** Headers that are compiled into the addon. */
const COMPILED = ['node_modules/node-addon-api', 'node_modules/node-api-headers'];
/** What the vocabularies and the table of models are read from. */
const DATA = ['node_modules/gpt-tokenizer'];

/** The folders of npm packages that the bundler has put into dist, by its source maps. @returns {string[]} */
export function bundledPackages(dist = path.join(root, 'dist')) {
  const maps = fs.readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.map'));
  const sources = maps.flatMap((name) => JSON.parse(fs.readFileSync(path.join(dist, name), 'utf8')).sources);
  const folders = sources.map((source) => /(?<=\/)node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(source)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Writes the bill: the same files give the same bytes. @param {string} file @returns {string[]} the packages in it */
export function writeSbom(file) {
  const listed = npmOutput(['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']);
  if (listed === undefined) throw expected('npm sbom does not work here: npm 10 or newer is needed');
  const { serialNumber: _, metadata, components, dependencies: __, ...head } = JSON.parse(listed);
  const wanted = [...bundledPackages(), ...COMPILED, ...DATA];
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const found = wanted.map((folder) => {
    const purl = `pkg:npm/${folder.split('node_modules/').at(-1).replace('@', '%40')}@${packages[folder]?.version}`;
    return [folder, components.find((each) => each.purl === purl)];
  });
  const lacking = found.filter(([, component]) => component === undefined).map(([folder]) => folder);
  if (lacking.length > 0) throw expected(`package-lock.json does not have ${lacking.join(', ')}`);
  const { timestamp: ___, component, ...about } = metadata;
  // npm names the project by its folder.
  const bill = {
    ...head,
    metadata: { ...about, component: { ...component, name: 'crayon-tokenizer' } },
    components: found.map(([, each]) => each),
  };
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
  return bill.components.map(({ name, version }) => `${name}@${version}`);
}
