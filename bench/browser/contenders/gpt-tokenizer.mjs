/** npm gpt-tokenizer: JavaScript. Its vocabularies are modules. */
const MODULES = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
};

export async function prepare() {}

export async function load(encoding) {
  const { encode } = await MODULES[encoding]();
  return { encode: (text) => encode(text) };
}
