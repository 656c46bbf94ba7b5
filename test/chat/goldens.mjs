/**
 * Python's committed results: goldens/NAME.json, one result per line.
 *
 *     node test/chat/goldens.mjs [NAME…]      renders them again (all, or the named ones); needs Python and PyPI
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expected, isMain, root, runMain } from '../../scripts/process.mjs';
import chats from './cases/chats.mjs';
import { CASES } from './cases/index.mjs';
import { VARIABLES } from './cases/variables.mjs';
import { template } from './grammar.mjs';
import { HARMONY_CASES } from './harmony-cases.mjs';
import { harmonyCall, harmonyRequest } from './harmony-conversations.mjs';
import { OPENAI_CHATS, templateChat } from './openai-chats.mjs';
import { BY_HAND, markedChats, vocabulary } from './masks.mjs';
import { ask } from './reference/ask.mjs';

/** Text, or the type of Python's exception and the line of the template (0: none). @typedef {string | [type: string, line: number]} Outcome */

/** @param {string} name @returns {URL} */
export function goldenFile(name) {
  return new URL(`goldens/${name}.json`, import.meta.url);
}

/** @param {string} name @returns {{ versions: Record<string, string>, results: [template: string, outcome: Outcome][] }} */
export function readGolden(name) {
  return JSON.parse(fs.readFileSync(goldenFile(name), 'utf8'));
}

/** The outcome of a request, in the goldens' format. @param {import('./reference/ask.mjs').Answer} answer @returns {Outcome} */
export function outcomeOf({ text, error, line }) {
  return error === undefined ? /** @type {string} */ (text) : [error, line ?? 0];
}

/** @param {string} name @param {object} fields @param {readonly unknown[]} results each on a line of its own, for diffs */
export async function writeGolden(name, fields, results) {
  const head = JSON.stringify({ versions: (await ask([{ kind: 'versions' }]))[0], ...fields }).slice(0, -1);
  fs.writeFileSync(goldenFile(name), `${head},"results":[\n${results.map((each) => JSON.stringify(each)).join(',\n')}\n]}\n`);
}

/** An address in memory, which differs between processes. */
const ADDRESS = / at 0x[0-9a-f]{8,}\b/;

/** @param {string} name */
async function renderCases(name) {
  const requests = CASES[name].map((source) => ({ kind: 'template', source, variables: VARIABLES }));
  const answers = await ask(requests);
  const results = [];
  answers.forEach((answer, index) => {
    const { source } = requests[index];
    if (!isReproducible(answer)) console.log(`left out, since it prints an address or takes too long: ${source}`);
    else results.push([source, outcomeOf(answer)]);
  });
  await writeGolden(name, {}, results);
  console.log(`${name}: ${results.length} results, ${results.filter(([, outcome]) => typeof outcome !== 'string').length} of them errors`);
}

/** Chats also have their generation spans, in code points. */
async function renderChats() {
  const answers = await ask(chats.map(([source, chat]) => ({ kind: 'chat', source, chat })));
  const results = answers.map((answer, index) => [
    ...chats[index],
    answer.error === undefined ? answer.text : [answer.error, answer.line ?? 0],
    ...(answer.spans ? [answer.spans] : []),
  ]);
  await writeGolden('chats', {}, results);
  console.log(`chats: ${results.length} results, ${answers.filter(({ error }) => error !== undefined).length} of them errors`);
}

/** Generated templates and conversations, and their seed. */
export const GENERATED = { seed: 2026, templates: 1500, harmony: 400 };

/** @param {string} text @returns {string} */
export function hashOf(text) {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 16);
}

/** Whether the result is reproducible across Python processes. @param {import('./reference/ask.mjs').Answer} answer */
export function isReproducible({ text, error }) {
  return error !== 'TooSlow' && error !== 'MemoryError' && !ADDRESS.test(text ?? '');
}

/** Seeded templates from the grammar: hashes of texts, errors, and null if the result is not reproducible. */
async function renderGenerated() {
  const { seed, templates: count } = GENERATED;
  const answers = await ask(
    Array.from({ length: count }, (_, index) => ({ kind: 'template', source: template(seed, index), variables: VARIABLES })),
  );
  const results = answers.map((answer) => {
    const outcome = outcomeOf(answer);
    return !isReproducible(answer) ? null : typeof outcome === 'string' ? hashOf(outcome) : outcome;
  });
  await writeGolden('generated', { seed }, results);
  console.log(`generated: ${count} templates, ${answers.filter(({ error }) => error !== undefined).length} of them errors`);
}

/** Ids of the handwritten conversations, or null if refused; hashes of the ids of generated ones. */
async function renderHarmony() {
  const { seed, harmony: count } = GENERATED;
  const generated = Array.from({ length: count }, (_, index) => harmonyCall(seed, index));
  const answers = await ask([...HARMONY_CASES, ...generated].map(harmonyRequest));
  const written = answers.slice(0, HARMONY_CASES.length).map(({ ids }) => ids ?? null);
  const prints = answers.slice(HARMONY_CASES.length).map(({ ids }) => (ids ? hashOf(ids.join(' ')) : null));
  await writeGolden('harmony', { seed }, [...written, ...prints]);
  console.log(`harmony: ${answers.length} conversations, ${answers.filter(({ ids }) => !ids).length} of them refused`);
}

/** Chats in OpenAI's shape with the published template of gpt-oss: hashes of the text behind its first message, which has the date. */
async function renderOpenAi() {
  const file = path.join(root, '..', 'shared', 'templates', 'openai-gpt-oss-120b.jinja');
  if (!fs.existsSync(file)) return console.log(`gpt-oss: there is no ${file}`);
  const source = fs.readFileSync(file, 'utf8');
  const chats = OPENAI_CHATS.map((messages) => JSON.stringify({ messages: templateChat(messages), addGenerationPrompt: true }));
  const answers = await ask(chats.map((chat) => ({ kind: 'chat', source, chat })));
  const results = answers.map(({ text = '', message }) => {
    if (message !== undefined) throw new Error(message);
    return hashOf(text.slice(text.indexOf('<|start|>user')));
  });
  await writeGolden('gpt-oss', {}, results);
}

/** Ids with their masks, from transformers with the vocabulary of masks.mjs: handwritten chats, and hashes. */
async function renderMasks() {
  const fileOf = (/** @type {import('./masks.mjs').Kind} */ kind) => path.join(root, 'build', 'chat-reference', `${kind}.json`);
  for (const kind of /** @type {const} */ (['bytes', 'words'])) fs.writeFileSync(fileOf(kind), JSON.stringify(vocabulary(kind)));
  const answers = await ask(markedChats().map(([source, chat, kind]) => ({ kind: 'mask', source, chat, tokenizer: fileOf(kind) })));
  const results = answers.map(({ ids, mask }, index) =>
    !ids || !mask ? null : index < BY_HAND ? [ids, mask.join('')] : hashOf(`${ids.join(' ')}|${mask.join('')}`),
  );
  await writeGolden('masks', {}, results);
  console.log(`masks: ${results.length} chats, ${results.filter((each) => each === null).length} of them refused`);
}

/** Python's str methods for every character: one hash per method. */
async function renderCharacters() {
  const [{ hashes }] = /** @type {any} */ (await ask([{ kind: 'characters' }]));
  await writeGolden('characters', {}, Object.entries(hashes));
}

const WRITERS = {
  ...Object.fromEntries(Object.keys(CASES).map((name) => [name, () => renderCases(name)])),
  characters: renderCharacters,
  chats: renderChats,
  generated: renderGenerated,
  harmony: renderHarmony,
  'gpt-oss': renderOpenAi,
  masks: renderMasks,
};

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const names = process.argv.slice(2);
    const unknown = names.find((name) => !Object.hasOwn(WRITERS, name));
    if (unknown !== undefined) throw expected(`no goldens '${unknown}'; there are: ${Object.keys(WRITERS).join(', ')}`);
    for (const name of names.length > 0 ? names : Object.keys(WRITERS)) await WRITERS[name]();
  });
}
