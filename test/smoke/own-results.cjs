/**
 * The results of the package's calls, all of which must have the classes of the context that loaded it: if a test runner
 * gives a test file its own node:vm context, an object made outside would equal nothing there. This file itself is loaded
 * in that context.
 */

/** The results of calls, by name. @param {object} api the exports of the package */
async function resultsOf({ Tokenizer, DnaTokenizer, compileCartridge, readFasta, reverseComplement, packBases, trainBpe }) {
  const tokenizer = await Tokenizer.load('o200k_base');
  const text = 'hello world, how are you? ';
  const long = text.repeat(20_000);
  const batch = tokenizer.encodeBatch([text, 'hello']);
  const overflowing = 'a b c d e f g h '.repeat(10_000);
  const results = {
    encode: tokenizer.encode(text),
    'encode of many ids': tokenizer.encode(overflowing),
    'encode of bytes': tokenizer.encode(bytesOf(text)),
    encodeAsync: await tokenizer.encodeAsync(text),
    'encodeAsync of a long text': await tokenizer.encodeAsync(long),
    encodeWithOffsets: tokenizer.encodeWithOffsets(text),
    'encodeWithOffsets of many ids': tokenizer.encodeWithOffsets(overflowing),
    encodeBatch: batch,
    'encodeBatch of long texts': tokenizer.encodeBatch([long, long]),
    encodeBatchAsync: await tokenizer.encodeBatchAsync([long, text]),
    'encodeBatchAsync, padded': await tokenizer.encodeBatchAsync([long, text], { pad: { length: 4, truncate: true } }),
    row: batch.row(0),
    pad: batch.pad({ length: 4, truncate: true, type: 'bigint64' }),
    countBatch: tokenizer.countBatch([text, 'hello']),
    encodePair: tokenizer.encodePair(text, 'hello'),
    decodeBytes: tokenizer.decodeBytes([24912, 2375]),
    decodeBatch: tokenizer.decodeBatch(batch),
    tokenBytes: tokenizer.tokenBytes(24912),
    tokens: [tokenizer.tokens().next().value],
    split: tokenizer.split(long, { maxTokens: 100 }),
    'split with offsets': tokenizer.split(text, { maxTokens: 3, withOffsets: true }),
    'split of bytes': tokenizer.split(bytesOf(text), { maxTokens: 3 }),
    truncate: tokenizer.truncate(bytesOf(text), 2),
    streamEncoder: tokenizer.streamEncoder().push(long),
    specialTokens: tokenizer.specialTokens,
    metadata: tokenizer.metadata,
    memory: tokenizer.memory,
    backend: tokenizer.backend,
    error: thrownBy(() => tokenizer.decode([300_000])),
    'error of a row': thrownBy(() => tokenizer.encodeBatch(['', '<|endoftext|>'], { special: 'forbid' })),
    compileCartridge: await compileCartridge(['a', 'b', 'ab', '<unk>']),
    'compileCartridge by a thread': await compileCartridge(Array.from({ length: 5000 }, (_, id) => `word${id}`)),
    readFasta: await all(readFasta(['>a\nACGT\n>b\nacgtN\n'])),
    reverseComplement: reverseComplement(bytesOf('AACG')),
    packBases: packBases('ACGTACGT'),
  };
  const trained = await trainBpe('low lower lowest', { vocabularySize: 260 });
  results.trainBpe = {
    tokens: trained.tokens,
    merges: trained.merges,
    json: trained.toTokenizerJson(),
    cartridge: await trained.toCartridge(),
  };
  const dna = await DnaTokenizer.load('nt-v2');
  results['ids of DNA'] = dna.encode('ACGTACN');
  results['a matrix of DNA'] = dna.encodeBatch(['ACGTACN', 'ACGT']);
  results['a matrix of DNA by threads'] = await dna.encodeBatchAsync(['ACGTAC'.repeat(20_000), 'ACGT'], { mask: 'ids' });
  results['the cartridge of DNA'] = dna.toCartridge();
  dna.close();
  tokenizer.close();
  return results;
}

/**
 * The paths in results at which a value belongs to another context.
 * @param {object} results
 * @param {object[]} shared classes that the runner shares between contexts
 */
function foreignIn(results, shared = []) {
  const foreign = [];
  const seen = new Set();
  const visit = (value, path) => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    const isOwn = value instanceof Object || Object.getPrototypeOf(value) === null;
    if (!isOwn && !shared.some((each) => value instanceof each)) foreign.push(path);
    if (ArrayBuffer.isView(value)) return;
    const entries = typeof value.entries === 'function' && !Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    for (const [name, inner] of entries.slice(0, 1000)) visit(inner, `${path}.${name}`);
    // The values of getters.
    for (const name of ['ids', 'offsets', 'mask']) if (value[name] !== undefined) visit(value[name], `${path}.${name}`);
  };
  for (const [name, value] of Object.entries(results)) visit(value, name);
  return foreign;
}

/** Of this context; TextEncoder's are different. */
function bytesOf(text) {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

async function all(iterable) {
  const list = [];
  for await (const each of iterable) list.push(each);
  return list;
}

function thrownBy(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

module.exports = { foreignIn, resultsOf };
