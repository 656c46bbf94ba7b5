/** How long the parts of a strategy take: sequentially, and if each chunk had its own core. Milliseconds. */
export class Work {
  /** The total, sequentially. */
  sum = 0;
  /** Concurrent work on chunks counts as its longest part; handing work over counts nothing. */
  ideal = 0;

  /** Work that cannot be divided. @template T @param {() => T} task @returns {T} */
  alone(task) {
    const [result, spent] = timed(task);
    this.sum += spent;
    this.ideal += spent;
    return result;
  }

  /** Work that could run on all chunks at the same time. @template C, T @param {C[]} chunks @param {(chunk: C) => T} task @returns {T[]} */
  together(chunks, task) {
    let longest = 0;
    const results = chunks.map((chunk) => {
      const [result, spent] = timed(() => task(chunk));
      this.sum += spent;
      longest = Math.max(longest, spent);
      return result;
    });
    this.ideal += longest;
    return results;
  }
}

function timed(task) {
  const began = performance.now();
  const result = task();
  return [result, performance.now() - began];
}
