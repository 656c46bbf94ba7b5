// The .npy format of NumPy, version 1.0, for a matrix whose number of rows is known at the end.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

/** Bytes of the header, whatever the shape; the data that follow are aligned. */
export const NPY_HEADER = 128;

const MAGIC = '\x93NUMPY';
const VERSION = '\x01\x00';

/** What NumPy calls types; the data are little-endian. */
const NPY_TYPES = { uint8: '|u1', uint16: '<u2', int32: '<i4', int64: '<i8' } as const;
export type NpyType = keyof typeof NPY_TYPES;

/** Bytes of an element. */
export const ID_BYTES: Record<NpyType, number> = { uint8: 1, uint16: 2, int32: 4, int64: 8 };

/** What the library calls them. */
export const ID_TYPES = { uint8: 'uint8', uint16: 'uint16', int32: 'int32', int64: 'bigint64' } as const;

/** The header of a matrix, row after row. */
export function npyHeader(type: NpyType, rows: number, columns: number): Uint8Array {
  const length = NPY_HEADER - MAGIC.length - VERSION.length - 2;
  const fields = `{'descr': '${NPY_TYPES[type]}', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  const text = `${fields.padEnd(length - 1)}\n`;
  return Buffer.from(`${MAGIC}${VERSION}${String.fromCharCode(length & 0xff, length >> 8)}${text}`, 'latin1');
}
