/**
 * What CRAYON has published for its profiles on CPU, in its paper and on its model card: millions of tokens a second on
 * a repeated sentence of 68.4 KB (of the one of "unicode", 55 % were unknown ids), and times.
 */
export const PUBLISHED_SPEED = {
  lite: { english: 18.4, code: 33.2, unicode: 43.9, mixed: 24.6 },
  standard: { english: 17.2, code: 18.7, unicode: 29.2, mixed: 17.4 },
};

/** Milliseconds. */
export const PUBLISHED_TIMES = {
  '95 MiB of a repeated sentence, encode': 890,
  'load, fresh process, file cached': 0.54,
  'compile a list of 367 tokens': 38,
  'compile a list of 206,373 tokens to version 2': 100,
};
