// The words of a segment that is all one piece, for Unigram with scores summed as floats (unigram.h).
//
// If a byte is followed by a U+2581 and no token joins the two, every token ends between them. So each best sequence goes
// through that cut, and the text before it affects the text after it only by one number, its sum. The sum that a word
// starts with decides how its own sums are rounded, and so, possibly, which sequence of tokens is best.
//
// It does not if the best sequence leads by more than rounding can change. A float sum below 2^17 is off by at most 2^-8
// per addition, so a sequence of n tokens by n / 2^8; rounding is monotonic, so the sequence found as best has the greatest
// rounded sum of all. If the exact sum of the best one exceeds that of the second best by more than both errors together,
// it is found for any preceding sum. Such a word is *steady*: its tokens and their scores are remembered, and the scores
// are still added one after another, as they would have been.
//
//   "▁the": the tokens of "▁the" have −3.2, those of "▁th" "e" −11.7, 8.5 less. Two and one of them: off by 3 / 256 at most.
//   The word is steady. After a sum of −5000.25 comes the float that is nearest to −5003.45.
#pragma once

#include <cstring>
#include <utility>

#include "base/buffer.h"
#include "cartridge/cartridge.h"
#include "crayon/layout/perfect_hash.h"
#include "crayon/layout/trie_models.h"
#include "platform/prefetch.h"

namespace crayon {

// Where a segment can be cut.
class SegmentWords {
public:
    // Cost: the bytes of all tokens.
    explicit SegmentWords(const LongestMatchView& tables);

    // The end of the word that begins at `at`. At least 8 more bytes are readable after `length`.
    u32 end_of(const u8* text, u32 at, u32 length) const;
    // The last place inside a word where it can be cut before ASCII punctuation that follows ASCII; 0 if there is none.
    // Punctuation would otherwise multiply the number of distinct words.
    u32 last_cut(const u8* word, u32 length) const;

private:
    bool is_joined_[256] = {};             // whether a token joins the byte to a mark after it
    u8 joined_ascii_[128 * 128 / 8] = {};  // whether a token joins the two characters
};

// A remembered word.
struct KnownWord {
    static constexpr u32 kLongest = 23, kMostTokens = 4;
    // Its edges, the tokens that begin anywhere in it, have scores of at most this magnitude; so its sums stay below 2^17
    // after a sum of kMostBefore, and no sum is subtracted (layout::kMostSum).
    static constexpr float kMostScore = 64, kMostBefore = layout::kMostSum - kMostScore * (kLongest + 1);
    static_assert(layout::kMostSum + kMostScore * kLongest < 131072);
    static constexpr double kOff = 1.0 / 256;
    static constexpr u32 kUnsteady = kMostTokens + 1;

    u64 key[3];  // its bytes, with its length in the last one
    float scores[kMostTokens];
    u32 ids[kMostTokens];
    u32 count;  // 0: the slot is empty
    u32 reserved;
};
static_assert(sizeof(KnownWord) == 64);

// The known words of one thread, in pairs. A new word takes the second place of its pair, and the first when it comes again.
class KnownWords {
public:
    // Bytes that must be readable after a word.
    static constexpr u32 kPadding = 24;

    struct Key {
        u64 words[3];
    };
    // For a word of 1…kLongest bytes.
    static Key key_of(const u8* word, u32 length) {
        Key key;
        std::memcpy(key.words, word, sizeof key.words);
        const u32 whole = length / 8;
        key.words[whole] &= ~(~u64{0} << (length % 8 * 8));
        for (u32 i = whole + 1; i < 3; ++i) key.words[i] = 0;
        key.words[2] |= u64{length} << 56;
        return key;
    }

    // Whether words can be remembered: not under a low cache limit, nor if memory is short.
    bool ready() { return is_allowed_ && (!words_.empty() || words_.zeroed(size_t{2} << kBits)); }
    // Frees the memory if that is no longer allowed.
    void set_limit(u64 bytes) {
        is_allowed_ = bytes >= kBytes;
        if (!is_allowed_) words_ = {};
    }
    // In bytes.
    size_t memory() const { return words_.capacity() * sizeof(KnownWord); }
    // nullptr if it is not remembered. Valid until the next lookup.
    const KnownWord* find(const Key& key) {
        KnownWord* const pair = words_.data() + pair_of(key);
        if (is_of(pair[0], key)) return pair;
        if (!is_of(pair[1], key)) return nullptr;
        std::swap(pair[0], pair[1]);
        return pair;
    }
    // Prefetches the memory that `find` reads.
    void prefetch(const Key& key) const {
        const KnownWord* const pair = words_.data() + pair_of(key);
        crayon::prefetch(pair);
        crayon::prefetch(pair + 1);
    }
    const KnownWord* keep(const Key& key, const KnownWord& word) {
        KnownWord* const place = words_.data() + pair_of(key) + 1;
        *place = word;
        std::memcpy(place->key, key.words, sizeof key.words);
        return place;
    }

private:
    static constexpr u32 kBits = 14;
    static constexpr u64 kBytes = (u64{2} << kBits) * sizeof(KnownWord);

    static bool is_of(const KnownWord& word, const Key& key) {
        return ((word.key[0] ^ key.words[0]) | (word.key[1] ^ key.words[1]) | (word.key[2] ^ key.words[2])) == 0;
    }
    static size_t pair_of(const Key& key) {
        const u64 third = key.words[2] << 7 | key.words[2] >> 57;
        const u64 hash = (key.words[0] * layout::kMixA ^ key.words[1] * layout::kMixB ^ third) * layout::kMixA;
        return static_cast<size_t>(hash >> (64 - kBits)) * 2;
    }

    Buffer<KnownWord> words_;
    bool is_allowed_ = true;
};

}  // namespace crayon
