/**
 * `node contexts.cjs BACKEND`: the package loaded anew in several contexts of node:vm, like test runners that isolate
 * modules, and given objects made in other contexts. Reports like check.mjs.
 */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const nodeModule = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const [expected = 'native'] = process.argv.slice(2);

/** A context with its own modules: the package's are read and run in it, Node's are the process's. */
function contextOfItsOwn() {
  const context = vm.createContext({
    process,
    console,
    Buffer,
    ReadableStream,
    TransformStream,
    performance,
    setTimeout,
    clearTimeout,
    setImmediate,
    queueMicrotask,
    URL,
    TextEncoder,
    TextDecoder,
    AbortController,
    AbortSignal,
    structuredClone,
  });
  const modules = new Map();
  const requireIn = (from) => (name) => {
    if (nodeModule.isBuiltin(name)) return require(name);
    const file = nodeModule.createRequire(from).resolve(name);
    if (!file.endsWith('.cjs')) return require(file);
    if (!modules.has(file)) {
      const module = { exports: {} };
      modules.set(file, module);
      const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(file, 'utf8')}\n})`;
      vm.runInContext(source, context, { filename: file }).call(
        module.exports,
        module.exports,
        requireIn(file),
        module,
        file,
        path.dirname(file),
      );
    }
    return modules.get(file).exports;
  };
  return { context, require: requireIn(__filename) };
}

async function check() {
  const contexts = [contextOfItsOwn(), contextOfItsOwn(), contextOfItsOwn()];
  const tokenizers = [];
  for (const each of contexts) {
    const { Tokenizer, TokenizerError } = { ...each.require('crayon-tokenizer'), ...each.require('crayon-tokenizer/dna') };
    const tokenizer = await Tokenizer.load('o200k_base');
    assert.equal(tokenizer.backend.kind, expected);
    assert.throws(
      () => tokenizer.decode([300_000]),
      (error) => error instanceof TokenizerError,
    );
    tokenizers.push(tokenizer);
  }
  assert.equal(new Set(tokenizers.map(({ constructor }) => constructor)).size, contexts.length, 'each context has a class of its own');

  // Every argument comes from another context.
  for (const [index, tokenizer] of tokenizers.entries()) {
    const other = contexts[(index + 1) % contexts.length].context;
    const made = (source) => vm.runInContext(source, other);
    assert.deepEqual([...tokenizer.encode(made("'hello world'"))], [24912, 2375]);
    assert.deepEqual([...tokenizer.encode(made("Uint8Array.from('hello world', (each) => each.charCodeAt(0))"))], [24912, 2375]);
    assert.equal(tokenizer.decode(made('[24912, 2375]')), 'hello world');
    assert.equal(tokenizer.decode(made('Uint32Array.of(24912, 2375)')), 'hello world');
    assert.equal(tokenizer.encodeBatch(made("['hello world', 'hello']")).length, 2);
    assert.equal((await tokenizer.encodeAsync(made("'hello world'.repeat(100000)"))).length, 200_000);
  }
  for (const each of contexts.slice(1)) {
    const { foreignIn, resultsOf } = each.require('./own-results.cjs');
    const results = await resultsOf({ ...each.require('crayon-tokenizer'), ...each.require('crayon-tokenizer/dna') });
    assert.equal(foreignIn(results).join(), '');
  }

  tokenizers[0].close();
  assert.deepEqual([...tokenizers[1].encode('hello world')], [24912, 2375]);
  return { ok: true, contexts: contexts.length };
}

check().then(
  (report) => console.log(JSON.stringify(report)),
  (error) => {
    console.log(error.stack);
    process.exitCode = 1;
  },
);
