/**
 * The contenders: one module each, all with one interface.
 *
 *     name                          what tables call it
 *     version(variant?)             of the package
 *     prepare(variant?)             imports the package, and nothing else
 *     load(encoding)                opens a vocabulary: { encode(text), decode(ids), free() }, each text being ordinary
 *                                   text; if the package has them also count(text), encodeBatch(texts), backend() and
 *                                   other calls of operations.mjs
 *     firstIds(encoding, text)      source of a module that does no more than get `ids` of a text, as users write it
 *
 * A contender is named `name` or `name@variant`: `crayon@../other-checkout` is this package built elsewhere.
 */
export const DEFAULT_CONTENDERS = [
  'crayon',
  'crayon-wasm',
  'gpt-tokenizer',
  'hypertok',
  'tiktoken',
  'js-tiktoken',
  'ai-tokenizer',
  'bpe-lite',
];

/** To keep a full run within minutes, long sections omit these slow contenders, unless requested. */
const NOT_IN_LONG_SECTIONS = ['ai-tokenizer', 'bpe-lite'];
const LONG_SECTIONS = ['stream', 'warm', 'first-sight', 'adversarial'];

/** The default contenders that a section measures. @param {string[]} contenders @param {string} section */
export function defaultsOf(contenders, section) {
  return LONG_SECTIONS.includes(section) ? contenders.filter((spec) => !NOT_IN_LONG_SECTIONS.includes(spec)) : contenders;
}

/** Whether a contender is this package, from this checkout or another. @param {string} spec */
export function isOwn(spec) {
  return ['crayon', 'crayon-wasm'].includes(split(spec)[0]);
}

/** @param {string} spec */
export async function contenderNamed(spec) {
  const [name, variant] = split(spec);
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`${spec} names no contender`);
  const module = await import(`./${name}.mjs`);
  return {
    spec,
    name: module.name,
    version: () => module.version(variant),
    prepare: () => module.prepare(variant),
    load: (encoding) => module.load(encoding),
    firstIds: (encoding, text) => module.firstIds(encoding, text, variant),
  };
}

function split(spec) {
  const at = spec.indexOf('@');
  return at < 0 ? [spec, undefined] : [spec.slice(0, at), spec.slice(at + 1)];
}
