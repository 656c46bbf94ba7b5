// Glob patterns, such as `docs/**/*.md`, expanded to the matching files in the order of their names.

import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** Whether it is a pattern: an existing path is a file, whatever characters it contains. */
export function isPattern(file: string): boolean {
  return /[*?[\]{}()]/.test(file) && !existsSync(file);
}

/** The matching files, except those that a pattern in `ignored` matches or that lie in a directory it matches. */
export async function matchesOf(pattern: string, ignored: readonly string[] = []): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const options = { absolute: isAbsolute(pattern), expandDirectories: false };
  return (await glob(withSlashes(pattern), { ...options, ignore: withContents(ignored) })).sort();
}

/** Extends patterns to match the contents of matching directories. */
export function withContents(patterns: readonly string[]): string[] {
  return patterns.map(withSlashes).flatMap((pattern) => [pattern, `${pattern.replace(/\/$/, '')}/**`]);
}

export function withSlashes(pattern: string): string {
  return process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
}
