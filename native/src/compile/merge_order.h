// Converts a vocabulary with a list of merges, as in Hugging Face, to the form of a cartridge: one split for each token, and
// ranks of tokens.
//
// A list of merges has pairs of tokens; its order says which pair is merged first, and of equal pairs the leftmost is. A
// token may be the result of several pairs, and its position among the ids says nothing. Yet one pair of them is enough:
//
// Wherever merging makes a token, in any text, the last merge is the one that makes it from its own bytes alone.
//
// Proof. Look at the bytes that become the token, and at the merges inside them until they are one token. No merge before that
// crosses their borders, since its result would not be inside. So which pairs are adjacent inside depends only on the merges
// inside. The next merge of the text, if it is inside, has the lowest position in the list, then the leftmost place, of all pairs
// of the text, so also of the pairs inside; and merging the bytes alone continues with the same pair. So the merges inside equal
// the merges of the bytes alone, in the same order, and so does the last one.
//
// So a pair that is not the last merge of its result's own bytes is never merged in any text, and may be dropped. The rest of the
// list has each token once, and its position in the list is its rank. A token that merging does not make from its own bytes is
// never made, and matches only where whole pieces are looked up (`ignore_merges`).
//
// The engine's merge algorithms also rely on ranks that ascend along splits: a token's rank is above the ranks of its halves.
// Trained lists are like this. A list that is made of ranks may have a few tokens that are not (81 of Llama 3): the last merge of
// "abc" is ["ab", "c"], and its position is before that of ["a", "b"]. Such an *early* token is made as soon as its late half is
// there. Let that half, or what in it is late in turn, be the base H = (a, b), a token that is not early; all early tokens that
// wait for it, directly or in several steps, are its group. Their ranks become those right after H's, among each other in the
// order of their positions, but after their halves. So the list makes H at one position of the text after the other from the
// left, and at each all of the group that it can, whereas by rank all H are made first.
//
//   The result is the same if of each token of the group only one half is in the group, if no right half is a, and if no
//   token is a left half beside the group in one of them and a right half in another.
//
// Proof. What the group merges with at one H is then taken from no other: a token to the right of an H is not the a of another
// one, and between two H the left one takes none that the right one would. To the left of an H all H have been made in both
// orders. So each H may be looked at alone. There the token that contains it grows by its left or right neighbour; both orders
// take the one with the lower position first.
//
// Other lists, and lists in which several pairs have the same priority, get priorities beside ranks (layout/bpe.h): the first
// proof holds for any order that is the same in the text and inside the token, so one pair for each token is enough there, too.
#pragma once

#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "crayon/layout/bpe.h"
#include "tables/rank_table.h"

namespace crayon {

// The ids of the two tokens of each merge, in order.
struct MergeList {
    const u32* pairs;  // 2 * count
    u32 count;
    const u32* priorities = nullptr;  // of each: the lowest merges first, the leftmost of equals. Null: its index
};

struct MergeOrder {
    Buffer<layout::Split> splits;  // by rank, of ranks
    Buffer<u32> ids;               // by rank; empty if ids are ranks
    Buffer<u32> unmade;            // ids, ascending: tokens of several bytes that merging does not make
    Buffer<u32> priorities;        // by rank, of layout::kPriorities; empty if ranks are the order
};

// `table`: of the tokens that are matched. Of equal pairs, the last one counts. INVALID_ARGUMENT in section kMerges with
// the index of a merge whose halves are not matched tokens, or together no such token. Cost: n log n in the bytes of the tokens
// and the merges.
Status order_merges(const TokenList& tokens, const RankTable& table, std::span<const u32> unmatched, const MergeList& merges,
                    MergeOrder* out);

}  // namespace crayon
