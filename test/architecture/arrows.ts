// Which source files may use which: the rules, and the reader of include and import lines that checks them.

import fs from 'node:fs';
import path from 'node:path';

/** A source file: its path from the project's root, with forward slashes, and its text. */
export interface Source {
  path: string;
  text: string;
}

/** One rule: `check` returns what breaks it in a file, nothing if all is well. */
export interface Rule {
  name: string;
  /** The files it is about. */
  files: RegExp;
  check(file: Source, all: Source[]): string[];
}

/** The files below the folders of a project, those with one of the endings. */
export function readSources(project: string, folders: string[], endings: RegExp): Source[] {
  return folders
    .filter((folder) => fs.existsSync(path.join(project, folder)))
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(project, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
        .filter((name) => endings.test(name)),
    )
    .sort()
    .map((name) => ({ path: name, text: fs.readFileSync(path.join(project, name), 'utf8') }));
}

/** What a C++ file includes, as written. */
export function includesOf({ text }: Source): string[] {
  return [...text.matchAll(/^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]/gm)].map((match) => match[1]!);
}

/** Module names that a TypeScript file imports, those of types alone left out: they leave no trace in what is built. */
export function importsOf({ text }: Source): string[] {
  const bare = withoutComments(text);
  const statements = /^[ \t]*(?:import|export)\b(?!\s+type\b)[^;'"]*?from\s*['"]([^'"]+)['"]|^[ \t]*import\s*['"]([^'"]+)['"]/gm;
  const calls = /\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]\s*\)(?!\s*\.\s*[A-Z])/g;
  return [...bare.matchAll(statements), ...bare.matchAll(calls)].map((match) => (match[1] ?? match[2])!);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** Every way in which the files break the rules, `path: rule: what`. */
export function violations(rules: Rule[], sources: Source[]): string[] {
  return rules.flatMap((rule) =>
    sources
      .filter((file) => rule.files.test(file.path))
      .flatMap((file) => rule.check(file, sources).map((what) => `${file.path}: ${rule.name}: ${what}`)),
  );
}

/** A rule about the includes of some files. */
function mayNotInclude(name: string, files: RegExp, forbidden: RegExp): Rule {
  return { name, files, check: (file) => includesOf(file).filter((include) => forbidden.test(include)) };
}

const HOST_MACRO =
  /\b(?:_WIN(?:32|64)|__(?:linux|APPLE|ANDROID|FreeBSD|unix|MINGW\w*|CYGWIN|EMSCRIPTEN|wasm\w*|x86_64|i386|amd64|aarch64|arm|ARM\w*|AVX\w*|SSE\w*|SSSE\w*|BMI\w*)(?:__)?|_M_(?:X64|IX86|ARM64)|_MSC_VER|__cuda\w*|__HIP\w*)\b/;

const STANDARD_HEADER = /^(?:[a-z_]+|(?:std[a-z]+|string|assert|errno|limits|math)\.h)$/;
const NODE_HEADER = /^(?:napi(?:-inl)?|node_api|node_api_types|js_native_api|js_native_api_types)\.h$/;

/** The rules. A file that is not there breaks none. */
export const RULES: Rule[] = [
  mayNotInclude(
    'the engine knows no host runtime and no accelerator',
    /^native\/(?:include|src)\//,
    /^(?:node|napi|js_native_api|uv\b|v8|emscripten|cuda|cu[a-z]+\.h|hip|nvrtc|nvml)/,
  ),
  {
    name: 'bindings see crayon/crayon.h alone',
    files: /^(?:native\/addon|wasm)\/.*\.(?:cpp|h)$/,
    check: (file, all) => {
      const own = new Set(all.map((each) => each.path));
      return includesOf(file).filter(
        (include) =>
          include !== 'crayon/crayon.h' &&
          !own.has(path.posix.join(path.posix.dirname(file.path), include)) &&
          !NODE_HEADER.test(include) &&
          !STANDARD_HEADER.test(include),
      );
    },
  },
  {
    name: 'accelerator code sees the layout, the statuses and its own headers',
    files: /^gpu\//,
    check: (file) =>
      includesOf(file).filter(
        (include) => /^(?:crayon\/(?!layout\/|status\.def)|base|cartridge|scan|model|normalize|trie|parallel|simd|expand|compile|train|platform)\//.test(include) ||
          include === 'crayon/crayon.h',
      ),
  },
  ...['model', 'scan', 'normalize'].map((room, _, rooms) =>
    mayNotInclude(
      'models, scanners and normalizers meet only in the tokenizer',
      new RegExp(`^native/src/${room}/`),
      new RegExp(`^(?:${rooms.filter((other) => other !== room).join('|')})/`),
    ),
  ),
  mayNotInclude(
    'run time knows nothing of build time',
    /^native\/src\/(?:(?:base|scan|model|normalize|parallel|trie|simd|platform)\/|cartridge\/(?!checksum)|[a-z_]+\.(?:cpp|h)$)/,
    /^(?:train|compile)\/|(?:^|\/)importers?(?:\/|\.|_)/,
  ),
  mayNotInclude(
    'of what builds tables, the reader knows the expansion of slim files alone',
    /^native\/src\/(?:(?:base|scan|model|normalize|parallel|trie|simd|platform)\/|cartridge\/(?!expansion)|[a-z_]+\.(?:cpp|h)$)/,
    /^expand\//,
  ),
  mayNotInclude(
    'building tables knows neither side that uses them',
    /^native\/src\/expand\//,
    /^(?:train|compile|scan|model|normalize|parallel)\/|^(?:tokenizer|encoder)\.h|^cartridge\/(?!checksum)/,
  ),
  mayNotInclude(
    'the compiler shares the layout with the reader, not its code',
    /^native\/src\/compile\/(?!c_api_)/,
    /^cartridge\/(?!checksum)/,
  ),
  {
    name: 'only simd/ and platform/ ask which host this is',
    files: /^native\/src\/(?!simd\/|platform\/)/,
    check: ({ text }) => text.split('\n').filter((line) => /^\s*#\s*(?:if|ifdef|ifndef|elif)\b/.test(line) && HOST_MACRO.test(line)),
  },
  {
    name: 'the face of the tokenizer runs anywhere',
    files: /^lib\/tokenizer\.ts$/,
    check: (file, all) => hostUses(file, all),
  },
];

/** `node:` modules and WebAssembly in a module, or in what it imports. */
function hostUses(start: Source, all: Source[]): string[] {
  const byPath = new Map(all.map((file) => [file.path, file]));
  const seen = new Set<Source>([start]);
  const found: string[] = [];
  for (const file of seen) {
    if (/\bWebAssembly\b/.test(withoutComments(file.text))) found.push(`WebAssembly in ${file.path}`);
    for (const name of importsOf(file)) {
      const target = byPath.get(path.posix.join(path.posix.dirname(file.path), name).replace(/\.js$/, '.ts'));
      if (target !== undefined) seen.add(target);
      else found.push(`'${name}' in ${file.path}`);
    }
  }
  return found;
}
