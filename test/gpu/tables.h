// The tables of cartridges, read from their bytes, as an engine hands them to a plugin.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "batches.h"
#include "crayon/layout/cartridge.h"
#include "crayon/layout/perfect_hash.h"
#include "dna_vocabularies.h"
#include "gpu/device_tables.h"
#include "longest_match_vocabularies.h"

namespace crayon::gpu::test {

// A section of a file; empty if it has none.
inline std::string section_of(const std::string& file, u32 id) {
    layout::Header header;
    std::memcpy(&header, file.data(), sizeof header);
    for (u32 i = 0; i < header.section_count; ++i) {
        layout::Section section;
        std::memcpy(&section, file.data() + sizeof header + i * sizeof section, sizeof section);
        if (section.id == id) return file.substr(section.offset, section.length);
    }
    return "";
}
inline std::vector<u32> words_of(const std::string& file, u32 id) {
    const std::string bytes = section_of(file, id);
    std::vector<u32> words(bytes.size() / 4);
    if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 4);
    return words;
}

// Of longest match.
class MatchTables {
public:
    explicit MatchTables(const std::string& file) {
        trie_ = words_of(file, layout::kTrie);
        offsets_ = words_of(file, layout::kTokenOffsets);
        bytes_ = section_of(file, layout::kTokenBytes);
        const std::vector<u32> model = words_of(file, layout::kModel);
        const u32 count = trie_[0];
        tables.size = sizeof tables;
        tables.kind = CRAYON_GPU_LONGEST_MATCH;
        tables.units = trie_.data() + 16;
        tables.values = trie_.data() + 16 + count;
        tables.unit_count = count;
        tables.longest_token = model[2];
        tables.unknown_id = model[3];
        tables.token_count = model[1];
        tables.token_offsets = offsets_.data();
        tables.token_bytes = reinterpret_cast<const u8*>(bytes_.data());
    }
    MatchTables(const MatchTables&) = delete;
    crayon_gpu_tables tables{};

private:
    std::vector<u32> trie_, offsets_;
    std::string bytes_;
};

// Of a family.
inline void set_pieces(crayon_gpu_tables& tables, u32 pretokenizer) {
    static std::map<u32, PieceTables> made;
    const auto [place, is_new] = made.try_emplace(pretokenizer);
    if (is_new) {
        EXPECT_TRUE(place->second.make(pretokenizer));
    }
    place->second.state(tables);
}

// Of BPE.
class BpeFile {
public:
    BpeFile(const std::string& file, u32 pretokenizer) {
        offsets_ = words_of(file, layout::kTokenOffsets);
        bytes_ = section_of(file, layout::kTokenBytes);
        splits_ = words_of(file, layout::kSplits);
        ids_ = words_of(file, layout::kIds);
        const std::vector<u32> model = words_of(file, layout::kModel), ranks = words_of(file, layout::kRanks);
        const std::vector<u32> unmatched = words_of(file, layout::kUnmatched);
        tables.size = sizeof tables;
        tables.kind = CRAYON_GPU_BPE;
        set_pieces(tables, pretokenizer);
        tables.longest_token = model[2];
        tables.token_count = model[1];
        tables.token_offsets = offsets_.data();
        tables.token_bytes = reinterpret_cast<const u8*>(bytes_.data());
        tables.pieces8 = table_of(0, file, layout::kPieces8);
        tables.pieces24 = table_of(1, file, layout::kPieces24);
        tables.pieces_long = table_of(2, file, layout::kPiecesLong);
        tables.pairs = table_of(3, file, layout::kPairs);
        tables.splits = splits_.data();
        byte_ranks_.assign(256, kNone);
        for (u32 id = 0; id < tables.token_count; ++id) {
            const bool is_matched = unmatched.empty() || std::find(unmatched.begin() + 1, unmatched.end(), id) == unmatched.end();
            if (offsets_[id + 1] - offsets_[id] == 1 && is_matched)
                byte_ranks_[tables.token_bytes[offsets_[id]]] = ranks.empty() ? id : ranks[id];
        }
        tables.byte_ranks = byte_ranks_.data();
        tables.ids = ids_.empty() ? nullptr : ids_.data();
    }
    BpeFile(const BpeFile&) = delete;
    crayon_gpu_tables tables{};

private:
    crayon_gpu_hash_table table_of(u32 index, const std::string& file, u32 section) {
        std::vector<u32>& words = hashes_[index] = words_of(file, section);
        layout::PerfectHash header;
        std::memcpy(&header, words.data(), sizeof header);
        const u32 pilots = sizeof header / 4, entries = pilots + (header.bucket_count + 63) / 64 * 16;
        return {header.seed, header.bucket_count, header.slot_count, reinterpret_cast<const u8*>(words.data() + pilots),
                words.data() + entries};
    }
    std::vector<u32> offsets_, splits_, ids_, byte_ranks_, hashes_[4];
    std::string bytes_;
};

// Of DNA: the policies applied to each byte.
class DnaTables {
public:
    explicit DnaTables(const naive::DnaVocabulary& v, u32 first_kmer) {
        for (u32 byte = 0; byte < 256; ++byte) {
            ids_.push_back(id_of(v, v.bases, byte));
            if (!v.starts.empty()) starts_.push_back(id_of(v, v.starts, byte));
            const auto base = folded(v, byte);
            const std::size_t digit = base ? v.digits.find(*base) : std::string::npos;
            const bool joins = v.words && base && !v.bases[static_cast<u8>(*base)];
            const bool is_space = (byte >= 9 && byte <= 13) || (byte >= 28 && byte <= 32);
            digits_.push_back(!base                        ? 0xFF
                              : digit != std::string::npos ? static_cast<u8>(digit)
                              : !joins                     ? 0xFE
                              : is_space                   ? 0xFC
                                                           : 0xFD);
        }
        tables.size = sizeof tables;
        tables.kind = CRAYON_GPU_DNA;
        tables.unit = static_cast<u32>(v.unit);
        tables.k = v.k;
        tables.digit_count = static_cast<u32>(v.digits.size());
        tables.first_kmer_id = first_kmer;
        if (first_kmer == kNone) {
            for (const naive::Id& id : v.kmers) kmers_.push_back(id.value_or(kNone));
            tables.kmer_count = static_cast<u32>(kmers_.size());
            tables.kmer_ids = kmers_.data();
        }
        tables.tail = static_cast<u32>(v.tail);
        tables.pad_id = v.pad.value_or(kNone);
        tables.base_ids = ids_.data();
        tables.start_ids = starts_.empty() ? nullptr : starts_.data();
        tables.digits = digits_.data();
        tables.unknown_kmer_id = v.unknown.value_or(kNone);
    }
    DnaTables(const DnaTables&) = delete;
    crayon_gpu_tables tables{};

private:
    static std::optional<char> folded(const naive::DnaVocabulary& v, u32 byte) {
        using naive::Policy;
        char base = static_cast<char>(byte);
        if (base >= 'a' && base <= 'z') {
            if (v.lower_case == Policy::kReject) return std::nullopt;
            if (v.lower_case == Policy::kNormalize) base = static_cast<char>(base - 32);
        }
        if (base != '\0' && std::string_view("RYSWKMBDHVryswkmbdhv").find(base) != std::string_view::npos) {
            if (v.ambiguous == Policy::kReject) return std::nullopt;
            if (v.ambiguous == Policy::kNormalize) base = 'N';
        }
        if ((base == 'N' || base == 'n') && v.n == Policy::kReject) return std::nullopt;
        return base;
    }
    static u32 id_of(const naive::DnaVocabulary& v, const std::vector<naive::Id>& table, u32 byte) {
        const auto base = folded(v, byte);
        if (!base) return kNone;
        return table[static_cast<u8>(*base)].value_or(v.unknown.value_or(kNone));
    }
    std::vector<u32> ids_, starts_, kmers_;
    std::vector<u8> digits_;
};

}  // namespace crayon::gpu::test
