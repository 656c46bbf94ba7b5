#include "gpu/piece_tables.h"

#include <cstring>

#include "crayon/layout/cartridge.h"
#include "crayon/layout/pattern.h"
#include "gpu/family_automata.h"
#include "scan/unicode_16_0.h"

namespace crayon {

namespace {

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
    if (pretokenizer == layout::kDeepseek3) return deepseek3_.make();
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
    if (pretokenizer_ != layout::kDeepseek3) return;
    tables.class_blocks = deepseek3_.blocks.data();
    tables.classes = deepseek3_.classes.data();
    tables.class_count = static_cast<u32>(deepseek3_.classes.size());
}

}  // namespace crayon
