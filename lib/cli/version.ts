import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** The package's version. The file lies as far above this one as above the script that it becomes a part of. */
export const { version } = JSON.parse(manifest) as { version: string };
