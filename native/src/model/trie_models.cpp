#include "model/trie_models.h"

#include <new>

#include "crayon/layout/marked_ids.h"
#include "model/unigram.h"
#include "model/word_piece.h"
#include "tables/double_array.h"

namespace crayon {

TrieModels::TrieModels(const Cartridge& cartridge, const DroppedText& dropped)
    : tables_(cartridge.longest_match()),
      rules_(cartridge.trie_rules()),
      prefix_length_(static_cast<u32>(rules_.prefix.size())),
      dropped_(dropped),
      words_(sums_floats() ? tables_ : LongestMatchView()) {}

Status TrieModels::create(const Cartridge& cartridge, const DroppedText& dropped, TrieModels** out) {
    *out = new (std::nothrow) TrieModels(cartridge, dropped);
    return *out ? Status{} : Status::out_of_memory();
}

PieceSource* TrieModels::create_source() const { return is_unigram() ? source_of(unigram()) : source_of(word_piece()); }

Unigram TrieModels::unigram() const { return {tables_, rules_, dropped_, sums_floats() ? &words_ : nullptr}; }
WordPiece TrieModels::word_piece() const { return {tables_, rules_, dropped_}; }

u32 TrieModels::length_of_part(u32 id) const {
    id &= layout::kFirstMarkedId - 1;
    const u32 length = id < tables_.token_count ? static_cast<u32>(tables_.token(id).size()) : 0;
    return length > prefix_length_ ? length - prefix_length_ : 0;
}

u32 TrieModels::token_of(std::string_view bytes) const {
    const TrieMatch match =
        longest_prefix(tables_.trie, reinterpret_cast<const u8*>(bytes.data()), static_cast<u32>(bytes.size()));
    if (match.length == bytes.size()) return match.value;
    for (const u32 id : tables_.unmatched) {
        if (tables_.token(id) == bytes) return id;
    }
    return layout::kNone;
}

void TrieModels::hand_out(u32* ids, u32 count) const {
    const u32 unknown_id = tables_.unknown_id;
    constexpr u32 kKept = layout::kFirstMarkedId - 1;
    if (const u32* const byte_ids = rules_.byte_ids) {
        for (u32 i = 0; i < count; ++i) {
            if (ids[i] >= layout::kByteMark) ids[i] = byte_ids[ids[i] >> layout::kByteShift & 0xFF];
        }
    }
    for (u32 i = 0; i < count; ++i) ids[i] = ids[i] >= layout::kUnknownMark ? unknown_id : ids[i] & kKept;
}

}  // namespace crayon
