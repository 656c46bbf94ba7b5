#include "gpu/word_tables.h"

#include <cstring>

#include "base/whitespace.h"
#include "crayon/layout/double_array.h"
#include "crayon/layout/word_piece.h"
#include "scan/punctuation.h"
#include "tokenizer.h"

namespace crayon {

namespace {

enum WordClass : u8 { kWithin = 0, kSpace = 1, kPunctuation = 2 };  // as in crayon_gpu.h

u8 word_class_of(u32 code_point, bool has_punctuation) {
    if (is_whitespace(code_point)) return kSpace;
    return has_punctuation && BertPunctuation::has(code_point, unicode_16_0::kOther) ? kPunctuation : kWithin;
}

// The base of the node below the prefix, or kNone.
u32 continuation_base_of(const DoubleArrayView& trie, const TrieRules& rules) {
    if ((rules.word_piece->flags & layout::kWholeWords) != 0) return layout::kNone;
    u32 base = layout::base_of(trie.units[0]);
    for (const char each : rules.prefix) {
        const u32 unit = trie.units[base ^ static_cast<u8>(each)];
        if (layout::label_of(unit) != static_cast<u8>(each)) return layout::kNone;
        base = layout::base_of(unit);
    }
    return base;
}

}  // namespace

bool devices_cut_words_of(const Tokenizer& tokenizer) {
    const u32 pretokenizer = tokenizer.view().pretokenizer;
    const LongestMatchView& view = tokenizer.longest_match_view();
    return tokenizer.model_kind() == layout::kWordPiece &&
           (pretokenizer == layout::kBert || pretokenizer == layout::kWhitespaceSplit) && view.trie.unit_count > 0 &&
           view.trie.values;
}

bool WordTables::make(u32 pretokenizer) {
    constexpr u32 kSize = unicode_16_0::kBlockSize;
    blocks_.clear();
    classes_.clear();
    for (u32 first = 0; first < unicode_16_0::kCodePointCount; first += kSize) {
        u8 block[kSize];
        for (u32 i = 0; i < kSize; ++i) block[i] = word_class_of(first + i, pretokenizer == layout::kBert);
        // A few dozen distinct ones, mostly close together: a block often equals the previous one.
        const size_t count = classes_.size() / kSize;
        size_t same = blocks_.empty() ? count : blocks_[blocks_.size() - 1];
        if (same == count || std::memcmp(classes_.data() + same * kSize, block, kSize) != 0) {
            for (same = 0; same < count && std::memcmp(classes_.data() + same * kSize, block, kSize) != 0;) ++same;
        }
        if (same == 256 || !blocks_.push_back(static_cast<u8>(same))) return false;
        if (same == count && !classes_.append(block, kSize)) return false;
    }
    return true;
}

void WordTables::state(const Tokenizer& tokenizer, crayon_gpu_tables& tables) const {
    const LongestMatchView& view = tokenizer.longest_match_view();
    const TrieRules& rules = tokenizer.cartridge().trie_rules();
    tables.class_blocks = blocks_.data();
    tables.classes = classes_.data();
    tables.class_count = static_cast<u32>(classes_.size());
    tables.units = view.trie.units;
    tables.values = view.trie.values;
    tables.unit_count = view.trie.unit_count;
    tables.longest_token = view.max_token_length;
    tables.unknown_id = view.unknown_id;
    const bool is_whole = (rules.word_piece->flags & layout::kWholeWords) != 0;
    tables.continuation_base = continuation_base_of(view.trie, rules);
    tables.most_characters = is_whole ? layout::kNone : rules.word_piece->most_characters;
}

}  // namespace crayon
