// What the apps of these tests are asked, and how they answer.

export const TEXT = 'Hello, naïve world! 東京タワーは333メートル。 Привет 👋🏽 — 12345\n\tfor (;;) {}\n';

/** @param {string} name of a vocabulary */
export async function answersOf(Tokenizer, name = 'o200k_base') {
  const tokenizer = await Tokenizer.load(name);
  const ids = tokenizer.encode(TEXT);
  return {
    ids: ids.join(' '),
    later: (await tokenizer.encodeAsync(TEXT)).join(' '),
    count: tokenizer.count(TEXT),
    decoded: tokenizer.decode(ids),
    backend: tokenizer.backend.kind,
  };
}
