// Exit codes of all commands.

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
/** A shell's exit code for a process ended by SIGPIPE, which is how most Unix tools end once their reader is gone. */
export const EXIT_BROKEN_PIPE = 128 + 13;
