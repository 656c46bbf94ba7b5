// Handles interrupts (Ctrl-C) and SIGTERM for work that leaves files behind.

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
