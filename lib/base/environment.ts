// What a host may refuse to tell: Deno asks for a permission for each. What it refuses counts as not set.

/** An environment variable; undefined if it is not set, or in a page. */
export function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return unlessDenied(() => process?.env?.[name]);
}

/** What the host answers; undefined if it throws. */
export function unlessDenied<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
