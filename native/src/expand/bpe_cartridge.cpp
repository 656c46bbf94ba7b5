#include "expand/bpe_cartridge.h"

#include "base/buffer.h"
#include "expand/bpe_tables.h"

namespace crayon {

Status write_bpe_cartridge(CommonSections common, const TokenList& tokens,
                           const layout::Split* splits, OwnedBytes* file) {
    Buffer<u8> pieces8, pieces24, pieces_long, pairs, trie, crossings;
    Status status = build_pieces8(tokens, &pieces8);
    if (status.ok()) status = build_pieces24(tokens, &pieces24);
    if (status.ok()) status = build_pieces_long(tokens, &pieces_long);
    if (status.ok()) status = build_pairs(splits, tokens.count, &pairs);
    if (status.ok()) status = build_trie(tokens, splits, &trie);
    if (status.ok()) status = build_crossings(tokens, splits, &crossings);
    if (!status.ok()) return status;

    const SectionBytes sections[] = {
        common[0],
        common[1],
        common[2],
        common[3],
        common[4],
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
    return write_cartridge(sections, file);
}

}  // namespace crayon
