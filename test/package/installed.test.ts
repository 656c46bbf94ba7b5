// The installed package: packed, unpacked somewhere else, and used by name from there.

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packFolder } from '../../scripts/pack.mjs';
import { bundledPackages } from '../../scripts/sbom.mjs';
import { installInto, type Installed, project } from './install.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-installed-'));
const installed = path.join(folder, 'node_modules', 'crayon-tokenizer');
const HELLO = '24912,2375';
let packed: Installed;

function run(command: string, args: string[], options: { cwd?: string; input?: string; env?: NodeJS.ProcessEnv } = {}): string {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, CRAYON_ADDON: '' }, ...options });
}

/** Runs an ES module in the folder where the package is installed. */
const runModule = (source: string) => run(process.execPath, ['--input-type=module', '--eval', source]).trim();

beforeAll(() => {
  packed = installInto(folder);
}, 300_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('is at most 21 MB packed, with one addon', () => expect(fs.statSync(packed.tarball).size).toBeLessThan(21e6));

  it('holds exactly the files it needs', () => {
    const { files } = packed;
    const kinds = new Set(
      files.map((file) => file.replace(/^(dist|prebuilds)\/.*$/, '$1/').replace(/^cartridges\/.*\.cray$/, 'cartridges/*.cray')),
    );
    expect([...kinds].sort()).toEqual(
      [
        'LICENSE',
        'NOTICE',
        'README.md',
        'bench/results/hero.svg',
        'cartridges/*.cray',
        'cartridges/FORMAT.md',
        'dist/',
        'docs/drop-in-differences.md',
        'docs/public/tokens.svg',
        'package.json',
        'prebuilds/',
      ].sort(),
    );
    expect(files).toContain(`prebuilds/${process.platform}-${process.arch}/crayon.node`);
    // Six slim vocabularies, four of which are also full, and the DNA vocabularies.
    expect(files.filter((file) => file.endsWith('.cray'))).toHaveLength(10 + 7);
    const names = ['cl100k_base', 'lite', 'o200k_base', 'p50k_base', 'r50k_base', 'standard'];
    expect(files.filter((file) => file.endsWith('.slim.cray')).sort()).toEqual(names.map((name) => `cartridges/${name}.slim.cray`));
    for (const name of ['cl100k_base', 'lite', 'o200k_base', 'standard']) expect(files).toContain(`cartridges/${name}.cray`);
  });

  describe('a vocabulary that the package has in slim form', () => {
    const cache = path.join(folder, 'cache');
    const env = { ...process.env, CRAYON_ADDON: '', CRAYON_CACHE_DIR: cache };
    const full = fs.readFileSync(path.join(project, 'cartridges', 'r50k_base.cray'));
    /** Encodes with it under each of its names; prints which of its files is mapped, after a while. */
    const encoded = (milliseconds: number, entry = 'crayon-tokenizer') => {
      const program = `
        import fs from 'node:fs';
        import { Tokenizer } from '${entry}';
        const tokenizers = [Tokenizer.loadSync('gpt2'), await Tokenizer.load('r50k_base')];
        const ids = tokenizers.map((each) => each.encode('hello world').join());
        const maps = fs.existsSync('/proc/self/maps') ? fs.readFileSync('/proc/self/maps', 'utf8') : '';
        console.log(...ids, /r50k_base-[\\w-]+\\.cray/.test(maps) ? 'full' : 'slim');
        setTimeout(() => undefined, ${milliseconds});`;
      return run(process.execPath, ['--input-type=module', '--eval', program], { env }).trim();
    };
    const kept = () => (fs.existsSync(cache) ? fs.readdirSync(cache).map((name) => path.join(cache, name)) : []);

    it('is opened directly by a short process', () => {
      expect(encoded(0)).toBe('31373,995 31373,995 slim');
      expect(kept()).toEqual([]);
    });

    it.each(['crayon-tokenizer', 'crayon-tokenizer/wasm'])('is expanded and cached by a longer process: %s', (entry) => {
      fs.rmSync(cache, { recursive: true, force: true });
      expect(encoded(4000, entry)).toBe('31373,995 31373,995 slim');
      expect(kept()).toHaveLength(1);
      expect(fs.readFileSync(kept()[0]!).equals(full)).toBe(true);
    });

    it('is mapped from the cache afterwards', () => {
      expect(encoded(0)).toBe(`31373,995 31373,995 ${process.platform === 'linux' ? 'full' : 'slim'}`);
    });

    it('is opened directly if the cached file is damaged, and that file is removed', () => {
      const [file] = kept();
      fs.writeFileSync(file!, full.subarray(0, 1000));
      expect(encoded(200)).toBe('31373,995 31373,995 slim');
      expect(kept()).toEqual([]);
    });

    it('is opened directly if the cache is not writable', () => {
      fs.rmSync(cache, { recursive: true, force: true });
      fs.writeFileSync(cache, 'a file');
      expect(encoded(1500)).toBe('31373,995 31373,995 slim');
      expect(fs.readFileSync(cache, 'utf8')).toBe('a file');
      fs.rmSync(cache);
    });
  });

  it('has the vocabularies of DNA models as files, and compiles missing ones', () => {
    const program = `
      import { DnaTokenizer } from 'crayon-tokenizer/dna';
      import { DnaTokenizer as Wasm } from 'crayon-tokenizer/wasm/dna';
      console.log([DnaTokenizer, Wasm].flatMap((each) => ['nt-v2', 'hyenadna'].map((name) => each.loadSync(name).encode('ACGTACN', { addSpecialTokens: true }).join())).join(' '));
    `;
    const ids = '3,728,4106 7,8,9,10,7,8,11,1';
    expect(runModule(program)).toBe(`${ids} ${ids}`);
    const file = path.join(installed, 'cartridges', 'nt-v2.cray');
    const bytes = fs.readFileSync(file);
    try {
      // This file is the one opened:
      fs.writeFileSync(file, bytes.subarray(0, 100));
      expect(() => runModule(program)).toThrow(/nt-v2\.cray/);
      fs.rmSync(file);
      expect(runModule(program)).toBe(`${ids} ${ids}`);
    } finally {
      fs.writeFileSync(file, bytes);
    }
  });

  it('has no install script and no dependencies, and needs no build', () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8'));
    for (const key of ['scripts', 'dependencies', 'devDependencies', 'workspaces', 'private']) expect(manifest).not.toHaveProperty(key);
    expect(manifest.repository.url).toMatch(/^git\+https:/);
    expect(fs.existsSync(path.join(installed, 'binding.gyp'))).toBe(false);
  });

  it('names every bundled package in NOTICE', () => {
    const bundled = bundledPackages().map((each) => each.split('node_modules/').at(-1)!);
    expect(bundled).toContain('commander');
    const notice = fs.readFileSync(path.join(installed, 'NOTICE'), 'utf8');
    expect(bundled.filter((name) => !notice.includes(name))).toEqual([]);
  });

  it('refers to no source map, as it has none', () => {
    const scripts = packed.files.filter((file) => /^dist\/.*\.c?js$/.test(file));
    expect(packed.files.filter((file) => file.endsWith('.map'))).toEqual([]);
    expect(scripts.filter((file) => fs.readFileSync(path.join(installed, file), 'utf8').includes('sourceMappingURL='))).toEqual([]);
  });

  it('packs to the same bytes again, from copies with other modification times', () => {
    const folders = ['one', 'two'].map((name) => path.join(folder, 'again', name));
    const [one, two] = folders.map((each) => {
      const copy = path.join(each, 'package');
      fs.cpSync(installed, copy, { recursive: true });
      // A smaller package, which packs quickly.
      fs.rmSync(path.join(copy, 'cartridges'), { recursive: true });
      return fs.readFileSync(packFolder(copy, each));
    });
    expect(one!.equals(two!)).toBe(true);
  });

  it('has no dead link in its README', () => {
    const readme = fs.readFileSync(path.join(installed, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)|(?:src|href)="([^"#]+)"/g)].map(([, inline, html]) => (inline ?? html)!);
    const dead = links.filter((link) => !/^https:\/\//.test(link) && !fs.existsSync(path.join(installed, link)));
    expect(dead).toEqual([]);
  });

  it('encodes when imported by name', () => {
    const source = `
      import { Tokenizer } from 'crayon-tokenizer';
      const tokenizer = await Tokenizer.load('gpt-4o');
      console.log(tokenizer.encode('hello world').join(), tokenizer.backend.kind);`;
    expect(runModule(source)).toBe(`${HELLO} native`);
  });

  it('encodes when required', () => {
    const source = `console.log(require('crayon-tokenizer').Tokenizer.loadSync('o200k_base').encode('hello world').join())`;
    expect(run(process.execPath, ['--no-warnings', '--eval', source]).trim()).toBe(HELLO);
  });

  it('replaces tiktoken', () => {
    const source = `console.log(require('crayon-tokenizer/tiktoken').get_encoding('o200k_base').encode('hello world').join())`;
    expect(run(process.execPath, ['--no-warnings', '--eval', source]).trim()).toBe(HELLO);
    for (const name of ['tiktoken/lite', 'tiktoken/init', 'tiktoken/lite/init']) {
      expect(runModule(`console.log(typeof (await import('crayon-tokenizer/${name}')).Tiktoken)`), name).toBe('function');
    }
  });

  it('exports its cartridges and its manifest', () => {
    const source = `
      import { fileURLToPath } from 'node:url';
      import { Tokenizer } from 'crayon-tokenizer';
      const file = fileURLToPath(import.meta.resolve('crayon-tokenizer/cartridges/o200k_base.cray'));
      const { default: manifest } = await import('crayon-tokenizer/package.json', { with: { type: 'json' } });
      console.log(Tokenizer.loadSync(file).encode('hello world').join(), manifest.name);`;
    expect(runModule(source)).toBe(`${HELLO} crayon-tokenizer`);
  });

  it('hides everything else', () => {
    const source = `await import('crayon-tokenizer/dist/node/index.js').catch((error) => console.log(error.code));`;
    expect(runModule(source)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('has a command', () => {
    const { bin } = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8'));
    const command = path.join(installed, bin.crayon);
    expect(fs.readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(run(process.execPath, [command, '--help'])).toMatch(/count[\s\S]*encode[\s\S]*decode[\s\S]*info/);
    expect(run(process.execPath, [command, 'encode', '-'], { input: 'hello world' })).toContain('24912');
  });

  it('has types', () => {
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    fs.writeFileSync(
      path.join(folder, 'use.ts'),
      `import { Tokenizer, TokenizerError } from 'crayon-tokenizer';
       import { get_encoding } from 'crayon-tokenizer/tiktoken';
       import { init } from 'crayon-tokenizer/tiktoken/init';
       export const others: Uint32Array = get_encoding('gpt2').encode('hello world', 'all', []);
       await init((imports) => imports);
       const tokenizer: Tokenizer = await Tokenizer.load('o200k_base');
       export const ids: Uint32Array = tokenizer.encode('hello world', { special: 'allow' });
       // @ts-expect-error: no such policy
       tokenizer.encode('hello world', { special: 'perhaps' });
       export const code: string = new TokenizerError('', { code: 'CLOSED' } as never).code;
      `,
    );
    const compilerOptions = {
      noEmit: true,
      strict: true,
      skipDefaultLibCheck: true,
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'dom'],
      types: [],
    };
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const tsc = path.join(project, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '--project', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('replaces gpt-tokenizer: a program compiles and prints the same with only its import paths changed', () => {
    const program = fs.readFileSync(new URL('gpt-tokenizer-program.ts', import.meta.url), 'utf8');
    fs.symlinkSync(path.join(project, 'node_modules', 'gpt-tokenizer'), path.join(folder, 'node_modules', 'gpt-tokenizer'), 'junction');
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    fs.writeFileSync(path.join(folder, 'theirs.ts'), program);
    fs.writeFileSync(path.join(folder, 'ours.ts'), program.replaceAll("from 'gpt-tokenizer", "from 'crayon-tokenizer/gpt-tokenizer"));
    const compilerOptions = {
      strict: true,
      skipDefaultLibCheck: true,
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'dom'],
      types: [],
    };
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['theirs.ts', 'ours.ts'] }));
    const tsc = path.join(project, 'node_modules', 'typescript', 'bin', 'tsc');
    expect(spawnSync(process.execPath, [tsc, '--project', folder], { encoding: 'utf8' })).toMatchObject({ stdout: '', status: 0 });
    const [theirs, ours] = ['theirs.js', 'ours.js'].map((file) => run(process.execPath, [file]));
    expect(ours).toBe(theirs);
    expect(theirs!.split('\n').length).toBeGreaterThan(15);
  });

  it('replaces gpt-tokenizer when required, under every path', () => {
    const source = `
      const from = (path) => require('crayon-tokenizer/gpt-tokenizer' + path);
      const paths = ['', '/GptEncoding', '/mapping', '/models', '/modelTypes', '/resolveEncoding', '/resolveEncodingAsync'];
      paths.forEach(from);
      const names = [...from('/mapping').encodingNames.map((name) => '/encoding/' + name), ...Object.keys(from('/models')).map((name) => '/model/' + name)];
      const modules = names.map(from);
      console.log(modules.length > 200 && modules.every(({ encode }) => encode('hello world').length === 2));`;
    expect(run(process.execPath, ['--no-warnings', '--eval', source]).trim()).toBe('true');
  });

  it('works as its README shows', () => {
    const readme = fs.readFileSync(path.join(installed, 'README.md'), 'utf8');
    const examples = [...readme.matchAll(/^```js\n([\s\S]*?)^```\n\s*^```text\n([\s\S]*?)^```$/gm)];
    expect(examples.length).toBeGreaterThan(0);
    for (const [, code, output] of examples) expect(runModule(code!)).toBe(output!.trim());
  });
});
