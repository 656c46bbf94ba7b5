// Passes over text in NFC, 64 bytes at a time.
//
// Most bytes need only one test of their value: no character that begins with them has properties. The other characters are
// looked up page by page, as in scan/pages.h: a page is 64 code points, identified by the first byte, or the first two of
// three, and a text uses few pages at a time. A block is in NFC if none of its characters may change, and no joining
// character follows another: a single mark composes with nothing (otherwise it would be one that may change), and two are
// needed to be out of order. Where such characters occur, each is checked. The rest is left to Nfc::check.
#pragma once

#include <bit>

#include "base/utf8.h"
#include "normalize/nfc_pages.h"

namespace crayon::CRAYON_KERNEL {

// The first bytes of characters that may have properties (nfc.cpp has the same).
template <class Bytes>
[[gnu::always_inline]] inline u64 high_bytes(const Bytes& bytes) {
    return bytes.between(0xCC, 0xCE) | bytes.equal(0xD2) | bytes.between(0xD6, 0xD9) | bytes.between(0xDB, 0xE3) |
           bytes.equal(0xEA) | bytes.between(0xEF, 0xFF);
}

// The most recent pages.
struct RecentNfcPages {
    struct Entry {
        u8 first, second;
        NfcPage page;
    };
    static constexpr u32 kMost = 8;
    Entry entries[kMost];
    u32 count = 0, oldest = 0;

    [[gnu::always_inline]] const Entry& add(u8 first, u8 second, const NfcPage& page) {
        Entry& slot = entries[count < kMost ? count++ : oldest++ % kMost];
        return slot = {first, second, page};
    }
};

template <class Bytes>
size_t pass_normal(const NfcPages& pages, const u8* text, size_t at, size_t size) {
    RecentNfcPages twos, threes;
    const size_t start = at;
    bool after_joining = true;  // the previous character may be one
    while (size - at >= 64) {
        const Bytes bytes = Bytes::load(text + at);
        const u64 high = high_bytes(bytes);
        if (high == 0) {
            at += 64;
            after_joining = false;
            continue;
        }
        // Up to a joining character that continues past the 64 bytes; other characters may continue.
        const u64 four = high & bytes.between(0xF0, 0xFF), longer = high & bytes.between(0xE0, 0xFF);
        constexpr u64 kTop = u64{1} << 63;
        const u32 length = static_cast<u32>(std::countr_zero((high & kTop) | (longer & kTop >> 1) | (four & kTop >> 2)));
        const u64 valid = ~u64{0} >> (64 - length);
        const u64 two = high & ~longer & valid, three = longer & ~four & valid;
        if (((two | three) << 1 | three << 2) & ~bytes.between(0x80, 0xBF)) return at;

        // Bits at the last byte of each character.
        u64 joins = 0, changes = 0;
        const auto look = [&](const NfcPage& page, u64 last) {
            if (page.joins) joins |= bytes.members(page.joins) & last;
            if (page.changes) changes |= bytes.members(page.changes) & last;
        };
        if (u64 rest = two) {
            const auto pass = [&](const RecentNfcPages::Entry& entry) {
                const u64 alike = bytes.equal(entry.first) & rest;
                look(entry.page, alike << 1);
                return alike;
            };
            for (u32 i = 0; rest && i < twos.count; ++i) rest &= ~pass(twos.entries[i]);
            while (rest) {
                const u8 first = text[at + static_cast<u32>(std::countr_zero(rest))];
                rest &= ~pass(twos.add(first, 0, pages.of((first & 0x1Fu) << 6)));
            }
        }
        if (u64 rest = three) {
            const auto pass = [&](const RecentNfcPages::Entry& entry) {
                const u64 alike = bytes.equal(entry.first) & bytes.equal(entry.second) >> 1 & rest;
                look(entry.page, alike << 2);
                return alike;
            };
            for (u32 i = 0; rest && i < threes.count; ++i) rest &= ~pass(threes.entries[i]);
            // Many pages without properties: ideographs and Hangul syllables.
            if (rest) {
                rest &= ~((bytes.equal(0xE3) & bytes.between(0x84, 0xBF) >> 1) |
                          (bytes.equal(0xEA) & bytes.between(0xB0, 0xBF) >> 1));
            }
            while (rest) {
                const u8* const p = text + at + std::countr_zero(rest);
                rest &= ~pass(threes.add(p[0], p[1], pages.of((p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6)));
            }
        }
        for (u64 rest = four & valid; rest; rest &= rest - 1) {
            const Character character = decode_character(text + at + std::countr_zero(rest));
            if (character.length != 4) return at;
            if (character.code_point >= NfcPages::kEnd) continue;
            const NfcPage& page = pages.of(character.code_point);
            if ((page.joins | page.changes) >> (character.code_point & 63) & 1) return at;
        }
        // Characters that may change, or that follow a joining one.
        const u64 joins_two = joins & two << 1, joins_three = joins & three << 2;
        u64 looked_at = changes | (joins_two & joins << 2) | (joins_three & joins << 3);
        if (after_joining) looked_at |= (joins_two & 2) | (joins_three & 4);
        for (; looked_at; looked_at &= looked_at - 1) {
            const u32 last = static_cast<u32>(std::countr_zero(looked_at));
            if (!(joins >> last & 1)) return at;
            const size_t position = at + last - (joins_three >> last & 1 ? 2 : 1);
            if (position == start) return at;
            size_t before = position - 1;
            while (before > start && position - before < 4 && is_continuation(text[before])) --before;
            const Character other = decode_character(text + before);
            if (before + other.length != position) return at;
            if (!pages.stays(*pages.tables, other.code_point, decode_character(text + position).code_point)) return at;
        }
        after_joining = (joins >> (length - 1) & 1) != 0;
        at += length;
    }
    return at;
}

// Kernels without byte sets do not have this.
template <class Bytes>
constexpr PassNormal pass_normal_by() {
    if constexpr (requires(Bytes bytes) { bytes.members(u64{0}); }) return pass_normal<Bytes>;
    return nullptr;
}

}  // namespace crayon::CRAYON_KERNEL
