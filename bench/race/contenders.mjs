/**
 * The contenders of the race, and how to start a process of each. `models`: the ones that a contender has vocabularies
 * for, unless it has all; `large`: whether texts of many megabytes are worth its time.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const engine = here('../../build/release/crayon_race');

/** The cache size of this package for texts of this size: its own choice for files. */
const cacheBytesFor = (bytes) => (bytes < 32 << 20 ? 0 : 256 << 20);

/**
 * @typedef {object} Run one process
 * @property {{ name: string, file: string, cartridge: string }} model `file`: its tokenizer.json
 * @property {{ path: string, bytes: number }} text
 * @property {string} warmUp a file
 * @property {number} passes
 * @property {string} ids the file for ids, of contenders that do not hash them
 */
/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} title
 * @property {string[]} [models]
 * @property {boolean} [large]
 * @property {boolean} [isOfBytes] whether it supports only BPE over bytes
 * @property {boolean} [writesIds]
 * @property {boolean} [unpinned] whether it may use more than one thread
 * @property {(run: Run) => string[]} command
 */

const ofNode = (call, { model, text, warmUp, passes }, opened = model.cartridge) => [
  process.execPath,
  here('node-contender.mjs'),
  call,
  opened,
  text.path,
  warmUp,
  String(passes),
  String(cacheBytesFor(text.bytes)),
];

/** Models of other classes, by their files in ../shared/vocabularies. */
export const CLASSES = {
  bert: { title: 'BERT (WordPiece)', file: 'bert-base-uncased.tokenizer.json' },
  t5: { title: 'T5 (Unigram)', file: 't5-small.tokenizer.json' },
  phi3: { title: 'Phi-3 (SentencePiece BPE)', file: 'phi-3-mini.tokenizer.json' },
  clip: { title: 'CLIP (BPE, ends of words)', file: 'clip.tokenizer.json' },
};

/** @type {Contender} */
const ENGINE = {
  name: 'crayon',
  title: 'crayon, the engine',
  large: true,
  writesIds: true,
  command: ({ model, text, warmUp, passes, ids }) =>
    [engine, model.cartridge, text.path, warmUp, passes, cacheBytesFor(text.bytes), ids].map(String),
};

/** @returns {Contender} */
function ofThisPackage(call, more = {}) {
  return { name: `crayon ${call}`, title: call, large: true, command: (run) => ofNode(call, run), ...more };
}

/** @returns {Contender} */
function ofPython(python, name, title, more) {
  const command = ({ model, text, warmUp, passes }) => [python, here('peers.py'), name, model.file, text.path, warmUp, String(passes)];
  return { name, title, command, ...more };
}

/** In addition to others. @param {string | undefined} python undefined: none of those that Python has @returns {Contender[]} */
export function racers(python) {
  const ofNpm = { name: 'hypertok', title: 'hypertok', models: ['gptoss'], large: true };
  return [
    ENGINE,
    ofThisPackage('encode', { title: 'crayon in Node' }),
    ...(python === undefined
      ? []
      : [
          ofPython(python, 'gigatoken', 'gigatoken', { large: true }),
          ofPython(python, 'tokenizers', 'Hugging Face 1.0', { large: true }),
          // Compared with the two above they are slow at byte-level BPE.
          ofPython(python, 'tokie', 'tokie', { models: Object.keys(CLASSES) }),
          ofPython(python, 'splintr', 'splintr', { models: Object.keys(CLASSES) }),
        ]),
    { ...ofNpm, command: (run) => ofNode('hypertok', run, 'o200k') },
    ...(python === undefined ? [] : [ofPython(python, 'tiktoken', 'tiktoken', { isOfBytes: true })]),
  ];
}

/** The calls of this package, besides its engine. @type {Contender[]} */
export const CALLS = [ENGINE, ...['encode', 'count', 'encodeBatch', 'encodeFile'].map((call) => ofThisPackage(call))];

/** Timed by the wall clock, and not pinned to a core. @type {Contender[]} */
export const THREADS = ['one thread', 'two threads'].map((call) => ofThisPackage(call, { unpinned: true }));

export const folder = path.join(here('../../build/'), 'race');
