// The tables of a vocabulary on a device.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "crayon_gpu.h"
#include "kernels/automaton.h"
#include "kernels/bpe_tables.h"
#include "kernels/decode.h"
#include "kernels/deepseek3.h"
#include "kernels/kmer.h"
#include "kernels/longest_match.h"
#include "kernels/uncut_starts.h"
#include "kernels/word_pieces.h"

namespace crayon::gpu {

static_assert(kLongestPiece == CRAYON_GPU_LONGEST_PIECE);

struct DeviceModel {
    u32 kind = 0;         // crayon_gpu_model_kind
    u32 greatest_id = 0;  // that texts can produce
    LongestMatchStep longest_match{};
    bool is_deepseek3 = false;  // otherwise it has an automaton
    AutomatonStep automaton{};
    Deepseek3Step deepseek3{};
    BpeTables bpe{};
    Global<const u32> joined;  // of BPE without a pretokenizer, or null
    WordPieceTables word_piece{};
    u32 unit = 0;                 // layout::DnaUnit
    KmerRules kmers{};            // for bytes: only base_ids
    Global<const u32> start_ids;  // or null
    TokenTable tokens{};
};

// A pattern: its head, and the location of its tables, which exist if has_pattern().
struct PatternBytes {
    layout::Pattern head{};
    const u8* bytes;

    explicit PatternBytes(const u8* pattern) : bytes(pattern) { std::memcpy(&head, pattern, sizeof head); }
    const u16* block_of() const { return reinterpret_cast<const u16*>(bytes + sizeof head); }
    const u8* blocks() const { return reinterpret_cast<const u8*>(block_of() + layout::kPatternBlocks); }
    const u16* table() const { return reinterpret_cast<const u16*>(blocks() + block_bytes()); }
    u64 block_bytes() const { return u64{head.block_count} << layout::kPatternBlockShift; }
    u32 entries() const { return head.state_count * head.row_length; }
    u64 length() const { return sizeof head + 2 * u64{layout::kPatternBlocks} + block_bytes() + 2 * u64{entries()}; }
    u32 class_of(u32 code_point) const {
        return blocks()[u32{block_of()[code_point >> layout::kPatternBlockShift]} << layout::kPatternBlockShift |
                        (code_point & ((1u << layout::kPatternBlockShift) - 1))];
    }
};

inline bool has_pattern(const crayon_gpu_tables& t) {
    if (t.pattern_length < sizeof(layout::Pattern)) return false;
    const PatternBytes pattern(t.pattern);
    const layout::Pattern& head = pattern.head;
    if (head.state_count < 2 || head.state_count > layout::kMaxPatternStates) return false;
    if (head.class_count < 1 || head.class_count > layout::kMaxPatternClasses) return false;
    if (!std::has_single_bit(head.row_length) || head.row_length <= head.class_count || head.row_length > 128) return false;
    if (head.block_count < 1 || head.block_count > layout::kPatternBlocks || head.cuts != layout::kAllPatternCuts) return false;
    if (pattern.length() > t.pattern_length || pattern.block_of()[0] != 0) return false;
    const auto is_row = [&](u32 entry) {
        const u32 row = entry & ~layout::kPatternEnds;
        return row < pattern.entries() && row % head.row_length == 0;
    };
    return std::all_of(pattern.block_of(), pattern.block_of() + layout::kPatternBlocks,
                       [&](u32 block) { return block < head.block_count; }) &&
           std::all_of(pattern.blocks(), pattern.blocks() + pattern.block_bytes(),
                       [&](u32 kind) { return kind < head.class_count; }) &&
           std::all_of(pattern.table(), pattern.table() + pattern.entries(), is_row);
}

inline bool has_classes(const crayon_gpu_tables& t) {
    if (!t.class_blocks || !t.classes) return false;
    return std::all_of(t.class_blocks, t.class_blocks + kClassBlocks,
                       [&](u32 block) { return (block + 1) * kClassBlock <= t.class_count; });
}

inline bool has_pieces(const crayon_gpu_tables& t) {
    return t.pattern ? has_pattern(t) : t.pretokenizer == layout::kDeepseek3 && has_classes(t);
}

inline bool has_trie(const crayon_gpu_tables& t) {
    return t.units && t.values && t.unit_count > 0 && t.unit_count % 256 == 0 && t.unit_count <= layout::kMaxUnits &&
           t.longest_token > 0;
}

// Whether the engine could have made these. (The tables' contents are checked by the validator.)
inline bool is_possible(const crayon_gpu_tables& t) {
    if (t.token_count > 0 && (!t.token_offsets || !t.token_bytes)) return false;
    if (t.kind == CRAYON_GPU_LONGEST_MATCH) return has_trie(t);
    if (t.kind == CRAYON_GPU_WORD_PIECE) {
        return has_trie(t) && has_classes(t) && (t.continuation_base == kNone || t.continuation_base < t.unit_count);
    }
    if (t.kind == CRAYON_GPU_TOKENS) return t.token_count > 0;
    if (t.kind == CRAYON_GPU_PIECES) return has_pieces(t);
    if (t.kind == CRAYON_GPU_BPE) {
        if (t.joined ? !t.whole || t.visible_count > t.token_count : !has_pieces(t)) return false;
        if (t.token_count < 256 || t.token_count > layout::kMaxTokens || t.longest_token == 0) return false;
        for (const crayon_gpu_hash_table* each : {&t.pieces8, &t.pieces24, &t.pieces_long, &t.pairs}) {
            if (each->bucket_count == 0 || each->slot_count == 0 || !each->pilots || !each->entries) return false;
        }
        return t.splits && t.byte_ranks &&
               std::all_of(t.byte_ranks, t.byte_ranks + 256, [&](u32 rank) { return rank < t.token_count; });
    }
    if (t.kind != CRAYON_GPU_DNA || !t.base_ids) return false;
    if (t.unit == static_cast<u32>(layout::DnaUnit::kBytes)) return true;
    const bool is_known =
        t.unit == static_cast<u32>(layout::DnaUnit::kKmers) || t.unit == static_cast<u32>(layout::DnaUnit::kStride1);
    if (!is_known || !t.digits || t.k < 1 || t.k > layout::kMaxKmer || t.digit_count < 4 || t.digit_count > layout::kMaxDigits)
        return false;
    if (t.tail > static_cast<u32>(layout::DnaTail::kDrop)) return false;
    const u32 count = layout::kmer_count(t.digit_count, t.k);
    for (u32 byte = 0, ids[layout::kMaxDigits], seen = 0; byte < 256; ++byte) {
        const u32 digit = t.digits[byte];
        if (digit >= t.digit_count) continue;
        if ((seen >> digit & 1) == 0) ids[digit] = t.base_ids[byte];
        seen |= 1u << digit;
        if (ids[digit] != t.base_ids[byte]) return false;
    }
    return t.first_kmer_id != kNone ? t.kmer_count == 0 : t.kmer_count == count && t.kmer_ids;
}

// Longest match at every position of a text takes as long as its longest token: chunks are walked from positions that are
// not on the text's chain, where steps are not as short as on the chain. Published vocabularies have tokens of up to 128
// bytes.
//
// A thread cuts a word for WordPiece: as many parts as it has characters, each of which may take as long as the longest token.
// Published vocabularies allow 100 or 200 characters.
inline constexpr u32 kLongestToken = 1024, kLongestWord = 1024;
inline bool is_supported(const crayon_gpu_tables& t) {
    const bool is_words = t.kind == CRAYON_GPU_WORD_PIECE;
    if (is_words && t.continuation_base != kNone && t.most_characters > kLongestWord) return false;
    return (!is_words && t.kind != CRAYON_GPU_LONGEST_MATCH) || t.longest_token <= kLongestToken;
}

// Copies them. `device.upload(data, count)` returns an array on the device; null on failure, which the device remembers.
template <class Device>
DeviceModel upload(Device& device, const crayon_gpu_tables& t) {
    DeviceModel model;
    model.kind = t.kind;
    const auto meet = [&](const u32* ids, u64 count) {
        for (u64 i = 0; ids && i < count; ++i) {
            if (ids[i] != kNone) model.greatest_id = greatest(model.greatest_id, ids[i]);
        }
    };
    const auto meet_one = [&](u32 id) { meet(&id, 1); };
    if (t.kind == CRAYON_GPU_LONGEST_MATCH) {
        model.greatest_id = kNone - 1;
        model.longest_match = {device.upload(t.units, t.unit_count), device.upload(t.values, t.unit_count), t.longest_token,
                               t.unknown_id};
    } else if (t.kind == CRAYON_GPU_WORD_PIECE) {
        model.greatest_id = kNone - 1;
        model.word_piece = {{device.upload(t.class_blocks, kClassBlocks), device.upload(t.classes, t.class_count)},
                            device.upload(t.units, t.unit_count),
                            device.upload(t.values, t.unit_count),
                            t.longest_token,
                            t.unknown_id,
                            t.continuation_base,
                            t.most_characters};
    } else if (t.kind == CRAYON_GPU_PIECES || t.kind == CRAYON_GPU_BPE) {
        model.greatest_id = t.kind == CRAYON_GPU_BPE ? kNone - 1 : kLongestPiece;
        model.is_deepseek3 = !t.pattern && !t.joined;
        if (t.joined) {
            u32 joined[UncutStarts::kJoined];
            std::memcpy(joined, t.joined, sizeof joined);
            model.joined = device.upload(joined, UncutStarts::kJoined);
        } else if (t.pattern) {
            const PatternBytes pattern(t.pattern);
            model.automaton = {device.upload(pattern.block_of(), layout::kPatternBlocks),
                               device.upload(pattern.blocks(), pattern.block_bytes()),
                               device.upload(pattern.table(), pattern.entries()),
                               pattern.entries(),
                               pattern.head.row_length,
                               pattern.head.class_count,
                               pattern.class_of(0xFFFD)};
        } else {
            model.deepseek3 = {device.upload(t.class_blocks, kClassBlocks), device.upload(t.classes, t.class_count)};
        }
    } else if (t.kind == CRAYON_GPU_DNA) {
        const bool has_kmers = t.unit != static_cast<u32>(layout::DnaUnit::kBytes);
        model.unit = t.unit;
        model.kmers = {t.k,
                       t.digit_count,
                       t.first_kmer_id,
                       t.tail,
                       t.pad_id,
                       t.unknown_kmer_id,
                       t.unit == static_cast<u32>(layout::DnaUnit::kStride1),
                       {},
                       device.upload(t.base_ids, 256),
                       {},
                       {}};
        if (has_kmers) {
            if (t.kmer_count > 0) model.kmers.ids = device.upload(t.kmer_ids, t.kmer_count);
            model.kmers.digits = device.upload(t.digits, 256);
            u32 digit_ids[8] = {};
            for (u32 byte = 0; byte < 256; ++byte) {
                if (t.digits[byte] < t.digit_count) digit_ids[t.digits[byte]] = t.base_ids[byte];
            }
            model.kmers.digit_ids = device.upload(digit_ids, 8);
            if (t.kmer_count == 0) meet_one(t.first_kmer_id + layout::kmer_count(t.digit_count, t.k) - 1);
            meet(t.kmer_ids, t.kmer_count);
            meet_one(t.unknown_kmer_id);
            meet_one(t.pad_id);
        }
        if (t.start_ids && !has_kmers) model.start_ids = device.upload(t.start_ids, 256);
        meet(t.base_ids, 256);
        meet(t.start_ids, has_kmers ? 0 : 256);
    }
    if (t.token_count > 0) {
        model.tokens = {t.token_count, device.upload(t.token_offsets, u64{t.token_count} + 1),
                        device.upload(t.token_bytes, t.token_offsets[t.token_count])};
    }
    if (t.kind == CRAYON_GPU_BPE) {
        const auto table = [&](const crayon_gpu_hash_table& h, u32 words) {
            return HashTable{h.seed, h.bucket_count, h.slot_count, device.upload(h.pilots, h.bucket_count),
                             device.upload(h.entries, u64{h.slot_count} * words)};
        };
        model.bpe = {table(t.pieces8, 4),
                     table(t.pieces24, 8),
                     table(t.pieces_long, 1),
                     table(t.pairs, 1),
                     device.upload(t.splits, u64{t.token_count} * 2),
                     device.upload(t.byte_ranks, 256),
                     t.ids ? device.upload(t.ids, t.token_count) : Global<const u32>(),
                     model.tokens,
                     t.longest_token,
                     t.joined ? device.upload(t.whole, u64{t.token_count} / 32 + 1) : Global<const u32>(),
                     t.joined ? t.visible_count : kNone,
                     t.joined && t.marks_spaces != 0};
    }
    return model;
}

}  // namespace crayon::gpu
