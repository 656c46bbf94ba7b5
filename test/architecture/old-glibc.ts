// The symbols and libraries that an addon needs from Linux, according to `objdump -p -T`.

/** The oldest glibc that addons must run with: that of RHEL 8 and of Debian 10. */
export const OLDEST_GLIBC = [2, 28] as const;

/** Libraries that must be linked statically, because an old system's are too old for a new compiler. */
const STATIC_LIBRARIES = /^(?:libstdc\+\+|libgcc_s|libc\+\+|libc\+\+abi)\.so/;

/** Everything missing on an old system: shared libraries, versions, and the functions with these versions. */
export function missingOnOldLinux(objdump: string): string[] {
  const libraries = [...objdump.matchAll(/^\s*NEEDED\s+(\S+)/gm)].map((match) => match[1]!);
  const versions = [...objdump.matchAll(/^\s*0x[0-9a-f]+ 0x[0-9a-f]+ \d+ (\S+)$/gm)].map((match) => match[1]!);
  const symbols = [...objdump.matchAll(/\*UND\*\s+[0-9a-f]+\s+\(?([A-Z]+_[0-9.]+|GLIBC_PRIVATE)\)?\s+(\S+)$/gm)];
  return [
    ...libraries.filter((name) => STATIC_LIBRARIES.test(name)),
    ...versions.filter(isTooNew),
    ...symbols.filter(([, version]) => isTooNew(version!)).map(([, version, name]) => `${name} (${version})`),
  ];
}

function isTooNew(version: string): boolean {
  const numbers = /^GLIBC_(\d+)\.(\d+)/.exec(version);
  if (numbers === null) return /^(?:GLIBC|GLIBCXX|CXXABI|GCC)_/.test(version);
  const [major, minor] = [Number(numbers[1]), Number(numbers[2])];
  return major > OLDEST_GLIBC[0] || (major === OLDEST_GLIBC[0] && minor > OLDEST_GLIBC[1]);
}
