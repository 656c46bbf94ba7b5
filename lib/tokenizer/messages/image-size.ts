// Reads an image's size in pixels from the first bytes of a data URL; nothing else is decoded.

export interface ImageSize {
  width: number;
  height: number;
}

/** Most JPEG segments before the frame: cameras and programs write fewer. */
const MOST_SEGMENTS = 1000;

/** The bits of a dimension in a WebP without alpha. */
const MASK = 0x3fff;

/** The size of a PNG, JPEG, GIF or WebP in a base64 data URL; undefined for any other URL. */
export function sizeInDataUrl(url: string): ImageSize | undefined {
  const start = url.indexOf(',') + 1;
  if (!/^data:[^,]*;base64,$/i.test(url.slice(0, Math.min(start, 200)))) return undefined;
  try {
    const size = sizeIn((index) => {
      const group = start + Math.floor(index / 3) * 4;
      return atob(url.slice(group, group + 4)).charCodeAt(index % 3);
    });
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    return undefined; // not base64
  }
}

/** `byte` returns NaN past the end, which makes the size fail the test for being greater than 0. */
function sizeIn(byte: (index: number) => number): ImageSize | undefined {
  const big = (index: number, length: number): number =>
    Array.from({ length }).reduce<number>((value, _, at) => value * 256 + byte(index + at), 0);
  const little = (index: number, length: number): number =>
    Array.from({ length }).reduceRight<number>((value, _, at) => value * 256 + byte(index + at), 0);
  switch (big(0, 2)) {
    case 0x8950: // \x89PNG
      return { width: big(16, 4), height: big(20, 4) };
    case 0x4749: // GIF
      return { width: little(6, 2), height: little(8, 2) };
    case 0x5249: // RIFF …WEBP, whose first chunk is VP8X, VP8L or VP8
      if (byte(15) === 0x58) return { width: little(24, 3) + 1, height: little(27, 3) + 1 };
      if (byte(15) === 0x4c) return { width: (little(21, 2) & MASK) + 1, height: ((little(21, 4) >>> 14) & MASK) + 1 };
      return { width: little(26, 2) & MASK, height: little(28, 2) & MASK };
    case 0xffd8: // JPEG
      for (let index = 2, segments = 0; segments < MOST_SEGMENTS && byte(index) === 0xff; segments++) {
        const marker = byte(index + 1);
        const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
        if (isFrame) return { width: big(index + 7, 2), height: big(index + 5, 2) };
        // A marker may follow fill bytes, which equal its first byte.
        index += marker === 0xff ? 1 : 2 + big(index + 2, 2);
      }
  }
  return undefined;
}
