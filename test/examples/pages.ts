// The pages of the documentation that people write: Markdown in docs/.

import fs from 'node:fs';
import path from 'node:path';

/** Their paths from the project's folder, with slashes. */
export function pagesOf(project: string): string[] {
  const names = fs
    .readdirSync(path.join(project, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'));
  const pages = names.filter((name) => name.endsWith('.md') && !/^(?:playground|\.vitepress|node_modules)\//.test(name));
  return pages.map((name) => `docs/${name}`).sort();
}
