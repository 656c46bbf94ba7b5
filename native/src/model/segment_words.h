// The words of a segment of which all is one piece, for Unigram whose scores are added as floats (unigram.h).
//
// Between a byte and a U+2581 that no token has behind it, every token ends. So each best sequence goes through there, and what
// is before such a cut matters to what follows by one number only: its sum. What sum a word begins with decides how its own sums
// are rounded, and so, maybe, which sequence of tokens is best.
//
// It does not where the best one is so much better that no rounding makes up for it. Of a sum below 2^17 a float is off by 2^-8
// at most, so a sequence of n tokens by n / 2^8; rounding keeps order, so that what is found as best has the greatest rounded sum
// of all sequences. If the exact sum of the best one is greater than that of the second best one by more than both may be off, it
// is found whatever the sum before it is. Such a word is *steady*: its tokens are remembered, and their scores, which are still
// added to the sum one after the other, as they would have been.
//
//   "▁the": the tokens of "▁the" have −3.2, those of "▁th" "e" −11.7, 8.5 less. Two and one of them: off by 3 / 256 at most.
//   The word is steady. After a sum of −5000.25 comes the float that is nearest to −5003.45.
#pragma once

#include <cstring>
#include <utility>

#include "base/buffer.h"
#include "cartridge/cartridge.h"
#include "crayon/layout/perfect_hash.h"
#include "crayon/layout/unigram.h"
#include "platform/prefetch.h"

namespace crayon {

// Where a segment can be cut.
class SegmentWords {
public:
    // Cost: the bytes of all tokens.
    explicit SegmentWords(const LongestMatchView& tables);

    // The end of the word that begins at `at`. At least 8 more bytes are readable after `length`.
    u32 end_of(const u8* text, u32 at, u32 length) const;
    // The last place inside of a word where it can be cut before punctuation of ASCII and behind ASCII, too; 0 if there is none.
    // Punctuation makes many words of one.
    u32 last_cut(const u8* word, u32 length) const;

private:
    bool is_joined_[256] = {};             // to a mark behind it
    u8 joined_ascii_[128 * 128 / 8] = {};  // by both characters
};

// A word that is remembered.
struct KnownWord {
    static constexpr u32 kLongest = 23, kMostTokens = 4;
    // Its edges, the tokens that begin somewhere in it, have scores of this at most, on either side of 0; so its sums stay below
    // 2^17 after a sum of kMostBefore, and none is taken off (layout::kMostSum).
    static constexpr float kMostScore = 64, kMostBefore = layout::kMostSum - kMostScore * (kLongest + 1);
    static_assert(layout::kMostSum + kMostScore * kLongest < 131072);
    static constexpr double kOff = 1.0 / 256;
    static constexpr u32 kUnsteady = kMostTokens + 1;

    u64 key[3];  // its bytes, and its length in the last one
    float scores[kMostTokens];
    u32 ids[kMostTokens];
    u32 count;  // 0: none is remembered here
    u32 reserved;
};
static_assert(sizeof(KnownWord) == 64);

// Those of one thread, in pairs. A new word takes the second place of its pair, and the first one if it comes again.
class KnownWords {
public:
    // Bytes that must be readable after a word.
    static constexpr u32 kPadding = 24;

    struct Key {
        u64 words[3];
    };
    // Of a word of 1…kLongest bytes.
    static Key key_of(const u8* word, u32 length) {
        Key key;
        std::memcpy(key.words, word, sizeof key.words);
        const u32 whole = length / 8;
        key.words[whole] &= ~(~u64{0} << (length % 8 * 8));
        for (u32 i = whole + 1; i < 3; ++i) key.words[i] = 0;
        key.words[2] |= u64{length} << 56;
        return key;
    }

    // Modules for pages are small, and remember none.
    static constexpr bool kRemembers = kPrefetches;
    // Whether words can be remembered: not under a low limit of the caches, nor if memory is short.
    bool ready() { return kRemembers && is_allowed_ && (!words_.empty() || words_.zeroed(size_t{2} << kBits)); }
    // `bytes`: the limit of all caches. What is there is given back if it is no longer allowed.
    void set_limit(u64 bytes) {
        is_allowed_ = bytes >= 4 * kBytes;
        if (!is_allowed_) words_ = {};
    }
    // In bytes.
    size_t memory() const { return words_.capacity() * sizeof(KnownWord); }
    // nullptr if it is not remembered. Valid until the next look-up.
    const KnownWord* find(const Key& key) {
        KnownWord* const pair = words_.data() + pair_of(key);
        if (is_of(pair[0], key)) return pair;
        if (!is_of(pair[1], key)) return nullptr;
        std::swap(pair[0], pair[1]);
        return pair;
    }
    // Prefetches what `find` reads.
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
