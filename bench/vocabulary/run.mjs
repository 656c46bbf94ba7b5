/**
 * A custom vocabulary compared with published ones: 32,768 tokens learned from the training corpora, and the bytes of text
 * per token with each, by language and kind of text. The measured texts are not among the training texts.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { Tokenizer, trainBpe } from '../../dist/node/index.js';
import { corpora } from '../../test/corpora.mjs';
import { commit, machine } from '../machine.mjs';
import { record, today } from '../record.mjs';
import { grid } from '../tables.mjs';

const usage = `usage: npm run bench -- vocabulary [options]

  --vocabulary-size N   default 32768
  --encodings LIST      what to compare with; default r50k_base,cl100k_base,o200k_base
  --pretokenizer NAME   default o200k
  --keep FILE           writes the cartridge, too
  --no-save             writes no results
  --out FILE            default bench/results/vocabulary.json; beside it .md
`;

const { values } = parseArgs({
  options: {
    'vocabulary-size': { type: 'string', default: '32768' },
    encodings: { type: 'string', default: 'r50k_base,cl100k_base,o200k_base' },
    pretokenizer: { type: 'string', default: 'o200k' },
    keep: { type: 'string' },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** The rows: kinds of text, then languages. */
const KINDS = [
  ['English', ['A_english/english_20mb.txt']],
  ['code', ['B_code/code_20mb.txt']],
  ['chat', ['D_chat/messages.jsonl']],
  ...['json', 'html', 'markdown', 'csv', 'xml', 'logs', 'latex', 'base64'].map((kind) => [kind, [`E_structured/${kind}.txt`]]),
];
const languageNames = new Intl.DisplayNames(['en'], { type: 'language' });

function languageRow({ name }) {
  const code = path.basename(name, '.txt');
  if (code === 'other_languages') return ['25 other languages', [name]];
  return [languageNames.of(code.replace('_', '-')), [name]];
}

if (values.help) {
  console.log(usage);
} else {
  const [learned, measured] = [corpora({ part: 'train' }), corpora()];
  if (!learned || !measured) throw new Error('the shared corpora are not here: there is nothing to train on');
  const files = learned.filter(({ name }) => /^general_.*\.txt$/.test(name)).map((file) => file.path);
  const size = Number(values['vocabulary-size']);
  const began = performance.now();
  const trained = await trainBpe({ files }, { vocabularySize: size, pretokenizer: values.pretokenizer });
  const seconds = (performance.now() - began) / 1000;
  const cartridge = await trained.toCartridge({ name: 'trained' });
  if (values.keep) fs.writeFileSync(values.keep, cartridge);
  const tokenizers = [await Tokenizer.load(cartridge)];
  for (const name of values.encodings.split(',')) tokenizers.push(await Tokenizer.load(name));

  const languages = measured.filter(({ name }) => name.startsWith('C_multilingual/') && name.endsWith('.txt')).map(languageRow);
  const rows = [...KINDS, ...languages].map(([title, names]) => {
    const texts = names.map((name) => fs.readFileSync(measured.find((file) => file.name === name).path));
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    return { title, bytes, perToken: tokenizers.map((each) => bytes / texts.reduce((sum, text) => sum + each.count(text), 0)) };
  });
  const head = [
    'bytes per token',
    ...tokenizers.map(({ name, vocabularySize }) => `${name}, ${vocabularySize.toLocaleString('en')}`),
    'trained ÷ cl100k',
  ];
  const against = tokenizers.findIndex(({ name }) => name === 'cl100k_base');
  const body = rows.map(({ title, perToken }) => [
    title,
    ...perToken.map((value) => value.toFixed(2)),
    against < 0 ? '' : (perToken[0] / perToken[against]).toFixed(2),
  ]);
  const total = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
  const text = [
    "# A vocabulary of one's own",
    '',
    `- ${trained.tokens.length.toLocaleString('en')} tokens, learned from ${(total / 1e6).toFixed(0)} MB (English, code, chat, 46 languages, structured text) with the pieces of ${values.pretokenizer} in ${seconds.toFixed(1)} s`,
    `- measured on other texts of the same kinds; more bytes per token is better, and larger vocabularies have it easier`,
    '- `npm run bench -- vocabulary`',
    '',
    ...grid(head, body),
    '',
  ].join('\n');
  console.log(text);
  if (!values['no-save']) {
    const result = {
      date: today(),
      machine: machine(),
      ...commit(),
      vocabularySize: trained.tokens.length,
      seconds,
      trainedOn: total,
      names: tokenizers.map(({ name }) => name),
      rows,
    };
    record(result, text, { question: 'vocabulary', out: values.out });
  }
}
