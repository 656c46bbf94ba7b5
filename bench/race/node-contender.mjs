/**
 * A contender of the race that runs in Node, in its own process: one of this package's calls, or npm hypertok.
 *
 *     node node-contender.mjs NAME MODEL_OR_FILE TEXT WARM_UP PASSES CACHE_BYTES
 *
 * Encodes the warm-up, then the text PASSES times, and prints a line of JSON: the nanoseconds of each pass, by the wall
 * clock and of CPU time (all threads of the process), and the sha256 of the ids as 32-bit numbers, if there are ids.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';

/** Characters per document of a batch. */
const DOCUMENT = 32_768;

const [name, model, textFile, warmUpFile, passes, cacheBytes] = process.argv.slice(2);

async function crayon() {
  const { Tokenizer } = await import('../../dist/node/index.js');
  return await Tokenizer.load(model, Number(cacheBytes) > 0 ? { cacheBytes: Number(cacheBytes) } : {});
}

/** Each contender's call on a text, which returns ids or their number. @type {Record<string, () => Promise<(text: string) => unknown>>} */
const CONTENDERS = {
  encode: async () => {
    const tokenizer = await crayon();
    return (text) => tokenizer.encode(text);
  },
  count: async () => {
    const tokenizer = await crayon();
    return (text) => tokenizer.count(text);
  },
  encodeBatch: async () => {
    const tokenizer = await crayon();
    return (text) => tokenizer.encodeBatch(documentsOf(text), { threads: 1 }).ids;
  },
  encodeFile: async () => {
    const tokenizer = await crayon();
    return async (text) => {
      const parts = [];
      for await (const { ids } of tokenizer.encodeFile(fileOf(text), { threads: 1 })) parts.push(ids);
      return parts;
    };
  },
  'one thread': async () => {
    const tokenizer = await crayon();
    return (text) => tokenizer.encodeAsync(text, { threads: 1 });
  },
  'two threads': async () => {
    const tokenizer = await crayon();
    return (text) => tokenizer.encodeAsync(text, { threads: 2 });
  },
  hypertok: async () => {
    const { fromBytes } = await import('hypertok');
    const { loadVocab } = await import('hypertok/vocab-resolve');
    const tokenizer = await fromBytes(await loadVocab(model), { tier: 'single' });
    return (text) => tokenizer.encodeSync(text);
  },
};

const texts = { [textFile]: read(textFile), [warmUpFile]: read(warmUpFile) };
const documents = new Map();

/** One flat string, as in a program that has read a file. */
function read(file) {
  return fs.readFileSync(file, 'utf8');
}

function fileOf(text) {
  return text === texts[textFile] ? textFile : warmUpFile;
}

/** Cut where a piece begins with a space, so that their ids equal the text's; prepared before anything is timed. */
function documentsOf(text) {
  let made = documents.get(text);
  if (made === undefined) {
    made = [];
    const space = /(?<=[a-z]) (?=[a-z])/g;
    for (let begin = 0; begin < text.length; ) {
      space.lastIndex = begin + DOCUMENT;
      const end = space.exec(text)?.index ?? text.length;
      made.push(text.slice(begin, end));
      begin = end;
    }
    documents.set(text, made);
  }
  return made;
}

function sha256(ids) {
  const hash = createHash('sha256');
  for (const part of Array.isArray(ids) && typeof ids[0] === 'object' ? ids : [ids]) {
    const numbers = part instanceof Uint32Array ? part : Uint32Array.from(part);
    hash.update(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  }
  return hash.digest('hex');
}

const encode = await CONTENDERS[name]();
const text = texts[textFile];
if (name === 'encodeBatch') documentsOf(text);
// As large as any result: the allocator keeps its pages, so that no pass waits for them.
Buffer.alloc(8 * text.length + (4 << 20), 1);
await encode(texts[warmUpFile]);
const times = [];
let encoded;
for (let pass = 0; pass < Number(passes); pass++) {
  encoded = undefined;
  const [wall, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
  encoded = await encode(text);
  const { user, system } = process.cpuUsage(cpu);
  times.push({ wall: Number(process.hrtime.bigint() - wall), cpu: (user + system) * 1000 });
}
console.log(JSON.stringify({ passes: times, ...(typeof encoded === 'number' ? { count: encoded } : { sha256: sha256(encoded) }) }));
process.exit(0);
