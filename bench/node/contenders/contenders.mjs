/**
 * The contenders: one module each, all with one interface.
 *
 *     name                          what tables call it
 *     version()                     of the package, once prepared
 *     prepare(variant?)             imports the package, and nothing else
 *     load(encoding)                opens a vocabulary: { encode(text), decode(ids), free() }, each text being ordinary
 *                                   text; if the package has them also count(text), encodeBatch(texts), backend()
 *     firstIds(encoding, text)      source of a module that does no more than get `ids` of a text, as users would write it
 *
 * A contender is named `name` or `name@variant`: `crayon@../other-checkout` is this package built elsewhere.
 */
export const DEFAULT_CONTENDERS = ['crayon', 'gpt-tokenizer', 'hypertok', 'tiktoken'];

/** @param {string} spec */
export async function contenderNamed(spec) {
  const [name, variant] = split(spec);
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`${spec} names no contender`);
  const module = await import(`./${name}.mjs`);
  return {
    spec,
    name: module.name,
    version: () => module.version(),
    prepare: () => module.prepare(variant),
    load: (encoding) => module.load(encoding),
    firstIds: (encoding, text) => module.firstIds(encoding, text, variant),
  };
}

function split(spec) {
  const at = spec.indexOf('@');
  return at < 0 ? [spec, undefined] : [spec.slice(0, at), spec.slice(at + 1)];
}
