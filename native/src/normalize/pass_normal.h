// Passes over text in NFC, 64 bytes at a time.
//
// Most bytes need no other test than which they are: no character that begins with them has properties. The characters of
// the others are looked up page by page, as in scan/pages.h: a page is 64 code points, which the first byte identifies, or
// the first two of three, and a text uses few at a time. A block is in NFC if no character of it may change, and none that
// joins the one before follows another such: a single mark composes with nothing (it would be one that may change), and
// no two are there to be out of order. What is not in NFC by that, such as two marks on one letter, is for Nfc::check.
#pragma once

#include <bit>

#include "base/utf8.h"
#include "normalize/nfc_pages.h"

namespace crayon::CRAYON_KERNEL {

// Whether no character that begins with a byte has properties, or the byte continues one (nfc.cpp has the same).
template <class Bytes>
[[gnu::always_inline]] inline u64 low_bytes(const Bytes& bytes, u64 non_ascii) {
    return ~non_ascii | bytes.between(0x80, 0xCB) | bytes.equal(0xCF) | bytes.between(0xD0, 0xD1) |
           bytes.between(0xD3, 0xD5) | bytes.equal(0xDA) | bytes.between(0xE4, 0xE9) | bytes.between(0xEB, 0xEE);
}

// The most recent pages with properties, tried before any byte is read.
struct RecentNfcPages {
    struct Entry {
        u8 first, second;
        NfcPage page;
    };
    Entry entries[4];
    u32 count = 0, oldest = 0;

    [[gnu::always_inline]] const Entry& add(u8 first, u8 second, const NfcPage& page) {
        Entry& place = entries[count < 4 ? count++ : oldest++ % 4];
        return place = {first, second, page};
    }
};

template <class Bytes>
size_t pass_normal(const NfcPages& pages, const u8* text, size_t at, size_t size) {
    RecentNfcPages twos, threes;
    const size_t start = at;
    bool after_joining = true;  // the character before may be one
    while (size - at >= 64) {
        {
            const Bytes bytes = Bytes::load(text + at);
            const u64 non_ascii = bytes.non_ascii();
            if (non_ascii == 0 || ~low_bytes(bytes, non_ascii) == 0) {
                at += 64;
                after_joining = false;
                continue;
            }
        }
        // The block before may have ended in a character.
        for (u32 back = 0; back < 3 && at > start && (text[at] & 0xC0) == 0x80; ++back) --at;
        const Bytes bytes = Bytes::load(text + at);
        u64 non_ascii = bytes.non_ascii();
        u64 continuation = bytes.between(0x80, 0xBF), two = bytes.between(0xC2, 0xDF), three = bytes.between(0xE0, 0xEF);
        u64 four = non_ascii & ~(continuation | two | three);  // and bytes that never occur in UTF-8

        // A character that continues after the 64 bytes.
        constexpr u64 kTop = u64{1} << 63;
        const u64 cut = ((two | three | four) & kTop) | ((three | four) & kTop >> 1) | (four & kTop >> 2);
        const u32 length = static_cast<u32>(std::countr_zero(cut));
        const u64 valid = ~u64{0} >> (64 - length);
        continuation &= valid, two &= valid, three &= valid, four &= valid;
        if (((two | three | four) << 1 | (three | four) << 2 | four << 3) != continuation) return at;

        // At the last byte of each character.
        u64 joins = 0, changes = 0;
        const u64 low = low_bytes(bytes, non_ascii);
        if (u64 rest = two & ~low) {
            const auto pass = [&](const RecentNfcPages::Entry& entry) {
                const u64 alike = bytes.equal(entry.first) & rest;
                joins |= bytes.members(entry.page.joins) & alike << 1;
                changes |= bytes.members(entry.page.changes) & alike << 1;
                rest &= ~alike;
            };
            for (u32 i = 0; i < twos.count; ++i) pass(twos.entries[i]);
            while (rest) {
                const u8 first = text[at + static_cast<u32>(std::countr_zero(rest))];
                pass(twos.add(first, 0, pages.of((first & 0x1Fu) << 6)));
            }
        }
        // Of the others, most ideographs and all syllables of Hangul have none either.
        const u64 wide = (bytes.equal(0xE3) & bytes.between(0x84, 0xBF) >> 1) | (bytes.equal(0xEA) & bytes.between(0xB0, 0xBF) >> 1);
        if (u64 rest = three & ~(low | wide)) {
            const auto pass = [&](const RecentNfcPages::Entry& entry) {
                const u64 alike = bytes.equal(entry.first) & bytes.equal(entry.second) >> 1 & rest;
                joins |= bytes.members(entry.page.joins) & alike << 2;
                changes |= bytes.members(entry.page.changes) & alike << 2;
                rest &= ~alike;
            };
            for (u32 i = 0; i < threes.count; ++i) pass(threes.entries[i]);
            while (rest) {
                const u8* const p = text + at + std::countr_zero(rest);
                pass(threes.add(p[0], p[1], pages.of((p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6)));
            }
        }
        for (u64 rest = four; rest; rest &= rest - 1) {
            const u32 i = static_cast<u32>(std::countr_zero(rest));
            const Character character = decode_character(text + at + i);
            if (character.length != 4) return at;
            if (character.code_point >= NfcPages::kEnd) continue;
            const NfcPage& page = pages.of(character.code_point);
            if ((page.joins | page.changes) >> (character.code_point & 63) & 1) return at;
        }
        const u64 joins_two = joins & two << 1, joins_three = joins & three << 2;
        const u64 before = joins_two >> 2 | joins_three >> 3;  // the last bytes of the characters before them
        if (changes | (before & joins)) return at;
        if (after_joining && ((joins_two & 2) | (joins_three & 4))) return at;
        after_joining = (joins >> (length - 1) & 1) != 0;
        at += length;
    }
    return at;
}

// Kernels without sets of bytes have none.
template <class Bytes>
constexpr PassNormal pass_normal_by() {
    if constexpr (requires(Bytes bytes) { bytes.members(u64{0}); }) return pass_normal<Bytes>;
    return nullptr;
}

}  // namespace crayon::CRAYON_KERNEL
