/**
 * Addon calls whose getters and setters exceed a node:vm time limit: `node time-limits.mjs ADDON PLUGIN`. Each call must
 * be interrupted, and the next one must work.
 */
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { BY_HAND, getterAt, PROPERTIES } from './addon-calls.mjs';

const [path, plugin] = process.argv.slice(2);
const addon = createRequire(import.meta.url)(path);

/** Setters of properties that every new object and array gets, installed on the prototype. */
const SETTERS = [
  [Object.prototype, ['name', 'code', 'sentence', 'id', 'views', 'addedTokens', 'text', 'kind', 'warpSize']],
  [Array.prototype, ['0', '1']],
];

function forever() {
  for (;;);
}

/** Whether the call was interrupted. */
function isEnded(name, args) {
  try {
    vm.runInNewContext('call(...args)', { call: addon[name], args }, { timeout: 5 });
  } catch (error) {
    if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return true;
  }
  return false;
}

let ended = 0;
for (const [name, properties] of Object.entries(PROPERTIES)) {
  for (const property of properties) {
    const args = BY_HAND[name](addon, plugin, path);
    getterAt(args, property, forever);
    if (!isEnded(name, args)) throw new Error(`${name}: ${property} was not read`);
    ++ended;
  }
}
for (const name of Object.keys(BY_HAND)) {
  if (!(name in addon)) continue;
  for (const [prototype, keys] of SETTERS) {
    for (const key of keys) {
      const args = BY_HAND[name](addon, plugin, path);
      Object.defineProperty(prototype, key, { configurable: true, set: forever });
      const now = isEnded(name, args);
      delete prototype[key];
      if (now) ++ended;
    }
  }
}
if (addon.kernels().length === 0) throw new Error('no kernels');
console.log(ended);
