// A vocabulary with a list of merges, as Hugging Face has it, brought to the form of a cartridge: one split for each token,
// and ranks of tokens.
//
// A list of merges has pairs of tokens; its order says which pair is merged first, and of equal pairs the leftmost is. A
// token may be the result of several pairs, and its place among the ids says nothing. Yet one pair of them is enough:
//
//   Wherever merging makes a token, in whatever text, the last merge is that by which it is made from its own bytes alone.
//
// Proof. Look at the bytes that become the token, and at the merges inside them until they are one token. No merge before
// that crosses their borders, since what it makes would not be inside. So which pairs are adjacent inside depends only on
// the merges inside. The next merge of the text, if it is inside, is that of the lowest place in the list, then the
// leftmost, of all pairs of the text, so also of those inside; and that is the one with which the bytes alone go on. So
// the merges inside are those of the bytes alone, in that order, and the last is the same.
//
// So a pair that is not the last merge of its result's own bytes is never merged, in no text, and may be left out; what
// is left of the list has each token once, and its place in the list is its rank. A token that merging does not make from
// its own bytes is made nowhere, and is in a text only where whole pieces are looked up (`ignore_merges`).
//
// The engine's ways of merging also rely on ranks that ascend along splits: a token's rank is above those of its halves.
// Every trained list is like this, and every one that is made of ranks. Another list is refused: ["ab", "c"] before
// ["a", "b"] merges "abc" as soon as there is "ab".
#pragma once

#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "crayon/layout/bpe.h"
#include "expand/rank_table.h"

namespace crayon {

// The ids of the two tokens of each merge, in order.
struct MergeList {
    const u32* pairs;  // 2 * count
    u32 count;
};

struct MergeOrder {
    Buffer<layout::Split> splits;  // by rank, of ranks
    Buffer<u32> ids;               // by rank; empty if ids are ranks
    Buffer<u32> unmade;            // ids, ascending: tokens of several bytes that merging does not make
};

// `table`: of the tokens that are matched. Of equal pairs, the last one counts. INVALID_ARGUMENT in section kMerges with
// the index of a merge whose halves are not matched tokens, or together no such token; BUILD_FAILED in section kSplits
// with the id of a token whose rank is not above those of its halves. Cost: n log n in the bytes of the tokens and the
// merges.
Status order_merges(const TokenList& tokens, const RankTable& table, std::span<const u32> unmatched,
                    const MergeList& merges, MergeOrder* out);

}  // namespace crayon
