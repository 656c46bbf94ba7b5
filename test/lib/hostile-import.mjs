// A process that imports one file and reports its peak memory growth in bytes, and why the file was refused.

import { Tokenizer } from '../../dist/node/index.js';

const peak = () => process.resourceUsage().maxRSS * 1024;

// The importer's code and the first thread do not count towards the file.
(await Tokenizer.load(Buffer.from('{}').subarray(0, 1)).catch(() => undefined))?.close();
const before = peak();
const code = await Tokenizer.load(process.argv[2]).then(
  (tokenizer) => tokenizer.close(),
  (error) => error.code,
);
console.log(JSON.stringify({ code, grown: peak() - before }));
