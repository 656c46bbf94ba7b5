import fs from 'node:fs';
import { defineConfig } from 'vitepress';

// Written by scripts/docs.mjs, which lays the pages out.
const { base, sidebars, hasPlayground, modules } = JSON.parse(fs.readFileSync(new URL('generated.json', import.meta.url), 'utf8'));

const SITE = 'https://crayon-tokenizer.github.io/crayon-tokenizer/';
const DESCRIPTION = 'Exact token ids for GPT, Llama, Qwen, DeepSeek, Mistral and models of DNA, in Node, browsers and edge workers';
const REPOSITORY = 'https://github.com/crayon-tokenizer/crayon-tokenizer';
const page = (text, link) => ({ text, link });

const guide = [
  {
    text: 'Start',
    items: [page('Install and first ids', '/guide/start'), page('Vocabularies', '/guide/vocabularies')],
  },
  {
    text: 'Guides',
    items: [
      page('Count and budget', '/guide/count'),
      page('Encode and decode', '/guide/encode'),
      page('Text that grows', '/guide/documents'),
      page('Conversations', '/guide/conversations'),
      page('Chats and tools', '/guide/chats'),
      page('Split for retrieval', '/guide/split'),
      page('Models of Hugging Face', '/guide/hugging-face'),
      page('Browsers and bundlers', '/guide/browsers'),
      page('Servers and threads', '/guide/servers'),
      page('Deno, Bun, Electron, containers', '/guide/hosts'),
      page('Files and streams', '/guide/files'),
      page('Train your own', '/guide/train'),
      page('Datasets', '/guide/datasets'),
      page('DNA', '/guide/dna'),
      page('GPU', '/guide/gpu'),
      page('Command line', '/guide/cli'),
    ],
  },
  {
    text: 'Migrate',
    items: [
      page('From tiktoken, js-tiktoken, gpt-tokenizer', '/guide/migrate'),
      page('From Hugging Face and transformers.js', '/guide/migrate-hugging-face'),
      page('Instead of transformers.js', '/guide/transformers'),
      page('In LangChain', '/guide/langchain'),
      page('In the AI SDK', '/guide/ai-sdk'),
      page('Differences of the drop-ins', '/drop-in-differences'),
      page('Answers beside transformers.js and Python', '/transformers-differences'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('API', '/api/'),
      page('Errors and what to do', '/guide/errors'),
      page('Limits and platforms', '/guide/limits'),
      page('Security', '/guide/security'),
      page('Why the ids are exact', '/guide/exactness'),
      page('Speed', '/guide/speed'),
      page('CRAYON, LoPT and DNATok', '/guide/papers'),
    ],
  },
];

const contributing = [
  {
    text: 'Contributing',
    items: [
      page('The loop', '/contributing/'),
      page('Architecture', '/contributing/architecture'),
      page('Recipes', '/contributing/recipes'),
      page('Cartridge format', '/contributing/format'),
      page('Benchmarks', '/benchmarks/method'),
      page('Report a vulnerability', '/contributing/security'),
      page('Changelog', '/contributing/changelog'),
    ],
  },
];

export default defineConfig({
  title: 'crayon-tokenizer',
  description: DESCRIPTION,
  lang: 'en',
  base,
  cleanUrls: false,
  // It builds itself.
  ignoreDeadLinks: [/^\/playground\//],
  lastUpdated: false,
  // TypeDoc writes these from lib.
  transformPageData: ({ relativePath }) => (relativePath.startsWith('api/') ? { frontmatter: { editLink: false } } : undefined),
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }],
    ['meta', { name: 'theme-color', content: '#6d4aff' }],
    ['meta', { property: 'og:title', content: 'crayon-tokenizer: exact token ids for JavaScript' }],
    ['meta', { property: 'og:description', content: DESCRIPTION }],
    ['meta', { property: 'og:image', content: `${SITE}card.png` }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ],
  // Comments in the plain themes are too pale on the background of code blocks (WCAG AA).
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // `{{…}}` in code is text, not a template of Vue.
    config(md) {
      const { code_inline: code } = md.renderer.rules;
      md.renderer.rules.code_inline = (...args) => code(...args).replace('<code', '<code v-pre');
      md.core.ruler.push('plain', ({ tokens }) => {
        tokens.forEach((token, at) => {
          // The corner of a table is no heading, and indented code is like fenced code.
          if (token.type === 'th_open' && tokens[at + 1].content === '') token.tag = tokens[at + 2].tag = 'td';
          if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: 'text' });
        });
      });
    },
  },
  vite: {
    // The first page uses the package, and how the playground divides a text.
    resolve: { alias: modules },
    build: { chunkSizeWarningLimit: 4000, reportCompressedSize: false },
    logLevel: 'warn',
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Guide', link: '/guide/start', activeMatch: '^/(guide|drop-in-differences|transformers-differences)' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      ...(hasPlayground ? [{ text: 'Playground', link: '/playground/', target: '_self' }] : []),
      { text: 'Benchmarks', link: '/benchmarks/', activeMatch: '^/benchmarks/' },
      { text: 'Contributing', link: '/contributing/', activeMatch: '^/contributing/' },
    ],
    sidebar: { '/guide/': guide, '/drop-in-differences': guide, '/transformers-differences': guide, '/contributing/': contributing, ...sidebars },
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path`, text: 'Edit this page on GitHub' },
    footer: { message: 'MIT licence. Vocabularies have terms of their own: see NOTICE.', copyright: 'crayon-tokenizer contributors' },
  },
});
