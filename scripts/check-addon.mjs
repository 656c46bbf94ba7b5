/**
 * What an addon needs from the system that it is loaded on, read with LLVM's tools, and what is wrong with that: it may need
 * nothing but what every system of its platform has.
 */
import { IN_BOTH_LIBCS } from './both-libcs.mjs';
import { expected, outputOf } from './process.mjs';

/** What Node looks up. */
const ENTRY = 'napi_register_module_v1';
const VERSION = 'node_api_module_get_api_version_v1';

/**
 * The rules of each system: the format, the libraries that may be needed, the oldest version of the system that may be asked for,
 * what else may be exported, and what may be imported beside Node-API, if not everything may.
 */
const SYSTEMS = {
  // None: elf.mjs says why.
  linux: { format: 'elf64', libraries: /^$/, versionsOf: /^libc\.so\.6$|^ld-linux-/, oldest: '2.28', others: /^$/, imports: IN_BOTH_LIBCS },
  // libc++ exports its operators new and delete, which others may replace; zig's linker where the file begins.
  darwin: {
    format: 'Mach-O',
    libraries: /^\/usr\/lib\/libSystem\.B\.dylib$/,
    oldest: '13.0',
    others: /^_Z(?:n|d)[aTl]|^_Z(?:na|nw|da|dl)|^_mh_dylib_header$|^__dso_handle$/,
  },
  win32: { format: 'COFF', libraries: /^(?:kernel32|api-ms-win-crt-[\w-]+)\.dll$/i, oldest: '6.0', others: /^$/ },
};
/**
 * What Node has, and what is refused for another reason; and the one name that GCC's library brings along, which musl looks for
 * only when it is called: by none of ours.
 */
const OTHERWISE = /^(?:napi|node_api)_|^_Z|^__cxa_throw$|^__pthread_key_create$/;
const ARCHITECTURES = { x64: 'x86_64', arm64: 'aarch64' };

/**
 * @typedef {object} Needs
 * @property {string} format
 * @property {string} architecture
 * @property {string[]} libraries
 * @property {string[]} exported without the underscore of Mach-O
 * @property {string[]} imported of ELF and Mach-O
 * @property {string[]} [versionsOf] the libraries of ELF that versions of functions are of
 * @property {string} oldest the version of glibc, macOS or Windows; '' where none is said
 * @property {boolean} isSigned
 */

/** Reads an addon. @param {string} file @returns {Needs} */
export function needsOf(file) {
  const header = read(['llvm-readobj', '--file-headers', file]);
  const format = /^Format: (\S+)/m.exec(header)?.[1] ?? '';
  const architecture = /^Arch: (\S+)/m.exec(header)?.[1] ?? '';
  if (format.startsWith('COFF')) {
    const exported = matches(read(['llvm-readobj', '--coff-exports', file]), /^ {2}Name: (\S+)$/gm);
    const libraries = matches(read(['llvm-readobj', '--coff-imports', file]), /^ {2}Name: (\S+)$/gm);
    const [, major] = /MajorSubsystemVersion: (\d+)/.exec(header) ?? [];
    const [, minor] = /MinorSubsystemVersion: (\d+)/.exec(header) ?? [];
    return { format, architecture, libraries, exported, imported: [], oldest: `${major}.${minor}`, isSigned: false };
  }
  const libraries = read(['llvm-readobj', '--needed-libs', file])
    .split(/NeededLibraries \[/)[1]
    .split(']')[0]
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (format.startsWith('Mach-O')) {
    const bare = (names) => names.map((name) => name.replace(/^_/, ''));
    const commands = read(['llvm-objdump', '--macho', '--private-headers', file]);
    return {
      format,
      architecture,
      // The first is its own name.
      libraries: libraries.filter((library) => library.includes('/') && !library.endsWith('.node')),
      exported: bare(matches(read(['llvm-nm', '-gU', file]), /^\S+ \w (\S+)$/gm)),
      imported: bare(matches(read(['llvm-nm', '-u', file]), /^\s*(?:U )?(\S+)$/gm)),
      oldest: /minos (\S+)/.exec(commands)?.[1] ?? '',
      isSigned: commands.includes('LC_CODE_SIGNATURE'),
    };
  }
  const symbols = read(['llvm-readelf', '--dyn-syms', '--wide', file]);
  const versions = matches(symbols, /@@?GLIBC_([\d.]+)/g);
  const versionsOf = matches(read(['llvm-readelf', '--version-info', file]), /\bFile: (\S+)/g);
  return {
    format,
    architecture,
    libraries,
    exported: matches(symbols, /(?:GLOBAL|WEAK)\s+DEFAULT\s+\d+\s+([^\s@]+)/g),
    imported: matches(symbols, /GLOBAL\s+DEFAULT\s+UND\s+([^\s@]+)/g),
    versionsOf,
    oldest: versions.sort(byVersion).at(-1) ?? '',
    isSigned: false,
  };
}

/** The problems of an addon for a platform, as sentences. @param {string} platform @param {Needs} needs */
export function problemsOf(platform, needs) {
  const [system, architecture] = platform.split('-');
  const rules = SYSTEMS[system];
  const problems = [];
  if (!needs.format.startsWith(rules.format)) problems.push(`it is a file of ${needs.format}, not of ${rules.format}`);
  if (needs.architecture !== ARCHITECTURES[architecture]) problems.push(`it is for ${needs.architecture}`);
  for (const name of [ENTRY, VERSION]) if (!needs.exported.includes(name)) problems.push(`it does not export ${name}`);
  for (const name of needs.exported) {
    if (name !== ENTRY && name !== VERSION && !rules.others.test(name)) problems.push(`it exports ${name}`);
  }
  for (const library of needs.libraries) if (!rules.libraries.test(library)) problems.push(`it needs ${library}`);
  for (const library of needs.versionsOf ?? [])
    if (rules.versionsOf && !rules.versionsOf.test(library)) problems.push(`it needs a version of ${library}, which need not be loaded`);
  for (const name of needs.imported) if (/^_Z|^__cxa_throw$|GLIBCXX/.test(name)) problems.push(`it needs ${name}, of a library of C++`);
  for (const name of needs.imported) {
    if (rules.imports && !rules.imports.has(name) && !OTHERWISE.test(name))
      problems.push(`it needs ${name}, not known to be in glibc and musl`);
  }
  if (byVersion(needs.oldest, rules.oldest) > 0)
    problems.push(`it needs version ${needs.oldest} of the system, newer than ${rules.oldest}`);
  if (platform === 'darwin-arm64' && !needs.isSigned) problems.push('it has no signature, without which such a Mac loads nothing');
  return problems;
}

/** Throws for an addon that would not load everywhere. */
export function checkAddon(platform, file) {
  if (outputOf('llvm-readobj', ['--version']) === undefined) throw expected('Missing to check addons: llvm-readobj (Debian: llvm).');
  const problems = problemsOf(platform, needsOf(file));
  if (problems.length > 0) throw expected(`${file} would not load on every ${platform}: ${problems.join('; ')}`);
}

function read([program, ...args]) {
  const output = outputOf(program, args);
  if (output === undefined) throw expected(`${program} cannot read ${args.at(-1)}`);
  return output;
}

/** @param {string} text @param {RegExp} pattern with one group */
function matches(text, pattern) {
  return [...text.matchAll(pattern)].map((match) => match[1]);
}

/** @param {string} a @param {string} b versions, numbers with dots between them */
function byVersion(a, b) {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number));
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    if ((x[i] ?? 0) !== (y[i] ?? 0)) return (x[i] ?? 0) - (y[i] ?? 0);
  }
  return 0;
}
