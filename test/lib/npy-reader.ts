// Reads integer matrices as NumPy's `np.save` writes them, following the format's description.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

/** The matrix as rows of numbers. */
export function readNpy(file: Uint8Array): { descr: string; shape: number[]; rows: number[][] } {
  const text = Buffer.from(file).toString('latin1');
  if (!text.startsWith('\x93NUMPY\x01\x00')) throw new Error('no .npy file of version 1.0');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const begin = 10 + view.getUint16(8, true);
  const header = /^\{'descr': '([<|][iu]\d)', 'fortran_order': False, 'shape': \((\d+), (\d+)\), \} *\n$/.exec(text.slice(10, begin));
  if (!header || begin % 64 !== 0) throw new Error(`a header that is wrong: ${text.slice(10, begin)}`);
  const [, descr = '', height, width] = header;
  const size = Number(descr.at(-1));
  const shape = [Number(height), Number(width)] as const;
  if (file.length !== begin + size * shape[0] * shape[1]) throw new Error(`${file.length} bytes for ${shape.join(' × ')}`);
  const item = (at: number) => {
    if (size === 1) return view.getUint8(at);
    if (size === 2) return view.getUint16(at, true);
    return size === 4 ? view.getInt32(at, true) : Number(view.getBigInt64(at, true));
  };
  const rows = Array.from({ length: shape[0] }, (_, row) =>
    Array.from({ length: shape[1] }, (_, column) => item(begin + size * (row * shape[1] + column))),
  );
  return { descr, shape: [...shape], rows };
}
