// The buffers that files are read into, lent to one file after another. V8 counts the bytes of new buffers and collects the whole
// heap every few tens of MB, which took a tenth of the time of files of 10 MB.

/** Those of one file. */
const MOST = 2;

/** Weak: where memory is scarce, or a collection runs anyway, they go. */
const spares: WeakRef<Uint8Array<ArrayBuffer>>[] = [];

/** At least as many bytes, which may hold some of a file before. */
export function takeBuffer(length: number): Uint8Array<ArrayBuffer> {
  while (spares.length > 0) {
    const spare = spares.pop()?.deref();
    if (spare && spare.length >= length) return spare;
  }
  return new Uint8Array(length);
}

/** Takes a buffer back that nothing reads or writes any more. */
export function giveBuffer(buffer: Uint8Array<ArrayBuffer>): void {
  if (spares.length < MOST) spares.push(new WeakRef(buffer));
}
