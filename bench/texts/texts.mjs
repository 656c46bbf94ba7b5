/**
 * The measured texts, by name: real ones from the corpora (test/corpora.mjs) if available, else from the small committed
 * fixtures, the adversarial ones (generated.mjs), and some short ones.
 *
 * A text is the same on every machine that has the corpora: parts of 16 KiB, cut at line ends, spread evenly over the
 * source file, none of them twice. No text is repeated to reach a size.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { corpora, sha256, textOf } from '../../test/corpora.mjs';
import { adversarial } from './generated.mjs';
import { repeated } from './repeated.mjs';

const fixturesFolder = fileURLToPath(new URL('../../test/fixtures/', import.meta.url));
const PART = 16_384;
const DOCUMENT = 32_768;
const MB = 1_000_000;
// Text that looks like a special token, which contenders treat differently.
const SPECIAL = /<\|[a-z_]+\|>/;

const language = (code) => `C_multilingual/${code}.txt`;
const FOURTEEN = ['ar', 'de', 'el', 'es', 'fr', 'he', 'hi', 'ja', 'ko', 'ru', 'th', 'vi', 'zh_hans', 'zh_hant'];
const FOREIGN_FIXTURES = [
  'arabic',
  'chinese',
  'european',
  'greek',
  'hebrew',
  'hindi',
  'japanese',
  'korean',
  'russian',
  'thai',
  'vietnamese',
];
const prose = (name) => `prose/${name}.txt`;

/**
 * `bytes`: size from the corpora. `from` and `fixtures`: the sources of the parts, in turn. `messages`: short texts that
 * are encoded one by one; for streams, documents.
 */
const sources = [
  {
    name: 'english',
    title: 'English',
    bytes: 4 * MB,
    from: ['A_english/english_20mb.txt'],
    fixtures: ['english', 'english-questions'].map(prose),
  },
  { name: 'code', title: 'code', bytes: 4 * MB, from: ['B_code/code_20mb.txt'], fixtures: 'code' },
  {
    name: 'chinese-japanese',
    title: 'Chinese + Japanese',
    bytes: 3 * MB,
    from: ['zh_hans', 'ja'].map(language),
    fixtures: ['chinese', 'japanese'].map(prose),
  },
  {
    name: 'languages',
    title: '14 languages',
    bytes: 4 * MB,
    from: FOURTEEN.map(language),
    fixtures: FOREIGN_FIXTURES.map(prose),
  },
  {
    name: 'chat',
    title: 'chat messages',
    messages: true,
    count: 20_000,
    from: ['D_chat/messages.jsonl'],
    fixtures: ['data/messages.jsonl'],
  },
  { name: 'json', title: 'JSON', bytes: MB, from: ['E_structured/json.txt'], fixtures: ['data/stations.json'] },
  {
    name: 'png-base64',
    title: 'PNG as base64',
    bytes: MB,
    from: ['E_structured/base64.txt'],
    fixtures: ['edge/base64.txt'],
  },
  { name: 'chinese', title: 'Chinese', bytes: 2 * MB, from: [language('zh_hans')], fixtures: [prose('chinese')] },
  { name: 'japanese', title: 'Japanese', bytes: 2 * MB, from: [language('ja')], fixtures: [prose('japanese')] },
  { name: 'korean', title: 'Korean', bytes: 2 * MB, from: [language('ko')], fixtures: [prose('korean')] },
  { name: 'russian', title: 'Russian', bytes: 2 * MB, from: [language('ru')], fixtures: [prose('russian')] },
  { name: 'hindi', title: 'Hindi', bytes: 2 * MB, from: [language('hi')], fixtures: [prose('hindi')] },
  { name: 'arabic', title: 'Arabic', bytes: 2 * MB, from: [language('ar')], fixtures: [prose('arabic')] },
  { name: 'thai', title: 'Thai', bytes: 2 * MB, from: [language('th')], fixtures: [prose('thai')] },
];

/**
 * Documents to encode once each, one after the other: parts of about 32 KiB, from each file in turn while it has any.
 * Longer than the texts above, so that caches must choose what to keep.
 */
const streams = [
  { name: 'stream-english', of: 'english', bytes: 20 * MB },
  { name: 'stream-code', of: 'code', bytes: 20 * MB },
  { name: 'stream-chinese-japanese', of: 'chinese-japanese', bytes: 6 * MB, from: ['zh_hans', 'ja', 'zh_hant'].map(language) },
  { name: 'stream-languages', of: 'languages', bytes: 20 * MB },
  { name: 'stream-chat', of: 'chat', count: Infinity },
].map(({ of, ...stream }) => ({ ...sources.find(({ name }) => name === of), ...stream, documents: true }));

/** For single calls. */
const short = [
  { name: 'hi', title: "'hi'", text: 'hi' },
  { name: 'english-5', title: '5 characters of English', text: 'Hello' },
  { name: 'english-20', title: '20 characters of English', text: 'What is the weather?' },
  {
    name: 'english-60',
    title: '60 characters of English',
    text: 'The quick brown fox jumps over the lazy dog, and then sleeps',
  },
  { name: 'chinese-20', title: '20 characters of Chinese', text: '今天天气很好我们一起去公园散步然后喝一杯' },
];

/**
 * @typedef {object} Text
 * @property {string} name
 * @property {string} title
 * @property {'corpora' | 'fixtures' | 'generated' | 'literal'} source
 * @property {string} text all of it; messages are joined by line ends here
 * @property {string[] | undefined} messages
 * @property {number} bytes of UTF-8, without separators of messages
 * @property {string} sha256 of the UTF-8
 */

/** Names of the real texts, first the ones compared with other packages. */
export const REAL_TEXTS = sources.map((source) => source.name);
export const STREAMS = streams.map((stream) => stream.name);
export const COMPARED_TEXTS = ['english', 'code', 'chinese-japanese', 'languages', 'chat', 'json'];
export const ADVERSARIAL_TEXTS = adversarial.map((each) => each.name);
export const SHORT_TEXTS = short.map((each) => each.name);
export const REPEATED_TEXTS = repeated.map((each) => each.name);
const ALL_TEXTS = [...REAL_TEXTS, ...STREAMS, ...ADVERSARIAL_TEXTS, ...SHORT_TEXTS, ...REPEATED_TEXTS];

/** Whether a text has this name. @param {string} name */
export function isText(name) {
  return ALL_TEXTS.includes(name.split(':')[0]);
}

/** The description of texts in a result. @param {string[]} names */
export function describe(names) {
  return Object.fromEntries(
    [...new Set(names)].map((name) => {
      const { title, source, bytes, sha256 } = textNamed(name);
      return [name, { title, source, bytes, sha256 }];
    }),
  );
}

const made = new Map();

/**
 * A text by its name. It may have a size: `run-letter:100000` is in characters, `english:1000000` in bytes, approximately,
 * and the whole fixtures if they have less.
 * @returns {Text}
 */
export function textNamed(name) {
  let text = made.get(name);
  if (text === undefined) {
    text = make(name);
    made.set(name, text);
  }
  return text;
}

function make(name) {
  const [stem, size] = name.split(':');
  const rule = [...adversarial, ...repeated].find((each) => each.name === stem);
  if (rule !== undefined) {
    const characters = size === undefined ? rule.full : Number(size);
    return finish({
      name,
      title: rule.title(characters.toLocaleString('en')),
      source: 'generated',
      text: rule.make(characters),
    });
  }
  const literal = short.find((each) => each.name === name);
  if (literal !== undefined) return finish({ ...literal, source: 'literal' });
  const source = [...sources, ...streams].find((each) => each.name === stem);
  if (source === undefined) throw new Error(`no text is called ${name}: ${ALL_TEXTS.join(', ')}`);
  const files = corpora();
  const { title } = source;
  if (source.messages) {
    const messages = messagesOf(files ? corpusFile(files, source.from[0]) : fixtureFiles(source.fixtures)[0], source.count);
    return finish({ name, title, source: files ? 'corpora' : 'fixtures', text: messages.join('\n'), messages });
  }
  if (source.documents) {
    const documents = files
      ? inTurn(source.from.map((file) => documentsOf(corpusFile(files, file), source.bytes / source.from.length)))
      : fixtureFiles(source.fixtures).flatMap((file) => documentsOf(file, Infinity));
    return finish({ name, title, source: files ? 'corpora' : 'fixtures', text: documents.join('\n'), messages: documents });
  }
  const exact = size !== undefined;
  const wanted = exact ? Number(size) : source.bytes;
  const parts = files
    ? inTurn(source.from.map((file) => partsOf(fs.readFileSync(corpusFile(files, file)), wanted / source.from.length, exact)))
    : partsOf(Buffer.concat(fixtureFiles(source.fixtures).map((file) => fs.readFileSync(file))), wanted, true);
  const bytes = Buffer.concat(parts);
  return finish({
    name,
    title: exact ? `${title}, ${sizeOf(bytes.length)}` : title,
    source: files ? 'corpora' : 'fixtures',
    text: textOf(bytes),
  });
}

/** "100 KB" */
function sizeOf(bytes) {
  const [unit, name] = bytes < MB ? [1000, 'KB'] : [MB, 'MB'];
  return `${Number((bytes / unit).toPrecision(2))} ${name}`;
}

function finish(text) {
  const { messages } = text;
  const bytes = messages ? messages.reduce((sum, message) => sum + Buffer.byteLength(message), 0) : Buffer.byteLength(text.text);
  if (SPECIAL.test(text.text)) throw new Error(`${text.name} holds the name of a special token`);
  return { messages: undefined, ...text, bytes, sha256: sha256(text.text) };
}

function corpusFile(files, name) {
  const file = files.find((each) => each.name === name);
  if (file === undefined) throw new Error(`the corpora have no ${name}`);
  return file.path;
}

/** Paths of fixtures: the named ones, or all in a folder. */
function fixtureFiles(names) {
  const listed =
    typeof names === 'string'
      ? fs
          .readdirSync(path.join(fixturesFolder, names))
          .sort()
          .map((file) => `${names}/${file}`)
      : names;
  return listed.map((name) => path.join(fixturesFolder, name));
}

/**
 * Parts of about 16 KiB that begin and end at line ends, spread evenly, together about `wanted` bytes; `exact`: with no
 * more deviation than line ends cause.
 */
function partsOf(bytes, wanted, exact) {
  if (bytes.length <= wanted) return [bytes];
  const count = Math.max(1, Math.round(wanted / PART));
  const length = exact ? Math.floor(wanted / count) : PART;
  const parts = [];
  let behind = 0;
  for (let index = 0; index < count; index++) {
    const begin = lineEnd(bytes, Math.max(behind, Math.floor((index * bytes.length) / count)));
    behind = lineEnd(bytes, begin + length);
    parts.push(bytes.subarray(begin, behind));
  }
  return parts;
}

/** The documents at the beginning of a file, about `wanted` bytes. @returns {string[]} */
function documentsOf(file, wanted) {
  const bytes = fs.readFileSync(file);
  const documents = [];
  for (let begin = 0; begin < Math.min(bytes.length, wanted); ) {
    const end = lineEnd(bytes, Math.min(begin + DOCUMENT, bytes.length));
    documents.push(textOf(bytes.subarray(begin, end)));
    begin = end;
  }
  return documents;
}

/** After the first line end at or after `position` (0 counts as one). */
function lineEnd(bytes, position) {
  if (position === 0) return 0;
  const newline = bytes.indexOf(0x0a, position);
  return newline < 0 ? bytes.length : newline + 1;
}

/** The parts of several lists, one of each in turn. */
function inTurn(lists) {
  const out = [];
  const longest = Math.max(...lists.map((list) => list.length));
  for (let index = 0; index < longest; index++) for (const list of lists) if (index < list.length) out.push(list[index]);
  return out;
}

/** Distinct messages of 20 to 200 characters, spread evenly over the file. */
function messagesOf(file, count) {
  const messages = [];
  const seen = new Set();
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const row = JSON.parse(line);
    const text = row.text ?? row.content;
    if (typeof text !== 'string' || text.length < 20 || text.length > 200 || text.includes('\0') || SPECIAL.test(text) || seen.has(text))
      continue;
    seen.add(text);
    messages.push(text);
  }
  const step = Math.max(1, messages.length / count);
  return Array.from({ length: Math.min(count, messages.length) }, (_, index) => messages[Math.floor(index * step)]);
}
