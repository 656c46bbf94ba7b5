// A process that imports one file: by how many bytes its memory has grown at most, and why the file was refused.

import { Tokenizer } from '../../dist/node/index.js';

const peak = () => process.resourceUsage().maxRSS * 1024;

// The code of the importer and a first thread are not the file's.
(await Tokenizer.load(Buffer.from('{}').subarray(0, 1)).catch(() => undefined))?.close();
const before = peak();
const code = await Tokenizer.load(process.argv[2]).then(
  (tokenizer) => tokenizer.close(),
  (error) => error.code,
);
console.log(JSON.stringify({ code, grown: peak() - before }));
