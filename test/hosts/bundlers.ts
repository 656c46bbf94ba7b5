// Bundlers as their own documentation sets them up: no loader, no rule and no copied file for our sake.

import path from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
// @ts-expect-error: its package.json hides its types from ES modules
import { importMetaAssets } from '@web/rollup-plugin-import-meta-assets';
import * as esbuild from 'esbuild';
import { rollup } from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';

import { SHARE } from '../share.js';

/** Bundles a module for browsers: `main.js` in a folder, and the files it needs beside it. */
export type Bundler = (entry: string, out: string) => Promise<void>;

export const BUNDLERS: Record<string, Bundler> = {
  async Vite(entry, out) {
    await vite.build({
      configFile: false,
      root: path.dirname(entry),
      base: './',
      logLevel: 'error',
      worker: { format: 'es' },
      build: {
        outDir: out,
        target: 'esnext',
        modulePreload: false,
        rolldownOptions: { input: entry, output: { entryFileNames: 'main.js' } },
      },
    });
  },

  async webpack(entry, out) {
    const options: webpack.Configuration = {
      mode: 'production',
      context: path.dirname(entry),
      entry,
      output: { path: out, filename: 'main.js' },
      // Its hints on size are irrelevant here.
      performance: false,
      // Takes most of the time: a sample minimizes only one bundle, the largest one in bundles.test.ts.
      optimization: { minimize: SHARE === 1 || path.basename(out) === 'webpack-main' },
    };
    const compiler = webpack(options)!;
    const stats = await new Promise<webpack.Stats>((resolve, reject) => {
      compiler.run((error, result) => (error ? reject(error) : resolve(result!)));
    });
    await new Promise((resolve) => compiler.close(resolve));
    const messages = stats.toJson({ errors: true, warnings: true });
    const all = [...(messages.errors ?? []), ...(messages.warnings ?? [])].map(({ message }) => message);
    if (all.length > 0) throw new Error(all.join('\n'));
  },

  async esbuild(entry, out) {
    const { warnings } = await esbuild.build({
      entryPoints: { main: entry },
      outdir: out,
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'esnext',
      logLevel: 'silent',
    });
    if (warnings.length > 0) throw new Error((await esbuild.formatMessages(warnings, { kind: 'warning' })).join('\n'));
  },

  async Rollup(entry, out) {
    const warnings: string[] = [];
    const bundle = await rollup({
      input: { main: entry },
      plugins: [nodeResolve({ browser: true }), importMetaAssets()],
      onwarn: ({ message }) => warnings.push(message),
    });
    await bundle.write({ dir: out, format: 'es', entryFileNames: '[name].js' });
    await bundle.close();
    if (warnings.length > 0) throw new Error(warnings.join('\n'));
  },
};

/** All names, or two in `npm test`: Vite represents Rollup, which it is built on, and esbuild those without asset support. */
export function bundlers(): string[] {
  return SHARE === 1 ? Object.keys(BUNDLERS) : ['Vite', 'esbuild'];
}
