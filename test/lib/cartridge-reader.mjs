/**
 * A second reader of cartridges, written from cartridges/FORMAT.md alone (each part names its §), in the document's order
 * and as plainly as its text. Tests compare the engine with it; read it to learn the format.
 *
 *     const cartridge = openCartridge(fs.readFileSync('cartridges/r50k_base.cray'));
 *     cartridge.idOf(new TextEncoder().encode(' the'));  // 262
 */

const NONE = 0xffffffff;
/** A flag of an unknown id: each byte of the unknown text gets the id. */
const EACH_BYTE = 2 ** 30;
const align = (x) => Math.ceil(x / 64) * 64;

/** §3, by number. */
const SCANNERS = [
  undefined,
  'gpt2',
  'cl100k',
  'o200k',
  'qwen2',
  'none',
  'pattern',
  'tekken',
  'deepseek3',
  'bert',
  'whitespace_split',
  'metaspace',
];

const MASK64 = (1n << 64n) - 1n;
const mul = (x, y) => (x * y) & MASK64;
const rotl = (x, n) => ((x << n) | (x >> (64n - n))) & MASK64;
/** x ^ (x >> n) */
const fold = (x, n) => x ^ (x >> n);

const A = 0x9e3779b97f4a7c15n;
const B = 0xc2b2ae3d27d4eb4fn;
const C = 0x165667b19e3779f9n;
const D = 0xd6e8feb86659fd93n;

/** Why a file is refused (§8). */
export class CartridgeError extends Error {
  /**
   * @param {string} code a name from status.def
   * @param {number} section its id; 0 for header and table
   * @param {number} position in the file
   * @param {string} rule what is wrong
   */
  constructor(code, section, position, rule) {
    super(`${code} in section ${section} at ${position}: ${rule}`);
    Object.assign(this, { code, section, position });
  }
}

/** @returns {never} */
function refuse(section, position, rule) {
  throw new CartridgeError('CORRUPT_STRUCTURE', section, position, rule);
}

/**
 * §7.
 * @param {Uint8Array} file
 * @returns {bigint}
 */
export function checksumOf(file) {
  const padded = new Uint8Array(Math.ceil(file.length / 256) * 256);
  padded.set(file);
  padded.fill(0, 24, 32);
  const words = new BigUint64Array(padded.buffer);
  const lanes = new BigUint64Array(32);
  for (let i = 0n; i < 32n; i++) lanes[i] = 0xa0761d6478bd642fn * (2n * i + 1n);
  for (let at = 0; at < words.length; at++) {
    const lane = lanes[at & 31];
    lanes[at & 31] = (lane & 0xffffffffn) * 0xfffeb81bn + (lane >> 32n) + words[at];
  }
  let x = BigInt(file.length);
  for (const lane of lanes) x = rotl(mul(x ^ lane, 0x9fb21c651e98df25n), 29n);
  return fold(x, 32n);
}

/** The words of a key (§5.1): eight bytes each, little-endian, zero-padded. */
function wordsOf(key) {
  const words = [];
  for (let at = 0; at < key.length; at += 8) {
    let word = 0n;
    for (let i = Math.min(8, key.length - at) - 1; i >= 0; i--) word = (word << 8n) | BigInt(key[at + i]);
    words.push(word);
  }
  return words;
}

/**
 * §5.1.
 * @type {(w: bigint, length: bigint, seed: bigint) => bigint}
 */
export const hashWord = (w, length, seed) => fold(mul((w ^ seed) + length * B, A), 32n);
export function hashWords([w0, w1 = 0n, w2 = 0n], length, seed) {
  const x = (mul(w0 ^ seed, A) + mul(w1 ^ (seed >> 7n), B) + mul(w2 + length, C)) & MASK64;
  return fold(mul(fold(x, 29n), D), 32n);
}
export function hashLong(words, length, seed) {
  let x = (seed + length * B) & MASK64;
  for (const w of words) x = fold(mul(x ^ w, A), 29n);
  return fold(mul(x, D), 32n);
}

/** The layout of a §4 section with rows and strings. */
/** `more`: bytes for each row, after all rows. */
function rowsOf(file, { id, offset, length }, rowLength, more = 0) {
  if (length < 8) refuse(id, offset, 'the section has no counts');
  const [count, stringBytes] = [file.u32(offset), file.u32(offset + 4)];
  const behind = offset + 8 + count * rowLength;
  const strings = behind + count * more;
  if (strings + stringBytes !== offset + length) refuse(id, offset, 'the section has another length than its counts say');
  const string = (at, size) => (at + size <= stringBytes && size > 0 ? file.bytes(strings + at, size) : undefined);
  const rows = Array.from({ length: count }, (_, i) => offset + 8 + i * rowLength);
  return { rows, behind, string, stringBytes };
}

/** A table of §5.1. */
class HashTable {
  constructor(file, { id, offset, length }, entryBytes) {
    if (length < 64) refuse(id, offset, 'the section is shorter than its header');
    this.file = file;
    this.seed = file.u64(offset);
    const keyCount = file.u32(offset + 8);
    this.bucketCount = file.u32(offset + 12);
    this.slotCount = file.u32(offset + 16);
    if (this.slotCount < 1) refuse(id, offset + 16, 'no slots');
    if (keyCount > this.slotCount) refuse(id, offset + 8, 'more keys than slots');
    if (this.bucketCount < 1) refuse(id, offset + 12, 'no buckets');
    if (file.u32(offset + 20) !== entryBytes) refuse(id, offset + 20, 'entries of another size');
    this.keyCount = keyCount;
    file.expectZeros(id, offset + 24, offset + 64);
    this.pilots = offset + 64;
    this.entries = align(this.pilots + this.bucketCount);
    this.entryBytes = entryBytes;
    if (this.entries + this.slotCount * entryBytes !== offset + length) refuse(id, offset, 'length and counts differ');
    file.expectZeros(id, this.pilots + this.bucketCount, this.entries);
  }

  /** The position of a key's entry, by its hash. */
  entry(hash) {
    const bucket = Number(((hash >> 32n) * BigInt(this.bucketCount)) >> 32n);
    const pilot = BigInt(this.file.u8(this.pilots + bucket));
    const multiplier = (pilot * 0x9e3779b2n + 1n) & 0xffffffffn;
    const spread = ((hash & 0xffffffffn) * multiplier) & 0xffffffffn;
    return this.entries + Number((spread * BigInt(this.slotCount)) >> 32n) * this.entryBytes;
  }

  /** Offsets of all entries. */
  *all() {
    for (let i = 0; i < this.slotCount; i++) yield this.entries + i * this.entryBytes;
  }
}

/** The ids in the order of §5.4. */
class Ranking {
  constructor(count) {
    this.ids = Uint32Array.from({ length: count }, (_, id) => id);
    this.uses = new Uint32Array(count);
    this.firstWith = new Uint32Array(2048); // firstWith[n]: the first index of an id with n uses
  }
  /** The id at an index; counts one more use of it. */
  use(index) {
    const { ids, uses, firstWith } = this;
    const id = ids[index];
    if (uses[id] === 2047) return id;
    const first = firstWith[uses[id]]++;
    uses[id]++;
    [ids[index], ids[first]] = [ids[first], ids[index]];
    return id;
  }
}

/** §5.4: the class of a token's last character. */
function classOf(token) {
  const byte = token.findLast((each) => each < 0x80 || each > 0xbf);
  if (byte === undefined) return 5;
  if (byte < 0x80) return [/ /, /[a-z]/, /[A-Z]/, /[0-9]/, /[^]/].findIndex((kind) => kind.test(String.fromCharCode(byte)));
  return 6 + [0xcf, 0xd7, 0xdf, 0xe0, 0xe3, 0xe9, 0xff].findIndex((last) => byte <= last);
}

/** The bytes, and their integers (§1). */
class File {
  constructor(bytes) {
    this.whole = Uint8Array.from(bytes);
    this.length = this.whole.length;
    this.view = new DataView(this.whole.buffer);
  }
  u8(at) {
    return this.whole[at];
  }
  u16(at) {
    return this.view.getUint16(at, true);
  }
  u32(at) {
    return this.view.getUint32(at, true);
  }
  u64(at) {
    return this.view.getBigUint64(at, true);
  }
  bytes(at, length) {
    return this.whole.subarray(at, at + length);
  }
  expectZeros(section, begin, end) {
    for (let at = begin; at < end; at++) if (this.whole[at] !== 0) refuse(section, at, 'a reserved or padding byte is not 0');
  }
}

/** Sections by id. */
function readTable(file, verify) {
  // §8, 1 to 4.
  if (file.length < 4 || file.u32(0) !== 0x59415243) throw new CartridgeError('NOT_A_CARTRIDGE', 0, 0, 'another magic');
  if (file.length >= 8 && file.u32(4) !== 3) throw new CartridgeError('UNSUPPORTED_VERSION', 0, 4, 'another version');
  if (file.length < 64) throw new CartridgeError('TRUNCATED', 0, file.length, 'the header is cut');
  if (file.u16(12) !== 9) throw new CartridgeError('UNSUPPORTED_VERSION', 0, 12, 'another minor');
  const stated = file.u64(16);
  if (BigInt(file.length) < stated) throw new CartridgeError('TRUNCATED', 0, file.length, 'the file is cut');
  if (BigInt(file.length) > stated) refuse(0, 16, 'the file is longer than it says');
  if (verify && checksumOf(file.whole) !== file.u64(24)) throw new CartridgeError('CHECKSUM_MISMATCH', 0, 24, 'damaged');

  // §2, §3.
  file.expectZeros(0, 8, 12);
  file.expectZeros(0, 32, 64);
  const count = file.u16(14);
  let end = 64 + 16 * count;
  if (count < 1 || count > 64 || end > file.length) refuse(0, 14, 'a count of sections that cannot be');
  const sections = new Map();
  for (let row = 64; row < 64 + 16 * count; row += 16) {
    const [id, flags, offset, length] = [0, 4, 8, 12].map((field) => file.u32(row + field));
    if (id === 0 || sections.has(id)) refuse(0, row, 'a section id that is 0 or comes twice');
    if (flags > 1) refuse(0, row + 4, 'an unknown flag');
    if (offset !== align(end)) refuse(0, row + 8, 'the section is not where the one before ends');
    if (offset + length > file.length) refuse(0, row + 12, 'the section is longer than the file');
    file.expectZeros(0, end, offset);
    if (flags === 1 && id > 18 && !(id >= 20 && id <= LAST_SECTION))
      throw new CartridgeError('UNKNOWN_SECTION', id, row, 'it must be understood');
    sections.set(id, { id, flags, offset, length });
    end = offset + length;
  }
  if (end !== file.length) refuse(0, 64 + 16 * count - 4, 'the last section does not end the file');
  return sections;
}

/** §3: which sections a model has. */
const SECTIONS = {
  all: [1, 2, 3, 4],
  bpe: [5, 6, 7, 8, 9, 10, 11, 12, 13],
  slimBpe: [14],
  longestMatch: [5, 6, 12, 15, 16],
  slimLongestMatch: [5, 6, 16],
  dna: [5, 6, 17],
  /** §5.5, if ids differ from ranks. */
  order: [20, 21],
  slimOrder: [20],
};
/** The optional sections of any model (§4). */
const TEMPLATES = 22;
/** Present only if a token depends on it. */
const WORDS = 23;
/** The last section that a reader knows. */
const LAST_SECTION = 28;
function expectSections(sections, wanted) {
  for (const id of wanted) if (!sections.has(id)) throw new CartridgeError('MISSING_SECTION', id, 64 + 16 * sections.size, 'it is needed');
}

/** An open cartridge. */
class Cartridge {
  constructor(file, sections) {
    this.file = file;
    this.sections = sections;
    const section = (id) => sections.get(id);

    expectSections(sections, SECTIONS.all);
    this.#readMetadata(section(1));
    this.#readModel(section(2));
    this.#readViews(section(3), section(4));
    if (this.views.some(({ normalizer }) => normalizer === 'program') !== sections.has(24))
      refuse(24, section(24)?.offset ?? 0, 'a normalizer program that no view has, or none');
    const slim = section(14) !== undefined || (this.kind === 2 && !section(12) && !section(15));
    // For WordPiece and Unigram it reads only what all models share.
    if (this.kind > 3) expectSections(sections, [this.kind === 4 ? 25 : 26, 5, 6]);
    const model = [slim ? SECTIONS.slimBpe : SECTIONS.bpe, slim ? SECTIONS.slimLongestMatch : SECTIONS.longestMatch, SECTIONS.dna][
      this.kind - 1
    ];
    const own = [...model, TEMPLATES];
    if (this.kind === 1 && section(16)) own.push(16);
    if (this.kind === 1 && section(20)) own.push(...(slim ? SECTIONS.slimOrder : SECTIONS.order));
    if (this.views.some(({ scanner }) => scanner === 'pattern')) own.push(18);
    if (this.views.some(({ addedTokens }) => addedTokens.some(({ singleWord }) => singleWord))) own.push(WORDS);
    if (section(TEMPLATES)) this.#readTemplates(section(TEMPLATES));
    expectSections(
      sections,
      own.filter((id) => id !== TEMPLATES),
    );
    if (own.includes(WORDS)) this.#readWords(section(WORDS));
    if (own.includes(18)) this.#readPatterns(section(18));
    for (const id of sections.keys())
      if (((id > 4 && id <= 18) || (id >= 20 && id <= 23)) && !own.includes(id)) refuse(0, 64, `section ${id} is of another model`);
    if (this.kind === 2) {
      this.#readTokens(section(5), section(6));
      if (!slim) this.#readTrie(section(12));
      if (!slim) this.#readJoints(section(15));
      this.unmatched = this.#readIds(section(16));
      if (this.unknownId !== NONE && this.token(this.unknownId).length === 0)
        refuse(2, section(2).offset + 12, 'a hole for unknown characters');
      this.unmatched.forEach((token, i) => {
        if (this.token(token).length === 0) refuse(16, section(16).offset + 4 + 4 * i, 'an unmatched hole');
      });
      if (slim) this.#checkMatched();
      return;
    }
    if (this.kind === 3) {
      this.#readTokens(section(5), section(6));
      this.#readDna(section(17));
      return;
    }
    this.unmatched = section(16) ? this.#readIds(section(16)) : [];
    this.priorities = section(28) && this.#readPriorities(section(28));
    // §5.5: without the sections, ids are ranks.
    const ids = section(20) && this.#readOrder(section(20));
    this.idOfRank = ids ? (rank) => ids[rank] : (rank) => rank;
    if (slim) {
      const ranks = ids && new Map(ids.map((id, rank) => [id, rank]));
      if (ranks && ranks.size !== this.tokenCount) refuse(20, section(20).offset, 'an id that has two ranks');
      this.#readMerges(section(14), ranks ? (id) => ranks.get(id) : (id) => id);
      return;
    }
    const ranks = section(21) && this.#readOrder(section(21));
    this.rankOf = ranks ? (id) => ranks[id] : (id) => id;
    this.#readTokens(section(5), section(6));
    this.pieces8 = new HashTable(file, section(7), 16);
    this.pieces24 = new HashTable(file, section(8), 32);
    this.piecesLong = new HashTable(file, section(9), 4);
    this.pairs = new HashTable(file, section(11), 4);
    this.#checkPieces();
    this.#readSplits(section(10));
    this.#checkPairs();
    this.#readTrie(section(12));
    this.crossings = this.#readIds(section(13));
  }

  /** §4: the ids around a text, for each view. */
  #readTemplates({ id, offset, length }) {
    const { file, views } = this;
    let at = offset + 8 * views.length;
    if (at > offset + length) refuse(id, offset, 'a view without a template');
    views.forEach((view, i) => {
      const [prefix, suffix] = [file.u32(offset + 8 * i), file.u32(offset + 8 * i + 4)];
      if (at + 4 * (prefix + suffix) > offset + length) refuse(id, offset + 8 * i, 'more ids than there are');
      const ids = Array.from({ length: prefix + suffix }, (_, k) => file.u32(at + 4 * k));
      const wrong = ids.findIndex((each) => each >= view.vocabularySize);
      if (wrong >= 0) refuse(id, at + 4 * wrong, 'an id outside the vocabulary');
      Object.assign(view, { prefix: ids.slice(0, prefix), suffix: ids.slice(prefix) });
      at += 4 * ids.length;
    });
    if (at !== offset + length) refuse(id, at, 'ids that no view has');
  }

  /** §4: the characters of words. */
  #readWords({ id, offset, length }) {
    const { file } = this;
    const count = length < 4 ? -1 : file.u32(offset);
    if (length !== 4 + 8 * count) refuse(id, offset, 'another number of ranges');
    this.words = Array.from({ length: count }, (_, i) => [file.u32(offset + 4 + 8 * i), file.u32(offset + 8 + 8 * i)]);
    this.words.forEach(([first, last], i) => {
      const least = i > 0 ? this.words[i - 1][1] + 1 : 0;
      if (first < least || last < first || last > 0x10ffff) refuse(id, offset + 4 + 8 * i, 'a range that does not follow');
    });
  }

  /** §5.5: an id for each rank, or a rank for each id. */
  #readOrder({ id, offset, length }) {
    if (length !== 4 * this.tokenCount) refuse(id, offset, 'another number of tokens');
    return Array.from({ length: this.tokenCount }, (_, i) => {
      const each = this.file.u32(offset + 4 * i);
      if (each >= this.tokenCount) refuse(id, offset + 4 * i, 'a number outside the vocabulary');
      return each;
    });
  }

  /** §5.5: for each rank, when merging makes its token. */
  #readPriorities({ id, offset, length }) {
    if (length !== 4 * this.tokenCount) refuse(id, offset, 'another number of tokens');
    return Array.from({ length: this.tokenCount }, (_, rank) => this.file.u32(offset + 4 * rank));
  }

  #readMetadata({ id, offset, length }) {
    const text = this.file.bytes(offset, length);
    if (length < 2 || text[0] !== 0x7b || text[length - 1] !== 0x7d) refuse(id, offset, 'no JSON object');
    this.metadataText = text;
  }

  #readModel({ id, offset, length }) {
    if (length !== 16) refuse(id, offset, 'the section has not 16 bytes');
    const [kind, tokenCount, maxTokenLength, unknown] = [0, 4, 8, 12].map((field) => this.file.u32(offset + field));
    const unknownUnit = kind === 2 && unknown !== NONE && (unknown & EACH_BYTE) !== 0 ? 'byte' : 'character';
    const unknownId = unknownUnit === 'byte' ? unknown - EACH_BYTE : unknown;
    if (kind < 1 || kind > 5) refuse(id, offset, 'an unknown model');
    if (tokenCount < (kind === 1 ? 256 : 1) || tokenCount >= 2 ** 21) refuse(id, offset + 4, 'a count of tokens that cannot be');
    if (maxTokenLength < 1 || maxTokenLength > 65535) refuse(id, offset + 8, 'a length of tokens that cannot be');
    const unknownFits = kind === 1 ? unknownId === 0 : kind === 3 || unknownId === NONE || unknownId < tokenCount;
    if (!unknownFits) refuse(id, offset + 12, 'an id for unknown characters that cannot be');
    Object.assign(this, { kind, tokenCount, maxTokenLength, unknownId, unknownUnit });
  }

  #readViews(viewsEntry, addedEntry) {
    const { file } = this;
    const decoder = new TextDecoder();
    const added = rowsOf(file, addedEntry, 16, 4);
    const addedTokens = added.rows.map((row) => {
      const [at, length, id, flags] = [0, 4, 8, 12].map((field) => file.u32(row + field));
      const bytes = added.string(at, length);
      if (bytes === undefined) refuse(4, row, 'bytes that are not there');
      if (length > 1024) refuse(4, row + 4, 'an added token that is too long');
      if (flags > 63) refuse(4, row + 12, 'an unknown flag');
      const [special, normalized, lstrip, rstrip, singleWord, neverFound] = [1, 2, 4, 8, 16, 32].map((flag) => (flags & flag) > 0);
      return { bytes, id, special, normalized, lstrip, rstrip, singleWord, neverFound, row };
    });
    const views = rowsOf(file, viewsEntry, 32);
    if (views.rows.length === 0 || views.rows.length > 4096) refuse(3, viewsEntry.offset, 'no views, or too many');
    let next = 0;
    let nameBytes = 0;
    this.views = views.rows.map((row) => {
      const [at, length, scanner, unicode, first, count, vocabularySize, normalizer] = [0, 4, 8, 12, 16, 20, 24, 28].map((field) =>
        file.u32(row + field),
      );
      const name = views.string(at, length);
      if (name === undefined) refuse(3, row, 'a name that is not there');
      nameBytes += length;
      if (nameBytes > views.stringBytes) refuse(3, row + 4, 'names that share bytes');
      const family = SCANNERS[scanner];
      if (!family || (this.kind === 3 && family !== 'none')) refuse(3, row + 8, 'an unknown scanner');
      if (unicode !== 0x1000) refuse(3, row + 12, 'another version of Unicode');
      if (first !== next) refuse(3, row + 16, 'added tokens that are not the next ones');
      if (first + count > addedTokens.length) refuse(3, row + 20, 'more added tokens than there are');
      const most = this.kind === 1 ? 2 ** 32 : this.kind > 3 ? 2 ** 29 : 2 ** 32 - 16;
      if (vocabularySize < this.tokenCount || vocabularySize > most) refuse(3, row + 24, 'a vocabulary smaller than the model');
      const isText = this.kind === 1 || this.kind > 3;
      if (normalizer > (isText ? 2 : 0)) refuse(3, row + 28, 'an unknown normalizer');
      const own = addedTokens.slice(first, first + count);
      let tokenBytes = 0;
      own.forEach((token, i) => {
        const least = i > 0 ? own[i - 1].id : 0;
        if (token.id < least || token.id >= vocabularySize) refuse(4, token.row + 8, 'an id out of order or vocabulary');
        const strips = token.lstrip || token.rstrip;
        if (
          isText
            ? (strips && normalizer > 0 && token.normalized) || token.singleWord
            : (this.kind === 3 ? token.rstrip : strips) || token.normalized || token.singleWord || token.neverFound
        )
          refuse(4, token.row + 12, 'a flag that it cannot have');
        tokenBytes += token.bytes.length;
        if (tokenBytes > added.stringBytes) refuse(4, token.row + 4, 'added tokens that share bytes');
      });
      let before;
      own.forEach((_, i) => {
        const at = added.behind + 4 * (first + i);
        const token = own[file.u32(at)];
        if (!token) refuse(4, at, 'a sorted row that the view has not');
        if (before && Buffer.compare(before.bytes, token.bytes) >= 0) refuse(4, at, 'rows that are not sorted');
        before = token;
      });
      next = first + count;
      return {
        name: decoder.decode(name),
        scanner: family,
        normalizer: [undefined, 'NFC', 'program'][normalizer],
        vocabularySize,
        addedTokens: own,
      };
    });
    if (next !== addedTokens.length) refuse(4, addedTokens[next].row, 'an added token that no view has');
  }

  /** §10. */
  #readDna({ id, offset, length }) {
    const { file } = this;
    if (length < 64) refuse(id, offset, 'shorter than its rules');
    const size = Math.min(...this.views.map(({ vocabularySize }) => vocabularySize));
    const isId = (value) => value < size;
    if (this.unknownId !== NONE && !isId(this.unknownId)) refuse(2, this.sections.get(2).offset + 12, 'an unknown id that is none');
    const fields = Array.from({ length: 14 }, (_, at) => file.u32(offset + 4 * at));
    const [unit, k, digitCount, firstKmerId, kmerCount, startCount, padId, side, lowerCase, ambiguous, n, tail, before, after] = fields;
    const demand = (isTrue, at, rule) => isTrue || refuse(id, offset + at, rule);
    const isBytes = unit === 1;
    demand(unit >= 1 && unit <= 3, 0, 'an unknown unit');
    demand(k >= 1 && k <= (isBytes ? 1 : 8), 4, 'a length of k-mers that cannot be');
    demand(isBytes ? digitCount === 0 : digitCount === 4 || digitCount === 5, 8, 'another number of digits');
    const kmers = isBytes ? 0 : digitCount ** k;
    demand(kmerCount === 0 || kmerCount === kmers, 16, 'another number of k-mers');
    if (isBytes || kmerCount > 0) demand(firstKmerId === NONE, 12, 'a rule where there is none, or a table');
    else demand(firstKmerId + kmers <= size, 12, 'k-mers that are no ids');
    demand(startCount === 0 || (isBytes && startCount === 256), 20, 'another number of first bytes');
    demand(padId === NONE || isId(padId), 24, 'padding that is no id');
    demand(side <= 1, 28, 'an unknown side');
    demand(lowerCase <= 2 && ambiguous <= 2 && (n === 0 || n === 2), 32, 'an unknown policy');
    demand(tail <= 2 && (tail !== 1 || padId !== NONE), 44, 'a tail that cannot be');
    demand(before <= 64 && after <= 64, 48, 'a template that is too long');
    const digits = [...file.bytes(offset + 56, 5)];
    const [unknown] = file.bytes(offset + 61, 1);
    demand(new Set(digits.slice(0, digitCount)).size === digitCount, 56, 'equal digits');
    demand(
      digits.slice(digitCount).every((digit) => digit === 0),
      56 + digitCount,
      'no zeros behind the digits',
    );
    demand(unknown === 0 || (unknown === 1 && unit === 2), 61, 'words of what is no k-mer');
    file.expectZeros(id, offset + 62, offset + 64);
    const counts = [256, startCount, kmerCount, before, after];
    demand(length === 64 + 4 * counts.reduce((sum, count) => sum + count), 0, 'another length');
    const ids = Array.from({ length: (length - 64) / 4 }, (_, at) => file.u32(offset + 64 + 4 * at));
    const templateAt = ids.length - before - after;
    ids.forEach((value, at) => demand(isId(value) || (value === NONE && at < templateAt), 64 + 4 * at, 'no id'));
    const areKnown = digits.slice(0, digitCount).every((digit) => ids[digit] !== NONE);
    demand(unknown === 0 || (this.unknownId !== NONE && areKnown), 61, 'words without an id, or of digits');
  }

  /** §11. Without the last rule of §8 on patterns, which limits their time. */
  #readPatterns({ id, offset, length }) {
    this.patterns = [];
    for (let at = offset; at === offset || at < offset + length; at += this.patterns.at(-1).length) {
      if (this.patterns.length === 4) refuse(id, at, 'more than four patterns');
      this.patterns.push(this.#readPattern({ id, offset: at, length: offset + length - at }));
    }
  }

  #readPattern({ id, offset, length: available }) {
    const { file } = this;
    if (available < 64) refuse(id, offset, 'a pattern shorter than its head');
    const [states, classes, row, blocks, cuts, length] = [0, 4, 8, 12, 16, 20].map((field) => file.u32(offset + field));
    if (states < 2 || states > 128) refuse(id, offset, 'a number of states that cannot be');
    if (classes < 1 || classes > 127) refuse(id, offset + 4, 'a number of classes that cannot be');
    if (row !== 2 ** Math.ceil(Math.log2(classes + 1))) refuse(id, offset + 8, 'rows of another length');
    if (blocks < 1 || blocks > 8704) refuse(id, offset + 12, 'a number of blocks that cannot be');
    if (cuts > 31) refuse(id, offset + 16, 'an unknown cut');
    const isInner = (cuts & 8) !== 0;
    const readsBytes = (cuts & 16) !== 0;
    if (readsBytes && !isInner) refuse(id, offset + 16, 'a pattern of bytes that is no inner one');
    const before = this.patterns.at(-1);
    if (isInner ? !before : before?.isInner) refuse(id, offset + 16, 'an inner pattern before another one');
    const dropped = Array.from({ length: 128 }, (_, each) => (file.u32(offset + 24 + 4 * (each >> 5)) >>> (each & 31)) & 1);
    const unknown = dropped.indexOf(1, classes);
    if (unknown >= 0) refuse(id, offset + 24 + 4 * (unknown >> 5), 'a dropped class that is none');
    file.expectZeros(id, offset + 40, offset + 64);
    const [blockOf, block] = [offset + 64, offset + 64 + 2 * 8704];
    const table = block + 128 * blocks;
    const end = table + 2 * states * row;
    if (length !== align(end - offset)) refuse(id, offset + 20, 'another length than the counts say');
    if (length > available) refuse(id, offset, 'a pattern longer than its section');
    file.expectZeros(id, end, offset + length);
    const u16 = (at) => file.bytes(at, 1)[0] | (file.bytes(at + 1, 1)[0] << 8);
    for (let i = 0; i < 8704; i++) if (u16(blockOf + 2 * i) >= (i === 0 ? 1 : blocks)) refuse(id, blockOf + 2 * i, 'a block that is none');
    if (readsBytes && u16(blockOf + 2) !== 1) refuse(id, blockOf + 2, 'bytes in another block');
    for (let i = 0; i < 128 * blocks; i++) if (file.bytes(block + i, 1)[0] >= classes) refuse(id, block + i, 'a class that is none');
    for (let i = 0; i < states * row; i++) {
      const [state, input, entry] = [Math.floor(i / row), i % row, u16(table + 2 * i)];
      const [next, ends] = [entry & 0x7fff, entry >= 0x8000];
      const fits = next % row === 0 && next < states * row && (entry === 0 || (state > 0 && input <= classes));
      if (!fits || (state === 1 && ends) || (input === classes && next !== 0)) refuse(id, table + 2 * i, 'an entry that cannot be');
    }
    const classOf = (codePoint) => file.bytes(block + 128 * u16(blockOf + 2 * (codePoint >> 7)) + (codePoint & 127), 1)[0];
    /** The end of the match that begins at this character of an array of code points; the index itself if none does. */
    const matchEnd = (text, begin) => {
      let [state, end] = [row, begin];
      for (let at = begin; state !== 0; at++) {
        const entry = u16(table + 2 * (state + (at < text.length ? classOf(text[at]) : classes)));
        if (entry >= 0x8000) end = at;
        state = entry & 0x7fff;
      }
      return end;
    };
    const drops = (codePoint) => dropped[classOf(codePoint)] === 1;
    return { length, cuts, isInner, readsBytes, matchEnd, drops };
  }

  #readTokens(offsets, bytes) {
    const { file, tokenCount } = this;
    if (offsets.length !== 4 * (tokenCount + 1)) refuse(5, offsets.offset, 'another number of offsets');
    const at = (i) => file.u32(offsets.offset + 4 * i);
    if (at(0) !== 0) refuse(5, offsets.offset, 'the first is not 0');
    if (at(tokenCount) !== bytes.length) refuse(5, offsets.offset + 4 * tokenCount, 'the last is not the end of the bytes');
    let longest = 0;
    for (let i = 1; i <= tokenCount; i++) {
      const length = at(i) - at(i - 1);
      if (length < 0 || length > this.maxTokenLength || at(i) > bytes.length) refuse(5, offsets.offset + 4 * i, 'a wrong end');
      longest = Math.max(longest, length);
    }
    if (longest !== this.maxTokenLength) refuse(2, this.sections.get(2).offset + 8, 'no token is that long');
    this.token = (id) => file.bytes(bytes.offset + at(id), at(id + 1) - at(id));
  }

  #checkPieces() {
    const { file, tokenCount } = this;
    for (const at of this.pieces8.all()) {
      if (file.u32(at + 8) >= tokenCount || file.u32(at + 12) > 8) refuse(7, at, 'an entry out of range');
    }
    for (const at of this.pieces24.all()) {
      const length = file.u32(at + 28);
      if (file.u32(at + 24) >= tokenCount || (length !== 0 && (length < 9 || length > 24))) refuse(8, at, 'an entry out of range');
    }
    for (const at of this.piecesLong.all()) {
      const id = file.u32(at);
      if (id !== NONE && id >= tokenCount) refuse(9, at, 'an id out of range');
    }
    for (let byte = 0; byte < 256; byte++) {
      const at = this.pieces8.entry(hashWord(BigInt(byte), 1n, this.pieces8.seed));
      const token = this.token(file.u32(at + 8));
      const found = file.u64(at) === BigInt(byte) && file.u32(at + 12) === 1 && token.length === 1 && token[0] === byte;
      if (!found) refuse(7, at, `byte ${byte} is no token`);
    }
  }

  #readSplits({ offset, length }) {
    const { file, tokenCount } = this;
    if (length !== 8 * tokenCount) refuse(10, offset, 'another number of splits');
    this.split = (id) => [file.u32(offset + 8 * id), file.u32(offset + 8 * id + 4)];
    for (let id = 0; id < tokenCount; id++) {
      const [left, right] = this.split(id);
      if (!((left < id && right < id) || (left === id && right === id))) refuse(10, offset + 8 * id, 'a split that does not end');
    }
  }

  #checkPairs() {
    for (const at of this.pairs.all()) {
      const entry = this.file.u32(at);
      if (entry !== NONE && entry % 2 ** 21 >= this.tokenCount) refuse(11, at, 'an id out of range');
    }
  }

  #readTrie({ id, offset, length }) {
    const { file } = this;
    if (length < 64) refuse(id, offset, 'the section is shorter than its header');
    const [unitCount, hasValues] = [file.u32(offset), file.u32(offset + 4)];
    if (unitCount === 0 || unitCount % 256 !== 0 || unitCount > 2 ** 22) refuse(id, offset, 'a count of units that cannot be');
    if (hasValues > 1 || hasValues < this.kind - 1) refuse(id, offset + 4, 'values neither there nor not, or missing');
    file.expectZeros(id, offset + 8, offset + 64);
    if (64 + 4 * unitCount * (1 + hasValues) !== length) refuse(id, offset, 'length and counts differ');
    const units = offset + 64;
    const values = units + 4 * unitCount;
    this.unit = (i) => {
      const unit = file.u32(units + 4 * i);
      return { label: unit & 0x1ff, terminal: ((unit >>> 9) & 1) === 1, base: unit >>> 10 };
    };
    for (let i = 0; i < unitCount; i++) {
      const { label, base } = this.unit(i);
      if (label > 256 || base >= unitCount || (i < 256 && label !== 256)) refuse(id, units + 4 * i, 'a unit out of range');
    }
    for (let i = 0; i < unitCount * hasValues; i++) {
      if (file.u32(values + 4 * i) >= this.tokenCount) refuse(id, values + 4 * i, 'a value out of range');
    }
    this.trieValue = hasValues ? (i) => file.u32(values + 4 * i) : undefined;
  }

  /** Ascending ids, after their count. */
  #readIds({ id, offset, length }) {
    const { file } = this;
    if (length < 4) refuse(id, offset, 'the section has no count');
    const count = file.u32(offset);
    if (4 + 4 * count !== length) refuse(id, offset, 'length and count differ');
    const ids = Array.from({ length: count }, (_, i) => file.u32(offset + 4 + 4 * i));
    ids.forEach((token, i) => {
      if (token >= this.tokenCount || (i > 0 && token <= ids[i - 1])) refuse(id, offset + 4 + 4 * i, 'an id out of order or range');
    });
    return ids;
  }

  /** §9. */
  #readJoints({ id, offset, length }) {
    if (length !== 8192) refuse(id, offset, 'the section has not 8192 bytes');
    this.isJoint = (a, b) => ((this.file.u8(offset + 32 * a + (b >> 3)) >> (b & 7)) & 1) === 1;
  }

  /** §9: the tokens that match, as Latin-1 strings with their ids. */
  matchedTokens() {
    const unmatched = new Set(this.unmatched);
    const ids = Array.from({ length: this.tokenCount }, (_, id) => id).filter((id) => !unmatched.has(id) && this.token(id).length > 0);
    return ids.map((id) => [Buffer.from(this.token(id)).toString('latin1'), id]);
  }

  #checkMatched() {
    const matched = this.matchedTokens();
    if (new Map(matched).size !== matched.length) refuse(6, this.sections.get(6).offset, 'two tokens are equal');
  }

  /**
   * §9: the longest token that begins the bytes, found in the trie.
   * @returns {{ id: number, length: number } | undefined}
   */
  longestMatch(bytes) {
    let at = 0;
    let match;
    for (let i = 0; i < bytes.length; i++) {
      at = this.unit(at).base ^ bytes[i];
      const { label, terminal } = this.unit(at);
      if (label !== bytes[i]) break;
      if (terminal) match = { id: this.trieValue(at), length: i + 1 };
    }
    return match;
  }

  /** §5.4. Made from the tokens and splits alone: a plain reader needs no other tables. */
  #readMerges({ id, offset, length }, rankOf) {
    const { file, tokenCount } = this;
    const bad = (rule) => refuse(id, offset, rule);
    if (length < 80) bad('the section is shorter than its header');
    const [runCount, runBytes, mergeCount, lowBytes, tokenBytes] = [0, 4, 8, 12, 16].map((field) => file.u32(offset + field));
    const classCounts = Array.from({ length: 13 }, (_, i) => file.u32(offset + 20 + 4 * i));
    if (tokenBytes > 2 ** 26) bad('too many bytes of tokens');
    if (classCounts.reduce((sum, count) => sum + count) !== mergeCount) bad('classes and merges differ');
    file.expectZeros(id, offset + 72, offset + 80);
    const runBytesAt = offset + 80 + 12 * runCount;
    const leftAt = runBytesAt + runBytes;
    const rightAt = leftAt + mergeCount;
    const lowAt = rightAt + mergeCount;
    if (lowAt + lowBytes !== offset + length) bad('length and counts differ');

    const symbols = (at, count) => file.bytes(at, count)[Symbol.iterator]();
    const lefts = symbols(leftAt, mergeCount);
    let classAt = rightAt;
    const rights = classCounts.map((count) => symbols((classAt += count) - count, count));
    const low = file.bytes(lowAt, lowBytes);
    let bit = 0;
    const lowBits = (count) => {
      if (bit + count > 8 * lowBytes) bad('too few low bits');
      let value = 0;
      for (let i = 0; i < count; i++, bit++) value |= ((low[bit >> 3] >> (bit & 7)) & 1) << i;
      return value;
    };
    const tokens = [];
    let total = 0;
    const push = (token, split) => {
      if (token.length > this.maxTokenLength || (total += token.length) > tokenBytes) bad('a token that is too long');
      tokens.push(token);
      splits.push(split);
    };
    const splits = [];
    const idFrom = (stream, ranking) => {
      const { value: symbol, done } = stream.next();
      if (done || symbol > 151) bad('no symbol, or one that is too great');
      const count = symbol < 16 ? 0 : (symbol >> 3) - 1;
      const index = symbol < 16 ? symbol : (8 + (symbol & 7)) * 2 ** count + lowBits(count);
      const found = index < tokenCount ? ranking.use(index) : NONE;
      if (found >= tokens.length || tokens[found].length === 0) bad('a half that is no token before this one');
      return found;
    };
    const ranking = () => new Ranking(tokenCount);
    const leftRanking = ranking();
    const rightRankings = classCounts.map(ranking);
    const mergeUntil = (end) => {
      while (tokens.length < end) {
        const left = idFrom(lefts, leftRanking);
        const side = classOf(tokens[left]);
        const right = idFrom(rights[side], rightRankings[side]);
        push(Uint8Array.from([...tokens[left], ...tokens[right]]), [left, right]);
      }
    };
    let bytesAt = runBytesAt;
    const single = new Set();
    for (let row = offset + 80; row < runBytesAt; row += 12) {
      const [first, count, size] = [0, 4, 8].map((field) => file.u32(row + field));
      if (count === 0 || first < tokens.length || first + count > tokenCount) bad('a run that cannot be');
      mergeUntil(first);
      for (let i = 0; i < count; i++, bytesAt += size) {
        if (bytesAt + size > leftAt) bad('more bytes than the runs have');
        if (size === 1) single.add(file.u8(bytesAt));
        push(file.bytes(bytesAt, size), [first + i, first + i]);
      }
    }
    mergeUntil(tokenCount);
    if (!lefts.next().done || bytesAt !== leftAt || total !== tokenBytes) bad('something is left');
    if (8 * lowBytes - bit >= 8 || (bit % 8 !== 0 && low[bit >> 3] >> (bit & 7) !== 0)) bad('low bits are left');
    if (tokens.every((token) => token.length !== this.maxTokenLength)) bad('no token is that long');
    if (single.size !== 256) bad('a byte is no token');
    this.token = (token) => tokens[rankOf(token)];
    const latin1 = this.matchedTokens().map(([token]) => token);
    if (new Set(latin1).size !== latin1.length) bad('two tokens are equal');
    const matchedBytes = latin1.filter((token) => token.length === 1);
    if (matchedBytes.length !== 256) refuse(16, this.sections.get(16).offset, 'an unmatched byte');
    this.split = (token) => splits[token];
  }

  /** §5.3: the crossings that follow from the tokens and their splits. */
  deriveCrossings() {
    const continues = (byte) => byte >= 0x80 && byte <= 0xbf;
    const announced = (first) => (first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3);
    const isCrossing = (left, right) => {
      if (continues(right[0])) return false;
      const [first, ...others] = right;
      return left.every(continues) || (others.every(continues) && others.length < announced(first));
    };
    return Array.from({ length: this.tokenCount }, (_, id) => id).filter((id) => {
      const [left, right] = this.split(id);
      return left !== id && isCrossing(this.token(this.idOfRank(left)), this.token(this.idOfRank(right)));
    });
  }

  /** §4: what the makers say about it. */
  get metadata() {
    return JSON.parse(new TextDecoder().decode(this.metadataText));
  }

  /**
   * §5.2: the token with exactly these bytes (at least one).
   * @param {Uint8Array} piece
   * @returns {number | undefined}
   */
  idOf(piece) {
    const { file } = this;
    const words = wordsOf(piece);
    const length = BigInt(piece.length);
    if (piece.length <= 24) {
      const table = piece.length <= 8 ? this.pieces8 : this.pieces24;
      const hash = piece.length <= 8 ? hashWord(words[0], length, table.seed) : hashWords(words, length, table.seed);
      const at = table.entry(hash);
      const keyWords = table.entryBytes === 16 ? 1 : 3;
      for (let i = 0; i < keyWords; i++) if (file.u64(at + 8 * i) !== (words[i] ?? 0n)) return undefined;
      return file.u32(at + 8 * keyWords + 4) === piece.length ? file.u32(at + 8 * keyWords) : undefined;
    }
    const id = file.u32(this.piecesLong.entry(hashLong(words, length, this.piecesLong.seed)));
    if (id === NONE) return undefined;
    const token = this.token(id);
    return token.length === piece.length && token.every((byte, i) => byte === piece[i]) ? id : undefined;
  }

  /**
   * §5.3: the token that two tokens merge into.
   * @returns {number | undefined}
   */
  merged(left, right) {
    const hash = hashWord(BigInt(left) | (BigInt(right) << 32n), 0n, this.pairs.seed);
    const entry = this.file.u32(this.pairs.entry(hash));
    if (entry === NONE || BigInt(entry >>> 21) !== hash >> 53n) return undefined;
    const id = entry % 2 ** 21;
    const [splitLeft, splitRight] = this.split(id);
    return splitLeft === left && splitRight === right ? id : undefined;
  }

  /**
   * §5.3: lengths of the tokens in the trie that begin the bytes, ascending.
   * @param {Uint8Array} bytes
   */
  prefixes(bytes) {
    const lengths = [];
    let at = 0;
    for (let i = 0; i < bytes.length; i++) {
      at = this.unit(at).base ^ bytes[i];
      const { label, terminal } = this.unit(at);
      if (label !== bytes[i]) break;
      if (terminal) lengths.push(i + 1);
    }
    return lengths;
  }

  /**
   * §6, 3: the ids of a piece, for a view with a pretokenizer.
   * @param {Uint8Array} piece
   */
  encodePiece(piece) {
    const whole = this.idOf(piece);
    return whole === undefined ? this.mergeBytes(piece) : [whole];
  }

  /** The same without looking up the whole piece. */
  mergeBytes(piece) {
    const ids = Array.from(piece, (byte) => this.rankOf(this.idOf(Uint8Array.of(byte))));
    const priorityOf = (rank) => (this.priorities ? this.priorities[rank] : rank);
    for (;;) {
      let best = Infinity;
      let bestIndex = -1;
      for (let i = 0; i + 1 < ids.length; i++) {
        const id = this.merged(ids[i], ids[i + 1]);
        if (id !== undefined && priorityOf(id) < best) [best, bestIndex] = [priorityOf(id), i];
      }
      if (bestIndex < 0) return ids.map((rank) => this.idOfRank(rank));
      ids.splice(bestIndex, 2, this.merged(ids[bestIndex], ids[bestIndex + 1]));
    }
  }
}

/**
 * Opens a cartridge, after checking all of §8.
 * @param {Uint8Array} bytes
 * @param {{ verify?: boolean }} [options] verify: false leaves out the checksum
 * @returns {any} a Cartridge; its members are assigned step by step, which types cannot follow
 * @throws {CartridgeError}
 */
export function openCartridge(bytes, { verify = true } = {}) {
  const file = new File(bytes);
  return new Cartridge(file, readTable(file, verify));
}
