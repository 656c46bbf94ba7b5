/**
 * The program in the page of one contender, which contains nothing else: the counterpart of bench/node/serve.mjs. run.mjs
 * asks `globalThis.questions`, one at a time. Times are nanoseconds.
 */
const CONTENDERS = import.meta.glob('./contenders/*.mjs');

let contender;
let tokenizer;
let kept = 0; // sizes of the results, so that no compiler can eliminate the work
const texts = new Map();

async function textNamed(name) {
  if (!texts.has(name)) texts.set(name, await (await fetch(`/texts/${encodeURIComponent(name)}`)).text());
  return texts.get(name);
}

globalThis.questions = {
  async open({ name }) {
    contender = await CONTENDERS[`./contenders/${name}.mjs`]();
  },

  /** Loads a vocabulary whose bytes are in memory, and encodes two words; returns the time. */
  async load({ encoding, form = 'full' }) {
    const inHand = await contender.prepare(encoding, form);
    const begin = performance.now();
    tokenizer = await contender.load(encoding, inHand);
    const { length } = tokenizer.encode('hello world');
    const time = (performance.now() - begin) * 1e6;
    if (length !== 2) throw new Error(`${length} ids for two words`);
    return { time, backend: tokenizer.backend?.() };
  },

  async identify({ text }) {
    const ids = Uint32Array.from(tokenizer.encode(await textNamed(text)));
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', ids));
    return { tokens: ids.length, sha256: Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('') };
  },

  /** Loads a text into memory, so that no timing includes it. */
  async hold({ text }) {
    kept += (await textNamed(text)).length;
  },

  /** A turn: passes over one text. */
  async turn({ text: name, budget }) {
    const text = await textNamed(name);
    return passes(() => void (kept += tokenizer.encode(text).length), budget);
  },

  /** Gets the code compiled on words that occur in no text; a browser's optimizing compiler runs concurrently. */
  async warmCode() {
    const text = await textNamed('unfamiliar');
    for (let time = 0; time < 4; time++) {
      for (let pass = 0; pass < 3; pass++) kept += tokenizer.encode(text).length;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  },

  /** The single pass over a new text, with the CPU's caches full of other data. */
  async firstSight({ text: name }) {
    const text = await textNamed(name);
    evictCaches();
    const begin = performance.now();
    kept += tokenizer.encode(text).length;
    return [(performance.now() - begin) * 1e6];
  },

  /** Batches of calls with a short text: the time per call in each. A browser's clock is coarse. */
  async call({ text: name, budget }) {
    const text = await textNamed(name);
    let calls = 1;
    const batch = () => {
      for (let call = 0; call < calls; call++) kept += tokenizer.encode(text).length;
    };
    for (let spent = timed(batch); spent < 4e6; spent = timed(batch)) {
      calls = Math.ceil(calls * Math.min(16, Math.max(1.5, 5e6 / Math.max(spent, 1))));
    }
    return passes(batch, budget).map((time) => time / calls);
  },
};

function timed(work) {
  const begin = performance.now();
  work();
  return (performance.now() - begin) * 1e6;
}

/** Passes of `work` for about `budget` ns; the first one is discarded if there are at least three. */
function passes(work, budget) {
  globalThis.gc?.();
  const times = [];
  for (let spent = 0; spent < budget || times.length === 0; spent += times.at(-1)) times.push(timed(work));
  return times.length >= 3 ? times.slice(1) : times;
}

function evictCaches() {
  const walked = new Uint8Array(64 << 20);
  for (let index = 0; index < walked.length; index += 64) walked[index]++;
  kept += walked[kept % walked.length];
}
