// The tests that `npm test` runs a second time, in another configuration: see scripts/tiers.mjs.

const inLib = (names) => names.map((name) => `test/lib/${name}.test.ts`);

const EXPORTS = [
  ...[
    'api',
    'bad-input',
    'batch',
    'dna',
    'document',
    'dna-parts',
    'dna-records',
    'dna-threads',
    'errors',
    'fitting',
    'lifetime',
    'loading',
    'offsets',
  ],
  ...['records', 'special', 'swap', 'train'],
];
const EXACTNESS = ['-crossings', '-fuzz', '-special'].map((part) => `exactness${part}`);

/** The addon's exports: these run under the sanitizers, too. */
export const ADDON = inLib([...EXPORTS, 'addon', 'devices', 'device-batches', 'encode-file', 'ended-calls', 'ended-workers']);

/**
 * Slow tests whose failures other tests would mostly notice, too: long lists of programs, files and help pages, sweeps
 * that GoogleTest runs for the engine, other packages that use this one, generated sources. Only `npm run test:long` runs
 * these, and Vitest if CRAYON_TEST_SHARE is not set.
 */
export const ONLY_LONG = [
  ...['behind-byte-level', 'cli-files', 'cli-help', 'cli-train', 'consumer-types', 'drop-in-differences', 'dropped-text', 'generated'],
  ...['exactness-blocks', 'exactness-code-points', 'exactness-kernels', 'exactness-windows', 'gpt-tokenizer-differences'],
  ...[
    'gpt-tokenizer-side-by-side',
    'langchain',
    'long-text',
    'marked-spaces',
    'memory-share',
    'no-regular-file',
    'sentencepiece-mutations',
    'tekken',
    'types',
  ],
]
  .map((name) => `lib/${name}.test.ts`)
  .concat(
    ['architecture/old-glibc', 'chat/characters', 'chat/expressions', 'package/installed', 'package/models'].map(
      (name) => `${name}.test.ts`,
    ),
  );

/**
 * Whole texts, whose ids Chromium compares, and sweeps over kernels, blocks and windows, which GoogleTest runs for
 * WebAssembly: `npm run test:long` runs these there, too.
 */
export const SWEEPS = inLib(['', '-blocks', '-code-points', '-kernels', '-windows'].map((part) => `exactness${part}`));

/** The API: these run with WebAssembly in place of the addon, too. */
export const API = [
  ...inLib([
    ...EXPORTS.filter((name) => name !== 'loading'),
    ...EXACTNESS,
    ...[
      'adapt',
      'bpe-uncut',
      'chat',
      'conversation',
      'conversation-trim',
      'dat',
      'dna-batches',
      'dna-discover',
      'dna-dnabert2',
      'dna-reference',
      'encode-async',
      'encode-pipeline',
    ],
    ...[
      'gunzip',
      'healing',
      'hostile-input',
      'long-text',
      'longest-match',
      'messages',
      'models',
      'nfc',
      'options',
      'pipelines',
      'prefix-cache',
    ],
    ...['read-only', 'streams', 'streams-node'],
  ]),
  'test/chat/conversation.test.ts',
  'test/chat/harmony.test.ts',
  'test/chat/masks.test.ts',
];

/**
 * The slowest of these with WebAssembly, which Chromium runs as well, or whose work GoogleTest does there; and random chats, which
 * ask of the engine what test/lib/conversation.test.ts asks.
 */
export const API_ONLY_LONG = [
  ...inLib([
    'adapt',
    'dat',
    'exactness-crossings',
    'exactness-fuzz',
    'fitting',
    'gunzip',
    'lifetime',
    'long-text',
    'longest-match',
    'nfc',
    'train',
  ]),
  'test/chat/conversation.test.ts',
];

// GoogleTest files, in CMake's format.
const nativeTests = (names) => `(${names.join('|')})_test`;

const KERNELS = [
  ...[
    'bpe',
    'decode',
    'dna',
    'encoder',
    'json_texts',
    'longest_match',
    'normalizer_program',
    'pattern_scanner',
    'records',
    'scanner',
    'transcode',
  ],
  ...['unicode', 'utf8', 'validator', 'word_scan'],
];

/**
 * Files whose tests depend on the kernel, or on how the machine represents their data (signedness of characters, byte
 * order): these run for another architecture. The others would give the same result there.
 */
export const OF_KERNELS = nativeTests(KERNELS);

/**
 * What WebAssembly changes besides the kernel: 32-bit sizes, memory that is never released, caches that do not grow. `npm
 * run test:long` runs all engine tests there, and the tier `wasm-api` what the API does with it.
 */
export const OF_WASM = nativeTests([...KERNELS, 'piece_memory', 'structure', 'token_offsets', 'zeroed_pages']);

/**
 * Files whose tests an optimised build may answer differently from one under sanitizers: tests of kernels, and tests that
 * count work, use all memory, or have threads. The others are compiled once, for the sanitizers.
 */
export const OF_RELEASE = nativeTests([
  ...KERNELS,
  ...['added_tokens', 'limits', 'nfc', 'parallel_threads', 'piece_memory', 'regex', 'stripping_tokens'],
  ...['train_threads', 'whole_words', 'zeroed_pages'],
  'gpu/.*', // the kernels for accelerators: under the sanitizers, which double their time, in `npm run test:long`
]);

/**
 * A GoogleTest filter: tests that count work or transfers, which are the same in every build; and one that takes much
 * memory. The release build runs them.
 */
export const COUNTS_WORK = '*Linear*:*BoundedWork*:*ContinueFromKnownText*:*StreamCoalesced*:Records.PositionsBeyond32Bits';

/** Likewise: tests of the validator, which runs before any kernel; and for single-kernel modules, that all kernels agree. */
export const OF_NO_KERNEL = 'Validator.RejectsWhatTheRecipesList:Validator.RejectsEvery*';
export const OF_SEVERAL_KERNELS = 'Validator.RejectsTheSameOnEveryKernel:Validator.RejectsEveryFlippedBit*';
