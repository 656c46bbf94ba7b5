// Handles interrupts (Ctrl-C) for work that leaves files behind.

/** An interrupt aborts the work, then ends the process as it normally would. */
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
