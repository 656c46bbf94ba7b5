/**
 * `npm run bench`: builds the measured code, then runs the engine's benchmarks and the harnesses that put the package
 * beside others, in Node and in Chromium. bench/README.md says what they measure, and which options they take.
 *
 *     npm run bench [-- OPTIONS]           all, with options that all know (--quick, --encodings, --no-save …)
 *     npm run bench -- engine [OPTIONS]    one of them
 *     npm run bench -- node [OPTIONS]
 *     npm run bench -- browser [OPTIONS]
 *     npm run bench -- slowest [OPTIONS]   searches for slow texts; only by name
 *     npm run bench -- threads [OPTIONS]   one thread against all; only by name
 *     npm run bench -- file [OPTIONS]      a file of 10 GB; only by name
 *     npm run bench -- streams [OPTIONS]   streams by the size of their chunks; only by name
 *     npm run bench -- documents [OPTIONS]  texts that are edited; only by name
 *     npm run bench -- limits [OPTIONS]    texts cut to limits, beside another commit; only by name
 *     npm run bench -- conversations [OPTIONS]  chats that change by messages; only by name
 *     npm run bench -- detokenize [OPTIONS]   ids of many streams to text; only by name
 *     npm run bench -- prefix-cache [OPTIONS]   prompts that grow, with a PrefixCache; only by name
 *     npm run bench -- prompts [OPTIONS]   prompts that grow, in the AI SDK, LangChain and servers; only by name
 *     npm run bench -- fasta [OPTIONS]     the readers of FASTA and FASTQ; only by name
 *     npm run bench -- dna [OPTIONS]       sequences of bases to ids; only by name
 *     npm run bench -- embed [OPTIONS]     how long a model waits for ids; only by name
 *     npm run bench -- race [OPTIONS]      beside the fastest tokenizers of other languages; only by name
 *     npm run bench -- crayon [OPTIONS]    CRAYON's Table 1 with its own package of PyPI; only by name
 *     npm run bench -- lopt [OPTIONS]      long documents: latency, threads, other strategies; only by name
 *     npm run bench -- gpu [OPTIONS]       batches on an accelerator, or on the emulated device; only by name
 *     npm run bench -- dnatok [OPTIONS]    DNATok's grid on a device, beside transformers and PyTorch; only by name
 *     npm run bench -- gpu-model           how fast one could be: a model, without any; only by name
 *     npm run bench -- vocabulary [OPTIONS]   one of one's own, trained, beside published ones; only by name
 *     npm run bench -- models [OPTIONS]    tokenizer.json of models: importing, encoding; only by name
 *     npm run bench -- general [OPTIONS]   the general path: speed, memory, worst texts; only by name
 *     npm run bench -- chat [OPTIONS]      the first chat of a program; only by name
 *     npm run bench -- datasets [OPTIONS]  documents to shards, and shards to files; only by name
 *     npm run bench -- decoders FILE…      decoders of tokenizer.json files; only by name
 */
import path from 'node:path';
import { buildAddon, buildNative, buildTypeScript, buildWasm } from './build.mjs';
import { buildPlugins } from './build-gpu.mjs';
import { buildCartridges } from './cartridges.mjs';
import { root, run, runMain } from './process.mjs';
import { setUp } from './setup.mjs';

const HARNESSES = {
  engine: path.join(root, 'bench', 'native', 'run.mjs'),
  node: path.join(root, 'bench', 'node', 'run.mjs'),
  browser: path.join(root, 'bench', 'browser', 'run.mjs'),
};
const BY_NAME = {
  slowest: path.join(root, 'bench', 'slowest', 'run.mjs'),
  threads: path.join(root, 'bench', 'threads', 'run.mjs'),
  file: path.join(root, 'bench', 'file', 'run.mjs'),
  streams: path.join(root, 'bench', 'streams', 'run.mjs'),
  documents: path.join(root, 'bench', 'documents', 'run.mjs'),
  limits: path.join(root, 'bench', 'limits', 'run.mjs'),
  conversations: path.join(root, 'bench', 'conversations', 'run.mjs'),
  detokenize: path.join(root, 'bench', 'streams', 'detokenize.mjs'),
  'prefix-cache': path.join(root, 'bench', 'streams', 'prefix-cache.mjs'),
  prompts: path.join(root, 'bench', 'prompts', 'run.mjs'),
  fasta: path.join(root, 'bench', 'fasta', 'run.mjs'),
  dna: path.join(root, 'bench', 'dna', 'run.mjs'),
  embed: path.join(root, 'bench', 'embed', 'run.mjs'),
  race: path.join(root, 'bench', 'race', 'run.mjs'),
  crayon: path.join(root, 'bench', 'crayon', 'run.mjs'),
  lopt: path.join(root, 'bench', 'lopt', 'run.mjs'),
  vocabulary: path.join(root, 'bench', 'vocabulary', 'run.mjs'),
  gpu: path.join(root, 'bench', 'gpu', 'run.mjs'),
  dnatok: path.join(root, 'bench', 'dnatok', 'run.mjs'),
  'gpu-model': path.join(root, 'bench', 'gpu', 'model.mjs'),
  models: path.join(root, 'bench', 'models', 'run.mjs'),
  general: path.join(root, 'bench', 'general', 'run.mjs'),
  chat: path.join(root, 'bench', 'chat', 'run.mjs'),
  datasets: path.join(root, 'bench', 'datasets', 'run.mjs'),
  decoders: path.join(root, 'bench', 'decoders', 'run.mjs'),
};

await runMain(async () => {
  const [first, ...rest] = process.argv.slice(2);
  const all = { ...HARNESSES, ...BY_NAME };
  const chosen = first in all ? [first] : Object.keys(HARNESSES);
  const options = first in all ? rest : process.argv.slice(2);
  setUp('test');
  buildAddon();
  await buildTypeScript();
  buildWasm();
  buildCartridges();
  if (chosen.includes('engine')) buildNative('release', ['crayon_bench'], { reconfigure: true });
  if (chosen.includes('lopt')) buildNative('release', ['crayon_lopt']);
  if (chosen.includes('race')) buildNative('release', ['crayon_race']);
  if (chosen.includes('gpu') || chosen.includes('dnatok')) buildPlugins();
  if (chosen.some((name) => name.startsWith('gpu')))
    buildNative('release', ['crayon_gpu_bench', 'crayon_gpu_proxy', 'crayon_gpu_recorded'], { reconfigure: true });
  for (const name of chosen) run(process.execPath, [all[name], ...options]);
});
