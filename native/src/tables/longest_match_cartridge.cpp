#include "tables/longest_match_cartridge.h"

#include "crayon/layout/longest_match.h"
#include "tables/double_array_builder.h"

namespace crayon {

namespace {

Status build_trie(const SortedTokens& sorted, Buffer<u8>* section) {
    static constexpr u32 kNoIds[1] = {};  // if no token matches, the trie is empty, but has values
    return build_double_array(sorted.keys(), sorted.keys().count > 0 ? sorted.ids() : kNoIds, section);
}

bool build_joined_bytes(const SortedKeys& keys, Buffer<u8>* section) {
    if (!section->assign(layout::kJoinedBytesLength, 0)) return false;
    for (u32 k = 0; k < keys.count; ++k) {
        const u8* key = keys.bytes + keys.starts[k];
        for (u32 i = 1; i < keys.lengths[k]; ++i) layout::set_joined(section->data(), key[i - 1], key[i]);
    }
    return true;
}

bool build_unmatched(std::span<const u32> ids, Buffer<u32>* section) {
    return section->push_back(static_cast<u32>(ids.size())) && section->append(ids.data(), ids.size());
}

SectionBytes offsets_of(const TokenList& tokens) {
    return {layout::kTokenOffsets, tokens.offsets, (size_t{tokens.count} + 1) * sizeof(u32)};
}
SectionBytes bytes_of(const TokenList& tokens) { return {layout::kTokenBytes, tokens.bytes, tokens.offsets[tokens.count]}; }

}  // namespace

Status MatchedTokens::sort(SortedTokens* sorted) const {
    Buffer<u32> ids;
    const u32* next = unmatched.data();
    const u32* const end = next + unmatched.size();
    for (u32 id = 0; id < tokens.count; ++id) {
        if (next < end && *next == id) {
            ++next;
        } else if (tokens.length(id) > 0 && !ids.push_back(id)) {
            return Status::out_of_memory();
        }
    }
    return sorted->sort(tokens, ids);
}

namespace {

Status write_with(std::span<const SectionBytes> common, std::span<const SectionBytes> model_sections, OwnedBytes* file) {
    Buffer<SectionBytes> sections;
    const bool allocated =
        sections.append(common.data(), common.size()) && sections.append(model_sections.data(), model_sections.size());
    return allocated ? write_cartridge({sections.data(), sections.size()}, file) : Status::out_of_memory();
}

Status write_tables(std::span<const SectionBytes> common, const MatchedTokens& matched, bool is_joined, OwnedBytes* file) {
    SortedTokens sorted;
    Buffer<u8> trie, joined_bytes;
    Buffer<u32> unmatched;
    Status status = matched.sort(&sorted);
    if (status.ok()) status = build_trie(sorted, &trie);
    if (!status.ok()) return status;
    if ((is_joined && !build_joined_bytes(sorted.keys(), &joined_bytes)) || !build_unmatched(matched.unmatched, &unmatched)) {
        return Status::out_of_memory();
    }
    SectionBytes model_sections[5] = {
        offsets_of(matched.tokens), bytes_of(matched.tokens), {layout::kTrie, trie.data(), trie.size()}};
    size_t count = 3;
    if (is_joined) model_sections[count++] = {layout::kJoinedBytes, joined_bytes.data(), joined_bytes.size()};
    model_sections[count++] = {layout::kUnmatched, unmatched.data(), unmatched.size() * sizeof(u32)};
    return write_with(common, {model_sections, count}, file);
}

}  // namespace

Status write_longest_match_cartridge(std::span<const SectionBytes> common, const MatchedTokens& tokens, OwnedBytes* file) {
    return write_tables(common, tokens, true, file);
}

Status write_trie_cartridge(std::span<const SectionBytes> common, const MatchedTokens& tokens, OwnedBytes* file) {
    return write_tables(common, tokens, false, file);
}

Status write_slim_longest_match_cartridge(std::span<const SectionBytes> common, const MatchedTokens& matched, OwnedBytes* file) {
    Buffer<u32> unmatched;
    if (!build_unmatched(matched.unmatched, &unmatched)) return Status::out_of_memory();
    const SectionBytes model_sections[] = {
        offsets_of(matched.tokens),
        bytes_of(matched.tokens),
        {layout::kUnmatched, unmatched.data(), unmatched.size() * sizeof(u32)},
    };
    return write_with(common, model_sections, file);
}

}  // namespace crayon
