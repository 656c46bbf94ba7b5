// Which parts of the code may depend on which. The rules are in dependencies.ts.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importsOf, includesOf, readSources, RULES, type Source, violations } from './dependencies.js';

const project = fileURLToPath(new URL('../..', import.meta.url));
const sources = [
  ...readSources(project, ['native', 'wasm', 'gpu'], /\.(?:h|hpp|cuh|cpp|cu|def)$/),
  ...readSources(project, ['lib'], /\.ts$/),
];

describe('the sources', () => {
  it('are found', () => {
    const folders = new Set(sources.map(({ path }) => path.split('/').slice(0, -1).join('/')));
    for (const folder of ['native/include/crayon', 'native/src', 'native/src/scan', 'native/src/cartridge', 'native/addon', 'lib']) {
      expect(folders).toContain(folder);
    }
    expect(sources.flatMap(includesOf).length).toBeGreaterThan(100);
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(10);
  });

  it('keep every rule', () => {
    expect(violations(RULES, sources)).toEqual([]);
  });
});

// Each of these must be reported.
const MUST_FAIL: Source[] = [
  { path: 'native/src/model/bpe.cpp', text: '#include <node_api.h>' },
  { path: 'native/include/crayon/crayon.h', text: '#include <cuda_runtime.h>' },
  { path: 'native/src/scan/gpt2.h', text: '#  include "emscripten.h"' },
  { path: 'native/addon/encode.cpp', text: '#include "crayon/layout/bpe.h"' },
  { path: 'native/addon/encode.cpp', text: '#include "tokenizer.h"' },
  { path: 'native/addon/encode.cpp', text: '#include "../src/encode/encoder.h"' },
  { path: 'native/addon/encode.cpp', text: '#include <pthread.h>' },
  { path: 'native/addon/linux/old_glibc.cpp', text: '#include <crayon/layout/bpe.h>' },
  { path: 'wasm/exports.cpp', text: '#include "model/bpe.h"' },
  { path: 'gpu/kernels/bpe.cu', text: '#include "model/bpe.h"' },
  { path: 'gpu/kernels/bpe.cu', text: '#include "crayon/crayon.h"' },
  { path: 'gpu/kernels/lut.h', text: '#include "plugin/pipeline.h"' },
  { path: 'gpu/kernels/lut.h', text: '#include <cuda_runtime.h>' },
  { path: 'native/src/model/bpe.h', text: '#include "scan/scanner.h"' },
  { path: 'native/src/scan/scanner.h', text: '#include "normalize/nfc.h"' },
  { path: 'native/src/normalize/nfc.cpp', text: '#include "model/bpe.h"' },
  { path: 'native/src/cartridge/validator.cpp', text: '#include "tables/cartridge_writer.h"' },
  { path: 'native/src/tokenizer.cpp', text: '#include "compile/compiler.h"' },
  { path: 'native/src/c_api.cpp', text: '#include "train/bpe_trainer.h"' },
  { path: 'native/src/tables/bpe_tables.cpp', text: '#include "compile/compiler.h"' },
  { path: 'native/src/cartridge/validator.cpp', text: '#include "compile/compiler.h"' },
  { path: 'native/src/cartridge/expansion.cpp', text: '#include "compile/compiler.h"' },
  { path: 'native/src/tables/cartridge_writer.cpp', text: '#include "cartridge/validator.h"' },
  { path: 'native/src/compile/compiler.cpp', text: '#include "cartridge/cartridge.h"' },
  { path: 'native/src/train/trainer.cpp', text: '#include "compile/compiler.h"' },
  { path: 'native/src/cartridge/registry.cpp', text: '#ifdef __linux__' },
  { path: 'native/src/scan/gpt2.h', text: '#if defined(__AVX2__)' },
  { path: 'native/src/encode/encoder.cpp', text: '  #elif _WIN32' },
  { path: 'native/src/encode/encoder.h', text: '#include "limits/splitter.h"' },
  { path: 'native/src/encode/encoder.cpp', text: 'status = Normalizing::create(tokenizer, policy, &made);' },
  { path: 'native/src/tokenizer.cpp', text: 'made = make_normalizer(number, pass, program, &normalizer_);' },
  { path: 'native/src/encode/normalizing.cpp', text: '#include "parallel/pool.h"' },
  { path: 'native/src/limits/splitter.cpp', text: '#include "parallel/encode_job.h"' },
  { path: 'native/src/limits/part_cutter.cpp', text: '#include "model/bpe.h"' },
  { path: 'native/src/limits/clusters.h', text: '#include "limits/part_cutter.h"' },
  { path: 'native/src/normalize/table.cpp', text: '#include "tokenizer.h"' },
  { path: 'native/src/scan/added_search.h', text: '#include "encode/added_policy.h"' },
  { path: 'lib/vocabularies/compile/scanner.ts', text: "import type { JsonNode } from '../import/json-node.js';" },
  { path: 'lib/vocabularies/patterns/tables.ts', text: "const { automatonOf } = await import('./automaton.js');" },
  { path: 'lib/hosts/addon/open.ts', text: "import { openWasm } from '../module/engine.js';" },
  { path: 'lib/hosts/module/open.ts', text: "export { missing } from '../addon/addon.js';" },
  { path: 'lib/dna/bases.ts', text: 'export function useForBases(work: OnBases): void {' },
  { path: 'lib/dna/bases.ts', text: "import type { TrainBpe } from '../training/train-bpe.js';" },
  { path: 'lib/training/train-bpe.ts', text: "import type { Tokenizer } from '../index.js';" },
  { path: 'lib/api/tokenizer.ts', text: "import type { Template } from '../chat/jinja/template.js';" },
  { path: 'lib/io/gzip.ts', text: "import type { Handle } from '../engine/functions.js';" },
  { path: 'lib/datasets/verify.ts', text: "import type { Encoder } from '../integrations/tiktoken/encoder.js';" },
  { path: 'lib/garage/car.ts', text: "import { errorOf } from '../base/errors.js';\nimport type { Wheel } from '../shed/wheel.js';" },
  { path: 'lib/integrations/tiktoken/ranks.ts', text: "import { Tokenizer } from '../../index.js';" },
  { path: 'lib/integrations/js-tiktoken/index.ts', text: "import commander from 'commander';" },
  { path: 'lib/chat/chat.ts', text: "import commander from 'commander';" },
  { path: 'lib/browser.ts', text: "import fs from 'node:fs';" },
  { path: 'lib/chat/jinja/filters/text.ts', text: 'out.add(ofTemplate(value.text));' },
  { path: 'lib/chat/jinja/globals.ts', text: "import { ofTemplate as literal } from './values/text.js';" },
  { path: 'lib/chat/jinja/methods/text.ts', text: 'return ofAuthor(text, -1);' },
  { path: 'lib/chat/jinja/format.ts', text: 'values.set(name, toValue(each, TEMPLATE, name));' },
  { path: 'lib/vocabularies/import/json-node.ts', text: "import type { JsonNode } from './json-node.js';" },
];

describe('a breach', () => {
  it.each(MUST_FAIL)('in $path is reported: $text', (source) => {
    expect(violations(RULES, [source])).toHaveLength(1);
  });

  it.each<Source>([
    { path: 'lib/api/tokenizer.ts', text: "import fs from 'node:fs';" },
    { path: 'lib/api/tokenizer.ts', text: "import { readFileSync } from\n  'fs';" },
    { path: 'lib/api/tokenizer.ts', text: "const fs = await import('node:fs');" },
    { path: 'lib/base/errors.ts', text: "export { openNative } from '../hosts/addon/engine.js';" },
    { path: 'lib/base/errors.ts', text: 'new WebAssembly.Module(bytes);' },
  ])('of what runs anywhere, is reported: $text', (source) => {
    expect(violations(RULES, [source]).length).toBeGreaterThan(0);
  });

  it('in an imported module is reported', () => {
    const tokenizer = { path: 'lib/api/tokenizer.ts', text: "import { a } from './a.js';" };
    const other = { path: 'lib/api/a.ts', text: "import 'node:fs';" };
    expect(violations(RULES, [tokenizer, other])).toContain(
      "lib/api/tokenizer.ts: base/, engine/, vocabularies/*.ts and api/*.ts run anywhere: 'node:fs' in lib/api/a.ts",
    );
  });

  it('that is a cycle of three, one import a type, is reported once', () => {
    const files = ['b', 'c', 'a'].map((next, index) => ({
      path: `lib/api/${'abc'[index]}.ts`,
      text: `import ${index === 1 ? 'type ' : ''}{ x } from './${next}.js';`,
    }));
    expect(violations(RULES, files)).toEqual([
      'lib/api/a.ts: no import cycle, not even of types: lib/api/a.ts -> lib/api/b.ts -> lib/api/c.ts -> lib/api/a.ts',
    ]);
  });
});

describe('allowed dependencies', () => {
  it.each<Source>([
    { path: 'native/src/model/bpe.cpp', text: '#include <cstdint>\n#include "base/buffer.h"\n#include "crayon/layout/bpe.h"' },
    { path: 'native/addon/encode.cpp', text: '#include <napi.h>\n#include <algorithm>\n#include "crayon/crayon.h"' },
    { path: 'native/src/cartridge/expansion.cpp', text: '#include "tables/merge_list.h"' },
    { path: 'native/src/platform/mapped_file.cpp', text: '#ifdef _WIN32' },
    { path: 'native/src/kernels/kernel.cpp', text: '#if CRAYON_HAS_KERNEL_SSSE3\n#include "simd/bytes64_avx2.h"' },
    { path: 'native/src/tokenizer.cpp', text: '#include "scan/scanner.h"\n#include "model/bpe.h"' },
    { path: 'lib/api/tokenizer.ts', text: "import type { Stats } from 'node:fs';\n// import 'node:fs'\n/** WebAssembly */" },
    { path: 'lib/hosts/addon/open.ts', text: "import fs from 'node:fs';\nimport type { Compiler } from '../../engine/compiler.js';" },
    { path: 'lib/integrations/gpt-tokenizer/vocabulary.ts', text: "import { open } from '#host';\nimport '#host/o200k_base';" },
  ])('in $path', (source) => {
    expect(violations(RULES, [source])).toEqual([]);
  });
});
