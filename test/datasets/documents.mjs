/** Writes documents.json: texts, and their ids with the end token behind each, by npm tiktoken. */
import fs from 'node:fs';
import { get_encoding } from 'tiktoken';

const texts = ['hello world', 'a', 'The naïve café — 東京タワー costs 12345 ¥ 😀.', 'word '.repeat(300), '\n', 'print("x")\n\treturn 1'];
const ids = Object.fromEntries(
  ['r50k_base', 'o200k_base'].map((name) => {
    const encoding = get_encoding(name);
    const [end] = encoding.encode('<|endoftext|>', 'all');
    return [name, texts.map((text) => [...encoding.encode(text, [], []), end])];
  }),
);
fs.writeFileSync(new URL('documents.json', import.meta.url), `${JSON.stringify({ texts, ids })}\n`);
