/** How long the parts of a strategy take: one after the other, and if each chunk had a core of its own. Milliseconds. */
export class Work {
  /** All of it, one after the other. */
  sum = 0;
  /** What is done to chunks at once counts as its longest; nothing is counted for handing over. */
  ideal = 0;

  /** What has to be done at once. @template T @param {() => T} task @returns {T} */
  alone(task) {
    const [result, spent] = timed(task);
    this.sum += spent;
    this.ideal += spent;
    return result;
  }

  /** What could be done to all chunks at the same time. @template C, T @param {C[]} chunks @param {(chunk: C) => T} task @returns {T[]} */
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
