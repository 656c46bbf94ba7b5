// What the encoding of a file stands on. Types only.

/** What is read from its beginning to its end. */
export interface ByteSource {
  /** Reads the next bytes, as many as there is room for, fewer only at the end. Returns how many. */
  fill(room: Uint8Array): Promise<number>;
}

/**
 * The result of a promise; when the work is aborted, a rejection at once. `begin`: where in the file the window begins that a
 * failure is about.
 */
export type Wait = <Result>(promise: Promise<Result>, begin?: number) => Promise<Result>;
