// Which source files may use which: the rules, and the reader of include and import lines that checks them.

import fs from 'node:fs';
import path from 'node:path';

/** A source file: its path from the project's root, with forward slashes, and its text. */
export interface Source {
  path: string;
  text: string;
}

/** One rule: `check` returns the violations in a file, or nothing. */
export interface Rule {
  name: string;
  /** The files that the rule covers. */
  files: RegExp;
  check(file: Source, all: Source[]): string[];
}

/** The files in the folders of a project with one of these endings. */
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

/** The includes of a C++ file, as written. */
export function includesOf({ text }: Source): string[] {
  return [...text.matchAll(/^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]/gm)].map((match) => match[1]!);
}

/** Modules that a TypeScript file imports, without type-only imports, which leave no trace in the built code. */
export function importsOf({ text }: Source): string[] {
  const bare = withoutComments(text);
  const statements = /^[ \t]*(?:import|export)\b(?!\s+type\b)[^;'"]*?from\s*['"]([^'"]+)['"]|^[ \t]*import\s*['"]([^'"]+)['"]/gm;
  const calls = /\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]\s*\)(?!\s*\.\s*[A-Z])/g;
  return [...bare.matchAll(statements), ...bare.matchAll(calls)].map((match) => (match[1] ?? match[2])!);
}

/** The same including type-only imports. */
export function allImportsOf({ text }: Source): string[] {
  const bare = withoutComments(text);
  const statements =
    /^[ \t]*(?:import|export)\b[^;'"]*?from\s*['"]([^'"]+)['"]|^[ \t]*import\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]/gm;
  return [...bare.matchAll(statements)].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** All violations in the files, as `path: rule: what`. */
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
const LINUX_HEADER = /^(?:dlfcn|features|link|pthread|signal|sys\/stat|time)\.h$/;
const NODE_HEADER = /^(?:napi(?:-inl)?|node_api|node_api_types|js_native_api|js_native_api_types)\.h$/;

/** The rooms of lib/ from the ground up; those of one line stand side by side. The entries are the files of lib/ itself. */
const ROOMS = [
  ['base'],
  ['io'],
  ['engine'],
  ['vocabularies'],
  ['hosts'],
  ['api'],
  ['chat', 'dna', 'training'],
  ['entries'],
  ['inline', 'integrations', 'datasets'],
  ['cli'],
];

/** What all rooms above it may import values of, as beginnings of paths. */
const CORE = ['base', 'engine', 'vocabularies/(?!\\w+/)'];
const DROP_IN = [...CORE, 'api', 'integrations/[\\w-]+\\.ts'];

/** Public ones, which say where WebAssembly is, and that of tests. */
const SETTERS = ['useWasm', 'useDnaWasm', 'useEmulatedDevice'];

/** The rules. A missing file violates none. */
export const RULES: Rule[] = [
  mayNotInclude(
    'the engine knows no host runtime and no accelerator',
    /^native\/(?:include|src)\//,
    /^(?:node|napi|js_native_api|uv\b|v8|emscripten|cuda|cu[a-z]+\.h|hip|nvrtc|nvml)/,
  ),
  {
    name: 'bindings include only crayon/crayon.h',
    files: /^(?:native\/addon|wasm)\/.*\.(?:cpp|h)$/,
    check: (file, all) => {
      const own = new Set(all.map((each) => each.path));
      return includesOf(file).filter(
        (include) =>
          include !== 'crayon/crayon.h' &&
          !own.has(path.posix.join(path.posix.dirname(file.path), include)) &&
          !NODE_HEADER.test(include) &&
          !(file.path.startsWith('native/addon/linux/') && LINUX_HEADER.test(include)) &&
          !(file.path.startsWith('native/addon/windows/') && include === 'windows.h') &&
          !(file.path === 'native/addon/threads.cpp' && include === 'platform/thread.h') &&
          !STANDARD_HEADER.test(include),
      );
    },
  },
  {
    name: 'accelerator code sees the layout, the statuses and its own headers',
    files: /^gpu\//,
    check: (file) =>
      includesOf(file).filter(
        (include) =>
          /^(?:crayon\/(?!layout\/|status\.def)|base|cartridge|scan|model|normalize|parallel|simd|tables|compile|train|platform)\//.test(
            include,
          ) || include === 'crayon/crayon.h',
      ),
  },
  mayNotInclude('kernels for accelerators know no runtime', /^gpu\/kernels\//, /^(?:plugin|cuda|hip|crayon_gpu)/),
  ...['model', 'scan', 'normalize'].map((folder, _, folders) =>
    mayNotInclude(
      'models, scanners and normalizers meet only in the tokenizer, but for the tables of patterns and what these drop, which some of each read',
      new RegExp(`^native/src/${folder}/`),
      new RegExp(
        `^(?:${folders.filter((other) => other !== folder).join('|')}|encode|limits)/(?!(?:pattern_tables|dropped_text)\\.h)|^tokenizer\\.h`,
      ),
    ),
  ),
  mayNotInclude('the encoder knows nothing of limits', /^native\/src\/(?:encode\/|tokenizer\.)/, /^limits\//),
  mayNotInclude(
    'run time knows nothing of build time',
    /^native\/src\/(?:(?:base|scan|model|normalize|encode|limits|parallel|simd|kernels|platform)\/|cartridge\/(?!checksum)|[a-z_]+\.(?:cpp|h)$)/,
    /^(?:train|compile)\/|(?:^|\/)importers?(?:\/|\.|_)/,
  ),
  mayNotInclude(
    'parallel/ and limits/ know models and scanners only through the encoder',
    /^native\/src\/(?:parallel|limits)\//,
    /^(?:model|scan|normalize|tables|cartridge|simd|kernels)\//,
  ),
  mayNotInclude(
    'separators and clusters know texts, not tokens',
    /^native\/src\/limits\/(?:characters|clusters|markdown|separators|text_view)\./,
    /^encode\/|^limits\/(?:part_cutter|splitter)/,
  ),
  mayNotInclude(
    'documents know models and scanners only through the encoder',
    /^native\/src\/document\//,
    /^(?:model|scan|normalize|tables|cartridge|simd|kernels|parallel|train|compile|dna)\//,
  ),
  mayNotInclude('nothing else of the engine knows documents', /^native\/src\/(?!document\/)/, /^document\//),
  mayNotInclude(
    'what encodes a text knows nothing of threads',
    /^native\/src\/(?:(?:base|cartridge|scan|model|normalize|encode|limits|simd|kernels|tables)\/|[a-z0-9_]+\.(?:cpp|h)$)/,
    /^parallel\//,
  ),
  mayNotInclude(
    'of the table builders, the reader knows only the expansion of slim files',
    /^native\/src\/(?:(?:base|scan|model|normalize|encode|limits|parallel|simd|kernels|platform)\/|cartridge\/(?!expansion)|[a-z_]+\.(?:cpp|h)$)/,
    /^tables\/(?!double_array\.h)/,
  ),
  mayNotInclude(
    'the parser of records knows the kernels, and nothing of tokenizers',
    /^native\/src\/records\//,
    /^(?:scan|model|normalize|tables|parallel|cartridge|train|compile|dna|encode|limits)\/|^tokenizer\.h/,
  ),
  mayNotInclude(
    'DNA knows no scanners and models',
    /^native\/src\/dna\//,
    /^(?:scan|model|normalize|tables|parallel\/(?!pool_job\.h)|train|compile)\//,
  ),
  mayNotInclude(
    'nothing knows DNA but its kernels',
    /^native\/src\/(?!dna\/|gpu\/|kernels\/|simd\/bases_)/,
    /^dna\/|^kernels\/dna_kernel|^simd\/bases_/,
  ),
  mayNotInclude('words of vectors know no algorithm', /^native\/src\/simd\//, /^(?!base\/|simd\/)\w+\/(?!kernel_tables\.h)/),
  mayNotInclude('vectors are used in the kernels', /^native\/src\/(?!simd\/|kernels\/)/, /^simd\//),
  mayNotInclude('nothing knows accelerators but those who hand them batches', /^native\/src\/(?!gpu\/)/, /^gpu\/|^crayon_gpu/),
  mayNotInclude(
    'batches for accelerators know models only by their tables',
    /^native\/src\/gpu\//,
    /^(?:model|simd|kernels|tables|parallel\/(?!pool\.h)|train|compile|normalize)\//,
  ),
  mayNotInclude(
    'the trainer knows scanners only through the kernels, and nothing of models, cartridges (but the validator of patterns) and the compiler',
    /^native\/src\/train\//,
    /^(?:scan|model|normalize|tables|parallel|cartridge(?!\/section_checks\.h)|compile|limits|encode(?!\/utf16_windows\.h))\/|^tokenizer\.h/,
  ),
  mayNotInclude(
    'table builders know neither of their users',
    /^native\/src\/tables\/(?!double_array\.h)/,
    /^(?:train|compile|scan|model|normalize|encode|limits|parallel)\/|^tokenizer\.h|^cartridge\/(?!checksum)/,
  ),
  mayNotInclude(
    'the compiler shares the layout with the reader, not its code',
    /^native\/src\/compile\/(?!c_api_)/,
    /^cartridge\/(?!checksum)/,
  ),
  {
    name: 'what some modules lack is made through the table of features',
    files: /^native\/src\/(?:(?:cartridge|document|encode|limits|normalize|scan)\/|(?!module_features)[a-z_]+\.(?:cpp|h)$)/,
    check: ({ text }) =>
      [
        ...text.matchAll(/(?<!Status |[.\w])(?:Normalizing|GeneralPath|RawWords|TrieModels|general::Tokenizer)::create\b/g),
        ...text.matchAll(/(?<!Status |bool |[.\w])(?:expand_slim|read_dat|make_normalizer|join_marked|encode_(?:marked|words))\(/g),
      ].map(([call]) => call),
  },
  {
    name: 'only platform/ tests for the host',
    files: /^native\/src\/(?!platform\/)/,
    check: ({ text }) => text.split('\n').filter((line) => /^\s*#\s*(?:if|ifdef|ifndef|elif)\b/.test(line) && HOST_MACRO.test(line)),
  },
  {
    name: 'a room imports only itself and rooms below it, not even types from others (ROOMS)',
    files: /^lib\/(?!internals\.ts$|.*\.d\.ts$)/,
    check: (file) => {
      const level = levelOf(roomOf(file.path));
      return allImportsOf(file).filter((specifier) => {
        if (!specifier.startsWith('.')) return false;
        const room = roomOf(targetOf(file, specifier));
        return room !== roomOf(file.path) && levelOf(room) >= level;
      });
    },
  },
  {
    name: 'what compiles and decodes knows nothing of what imports, not even its types',
    files: /^lib\/vocabularies\/(?!import\/)/,
    check: (file) => allImportsOf(file).filter((specifier) => targetOf(file, specifier).startsWith('lib/vocabularies/import/')),
  },
  importsOnly('base/ needs no package', 'base', []),
  importsOnly('io/ needs two packages', 'io', ['base', 'fflate', 'tinyglobby']),
  importsOnly('patterns/ stands alone', 'vocabularies/patterns', []),
  importsOnly('decode/ knows nothing of files', 'vocabularies/decode', ['base', 'engine', 'vocabularies/(?!\\w+/)']),
  importsOnly('open/ knows nothing of compiling', 'vocabularies/open', [...CORE, 'io']),
  importsOnly('compile/ knows nothing of import/', 'vocabularies/compile', [...CORE, 'vocabularies/(?:open|patterns)/']),
  importsOnly('hosts/ knows nothing of compiling', 'hosts', [...CORE, 'io', 'vocabularies/(?:open|decode)/', '#embedded']),
  importsOnly('the addon knows nothing of WebAssembly', 'hosts/addon', [...CORE, 'io', 'vocabularies/open/']),
  importsOnly('WebAssembly knows nothing of the addon', 'hosts/module', [...CORE, 'io', 'vocabularies/open/', '#embedded']),
  importsOnly('chat/ knows only the tokenizer', 'chat', [...CORE, 'api']),
  ...['tiktoken', 'gpt-tokenizer', 'js-tiktoken'].map((name) =>
    importsOnly('a drop-in loads vocabularies only through #host', `integrations/${name}`, [
      ...DROP_IN,
      'vocabularies/(?:open|compile)/',
      '#host',
    ]),
  ),
  importsOnly('langchain/ takes tokenizers, and loads none', 'integrations/langchain', [...CORE, 'api', '@langchain']),
  importsOnly('ai-sdk/ takes tokenizers, and loads none', 'integrations/ai-sdk', [...CORE, 'api']),
  importsOnly('encodings/ takes tokenizers, and loads none', 'integrations/encodings', [...CORE, 'api']),
  importsOnly('transformers/ loads models only through #host', 'integrations/transformers', [
    ...DROP_IN,
    'integrations/encodings',
    'vocabularies/(?:open|decode)/',
    '#host',
  ]),
  importsOnly('huggingface/ opens files only through #host', 'integrations/huggingface', [...DROP_IN, 'integrations/encodings', '#host']),
  {
    name: 'base/, engine/, vocabularies/*.ts and api/*.ts run anywhere',
    files: /^lib\/(?:(?:base|engine)\/|(?:vocabularies|api)\/(?:(?:messages|streams)\/)?[\w-]+\.ts$)/,
    check: (file, all) => hostUses(file, all),
  },
  {
    name: 'what pages load names no module of Node',
    files:
      /^lib\/(?:browser|inline|encode-worker|page-[a-z-]+|web-compile-worker|web-train-worker|integrations\/host\/[a-z-]*in-page)\.ts$/,
    check: (file, all) => hostUses(file, all).filter((use) => use.includes("'node:")),
  },
  {
    name: 'code is late behind a call that is awaited: what is always there loads nothing',
    files:
      /^lib\/(?:base|engine|vocabularies\/(?!import\/compile-job\.ts)|integrations\/(?:encodings|tiktoken|js-tiktoken|langchain|ai-sdk))/,
    check: ({ text }) => withoutComments(text).match(/(?<!typeof )\bimport\(['"][^'"]*['"]\)(?!\s*\.\s*[A-Z])/g) ?? [],
  },
  {
    name: 'code comes as an argument, and no function sets it',
    files: /^lib\/(?!chat\/)/,
    check: ({ text }) =>
      [...withoutComments(text).matchAll(/\bexport function ((?:use|install)[A-Z]\w*)/g)]
        .map((match) => match[1]!)
        .filter((name) => !SETTERS.includes(name)),
  },
  onlyIn(
    'texts of the template are made where its source and roles are read (lib/chat/jinja/values/text.ts)',
    /\bofTemplate\b/,
    /^lib\/chat\/(?:apply|jinja\/(?:lexer|parse-expressions|compile\/(?:expressions|frame|statements)|values\/(?:macro|text)))\.ts$/,
  ),
  onlyIn('texts of an author are made where data is read', /\bofAuthor\b/, /^lib\/chat\/(?:data|json|jinja\/values\/text)\.ts$/),
  onlyIn(
    "only the vocabulary's variables are data of the template",
    /\b(?:toValue|parseJson|parseMessages)\([^;]*\bTEMPLATE\b/,
    /^lib\/chat\/apply\.ts$/,
  ),
  {
    name: 'no import cycle, not even of types',
    files: /^lib\/.*(?<!\.d)\.ts$/,
    check: (file, all) => cycleThrough(file, all),
  },
];

/** A rule about code of chats that only some files may have. */
function onlyIn(name: string, code: RegExp, allowed: RegExp): Rule {
  return {
    name,
    files: /^lib\/chat\//,
    check: ({ path: file, text }) => (allowed.test(file) ? [] : [...(code.exec(withoutComments(text)) ?? [])]),
  };
}

/** A rule for a folder of lib/: it imports values only of itself and of `allowed`: folders and files, as patterns of their beginnings, and packages. */
function importsOnly(name: string, folder: string, allowed: string[]): Rule {
  const own = new RegExp(`^lib/(?:${[folder, ...allowed].join('|')})`);
  return {
    name,
    files: new RegExp(`^lib/${folder}/`),
    check: (file) =>
      importsOf(file).filter((specifier) => {
        if (specifier.startsWith('node:')) return folder === 'base';
        return specifier.startsWith('.') ? !own.test(targetOf(file, specifier)) : !allowed.includes(specifier.split('/')[0]!);
      }),
  };
}

function roomOf(file: string): string {
  const [, room, ...rest] = file.split('/');
  return rest.length === 0 ? 'entries' : room!;
}

/** Unknown rooms are above all others, and at odds with themselves. */
function levelOf(room: string): number {
  const level = ROOMS.findIndex((side) => side.includes(room));
  return level < 0 ? ROOMS.length : level;
}

/** The path of a relative import. */
function targetOf(file: Source, specifier: string): string {
  return path.posix.join(path.posix.dirname(file.path), specifier).replace(/\.js$/, '.ts');
}

/** The shortest import cycle through a module, including imports of types; reported only for its first module. */
function cycleThrough(start: Source, all: Source[]): string[] {
  const byPath = new Map(all.map((file) => [file.path, file]));
  const before = new Map<string, string>();
  const queue = [start.path];
  for (const from of queue) {
    const file = byPath.get(from);
    for (const specifier of file ? allImportsOf(file).filter((each) => each.startsWith('.')) : []) {
      const to = targetOf(file!, specifier);
      if (to === start.path) {
        const way = [from];
        while (way[0] !== start.path) way.unshift(before.get(way[0]!)!);
        const isFirst = way.every((each) => each >= start.path);
        return isFirst ? [[...way, start.path].join(' -> ')] : [];
      }
      if (before.has(to)) continue;
      before.set(to, from);
      queue.push(to);
    }
  }
  return [];
}

/** `node:` modules and WebAssembly in a module, or in its imports. */
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
