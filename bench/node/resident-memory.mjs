/** The memory of this process, from /proc/self/smaps (Linux). */
import fs from 'node:fs';

/**
 * Bytes: `resident`, all pages; `cartridge`, those of mapped `.cray` files, which every process that maps the file
 * shares; `private`, pages of this process alone without the cartridge's; `anonymous`, pages without a file.
 * @returns {{ resident: number, cartridge: number, private: number, anonymous: number } | null} null elsewhere
 */
export function residentMemory() {
  if (!fs.existsSync('/proc/self/smaps')) return null;
  const sum = { resident: 0, cartridge: 0, private: 0, anonymous: 0 };
  let isCartridge = false;
  for (const line of fs.readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    const field = /^(\w+):\s+(\d+) kB/.exec(line);
    if (field === null) {
      if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) isCartridge = line.endsWith('.cray');
      continue;
    }
    const bytes = Number(field[2]) * 1024;
    if (field[1] === 'Rss') {
      sum.resident += bytes;
      if (isCartridge) sum.cartridge += bytes;
    }
    if (field[1] === 'Anonymous') sum.anonymous += bytes;
    if ((field[1] === 'Private_Clean' || field[1] === 'Private_Dirty') && !isCartridge) sum.private += bytes;
  }
  return sum;
}
