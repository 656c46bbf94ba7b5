/** Options or arguments that do not go together. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
