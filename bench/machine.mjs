/** The machine of a measurement, as far as it matters for reading the results. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const SIMD = ['ssse3', 'avx2', 'bmi2', 'avx512f', 'avx512bw', 'avx512vbmi', 'avx512_vbmi2', 'asimd', 'sve2'];

/** Facts about the machine; none identifies its owner. */
export function machine() {
  const cpuinfo = read('/proc/cpuinfo') ?? '';
  const field = (name) => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(cpuinfo)?.[1];
  const flags = (field('flags') ?? field('Features') ?? '').split(' ');
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    family: field('cpu family') && `family ${field('cpu family')} model ${field('model')} stepping ${field('stepping')}`,
    cores: os.cpus().length,
    virtual: flags.includes('hypervisor'),
    simd: SIMD.filter((flag) => flags.includes(flag)).join(' '),
    caches: caches(),
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GiB`,
    hugePages: /\[(\w+)\]/.exec(read('/sys/kernel/mm/transparent_hugepage/enabled') ?? '')?.[1],
    governor: read('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor')?.trim(),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    v8: process.versions.v8,
  };
}

/** The commit of this checkout, and whether the measured code differs from it. */
export function commit() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const head = git('rev-parse', '--short=12', 'HEAD');
  if (head.status !== 0) return { commit: null, changed: false };
  const changed = git('status', '--porcelain', '--', 'native', 'lib', 'cartridges', 'CMakeLists.txt').stdout.trim() !== '';
  return { commit: head.stdout.trim(), changed };
}

/** Seconds that the CPUs have been busy since the system started, for all processes; null where unknown. */
function busySeconds() {
  const line = read('/proc/stat')?.split('\n', 1)[0];
  if (line === undefined) return null;
  const [, user, nice, system, , , irq, softirq, steal] = line.split(/\s+/).map(Number);
  return (user + nice + system + irq + softirq + steal) / 100;
}

/** Seconds of CPU that this process and the children it has waited for have used. */
function ownSeconds() {
  const stat = read('/proc/self/stat');
  if (stat === null) return 0;
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return (fields[11] + fields[12] + fields[13] + fields[14]) / 100;
}

/**
 * Starts watching the other load of the machine.
 * @returns {() => { seconds: number, load: { before: number[], after: number[] }, foreign: number | null }} until it is called: the
 *   time, the load averages, and how many cores others have kept busy, null where unknown
 */
export function watchLoad() {
  const [before, busy, own, began] = [os.loadavg(), busySeconds(), ownSeconds(), performance.now()];
  return () => {
    const seconds = (performance.now() - began) / 1000;
    const others = busy === null ? null : busySeconds() - busy - (ownSeconds() - own);
    return {
      seconds: Math.round(seconds),
      load: { before, after: os.loadavg() },
      foreign: others === null ? null : Math.max(0, others / seconds),
    };
  };
}

/** Waits until less than a tenth of one core is busy for 3 seconds, at most `seconds`. @returns {Promise<boolean>} */
export async function quiet(seconds) {
  for (let waited = 0; ; waited += 3) {
    const before = busySeconds();
    if (before === null) return true;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    if (busySeconds() - before < 0.3) return true;
    if (waited >= seconds) return false;
  }
}

function caches() {
  const folder = '/sys/devices/system/cpu/cpu0/cache';
  if (!fs.existsSync(folder)) return undefined;
  return fs
    .readdirSync(folder)
    .filter((name) => name.startsWith('index'))
    .sort()
    .map((name) => {
      const of = (file) => read(`${folder}/${name}/${file}`)?.trim();
      return `L${of('level')}${{ Data: 'd', Instruction: 'i' }[of('type')] ?? ''} ${of('size')}`;
    })
    .join(', ');
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
