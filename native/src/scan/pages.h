// Classifies a block's non-ASCII characters, page by page.
//
// A page is 64 code points: the first byte of a two-byte character identifies it, or the first two of a three-byte
// character, and the low six bits of the last byte are the index in the page. A text uses few pages at a time, so the
// characters of one page are classified together: a comparison finds them, and three set memberships (unicode_16_0::Page)
// of their last bytes are bits 0, 1 and 2 of their classes. In "Он", О is D0 9E and н is D0 BD:
//
//   bytes                  D0 9E D0 BD
//   page D0 ends at           *     *
//   planes[0], [1] there      1     0   and   0     1      kUpper is 1, kLower is 2
//
// Ideographs and Hangul have many pages but one class; they are found as ranges first.
//
// For patterns with symbols (scan/symbols.h), a page's symbols are a fourth set.
#pragma once

#include <bit>

#include "base/integers.h"
#include "base/utf8.h"
#include "scan/symbols.h"
#include "scan/unicode_16_0.h"

namespace crayon::CRAYON_KERNEL {

// The result for the non-ASCII bytes. Bit i of planes[k] is bit k of the class of byte i's character.
struct NonAscii {
    u32 length;  // of the block, which ends before an incomplete character
    u64 continuation;
    u64 planes[3];
    u64 symbols, cjk;  // members of a set of scan/symbols.h
};

// The most recent pages. A block tries them first, regardless of its bytes: the guess is nearly always right, and the
// vector instructions can start without waiting for a byte or a branch.
struct RecentPages {
    struct Entry {
        u8 first, second;  // the bytes that identify the page
        const unicode_16_0::Page* page;
        u64 symbols;  // the family's symbols
    };
    struct List {
        Entry entries[4];
        u32 count = 0, oldest = 0;

        const Entry& add(Entry entry) {
            Entry& slot = entries[count < 4 ? count++ : oldest++ % 4];
            return slot = entry;
        }
        const Entry* begin() const { return entries; }
        const Entry* end() const { return entries + count; }
    };
    List two, three;  // of two-byte and of three-byte characters
};

// The first bytes of three-byte characters in the run, given that all characters are well-formed.
template <unicode_16_0::PageRun kRun, class Bytes>
[[gnu::always_inline]] inline u64 first_bytes_in_run(const Bytes& bytes) {
    constexpr u8 kFirst = 0xE0 | kRun.first >> 12, kFirstSecond = 0x80 | (kRun.first >> 6 & 0x3F);
    constexpr u8 kLast = 0xE0 | kRun.last >> 12, kLastSecond = 0x80 | (kRun.last >> 6 & 0x3F);
    return (bytes.equal(kFirst) & bytes.between(kFirstSecond, 0xBF) >> 1) | bytes.between(kFirst + 1, kLast - 1) |
           (bytes.equal(kLast) & bytes.between(0x80, kLastSecond) >> 1);
}

// The same for is_ideograph_or_kana.
template <class Bytes>
[[gnu::always_inline]] inline u64 ideographs_and_kana(const Bytes& bytes) {
    const u64 to_9f7f = bytes.between(0x80, 0xBD), from_9f80 = bytes.equal(0xBE) & bytes.between(0x80, 0xA5) >> 1;
    return (bytes.equal(0xE3) & bytes.between(0x81, 0x83) >> 1) | (bytes.equal(0xE4) & bytes.between(0xB8, 0xBF) >> 1) |
           bytes.between(0xE5, 0xE8) | (bytes.equal(0xE9) & (to_9f7f | from_9f80) >> 1);
}

// Classifies the bytes of `non_ascii` among the first `length` of a block that begins with a character. False if any of
// them is ill-formed: `found` is meaningless then.
template <class Symbols, class Bytes>
[[gnu::always_inline]] inline bool classify_by_pages(const Bytes& bytes, const u8* text, u32 length, u64 non_ascii,
                                                     RecentPages& recent, NonAscii& found) {
    using namespace unicode_16_0;
    u64 continuation = bytes.between(0x80, 0xBF) & non_ascii;
    u64 two = bytes.between(0xC2, 0xDF) & non_ascii, three = bytes.between(0xE0, 0xEF) & non_ascii;
    u64 four = non_ascii & ~(continuation | two | three);  // and bytes that never occur in UTF-8

    // A character that continues past the 64 bytes. (If the next byte is ASCII, the character is ill-formed instead.)
    constexpr u64 kTop = u64{1} << 63;
    const u64 cut = ((two | three | four) & kTop) | ((three | four) & continuation >> 1 & kTop >> 1) |
                    (four & continuation >> 1 & continuation >> 2 & kTop >> 2);
    const u32 whole = static_cast<u32>(std::countr_zero(cut));
    if (whole < length) length = whole;
    const u64 valid = ~u64{0} >> (64 - length);
    continuation &= valid, two &= valid, three &= valid, four &= valid;
    if (((two | three | four) << 1 | (three | four) << 2 | four << 3) != continuation) return false;

    // Bits at the last byte of each character.
    u64 plane0 = 0, plane1 = 0, plane2 = 0, symbols = 0, cjk = 0;
    const auto classify = [&](const RecentPages::Entry& entry, u64 last) {
        plane0 |= bytes.members(entry.page->planes[0]) & last;
        plane1 |= bytes.members(entry.page->planes[1]) & last;
        plane2 |= bytes.members(entry.page->planes[2]) & last;
        if constexpr (Symbols::kAny) symbols |= bytes.members(entry.symbols) & last;
    };
    const auto symbols_of = [](u32 page) { return Symbols::of_page(page); };
    if (two) {
        u64 rest = two;
        const auto classify_page = [&](const RecentPages::Entry& entry) {
            const u64 alike = bytes.equal(entry.first) & two;
            classify(entry, alike << 1);
            rest &= ~alike;
        };
        for (const RecentPages::Entry& entry : recent.two) classify_page(entry);
        while (rest) {  // NOLINT(bugprone-infinite-loop): classify_page changes it
            const u8 first = text[std::countr_zero(rest)];
            const u32 page = first & 0x1Fu;
            classify_page(recent.two.add({first, 0, &kPages[kPageOf[page]], symbols_of(page)}));
        }
    }
    if (three) {
        u64 rest = three;
        const auto classify_page = [&](const RecentPages::Entry& entry) {
            const u64 alike = bytes.equal(entry.first) & bytes.equal(entry.second) >> 1 & three;
            classify(entry, alike << 2);
            rest &= ~alike;
        };
        if (three & bytes.between(0xE0 | kCaselessRuns[0].first >> 12, 0xE0 | kCaselessRuns[1].last >> 12)) {
            static_assert(kCaseless == 3);
            const u64 caseless =
                (first_bytes_in_run<kCaselessRuns[0]>(bytes) | first_bytes_in_run<kCaselessRuns[1]>(bytes)) & three;
            plane0 |= caseless << 2;
            plane1 |= caseless << 2;
            if constexpr (requires { Symbols::kHasIdeographs; }) {
                static_assert(kCaselessRuns[0].first == 0x4E00);
                symbols |= ((bytes.equal(0xE4) & bytes.between(0xB8, 0xBF) >> 1) | bytes.between(0xE5, 0xE9)) << 2 & caseless
                                                                                                                         << 2;
            }
            rest &= ~caseless;
        }
        for (const RecentPages::Entry& entry : recent.three) classify_page(entry);
        while (rest) {  // NOLINT(bugprone-infinite-loop): classify_page changes it
            const u8* const p = text + std::countr_zero(rest);
            const u32 page = (p[0] & 0x0Fu) << 6 | (p[1] & 0x3Fu);
            constexpr u32 kTooShort = 0x800 >> kPageShift, kSurrogates = 0xD800 >> kPageShift;
            if (page < kTooShort || page - kSurrogates < 0x800 >> kPageShift) return false;
            classify_page(recent.three.add({p[0], p[1], &kPages[kPageOf[page]], symbols_of(page)}));
        }
        if constexpr (Symbols::kOnlyOther) cjk = ideographs_and_kana(bytes) & three;
    }
    const u64 last_of_three = three << 2;
    const auto spread = [last_of_three](u64 plane) { return plane | plane >> 1 | (plane & last_of_three) >> 2; };
    found = {length, continuation, {spread(plane0), spread(plane1), spread(plane2)}, spread(symbols), 0};
    found.cjk = cjk | cjk << 1 | cjk << 2;

    // Emoji. (Which of them are symbols is another question, for the families that ask it.)
    if constexpr (!Symbols::kAny) {
        if (four) {
            static_assert(kOther == 0 && kEmoji.first >> 12 == 0x1F && kEmoji.last >> 12 == 0x1F);
            constexpr u8 kFirst = 0x80 | (kEmoji.first >> 6 & 0x3F), kLast = 0x80 | (kEmoji.last >> 6 & 0x3F);
            four &= ~(bytes.equal(0xF0) & bytes.equal(0x9F) >> 1 & bytes.between(kFirst, kLast) >> 2);
        }
    }
    for (; four; four &= four - 1) {
        const u32 i = static_cast<u32>(std::countr_zero(four));
        const Character character = decode_character(text + i);
        if (character.length != 4) return false;
        const u64 number = class_of(character.code_point), all = u64{15} << i;
        for (u32 k = 0; k < 3; ++k) found.planes[k] |= (number >> k & 1) * all;
        if (Symbols::kAny && Symbols::has(character.code_point, static_cast<Class>(number))) found.symbols |= all;
    }
    return true;
}

// The same for arbitrary bytes, one character at a time.
template <class Symbols>
[[gnu::noinline]] inline NonAscii classify_one_by_one(const u8* text, u32 length, u64 non_ascii) {
    u64 classes[8] = {}, continuation = 0, symbols = 0, cjk = 0;
    while (non_ascii) {
        const u32 i = static_cast<u32>(std::countr_zero(non_ascii));
        const Character character = decode_character(text + i);
        if (i + character.length > 64) {  // it belongs to the next block
            length = i;
            break;
        }
        const u64 bits = (~u64{0} >> (64 - character.length)) << i;
        const unicode_16_0::Class kind = unicode_16_0::class_of(character.code_point);
        classes[kind] |= bits;
        if constexpr (Symbols::kAny) {
            if (Symbols::has(character.code_point, kind)) symbols |= bits;
            if (Symbols::kOnlyOther && is_ideograph_or_kana(character.code_point)) cjk |= bits;
        }
        continuation |= bits & (bits - 1) & ~(u64{1} << i);
        non_ascii &= ~bits;
    }
    return {length,
            continuation,
            {classes[1] | classes[3] | classes[5], classes[2] | classes[3] | classes[6], classes[4] | classes[5] | classes[6]},
            symbols,
            cjk};
}

// With fewer non-ASCII bytes than this, one by one is faster.
inline constexpr int kEnoughForPages = 8;

template <class Symbols, class Bytes>
[[gnu::always_inline]] inline NonAscii classify_non_ascii(const Bytes& bytes, const u8* text, u32 length, u64 non_ascii,
                                                          RecentPages& recent) {
    if constexpr (requires { bytes.members(u64{0}); }) {
        NonAscii found;
        if (std::popcount(non_ascii) >= kEnoughForPages &&
            classify_by_pages<Symbols>(bytes, text, length, non_ascii, recent, found))
            return found;
    }
    return classify_one_by_one<Symbols>(text, length, non_ascii);
}

}  // namespace crayon::CRAYON_KERNEL
