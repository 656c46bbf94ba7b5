// Why the operating system refused a file, in words.

const REASONS: Record<string, string> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file: part of the path is a file, not a directory',
  EISDIR: 'is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'no space left on device (ENOSPC)',
};

/** Why the operating system refused, in a few words; `reasons`: others for some of its codes. */
export function reasonFor(error: unknown, reasons: Record<string, string> = {}): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? REASONS[code] ?? message;
}
