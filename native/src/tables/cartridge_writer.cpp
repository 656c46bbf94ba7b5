#include "tables/cartridge_writer.h"

#include <bit>
#include <cstring>

#include "base/buffer.h"
#include "cartridge/checksum.h"
#include "crayon/layout/longest_match.h"
#include "tables/bpe_tables.h"
#include "tables/double_array_builder.h"

namespace crayon {

static_assert(std::endian::native == std::endian::little, "structs are written as they are");

namespace {

u64 align(u64 at) { return (at + layout::kAlignment - 1) / layout::kAlignment * layout::kAlignment; }

}  // namespace

Status write_cartridge(std::span<const SectionBytes> sections, OwnedBytes* file) {
    const u64 table_end = sizeof(layout::Header) + sections.size() * sizeof(layout::Section);
    u64 length = table_end;
    for (const SectionBytes& section : sections) length = align(length) + section.length;
    if (length > layout::kMaxFileLength) return {CRAYON_FILE_TOO_LARGE, 0, length};
    if (!OwnedBytes::allocate(length, file)) return Status::out_of_memory();

    layout::Header header{};
    header.magic = layout::kMagic;
    header.version = layout::kVersion;
    header.minor = layout::kMinor;
    header.section_count = static_cast<u16>(sections.size());
    header.file_length = length;
    std::memcpy(file->data(), &header, sizeof header);

    u64 row_at = sizeof header, end = table_end;
    for (const SectionBytes& section : sections) {
        const u64 begin = align(end);
        std::memset(file->data() + end, 0, begin - end);
        end = begin + section.length;
        const layout::Section row = {section.id, section.id == layout::kMetadata ? 0u : u32{layout::kMustUnderstand},
                                     static_cast<u32>(begin), static_cast<u32>(section.length)};
        std::memcpy(file->data() + row_at, &row, sizeof row);
        row_at += sizeof row;
        if (section.length > 0) std::memcpy(file->data() + begin, section.bytes, section.length);
    }

    Checksum checksum;
    checksum.update(file->data(), length);
    header.checksum = checksum.finish();
    std::memcpy(file->data(), &header, sizeof header);
    return {};
}

bool add_order(const BpeVocabulary& vocabulary, Buffer<SectionBytes>* sections, Buffer<u32>* unmatched) {
    const std::span<const u32> left_out = vocabulary.unmatched;
    if (!left_out.empty()) {
        if (!unmatched->push_back(static_cast<u32>(left_out.size())) || !unmatched->append(left_out.data(), left_out.size()) ||
            !sections->push_back({layout::kUnmatched, unmatched->data(), unmatched->size() * sizeof(u32)})) {
            return false;
        }
    }
    const size_t order_bytes = size_t{vocabulary.tokens.count} * sizeof(u32);
    return !vocabulary.ids || sections->push_back({layout::kIds, vocabulary.ids, order_bytes});
}

Status write_bpe_cartridge(std::span<const SectionBytes> common, const BpeVocabulary& vocabulary, OwnedBytes* file) {
    const auto& [tokens, ranked, splits, ids, ranks, unmatched] = vocabulary;
    Buffer<u8> pieces8, pieces24, pieces_long, pairs, trie, crossings;
    Status status = build_pieces8(tokens, &pieces8, unmatched);
    if (status.ok()) status = build_pieces24(tokens, &pieces24, unmatched);
    if (status.ok()) status = build_pieces_long(tokens, &pieces_long, unmatched);
    if (status.ok()) status = build_pairs(splits, ranked.count, &pairs);
    if (status.ok()) status = build_trie(ranked, splits, &trie);
    if (status.ok()) status = build_crossings(ranked, splits, &crossings);
    if (!status.ok()) return status;

    const SectionBytes always[] = {
        {layout::kTokenOffsets, tokens.offsets, (size_t{tokens.count} + 1) * sizeof(u32)},
        {layout::kTokenBytes, tokens.bytes, tokens.offsets[tokens.count]},
        {layout::kPieces8, pieces8.data(), pieces8.size()},
        {layout::kPieces24, pieces24.data(), pieces24.size()},
        {layout::kPiecesLong, pieces_long.data(), pieces_long.size()},
        {layout::kSplits, splits, size_t{tokens.count} * sizeof(layout::Split)},
        {layout::kPairs, pairs.data(), pairs.size()},
        {layout::kTrie, trie.data(), trie.size()},
        {layout::kCrossings, crossings.data(), crossings.size()},
    };
    Buffer<SectionBytes> sections;
    Buffer<u32> counted;
    const bool allocated = sections.append(common.data(), common.size()) && sections.append(always, std::size(always)) &&
                           add_order(vocabulary, &sections, &counted) &&
                           (!ranks || sections.push_back({layout::kRanks, ranks, size_t{tokens.count} * sizeof(u32)}));
    return allocated ? write_cartridge({sections.data(), sections.size()}, file) : Status::out_of_memory();
}

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
