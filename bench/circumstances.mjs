/** The head of every report: the machine, its other load, and the source of the texts. */

/**
 * Lines of markdown.
 * @param {object} result the output of one of the harnesses
 */
export function circumstances({ machine, load, foreign, texts }) {
  const { cpu, family, virtual, caches, memory, simd } = machine;
  const averages = (some) => some.map((each) => each.toFixed(1)).join(' ');
  const others = foreign === null ? '' : `; others used ${foreign.toFixed(2)} cores meanwhile`;
  const standIns = Object.values(texts).some(({ source }) => source === 'fixtures');
  return [
    `- machine: ${[cpu, family, virtual && 'virtual', caches, memory, simd].filter(Boolean).join('; ')}`,
    `- load average ${averages(load.before)} before, ${averages(load.after)} after${others}`,
    standIns
      ? '- texts: **the small committed fixtures, since the corpora are not there: no throughput to rely on**'
      : '- texts: parts of the corpora',
  ];
}
