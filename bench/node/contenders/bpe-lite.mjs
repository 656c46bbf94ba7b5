/** npm bpe-lite: JavaScript, with packed vocabularies. It matches special tokens; the texts here hold none. */
import { packageVersion } from './package-version.mjs';

export const name = 'bpe-lite';
export const version = () => packageVersion('bpe-lite');

const FACTORIES = { o200k_base: 'openaiO200k', cl100k_base: 'openai' };

let factories;

export async function prepare() {
  factories = await import('bpe-lite');
}

export function load(encoding) {
  const tokenizer = factories[factoryOf(encoding)]();
  return {
    encode: (text) => tokenizer.encode(text),
    decode: (ids) => tokenizer.decode(ids),
    count: (text) => tokenizer.count(text),
    // The implementation of its isWithinTokenLimit, for any encoding.
    isWithinLimit(text, limit) {
      const count = tokenizer.countUpTo(text, limit);
      return count <= limit ? count : false;
    },
    free() {},
  };
}

export function firstIds(encoding, text) {
  return `import { ${factoryOf(encoding)} as tokenizerOf } from 'bpe-lite';
    const ids = tokenizerOf().encode(${JSON.stringify(text)});`;
}

function factoryOf(encoding) {
  const factory = FACTORIES[encoding];
  if (factory === undefined) throw new Error(`bpe-lite has no ${encoding}`);
  return factory;
}
