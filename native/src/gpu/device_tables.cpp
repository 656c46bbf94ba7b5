#include "gpu/device_tables.h"

#include <cstring>

#include "base/whitespace.h"
#include "crayon/layout/cartridge.h"
#include "crayon/layout/deepseek3_step.h"
#include "crayon/layout/double_array.h"
#include "crayon/layout/pattern.h"
#include "crayon/layout/trie_models.h"
#include "gpu/family_automata.h"
#include "scan/symbols.h"
#include "scan/unicode_16_0.h"
#include "tokenizer.h"

namespace crayon {

template <class ClassOf>
bool CharacterClasses::make(ClassOf class_of) {
    constexpr u32 kSize = unicode_16_0::kBlockSize;
    blocks.clear();
    classes.clear();
    for (u32 first = 0; first < unicode_16_0::kCodePointCount; first += kSize) {
        u8 block[kSize];
        for (u32 i = 0; i < kSize; ++i) block[i] = static_cast<u8>(class_of(first + i));
        // There are at most 250 distinct ones, mostly close together: a block often equals the previous one.
        const size_t count = classes.size() / kSize;
        size_t same = blocks.empty() ? count : blocks.back();
        if (same == count || std::memcmp(classes.data() + same * kSize, block, kSize) != 0) {
            for (same = 0; same < count && std::memcmp(classes.data() + same * kSize, block, kSize) != 0;) ++same;
        }
        if (same == 256 || !blocks.push_back(static_cast<u8>(same))) return false;
        if (same == count && !classes.append(block, kSize)) return false;
    }
    return true;
}

void CharacterClasses::state(crayon_gpu_tables& tables) const {
    tables.class_blocks = blocks.data();
    tables.classes = classes.data();
    tables.class_count = static_cast<u32>(classes.size());
}

namespace {

// The engine's classes, plus symbols, ideographs and kana.
u32 deepseek3_class_of(u32 code_point) {
    u32 kind = unicode_16_0::class_of(code_point);
    if (kind == unicode_16_0::kOther && is_symbol(code_point)) kind = layout::kSymbolClass;
    return is_ideograph_or_kana(code_point) ? kind | layout::kIdeographOrKana : kind;
}

const FamilyAutomaton* automaton_of(u32 pretokenizer) {
    for (const FamilyAutomaton& each : kFamilyAutomata) {
        if (each.pretokenizer == pretokenizer) return &each;
    }
    return nullptr;
}

}  // namespace

bool devices_split_by(u32 pretokenizer, std::string_view patterns) {
    if (pretokenizer != layout::kPatternPretokenizer) {
        return pretokenizer == layout::kDeepseek3 || automaton_of(pretokenizer) != nullptr;
    }
    layout::Pattern pattern;
    if (patterns.size() < sizeof pattern) return false;
    std::memcpy(&pattern, patterns.data(), sizeof pattern);
    // One pattern whose matches and gaps are pieces, all with ids.
    return pattern.length == patterns.size() && pattern.cuts == layout::kAllPatternCuts &&
           (pattern.dropped[0] | pattern.dropped[1] | pattern.dropped[2] | pattern.dropped[3]) == 0;
}

bool PieceTables::make(u32 pretokenizer, std::string_view patterns) {
    pretokenizer_ = pretokenizer;
    if (pretokenizer == layout::kDeepseek3) return deepseek3_.make(deepseek3_class_of);
    if (pretokenizer != layout::kPatternPretokenizer) return make_family(pretokenizer);
    pattern_ = patterns;
    return true;
}

// The engine's classes, renumbered block by block; blocks with exceptions are copied first.
bool PieceTables::make_family(u32 pretokenizer) {
    constexpr u32 kBlock = 1u << layout::kPatternBlockShift;
    static_assert(unicode_16_0::kBlockSize == kBlock);
    constexpr u32 kEngineBlocks = (sizeof unicode_16_0::kStage2 - 3) / kBlock;
    const FamilyAutomaton& family = *automaton_of(pretokenizer);

    u16 block_of[layout::kPatternBlocks];
    for (u32 i = 0; i < layout::kPatternBlocks; ++i) block_of[i] = unicode_16_0::kStage1[i];
    Buffer<u8> blocks;
    for (u32 i = 0; i < kEngineBlocks * kBlock; ++i) {
        if (!blocks.push_back(family.usual[unicode_16_0::kStage2[i]])) return false;
    }
    for (u32 i = 0; i < family.other_count; ++i) {
        const auto [code_point, number] = family.others[i];
        u16& block = block_of[code_point / kBlock];
        if (block < kEngineBlocks && code_point >= kBlock) {  // ASCII has its own block
            u8 copy[kBlock];
            std::memcpy(copy, blocks.data() + block * kBlock, kBlock);
            block = static_cast<u16>(blocks.size() / kBlock);
            if (!blocks.append(copy, kBlock)) return false;
        }
        blocks[block * kBlock + code_point % kBlock] = static_cast<u8>(number);
    }

    layout::Pattern head = {};
    head.state_count = family.state_count;
    head.class_count = family.class_count;
    head.row_length = family.row_length;
    head.block_count = static_cast<u32>(blocks.size() / kBlock);
    head.cuts = layout::kAllPatternCuts;
    const size_t entries = size_t{family.state_count} * family.row_length;
    head.length = static_cast<u32>(sizeof head + sizeof block_of + blocks.size() + 2 * entries);
    made_.clear();
    const auto append = [&](const void* data, size_t length) { return made_.append(static_cast<const char*>(data), length); };
    if (!append(&head, sizeof head) || !append(block_of, sizeof block_of) || !append(blocks.data(), blocks.size()) ||
        !append(family.table, 2 * entries)) {
        return false;
    }
    pattern_ = {made_.data(), made_.size()};
    return true;
}

void PieceTables::state(crayon_gpu_tables& tables) const {
    tables.pretokenizer = pretokenizer_;
    tables.pattern = reinterpret_cast<const u8*>(pattern_.data());
    tables.pattern_length = pattern_.size();
    if (pretokenizer_ == layout::kDeepseek3) deepseek3_.state(tables);
}

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
    return classes_.make([&](u32 code_point) { return word_class_of(code_point, pretokenizer == layout::kBert); });
}

void WordTables::state(const Tokenizer& tokenizer, crayon_gpu_tables& tables) const {
    const LongestMatchView& view = tokenizer.longest_match_view();
    const TrieRules& rules = tokenizer.cartridge().trie_rules();
    classes_.state(tables);
    tables.units = view.trie.units;
    tables.values = view.trie.values;
    tables.unit_count = view.trie.unit_count;
    tables.longest_token = view.max_token_length;
    tables.unknown_id = view.unknown_id;
    const bool is_whole = (rules.word_piece->flags & layout::kWholeWords) != 0;
    tables.continuation_base = continuation_base_of(view.trie, rules);
    tables.most_characters = is_whole ? layout::kNone : rules.word_piece->most_characters;
}

bool devices_merge_uncut(const Tokenizer& tokenizer) {
    const BpeView& view = tokenizer.bpe_view();
    if (view.priorities || tokenizer.forms_words()) return false;
    if (!view.hidden) return tokenizer.view().normalizer == layout::kNoNormalizer;
    // Fusing is of unknown characters, and with tokens for all bytes there are none.
    return view.hidden->unknown_id == layout::kNone && (view.hidden->flags & ~layout::kFusesUnknown) == 0 &&
           (tokenizer.marks_spaces() || tokenizer.view().normalizer == layout::kNoNormalizer);
}

// As Bpe::find.
bool UncutTables::make(const Tokenizer& tokenizer) {
    const BpeView& view = tokenizer.bpe_view();
    const u32 visible = view.hidden ? view.hidden->visible_count : view.token_count;
    if (!whole_.zeroed(view.token_count / 32 + 1)) return false;
    for (u32 id = 0; id < view.token_count; ++id) {
        if (id < visible && view.is_merged(id)) whole_[id / 32] |= 1u << id % 32;
    }
    return true;
}

void UncutTables::state(const Tokenizer& tokenizer, crayon_gpu_tables& tables, u32* byte_ranks) const {
    const BpeView& view = tokenizer.bpe_view();
    tables.joined = tokenizer.joined_bytes().table;
    tables.whole = whole_.data();
    tables.visible_count = view.hidden ? view.hidden->visible_count : view.token_count;
    tables.marks_spaces = tokenizer.marks_spaces();
    if (!tokenizer.marks_spaces()) return;
    u8 mark[kSpaceMarkLength + Bpe::kPadding] = {};
    std::memcpy(mark, kSpaceMark, kSpaceMarkLength);
    byte_ranks[u8{' '}] = view.rank_of(tokenizer.bpe().token_of(mark, kSpaceMarkLength));
}

}  // namespace crayon
