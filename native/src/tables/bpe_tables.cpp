#include "tables/bpe_tables.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/utf8.h"
#include "crayon/layout/cartridge.h"
#include "tables/double_array_builder.h"
#include "tables/key_words.h"
#include "tables/perfect_hash_builder.h"
#include "tables/sorted_tokens.h"

namespace crayon {

namespace {

using layout::kNone;
using layout::Piece24;
using layout::Piece8;
using layout::Split;

size_t padded(size_t length) { return (length + layout::kAlignment - 1) / layout::kAlignment * layout::kAlignment; }

// Writes a section: header, pilots, and `entry(i)` in the slot of key i, `empty` in all others.
template <class Entry, class Make>
Status write_table(const PerfectHashBuilder& builder, const Entry& empty, const Make& entry, Buffer<u8>* section) {
    layout::PerfectHash header = builder.header();
    header.entry_bytes = sizeof(Entry);
    const size_t entries_at = sizeof header + padded(header.bucket_count);
    if (!section->resize(entries_at + size_t{header.slot_count} * sizeof(Entry))) return Status::out_of_memory();
    std::memset(section->data(), 0, entries_at);
    std::memcpy(section->data(), &header, sizeof header);
    std::memcpy(section->data() + sizeof header, builder.pilots(), header.bucket_count);
    Entry* entries = reinterpret_cast<Entry*>(section->data() + entries_at);
    std::fill(entries, entries + header.slot_count, empty);
    for (u32 i = 0; i < header.key_count; ++i) entries[builder.slot(i)] = entry(i);
    return {};
}

bool ids_of_lengths(const TokenList& tokens, u32 shortest, u32 longest, std::span<const u32> unmatched, Buffer<u32>* ids) {
    Matched matched(unmatched);
    for (u32 id = 0; id < tokens.count; ++id) {
        const u32 length = tokens.length(id);
        if (matched(id) && length >= shortest && length <= longest && !ids->push_back(id)) return false;
    }
    return true;
}

}  // namespace

Status build_pieces8(const TokenList& tokens, Buffer<u8>* section, std::span<const u32> unmatched) {
    Buffer<Piece8> pieces;
    Matched matched(unmatched);
    for (u32 id = 0; id < tokens.count; ++id) {
        const u32 length = tokens.length(id);
        if (!matched(id) || length == 0 || length > 8) continue;
        if (!pieces.push_back({key_word(tokens.token(id), length), id, length})) return Status::out_of_memory();
    }
    PerfectHashBuilder builder;
    Status status = builder.build(static_cast<u32>(pieces.size()),
                                  [&](u32 i, u64 seed) { return layout::hash_word(pieces[i].key, pieces[i].length, seed); });
    if (status.ok())
        status = write_table(
            builder, Piece8{}, [&](u32 i) { return pieces[i]; }, section);
    return status;
}

Status build_pieces24(const TokenList& tokens, Buffer<u8>* section, std::span<const u32> unmatched) {
    Buffer<Piece24> pieces;
    Matched matched(unmatched);
    for (u32 id = 0; id < tokens.count; ++id) {
        const u32 length = tokens.length(id);
        if (!matched(id) || length < 9 || length > 24) continue;
        const u8* token = tokens.token(id);
        const u32 second = std::min(length - 8, 8u), third = length - 8 - second;
        const Piece24 piece = {
            {key_word(token, 8), key_word(token + 8, second), key_word(token + 8 + second, third)}, id, length};
        if (!pieces.push_back(piece)) return Status::out_of_memory();
    }
    PerfectHashBuilder builder;
    Status status = builder.build(static_cast<u32>(pieces.size()), [&](u32 i, u64 seed) {
        const Piece24& piece = pieces[i];
        return layout::hash_words(piece.key[0], piece.key[1], piece.key[2], piece.length, seed);
    });
    if (status.ok())
        status = write_table(
            builder, Piece24{}, [&](u32 i) { return pieces[i]; }, section);
    return status;
}

Status build_pieces_long(const TokenList& tokens, Buffer<u8>* section, std::span<const u32> unmatched) {
    Buffer<u32> ids;
    if (!ids_of_lengths(tokens, 25, kNone, unmatched, &ids)) return Status::out_of_memory();
    PerfectHashBuilder builder;
    Status status = builder.build(static_cast<u32>(ids.size()),
                                  [&](u32 i, u64 seed) { return hash_bytes(tokens.token(ids[i]), tokens.length(ids[i]), seed); });
    if (status.ok())
        status = write_table(
            builder, kNone, [&](u32 i) { return ids[i]; }, section);
    return status;
}

Status build_pairs(const Split* splits, u32 token_count, Buffer<u8>* section) {
    Buffer<u32> ids;
    for (u32 id = 0; id < token_count; ++id) {
        if (splits[id].left != id && !ids.push_back(id)) return Status::out_of_memory();
    }
    PerfectHashBuilder builder;
    Status status = builder.build(static_cast<u32>(ids.size()), [&](u32 i, u64 seed) {
        const Split split = splits[ids[i]];
        return layout::hash_word(split.left | u64{split.right} << 32, 0, seed);
    });
    if (status.ok()) {
        status = write_table(
            builder, kNone, [&](u32 i) { return layout::pair_slot(ids[i], builder.hash(i)); }, section);
    }
    return status;
}

Status build_trie(const TokenList& tokens, const Split* splits, Buffer<u8>* section) {
    Buffer<u32> ids;
    bool has_byte[256] = {};
    for (u32 id = 0; id < tokens.count; ++id) {
        const u32 length = tokens.length(id);
        if (length == 0 || (length > 1 && splits[id].left == id)) continue;
        // An unmatched token may be the same byte as another token.
        if (length == 1 && std::exchange(has_byte[*tokens.token(id)], true)) continue;
        if (!ids.push_back(id)) return Status::out_of_memory();
    }
    SortedTokens sorted;
    const Status status = sorted.sort(tokens, ids);
    return status.ok() ? build_double_array(sorted.keys(), nullptr, section) : status;
}

// build_crossings of bpe_tables.h.
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
