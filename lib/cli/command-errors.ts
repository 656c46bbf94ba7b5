// How commands end: the errors that are reported in a line, exit codes, and signals. Nothing is imported, since every command loads
// this first.

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
/** A shell's exit code for a process ended by SIGPIPE, which is how most Unix tools end once their reader is gone. */
export const EXIT_BROKEN_PIPE = 128 + 13;

/** Options or arguments that do not go together. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure of an input; the command continues with its next input. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** Standard output cannot be written: the command ends. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  /** `code`: the code of the operating system, such as `ENOSPC`. */
  constructor(
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

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

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
/** Milliseconds for a signal to end the process. The first process of a container ignores it. */
const PATIENCE = 200;

/** A signal aborts the work, then ends the process as it normally would. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let received: keyof typeof SIGNALS | undefined;
  const interrupt = (signal: keyof typeof SIGNALS) => {
    received = signal;
    controller.abort();
  };
  const names = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[];
  for (const name of names) process.once(name, interrupt);
  const release = () => {
    for (const name of names) process.off(name, interrupt);
  };
  try {
    return await work(controller.signal);
  } catch (error) {
    release();
    if (received === undefined) throw error;
    process.kill(process.pid, received);
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    process.exit(128 + SIGNALS[received]);
  } finally {
    release();
  }
}
