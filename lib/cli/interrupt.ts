// What an interrupt (Ctrl-C) does to work that leaves something behind.

/** An interrupt ends the work, and then the process as it would have. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  process.once('SIGINT', interrupt);
  try {
    return await work(controller.signal);
  } catch (error) {
    process.off('SIGINT', interrupt);
    if (controller.signal.aborted) process.kill(process.pid, 'SIGINT');
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}
