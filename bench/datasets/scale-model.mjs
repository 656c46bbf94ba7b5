/**
 * On paper: how long datasets of terabytes take, from rates that were measured, and what else becomes the limit.
 *
 * A core is a process of one thread, as Slurm and Kubernetes give them out. What a machine's disk and network carry is assumed, and
 * said so: a core reads `bytesPerSecond` and writes ids of 4 bytes, so a machine meets a limit where its cores together ask for more.
 */
const TB = 1e12;
const LIMITS = [
  ['a network of 10 Gbit/s, reading', 1.25e9, 'read'],
  ['a network of 10 Gbit/s, reading and writing', 1.25e9, 'both'],
  ['an NVMe disk that writes 2 GB/s', 2e9, 'written'],
  ['a disk of the cloud, 250 MB/s', 250e6, 'both'],
];
const MACHINES = [
  [1, 2],
  [1, 16],
  [1, 64],
  [16, 64],
  [100, 64],
];
/** Seconds that a scheduler takes for a task: its container or job step, Node and the vocabulary. */
const PER_TASK = [1, 10, 60];

/** @param {{ bytesPerSecond: number, gzipBytesPerSecond: number, bytesPerToken: number }} measured */
export function scaleModel({ bytesPerSecond, gzipBytesPerSecond, bytesPerToken }) {
  const written = (bytesPerSecond * 4) / bytesPerToken;
  const rates = { read: bytesPerSecond, written, both: bytesPerSecond + written };
  const time = (bytes, cores) => inWords(bytes / (bytesPerSecond * cores));
  return `## On paper

A core does ${(bytesPerSecond / 1e6).toFixed(0)} MB of text a second and writes ${(written / 1e6).toFixed(0)} MB of ids. Without other limits:

| machines × cores | 1 TB | 15 TB |
|---|--:|--:|
${MACHINES.map(([machines, cores]) => `| ${machines} × ${cores} | ${time(TB, machines * cores)} | ${time(15 * TB, machines * cores)} |`).join('\n')}

What else limits a machine, and from how many cores on:

| | cores |
|---|--:|
${LIMITS.map(([what, limit, side]) => `| ${what} | ${Math.max(1, Math.floor(limit / rates[side]))} |`).join('\n')}
| gzip: a task inflates on one core, ${(gzipBytesPerSecond / 1e6).toFixed(0)} MB/s of text at most | one task a core |

15 TB in 10,000 tasks of 1.5 GB: ${inWords(1.5e9 / bytesPerSecond)} each on a core, so what a scheduler adds to each task is

| seconds a task | share | in all, of 1,000 cores |
|--:|--:|--:|
${PER_TASK.map((seconds) => `| ${seconds} | ${((100 * seconds) / (seconds + 1.5e9 / bytesPerSecond)).toFixed(0)} % | ${inWords((seconds * 10_000) / 1000)} |`).join('\n')}
`;
}

function inWords(seconds) {
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(0)} min`;
  return seconds < 172_800 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} days`;
}
