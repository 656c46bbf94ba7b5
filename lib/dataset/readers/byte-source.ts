/** Gives bytes in order: as many as fit, none at the end. */
export interface ByteSource extends AsyncDisposable {
  read(into: Uint8Array): Promise<number>;
  /** Bytes of the file that have been read so far. */
  readonly fileBytes: number;
  /** The most bytes that it gives; infinite if that is not known. */
  readonly most: number;
}
