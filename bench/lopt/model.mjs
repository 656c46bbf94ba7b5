/**
 * The gain from more threads than this machine has: models, based on measurements here on one thread at a time.
 */

/** Milliseconds of a row of the section `stages`: the serial part, and the parallel part. */
export function parts({ cut, meet, stitch, encode, copy }) {
  return { serial: cut + meet + stitch, parallel: encode + copy };
}

/** Amdahl's law for the shares of a row. */
export function amdahl(row, threads) {
  const { serial, parallel } = parts(row);
  return (serial + parallel) / (serial + parallel / threads);
}

/** The rows of `stages` of a tokenizer and a text: one encoder's, and the model's by the number of threads. */
export function stagesOf(rows, encoding, text) {
  const some = rows.filter((row) => row.section === 'stages' && row.encoding === encoding && row.text === text);
  return {
    alone: some.find(({ contender }) => contender === 'one encoder'),
    byThreads: new Map(some.filter(({ contender }) => contender === 'virtual threads').map((row) => [row.threads, row])),
  };
}

/** The speed-up of the model's schedule over one encoder. */
export function scheduled({ alone, byThreads }, threads) {
  return alone.value / byThreads.get(threads).value;
}
