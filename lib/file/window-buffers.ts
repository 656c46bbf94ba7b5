// Read buffers, reused from one file to the next. V8 counts the bytes of new buffers and collects the whole heap every few tens
// of MB, which took a tenth of the time of files of 10 MB.

/** One file's buffers. */
const MOST = 2;

/** Weak: they are released when memory is scarce or a collection runs anyway. */
const spares: WeakRef<Uint8Array<ArrayBuffer>>[] = [];

/** A buffer of at least this length, which may contain bytes of an earlier file. */
export function takeBuffer(length: number): Uint8Array<ArrayBuffer> {
  while (spares.length > 0) {
    const spare = spares.pop()?.deref();
    if (spare && spare.length >= length) return spare;
  }
  return new Uint8Array(length);
}

/** Returns a buffer that nothing reads or writes any more. */
export function giveBuffer(buffer: Uint8Array<ArrayBuffer>): void {
  if (spares.length < MOST) spares.push(new WeakRef(buffer));
}
