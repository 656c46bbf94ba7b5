/**
 * The pages of the site as VitePress reads them, from where they are in the repository: links between them are brought to their
 * places in the site, and links to other files go to the repository on GitHub.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expected, root } from './process.mjs';

export const REPOSITORY = 'https://github.com/crayon-tokenizer/crayon-tokenizer';
export const SITE = 'https://crayon-tokenizer.github.io/crayon-tokenizer/';

const RESULTS = 'bench/results';
const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');
const filesBelow = (folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      path
        .relative(root, path.join(entry.parentPath ?? entry.path, entry.name))
        .split(path.sep)
        .join('/'),
    );

/** Documents that stay where contributors look for them, and their places in the site. */
const ELSEWHERE = {
  'CONTRIBUTING.md': 'contributing/index.md',
  'ARCHITECTURE.md': 'contributing/architecture.md',
  'RECIPES.md': 'contributing/recipes.md',
  'cartridges/FORMAT.md': 'contributing/format.md',
  'bench/README.md': 'benchmarks/method.md',
  'CHANGELOG.md': 'contributing/changelog.md',
  'SECURITY.md': 'contributing/security.md',
};

/** The reports of benchmarks, one for each question, by its name. */
const reports = () =>
  filesBelow(RESULTS)
    .filter((file) => file.endsWith('.md'))
    .sort();

/** From files of the repository to pages of the site. @returns {Map<string, string>} */
export function sitePages() {
  const guides = filesBelow('docs').filter(
    (file) => file.endsWith('.md') && !/^docs\/(?:playground|\.vitepress|node_modules)\//.test(file),
  );
  return new Map([
    ...guides.map((file) => [file, file.slice('docs/'.length)]),
    ...Object.entries(ELSEWHERE).filter(([file]) => fs.existsSync(path.join(root, file))),
    ...reports().map((file) => [file, `benchmarks/${path.posix.basename(file)}`]),
  ]);
}

/** Writes all pages into `staging`, with VitePress's own files. */
export function layOutPages(staging) {
  const pages = sitePages();
  for (const [file, page] of pages) write(staging, page, pageText(file, page, pages));
  write(staging, 'benchmarks/index.md', benchmarkIndex());
  for (const folder of ['.vitepress', 'public'])
    fs.cpSync(path.join(root, 'docs', folder), path.join(staging, folder), { recursive: true });
  for (const file of filesBelow(RESULTS).filter((each) => each.endsWith('.svg'))) {
    write(staging, `public/pictures/${path.posix.basename(file)}`, read(file));
  }
}

function pageText(file, page, pages) {
  const text = withTables(read(file), file);
  const isForeign = !file.startsWith('docs/');
  const linked = outsideOfCode(text, (part) => withLinks(part, file, page, pages));
  // Text that was not written for VitePress: no tags and no templates of Vue in it.
  const plain = isForeign ? outsideOfCode(linked, (part) => part.replaceAll('<', '&lt;').replaceAll('{{', '{&#8203;{')) : linked;
  return `---\neditLink: ${!isForeign}\n---\n\n`.concat(plain).replace(/^---\neditLink: \w+\n---\n\n(?=---\n)/, '');
}

/** Applies `change` to text outside code. */
function outsideOfCode(text, change) {
  const code = /^```[\s\S]*?^```$|(?<=\n\n)(?: {4}.*\n)+|(`+)(?!`)[\s\S]*?[^`]\1(?!`)/gm;
  let at = 0;
  let changed = '';
  for (const match of text.matchAll(code)) {
    changed += change(text.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  return changed + change(text.slice(at));
}

/** Links as they are in the site. The text of a link may have been cut off, as code. */
function withLinks(text, file, page, pages) {
  return text.replace(/\]\(([^()\s]+)\)/g, (whole, link) => {
    if (/^(?:[a-z]+:|\/)/.test(link)) return whole;
    if (link.startsWith('#')) return whole;
    const [target, anchor] = link.split('#');
    const source = path.posix.normalize(path.posix.join(path.posix.dirname(file), target));
    const suffix = anchor === undefined ? '' : `#${anchor}`;
    if (pages.has(source)) return `](${relative(page, pages.get(source))}${suffix})`;
    if (source === RESULTS) return `](${relative(page, 'benchmarks/index.md')})`;
    if (!fs.existsSync(path.join(root, source))) throw expected(`${file}: the link ${link} leads nowhere`);
    if (source.startsWith(`${RESULTS}/`) && source.endsWith('.svg')) return `](/pictures/${path.posix.basename(source)})`;
    const kind = fs.statSync(path.join(root, source)).isDirectory() ? 'tree' : 'blob';
    return `](${REPOSITORY}/${kind}/main/${source}${suffix})`;
  });
}

function relative(from, to) {
  const link = path.posix.relative(path.posix.dirname(from), to);
  return link.startsWith('.') ? link : `./${link}`;
}

/**
 * `<!-- table: bench/results/NAME.md "CAPTION" -->` is the table below that caption or heading, so that a figure stands in one place;
 * `without COLUMN` after it omits one.
 */
function withTables(text, file) {
  return text.replace(/^<!-- table: (\S+) "([^"]+)"(?: without (\S+))? -->$/gm, (_, source, caption, without) => {
    const lines = read(source).split('\n');
    const start = lines.findIndex((line) => line.replace(/^#+ /, '').replace(/^\*\*|\*\*$/g, '') === caption);
    const first = lines.findIndex((line, index) => index > start && line.startsWith('|'));
    if (start < 0 || first < 0) throw expected(`${file}: ${source} has no table "${caption}"`);
    let end = first;
    while (lines[end]?.startsWith('|')) end++;
    const rows = lines.slice(first, end).map((line) => line.split('|'));
    const left = rows[0].findIndex((cell) => cell.trim() === without);
    if (without !== undefined && left < 0) throw expected(`${file}: the table "${caption}" of ${source} has no column ${without}`);
    return rows.map((cells) => cells.filter((_, index) => index !== left).join('|')).join('\n');
  });
}

/** A report's heading, and the line below it: the date, the machine and what was measured. */
function headOf(file) {
  const [, title, circumstances] = /^# (.*)\n\n(\d{4}-\d\d-\d\d; .*)\n/.exec(read(file)) ?? [];
  if (title === undefined) throw expected(`${file}: below its heading a report has a line with its date, its machine and its commit`);
  return { title, circumstances };
}

function benchmarkIndex() {
  const rows = reports().map((file) => {
    const { title, circumstances } = headOf(file);
    const [date, machine] = circumstances.split('; ');
    return `| [${title}](./${path.posix.basename(file)}) | ${date} | ${machine} |`;
  });
  return [
    '# Benchmark results',
    'The newest report for each question, as it was written, with its machine, its date and its misses. Git has those of before.',
    'Start with [how the figures are measured](./method.md) and the summary in [Speed](../guide/speed.md).',
    ['| question | date | machine |', '|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

export function benchmarkSidebar() {
  const items = reports().map((file) => ({ text: headOf(file).title, link: `/benchmarks/${path.posix.basename(file, '.md')}` }));
  return [
    {
      text: 'Benchmarks',
      items: [
        { text: 'Speed', link: '/guide/speed' },
        { text: 'Method', link: '/benchmarks/method' },
        { text: 'All results', link: '/benchmarks/' },
      ],
    },
    { text: 'Reports', items },
  ];
}

/** The entries by the names that one imports, each with its classes, from the pages that TypeDoc has written. */
export function apiSidebar(staging) {
  const modules = fs.readdirSync(path.join(staging, 'api', 'crayon-tokenizer'), { recursive: true, withFileTypes: true });
  const pages = modules.filter((entry) => entry.isFile()).map((entry) => path.relative(staging, path.join(entry.parentPath, entry.name)));
  const items = pages
    .filter((page) => path.basename(page) === 'index.md')
    .map((page) => path.dirname(page))
    .sort()
    .map((folder) => {
      const classes = pages.filter((page) => path.dirname(page) === path.join(folder, 'classes')).sort();
      return {
        // The beginning is that of the first.
        text: folder.slice('api/'.length).replace(/^crayon-tokenizer\//, '…/'),
        link: `/${folder}/`,
        ...(classes.length > 0 && {
          collapsed: folder !== 'api/crayon-tokenizer',
          items: classes.map((page) => ({ text: path.basename(page, '.md'), link: `/${page.slice(0, -'.md'.length)}` })),
        }),
      };
    });
  return [{ text: 'Import from', items }];
}

function write(staging, name, text) {
  const file = path.join(staging, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
