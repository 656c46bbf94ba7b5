// The questions that these tests' apps are asked, and their answers.

export const TEXT = 'Hello, naïve world! 東京タワーは333メートル。 Привет 👋🏽 — 12345\n\tfor (;;) {}\n';

/** @param {string} name of a vocabulary */
export async function answersOf(Tokenizer, name = 'o200k_base') {
  const tokenizer = await Tokenizer.load(name);
  const ids = tokenizer.encode(TEXT);
  return {
    ids: ids.join(' '),
    streamed: await streamedIds(tokenizer),
    later: (await tokenizer.encodeAsync(TEXT)).join(' '),
    count: tokenizer.count(TEXT),
    decoded: tokenizer.decode(ids),
    backend: tokenizer.backend.kind,
  };
}

/** The ids of a response's body. */
export async function streamedIds(tokenizer) {
  const ids = [];
  const reader = new Response(TEXT).body.pipeThrough(tokenizer.encodeStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) ids.push(...read.value);
  return ids.join(' ');
}
