/**
 * Links of the built site that lead nowhere: to a file that is not there, or to an anchor that its page lacks.
 */
import fs from 'node:fs';
import path from 'node:path';

/**
 * @param {string} site the folder
 * @param {string} base the path under which a host serves it
 * @returns {string[]} a line for each
 */
export function deadLinksOf(site, base) {
  const names = fs.readdirSync(site, { recursive: true }).map((name) => name.split(path.sep).join('/'));
  const pages = new Map(names.filter((name) => name.endsWith('.html')).map((name) => [name, pageOf(path.join(site, name))]));
  const files = new Set(names);
  return [...pages].flatMap(([name, { links }]) =>
    links.flatMap((link) => {
      const problem = problemOf(link, name);
      return problem === undefined ? [] : [`${name}: ${link}: ${problem}`];
    }),
  );

  function problemOf(link, from) {
    const url = new URL(link, `https://site.invalid${base}${from}`);
    if (url.host !== 'site.invalid') return undefined;
    if (!url.pathname.startsWith(base)) return `outside of ${base}`;
    const target = decodeURIComponent(url.pathname.slice(base.length));
    // The playground builds itself, and its tests look at its links.
    if (target.startsWith('playground/')) return undefined;
    const file = target === '' || target.endsWith('/') ? `${target}index.html` : target;
    if (!files.has(file)) return 'no such file';
    const anchor = decodeURIComponent(url.hash.slice(1));
    return anchor === '' || pages.get(file)?.anchors.has(anchor) !== false ? undefined : `no anchor #${anchor}`;
  }
}

function pageOf(file) {
  const html = fs.readFileSync(file, 'utf8').replace(/<script\b[\s\S]*?<\/script>/g, '');
  const attributes = (pattern) => Array.from(html.matchAll(pattern), ([, value]) => value.replaceAll('&amp;', '&'));
  return {
    links: [...new Set(attributes(/<a\b[^>]*?\shref="([^"]*)"/g).concat(attributes(/<img\b[^>]*?\ssrc="([^"]*)"/g)))],
    anchors: new Set(attributes(/\sid="([^"]*)"/g)),
  };
}
