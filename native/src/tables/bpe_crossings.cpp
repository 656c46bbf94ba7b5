// build_crossings of bpe_tables.h.
#include "base/utf8.h"
#include "tables/bpe_tables.h"

namespace crayon {

namespace {

// The length of the character that begins with this byte.
u32 announced(u8 first) { return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

bool all_continue(const u8* bytes, u32 count) {
    for (u32 i = 0; i < count; ++i) {
        if (!is_continuation(bytes[i])) return false;
    }
    return true;
}

// Whether the halves meet between two characters, and the left half is the end of a character or the right half the
// beginning of one.
bool crosses(const u8* left, u32 left_length, const u8* right, u32 right_length) {
    if (is_continuation(right[0])) return false;
    return all_continue(left, left_length) || (all_continue(right + 1, right_length - 1) && right_length < announced(right[0]));
}

}  // namespace

Status build_crossings(const TokenList& tokens, const layout::Split* splits, Buffer<u8>* section) {
    Buffer<u32> rows;
    if (!rows.push_back(0)) return Status::out_of_memory();
    for (u32 id = 0; id < tokens.count; ++id) {
        const auto [left, right] = splits[id];
        if (left == id) continue;
        if (!crosses(tokens.token(left), tokens.length(left), tokens.token(right), tokens.length(right))) continue;
        if (!rows.push_back(id)) return Status::out_of_memory();
    }
    rows[0] = static_cast<u32>(rows.size()) - 1;
    const bool allocated = section->append(reinterpret_cast<const u8*>(rows.data()), rows.size() * sizeof(u32));
    return allocated ? Status{} : Status::out_of_memory();
}

}  // namespace crayon
