// Patterns that stand for the files that match them, such as `docs/**/*.md`, in the order of their names.

import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** Whether it is a pattern: what exists is a file, whatever characters its name has. */
export function isPattern(file: string): boolean {
  return /[*?[\]{}()]/.test(file) && !existsSync(file);
}

/** The files that match, without those that a pattern in `ignored` matches, or that are in a directory that it matches. */
export async function matchesOf(pattern: string, ignored: readonly string[] = []): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const options = { absolute: isAbsolute(pattern), expandDirectories: false };
  return (await glob(withSlashes(pattern), { ...options, ignore: withContents(ignored) })).sort();
}

/** Patterns that match a directory too, and what is in it. */
export function withContents(patterns: readonly string[]): string[] {
  return patterns.map(withSlashes).flatMap((pattern) => [pattern, `${pattern.replace(/\/$/, '')}/**`]);
}

export function withSlashes(pattern: string): string {
  return process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
}
