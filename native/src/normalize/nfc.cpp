#include "normalize/nfc.h"

#include <cstring>

#include "base/utf8.h"
#include "normalize/unicode_forms.h"

namespace crayon {

namespace {

// Stands for bytes that are not UTF-8: greater than any code point, plus their number.
constexpr u32 kIllFormed = 0x200000;
// The block size of kernels.
constexpr size_t kBlock = 64;

// Whether no character that begins with the byte has properties, or the byte is a continuation. (pass_low has the same in
// vectorizable form, for short texts and the scalar kernel; pass_normal.h has it for the others.)
constexpr bool is_low(u8 byte) {
    return byte < 0xCC || byte == 0xCF || (byte & 0xFE) == 0xD0 || (byte >= 0xD3 && byte <= 0xD5) || byte == 0xDA ||
           (byte >= 0xE4 && byte <= 0xE9) || (byte >= 0xEB && byte <= 0xEE);
}

constexpr struct LowBytes {
    bool of[256] = {};
    constexpr LowBytes() {
        for (u32 byte = 0; byte < 256; ++byte) of[byte] = is_low(static_cast<u8>(byte));
    }
} kLow;

// The start of the first group of bytes from `at` on that are not all low. (Branch-free, so that compilers vectorize it.)
size_t pass_low(const u8* text, size_t at, size_t size) {
    constexpr size_t kGroup = 32;
    for (; size - at >= kGroup; at += kGroup) {
        u64 words[kGroup / 8];
        std::memcpy(words, text + at, kGroup);
        if (((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080) == 0) continue;
        u8 low[kGroup];
        for (size_t i = 0; i < kGroup; ++i) {
            const u8 byte = text[at + i], of_two = static_cast<u8>(byte - 0xD3), of_three = static_cast<u8>(byte - 0xE4),
                     of_last = static_cast<u8>(byte - 0xEB), cyrillic = byte & 0xFE;
            u8 known = byte < 0xCC ? 0xFF : 0;
            known |= byte == 0xCF ? 0xFF : 0;
            known |= byte == 0xDA ? 0xFF : 0;
            known |= cyrillic == 0xD0 ? 0xFF : 0;
            known |= of_two < 3 ? 0xFF : 0;
            known |= of_three < 6 ? 0xFF : 0;
            known |= of_last < 4 ? 0xFF : 0;
            low[i] = known;
        }
        std::memcpy(words, low, kGroup);
        const u64 others = ~(words[0] & words[1] & words[2] & words[3]);
        if (others) break;
    }
    while (at < size && kLow.of[text[at]]) ++at;
    return at;
}

// Whether text[at, size) is the start of a character that continues past it.
bool is_cut_off(const u8* text, size_t at, size_t size) {
    if (size - at > 3 || text[at] < 0xC2) return false;
    u8 bytes[4] = {};
    std::memcpy(bytes, text + at, size - at);
    // Some next byte makes it longer.
    for (u8 next : {u8{0x80}, u8{0x90}, u8{0xA0}}) {
        bytes[size - at] = next;
        if (decode_character(bytes).length > size - at) return true;
    }
    return false;
}

}  // namespace

// Ignores text after `size`.
Character Nfc::character_at(const u8* text, size_t at, size_t size) const {
    if (size - at >= 4) return decode_character(text + at);
    u8 bytes[4] = {};
    std::memcpy(bytes, text + at, size - at);
    return decode_character(bytes);
}

Normalizer::Checked Nfc::check(const u8* text, size_t from, size_t searched, size_t size, bool last, u32) const {
    if (searched > from) {
        // Check for an end of the range.
        for (;;) {
            if (searched == size || (!last && is_cut_off(text, searched, size))) {
                if (!last) return {from, from, searched};
                break;
            }
            const Character character = character_at(text, searched, size);
            if (!(tables_.properties(character.code_point) & NfcTables::kJoins)) break;
            searched += character.length;
        }
    }
    // The range being checked, its last starter, and the class of the mark before `at`.
    size_t begin = from, starter = from, at = from;
    u32 mark_class = 0;
    bool has_starter = false, is_dirty = false;
    const auto has_passed = [&](size_t plain) {
        begin = starter = plain;
        mark_class = 0;
        has_starter = true;
    };
    for (size_t passed = from; at < size;) {
        const u8 first = text[at];
        // Tried again only past the text `passed` before; if the bytes there differ, it would not pay off.
        if (!is_dirty && at >= passed) {
            size_t back = at;
            if (pass_ && size - at >= kBlock) {
                back = pass_(tables_.pages(), text, at, size);
                passed = size - back < kBlock ? back : back + kBlock;
            } else if (size - at >= 8 && kLow.of[first] && kLow.of[text[at + 1]] && kLow.of[text[at + 3]] &&
                       kLow.of[text[at + 7]]) {
                back = passed = pass_low(text, at, size);
            }
            // The last character is checked with the text that follows, and so is the one before it, if the last one joins
            // it. (More joining characters may follow.)
            bool joins = back > at;
            while (joins) {
                const size_t end = back--;
                while (back > at && end - back < 4 && is_continuation(text[back])) --back;
                joins = back > at && (tables_.properties(character_at(text, back, size).code_point) & NfcTables::kJoins);
            }
            if (back > at) {
                has_passed(at = back);
                continue;
            }
        }
        // Two- and three-byte characters without properties, in a separate loop, which is twice as fast.
        if (!is_dirty && first >= 0xC2 && first < 0xF0) {
            size_t end = at, plain = at;
            while (size - end >= 3) {
                const u32 b0 = text[end], b1 = text[end + 1];
                if (b0 < 0xC2 || b0 >= 0xF0 || !is_continuation(b1)) break;
                const bool is_two = b0 < 0xE0;
                const bool is_ill_formed = (b0 == 0xE0 && b1 < 0xA0) || (b0 == 0xED && b1 >= 0xA0);
                if (!is_two && (is_ill_formed || !is_continuation(text[end + 2]))) break;
                const u32 code =
                    is_two ? (b0 & 0x1F) << 6 | (b1 & 0x3F) : (b0 & 0x0F) << 12 | (b1 & 0x3F) << 6 | (text[end + 2] & 0x3Fu);
                if (tables_.properties(code) & (NfcTables::kJoins | NfcTables::kReplaced)) break;
                plain = end;
                end += is_two ? 2 : 3;
            }
            if (end > at) {
                has_passed(plain);
                at = end;
                continue;
            }
        }
        Character character;
        const size_t left = size - at;
        if (first < 0x80) {
            if (is_dirty) return {begin, at, at};
            has_passed(at++);
            continue;
        } else if (first >= 0xC2 && first < 0xE0 && left >= 2 && is_continuation(text[at + 1])) {
            character = {(first & 0x1Fu) << 6 | (text[at + 1] & 0x3Fu), 2};
        } else if (left >= 4) {
            character = decode_character(text + at);
        } else {
            if (!last && is_cut_off(text, at, size)) break;
            character = character_at(text, at, size);
        }
        const u32 code = character.code_point, known = tables_.properties(code), own_class = known & NfcTables::kClass;
        if (!(known & NfcTables::kJoins)) {
            if (is_dirty) return {begin, at, at};
            has_passed(at);
            is_dirty = (known & NfcTables::kReplaced) != 0;
        } else {
            if ((known & NfcTables::kReplaced) || (own_class != 0 && own_class < mark_class)) {
                is_dirty = true;
            } else if ((known & NfcTables::kSecond) && has_starter && (mark_class == 0 || mark_class < own_class)) {
                const u32 before = decode_character(text + starter).code_point;
                is_dirty = is_dirty || tables_.compose(before, code) != 0 ||
                           (own_class != 0 && (tables_.properties(before) & NfcTables::kComposite));
            }
            if (own_class == 0) {
                starter = at;
                has_starter = true;
            }
            mark_class = own_class;
        }
        at += character.length;
    }
    if (!last) return {begin, begin, at};
    return is_dirty ? Checked{begin, size, size} : Checked{size, size, size};
}

Status Nfc::decompose(const u8* text, size_t begin, size_t end, Scratch& scratch) const {
    scratch.parts.clear();
    scratch.offsets.clear();
    Scratch::Offset offset = {0, 0};
    for (size_t at = begin; at < end;) {
        const Character character = character_at(text, at, end);
        u32 parts[NfcTables::kMostParts] = {kIllFormed + character.length}, count = 1;
        if (!is_ill_formed(character, text + at)) count = tables_.decompose(character.code_point, parts);
        for (u32 i = 0; i < count; ++i) {
            const u32 mark_class = tables_.properties(parts[i]) & NfcTables::kClass;
            if (!scratch.parts.push_back({parts[i], mark_class, i > 0})) return Status::out_of_memory();
        }
        if (!scratch.offsets.push_back(offset)) return Status::out_of_memory();
        offset.bytes += character.length;
        offset.units += character.code_point >= 0x10000 ? 2 : 1;
        at += character.length;
    }
    scratch.units = offset.units;
    return scratch.offsets.push_back(offset) ? Status{} : Status::out_of_memory();
}

Status Nfc::rewrite(const u8* text, size_t begin, size_t end, u32, Scratch& scratch, bool* changed) const {
    if (Status status = decompose(text, begin, end, scratch); !status.ok()) return status;
    if (Status status = sort_marks(scratch); !status.ok()) return status;
    compose(tables_, &scratch.parts);
    const Buffer<Scratch::Part>& parts = scratch.parts;
    if (!scratch.bytes.resize(4 * parts.size()) || !scratch.characters.resize(parts.size())) return Status::out_of_memory();
    const Scratch::Offset* const offsets = scratch.offsets.data();
    const size_t character_count = scratch.offsets.size() - 1;
    u32 size = 0;
    bool is_aligned = true;
    for (size_t i = 0, character = 0; i < parts.size(); ++i) {
        const Scratch::Part& part = parts[i];
        if (part.code > kIllFormed) {  // the first of its range
            std::memcpy(scratch.bytes.data(), text + begin, part.code - kIllFormed);
            size = part.code - kIllFormed;
        } else {
            size += put_character(part.code, scratch.bytes.data() + size);
        }
        // The changes of a range add up to its number of characters, and no character precedes its first.
        const size_t index = part.change > 0 ? character - (character > 0) : std::min(character, character_count - 1);
        const Scratch::Offset& from = offsets[index];
        const Scratch::Offset& to = offsets[index + 1];
        scratch.characters[i] = {size, from.bytes, to.bytes, from.units, to.units};
        if (part.change <= 0) character += 1 + static_cast<size_t>(-part.change);
        is_aligned = is_aligned && part.change == 0;
    }
    scratch.bytes.truncate(size);
    *changed = !is_aligned || size != end - begin || std::memcmp(scratch.bytes.data(), text + begin, size) != 0;
    return {};
}

}  // namespace crayon
