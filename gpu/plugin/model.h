// The tables of a vocabulary on a device.
#pragma once

#include <algorithm>

#include "crayon_gpu.h"
#include "kernels/bpe_tables.h"
#include "kernels/decode.h"
#include "kernels/kmer.h"
#include "kernels/longest_match.h"
#include "kernels/pieces.h"

namespace crayon::gpu {

static_assert(kLongestPiece == CRAYON_GPU_LONGEST_PIECE);

struct DeviceModel {
    u32 kind = 0;         // crayon_gpu_model_kind
    u32 greatest_id = 0;  // that texts produce
    LongestMatchStep longest_match{};
    PieceTables pieces{};
    BpeTables bpe{};
    u32 unit = 0;                 // layout::DnaUnit
    KmerRules kmers{};            // for bytes: base_ids alone
    Global<const u32> start_ids;  // or null
    TokenTable tokens{};
};

inline bool has_pieces(const crayon_gpu_tables& t) {
    const bool is_known = t.pretokenizer == layout::kGpt2 || t.pretokenizer == layout::kCl100k ||
                          t.pretokenizer == layout::kQwen2 || t.pretokenizer == layout::kO200k ||
                          t.pretokenizer == layout::kTekken || t.pretokenizer == layout::kDeepseek3;
    if (!is_known || !t.class_blocks || !t.classes) return false;
    for (u32 i = 0; i < kClassBlocks; ++i) {
        if ((t.class_blocks[i] + 1u) * kClassBlock > t.class_count) return false;
    }
    return true;
}

// Whether the engine could have made them. (That the tables themselves are sound is the validator's matter.)
inline bool is_possible(const crayon_gpu_tables& t) {
    if (t.token_count > 0 && (!t.token_offsets || !t.token_bytes)) return false;
    if (t.kind == CRAYON_GPU_LONGEST_MATCH) {
        return t.units && t.values && t.unit_count > 0 && t.unit_count % 256 == 0 && t.unit_count <= layout::kMaxUnits &&
               t.longest_token > 0;
    }
    if (t.kind == CRAYON_GPU_TOKENS) return t.token_count > 0;
    if (t.kind == CRAYON_GPU_PIECES) return has_pieces(t);
    if (t.kind == CRAYON_GPU_BPE) {
        if (!has_pieces(t) || t.token_count < 256 || t.token_count > layout::kMaxTokens || t.longest_token == 0) return false;
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

// Longest match at every position of a text takes as long as its longest token: chunks are walked from positions that the chain
// of the text does not have, where nothing is as short as it is on the chain. Published vocabularies have tokens of up to 128
// bytes.
inline constexpr u32 kLongestToken = 1024;
inline bool is_supported(const crayon_gpu_tables& t) {
    return t.kind != CRAYON_GPU_LONGEST_MATCH || t.longest_token <= kLongestToken;
}

// Copies them. `device.upload(data, count)` returns an array on the device; null if that failed, which the device remembers.
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
    } else if (t.kind == CRAYON_GPU_PIECES || t.kind == CRAYON_GPU_BPE) {
        model.greatest_id = t.kind == CRAYON_GPU_BPE ? kNone - 1 : kLongestPiece;
        model.pieces = {device.upload(t.class_blocks, kClassBlocks), device.upload(t.classes, t.class_count), t.pretokenizer};
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
                     t.longest_token};
    }
    return model;
}

}  // namespace crayon::gpu
