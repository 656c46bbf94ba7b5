// The tables of a pattern (layout/pattern.h), checked by the validator, in the form a pretokenizer reads.
#pragma once

#include "base/integers.h"
#include "base/utf8.h"
#include "crayon/layout/pattern.h"

namespace crayon {

struct PatternTables {
    const u16* block_of = nullptr;
    const u8* blocks = nullptr;
    const u16* table = nullptr;
    u32 start = 0;  // the row where a match begins
    u32 end = 0;    // the index of the end of the text in a row
    u32 cuts = 0;
    const u32* dropped = nullptr;  // one bit per class

    PatternTables() = default;
    explicit PatternTables(const layout::Pattern& pattern)
        : block_of(reinterpret_cast<const u16*>(&pattern + 1)),
          blocks(reinterpret_cast<const u8*>(block_of + layout::kPatternBlocks)),
          table(reinterpret_cast<const u16*>(blocks + (pattern.block_count << layout::kPatternBlockShift))),
          start(pattern.row_length),
          end(pattern.class_count),
          cuts(pattern.cuts),
          dropped(pattern.dropped) {}

    // code_point is at most U+10FFFF.
    [[gnu::always_inline]] u32 class_of(u32 code_point) const {
        const u32 block = block_of[code_point >> layout::kPatternBlockShift];
        return blocks[block << layout::kPatternBlockShift | (code_point & ((1u << layout::kPatternBlockShift) - 1))];
    }
    bool drops(u32 code_point) const {
        const u32 kind = class_of(code_point);
        return dropped[kind / 32] >> kind % 32 & 1;
    }
    // Whether text[0, size) is a single match, and so one piece. 3 more bytes must be readable.
    bool matches_all(const u8* text, u32 size) const {
        u32 state = start;
        for (u32 at = 0; at < size && state != 0;) {
            const Character character = decode_character(text + at);
            state = table[state + class_of(character.code_point)] & ~u32{layout::kPatternEnds};
            at += character.length;
        }
        return state != 0 && (table[state + end] & layout::kPatternEnds) != 0;
    }
    bool drops_any() const { return (dropped[0] | dropped[1] | dropped[2] | dropped[3]) != 0; }
};

// Each pattern splits the pieces of the previous one.
struct Patterns {
    u32 count = 0;
    PatternTables tables[layout::kMaxPatterns];

    Patterns() = default;
    // `section`: the first of the patterns in `length` bytes. Takes the inner ones, or the others.
    Patterns(const layout::Pattern* section, size_t length, bool inner = false) {
        const u8* at = reinterpret_cast<const u8*>(section);
        for (const u8* const end = at + length; at < end;) {
            const layout::Pattern& pattern = *reinterpret_cast<const layout::Pattern*>(at);
            if (((pattern.cuts & layout::kInnerPattern) != 0) == inner) tables[count++] = PatternTables(pattern);
            at += pattern.length;
        }
    }
    bool drops_any() const {
        for (u32 i = 0; i < count; ++i) {
            if (tables[i].drops_any()) return true;
        }
        return false;
    }
    bool drops(u32 code_point) const {
        for (u32 i = 0; i < count; ++i) {
            if (tables[i].drops(code_point)) return true;
        }
        return false;
    }
};

// They are stored without padding between them.
static_assert(sizeof(u16) * layout::kPatternBlocks % 64 == 0);

}  // namespace crayon
