/** npm js-tiktoken: JavaScript. Its ranks are modules, loaded by import. With `[], []`, special tokens are ordinary text. */
import { packageVersion } from './package-version.mjs';

export const name = 'js-tiktoken';
export const version = () => packageVersion('js-tiktoken');

let Tiktoken;

export async function prepare() {
  ({ Tiktoken } = await import('js-tiktoken/lite'));
}

export async function load(encoding) {
  const { default: ranks } = await import(`js-tiktoken/ranks/${encoding}`);
  const encoder = new Tiktoken(ranks);
  return {
    encode: (text) => encoder.encode(text, [], []),
    decode: (ids) => encoder.decode(ids),
    free() {},
  };
}

export function firstIds(encoding, text) {
  return `import { Tiktoken } from 'js-tiktoken/lite';
    import ranks from 'js-tiktoken/ranks/${encoding}';
    const ids = new Tiktoken(ranks).encode(${JSON.stringify(text)}, [], []);`;
}
