#include "tables/bpe_cartridge.h"

#include "base/buffer.h"
#include "tables/bpe_tables.h"

namespace crayon {

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

}  // namespace crayon
