/**
 * Terminates threads in the middle of the calls of addon-calls.mjs: `node ended-calls.mjs ADDON PLUGIN ROUNDS`. Every later Node-API
 * request then fails. Prints the name of each function, and at the end for each how many threads ended `inside` its call, at any
 * point, and how many `before` it: those were in a long builtin, after which nothing checks for termination, so the whole call failed.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { BINDINGS, CALLS, getterAt, PROPERTIES } from './addon-calls.mjs';

/** What a thread is doing. */
const STARTING = 0;
const READY = 1;
const CALLING = 2;
const RETURNED = 3;
const GOES_ON = 4;

/** The work of a thread: it calls the function until it is terminated. */
function work({ path, plugin, name, isBefore, state, property }) {
  const addon = createRequire(import.meta.url)(path);
  const call = addon[name] ?? process.dlopen;
  const args = CALLS[name](addon, plugin, path);
  const first = Reflect.apply(call, addon, args);
  const { returns } = BINDINGS.find((each) => each.name === name) ?? {};
  // What makes nothing may refuse to be called twice.
  const mayFail = returns === 'number' || returns === 'void';
  if (!mayFail && (first === -1 || (first === undefined && name in addon))) throw new Error(`${name}: ${JSON.stringify(addon.failure())}`);
  if (property !== undefined) {
    getterAt(args, property, () => process.exit());
  }
  const pages = new Uint8Array(isBefore ? 2 ** 25 : 0);
  const [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = args;
  const goOn = () => (state[0] = GOES_ON);
  Atomics.store(state, 0, READY);
  Atomics.notify(state, 0);
  // `goOn` and the loop check for termination, and nothing between them does.
  do {
    pages.fill(1);
    state[0] = CALLING;
    call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    state[0] = RETURNED;
  } while (goOn());
}

/** Terminates one thread; returns what it was doing. */
async function endOne(settings) {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { ...settings, state } });
  const ended = new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  const isReady = Atomics.waitAsync(state, 0, STARTING);
  await Promise.race([isReady.value, ended]);
  await new Promise((done) => setTimeout(done, settings.isBefore ? 1 : Math.random() * 4));
  if (settings.property === undefined) await worker.terminate();
  await ended;
  return Atomics.load(state, 0);
}

async function main([path, plugin, wanted]) {
  const rounds = Number(wanted);
  const all = {};
  const left = Object.keys(CALLS);
  const lane = async () => {
    for (let name = left.shift(); name; name = left.shift()) {
      console.log(name);
      const counts = { inside: 0, before: 0 };
      all[name] = counts;
      for (let attempts = 0; counts.inside + counts.before < rounds && attempts < 20 * rounds; attempts++) {
        const isBefore = counts.before < rounds / 2;
        const last = await endOne({ path, plugin, name, isBefore });
        if (last === CALLING || last === RETURNED) ++counts[isBefore ? 'before' : 'inside'];
      }
      for (const property of PROPERTIES[name] ?? []) {
        const isEnded = (await endOne({ path, plugin, name, property })) === CALLING;
        if (!isEnded) throw new Error(`${property} was not read`);
      }
    }
  };
  await Promise.all([lane(), lane()]);
  console.log(JSON.stringify(all));
}

if (!isMainThread) work(workerData);
else if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
