/**
 * Published templates, if ../shared/templates has them, with seeded conversations: hashes of transformers' renderings.
 *
 *     node test/chat/published.mjs         rewrites goldens/published.json and goldens/own-templates.json
 *
 * The templates belong to their models' makers, so only hashes are committed. Our own templates, in templates/, are
 * rendered with the same conversations everywhere.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMain, root, runMain } from '../../scripts/process.mjs';
import { conversation } from './conversations.mjs';
import { hashOf, writeGolden } from './goldens.mjs';
import { ask } from './reference/ask.mjs';

export const SEED = 36;
/** Conversations for each template. */
export const CONVERSATIONS = 100;

/** The folders of templates: the models' and our own. */
export const FOLDERS = {
  published: path.join(root, '..', 'shared', 'templates'),
  'own-templates': fileURLToPath(new URL('templates', import.meta.url)),
};

/** The templates of a folder, by name; none if it is missing. @param {string} folder @returns {{ name: string, source: string }[]} */
export function templatesIn(folder) {
  if (!fs.existsSync(folder)) return [];
  const names = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.jinja'))
    .sort();
  return names.map((name) => ({ name: name.slice(0, -'.jinja'.length), source: fs.readFileSync(path.join(folder, name), 'utf8') }));
}

/** True for templates that mark the model's text. @param {string} source */
export function hasGeneration(source) {
  return /\{%[-+]?\s*generation\s*[-+]?%\}/.test(source);
}

/** The JSON text of a chat to render with a template. @param {string} source @param {number} seed @param {number} index */
export function chatFor(source, seed, index) {
  const chat = conversation(seed, index);
  return hasGeneration(source) && !chat.includes('"continueFinalMessage"') ? `${chat.slice(0, -1)}, "spans": true}` : chat;
}

/** A hash of the text and its generation spans (in code points), or the type of the error. @param {{ text?: string, spans?: [number, number][], error?: string }} rendered */
export function fingerprint({ text, spans, error }) {
  return error === undefined ? hashOf(spans === undefined ? text : `${text}\0${JSON.stringify(spans)}`) : `!${error}`;
}

/** transformers' renderings of conversations with a template. @param {string} source @param {number} seed @param {number} count @returns {Promise<import('./reference/ask.mjs').Answer[]>} */
export function renderedByPython(source, seed, count) {
  return ask(Array.from({ length: count }, (_, index) => ({ kind: 'chat', source, chat: chatFor(source, seed, index) })));
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    for (const [golden, folder] of Object.entries(FOLDERS)) {
      const results = [];
      for (const { name, source } of templatesIn(folder)) {
        const prints = (await renderedByPython(source, SEED, CONVERSATIONS)).map(fingerprint);
        console.log(`${name}: ${prints.filter((each) => each.startsWith('!')).length} of ${CONVERSATIONS} refused`);
        results.push([name, hashOf(source), prints]);
      }
      if (results.length === 0) console.log(`${golden}: no templates in ${folder}`);
      else await writeGolden(golden, { seed: SEED }, results);
    }
  });
}
