/**
 * The process of one contender: it runs nothing else, so that its heap, compiled code and garbage do not affect another
 * contender, and it can be killed when it hangs. It handles one request at a time.
 */
import { fingerprint, idsOf } from '../texts/fingerprint.mjs';
import { unfamiliar } from '../texts/generated.mjs';
import { textNamed } from '../texts/texts.mjs';
import { contenderNamed } from './contenders/contenders.mjs';
import { operations } from './operations.mjs';
import { residentMemory } from './resident-memory.mjs';
import { evictCaches, median, passes, shortCall, timed, timer } from './timing.mjs';

let contender;
let tokenizer;
let ready; // the operation that `begin` made
let kept = 0; // sizes of the results, so that no compiler can eliminate the work
let decoded; // a text and its ids, between the turns of `decode`
let last; // the result of an operation, likewise

const questions = {
  /** Imports the package and loads a vocabulary; returns both times. */
  async load({ spec, encoding }) {
    contender = await contenderNamed(spec);
    const imported = timer();
    await contender.prepare();
    const importTime = imported();
    const loaded = timer();
    tokenizer = await contender.load(encoding);
    return { load: loaded(), import: importTime, version: contender.version(), backend: tokenizer.backend?.() };
  },

  /** Loads it once more and releases it. */
  async loadAgain({ encoding }) {
    const loaded = timer();
    const again = await contender.load(encoding);
    const time = loaded();
    again.free();
    return { time };
  },

  /** The ids of a text, and whether they decode to it, which is not checked for messages. */
  identify({ text: name }) {
    const text = textNamed(name);
    if (text.messages) return { ...fingerprint(idsOf(text, tokenizer.encode)), decodes: true };
    const ids = tokenizer.encode(text.text);
    return { ...fingerprint(Uint32Array.from(ids)), decodes: tokenizer.decode(ids) === text.text };
  },

  can: ({ operation }) => operation === 'encode' || operation === 'decode' || operation in tokenizer,

  /** A turn: passes of one operation over one text. */
  turn({ operation, text, budget, least }) {
    const work = workOf(operation, text);
    global.gc?.();
    const times = passes(work, budget, least);
    return { times, median: median(times) };
  },

  /** Gets the code compiled on words that occur in no text. */
  warmCode() {
    const text = unfamiliar();
    for (let pass = 0; pass < 3; pass++) kept += tokenizer.encode(text).length;
  },

  /**
   * The single pass over a new text, with the CPU's caches full of other data; then decoding its ids.
   */
  firstSight({ text: name, decode }) {
    const text = textNamed(name);
    const rows = text.messages;
    let ids;
    evictCaches();
    const time = timed(() => {
      if (rows) for (const row of rows) kept += tokenizer.encode(row).length;
      else ids = tokenizer.encode(text.text);
    });
    if (!decode) return { time, ...(ids && fingerprint(Uint32Array.from(ids))) };
    evictCaches();
    return { time, decodeTime: timed(() => void (kept += tokenizer.decode(ids).length)) };
  },

  /** Encodes documents in turn: bytes and nanoseconds of the first megabyte, and of the rest. */
  stream({ text }) {
    const documents = textNamed(text).messages;
    let split = 0;
    for (let bytes = 0; split < documents.length && bytes < 1_000_000; split++) bytes += Buffer.byteLength(documents[split]);
    evictCaches();
    const part = (some) => ({
      bytes: some.reduce((sum, document) => sum + Buffer.byteLength(document), 0),
      time: timed(() => {
        for (const document of some) kept += tokenizer.encode(document).length;
      }),
    });
    return { first: part(documents.slice(0, split)), rest: part(documents.slice(split)) };
  },

  /** Nanoseconds of one call with a text. */
  call({ text: name, operation, budget }) {
    const run = tokenizer[operation];
    const { text } = textNamed(name);
    const input = operation === 'decode' ? tokenizer.encode(text) : text;
    const size = operation === 'count' ? (result) => result : (result) => result.length;
    return shortCall(() => {
      kept += size(run(input));
    }, budget);
  },

  /** Prepares an operation of operations.mjs; returns whether its result is correct. */
  begin({ name, expected }) {
    const { text, make } = operations.find((each) => each.name === name);
    ready = make(tokenizer, text === '' ? null : textNamed(text), expected);
    return ready.right();
  },

  /** Nanoseconds of one call of it (`run`), or of the call it is compared with. */
  operation({ side, budget }) {
    const call = ready[side];
    global.gc?.();
    return shortCall(() => {
      last = call();
    }, budget);
  },

  finish() {
    ready.free?.();
    ready = undefined;
    last = undefined;
  },

  /** Loads a text into memory. */
  hold({ text }) {
    kept += textNamed(text).text.length;
  },

  /** Encodes a text and drops the ids. */
  touch({ text }) {
    kept += tokenizer.encode(textNamed(text).text).length;
  },

  /** Encodes the messages of a text in turn and drops the ids. */
  encodeMany({ text, calls }) {
    const { messages } = textNamed(text);
    for (let call = 0; call < calls; call++) kept += tokenizer.encode(messages[call % messages.length]).length;
  },

  memory() {
    for (let time = 0; time < 3; time++) global.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    const resident = residentMemory();
    return resident && { ...resident, heap: heapUsed + external };
  },
};

/** One pass of an operation. */
function workOf(operation, name) {
  const text = textNamed(name);
  const { messages } = text;
  switch (operation) {
    case 'encode':
    case 'count': {
      const run = tokenizer[operation];
      const size = operation === 'count' ? (result) => result : (result) => result.length;
      if (!messages) return () => void (kept += size(run(text.text)));
      return () => {
        for (const message of messages) kept += size(run(message));
      };
    }
    case 'encodeBatch':
      return () => void (kept += tokenizer.encodeBatch(messages).length);
    case 'decode': {
      if (decoded?.text !== name) decoded = { text: name, ids: tokenizer.encode(text.text) };
      const { ids } = decoded;
      return () => void (kept += tokenizer.decode(ids).length);
    }
    default:
      throw new Error(`no operation is called ${operation}`);
  }
}

process.on('message', async ({ id, question, about }) => {
  try {
    const answer = (await questions[question](about)) ?? null;
    process.send({ id, answer, kept });
  } catch (error) {
    process.send({ id, error: { message: `${error.name}: ${error.message}`, stack: error.stack } });
  }
});
process.on('disconnect', () => process.exit(0));
