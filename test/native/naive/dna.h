// The ids of a sequence of bases, one byte or k-mer after the other, as crayon.h specifies them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crayon::naive {

enum class Unit { kBytes = 1, kKmers = 2, kStride1 = 3 };
enum class Policy { kReject = 0, kNormalize = 1, kKeep = 2 };
enum class Tail { kSingle = 0, kPad = 1, kDrop = 2 };

using Id = std::optional<std::uint32_t>;

struct DnaVocabulary {
    Unit unit = Unit::kBytes;
    std::uint32_t k = 1;
    std::string digits;  // of k-mers
    std::vector<Id> bases = std::vector<Id>(256);
    std::vector<Id> starts;  // of the first byte; empty: the same
    std::vector<Id> kmers;   // by index
    Id unknown, pad;
    Policy lower_case = Policy::kKeep, ambiguous = Policy::kKeep, n = Policy::kKeep;
    Tail tail = Tail::kSingle;
    bool words = false;  // unknown bytes form words
};

struct DnaIds {
    std::vector<std::uint32_t> ids;
    std::optional<std::size_t> unknown;  // the byte at which it ended
};

class DnaEncoder {
public:
    DnaEncoder(const DnaVocabulary& vocabulary, std::string_view sequence) : v_(vocabulary), sequence_(sequence) {}

    DnaIds encode() {
        std::size_t at = 0;
        while (at < sequence_.size() && !result_.unknown) {
            if (v_.unit == Unit::kStride1) {
                if (at + v_.k > sequence_.size()) break;
                any_kmer(at++);
            } else if (is_unnamed(at)) {
                const std::size_t begin = at;
                while (at < sequence_.size() && is_unnamed(at) && is_space(at) == is_space(begin)) ++at;
                if (!is_space(begin)) put(v_.unknown, begin);
            } else if (v_.unit == Unit::kBytes || !digit(at)) {
                single(at++);
            } else {
                std::size_t end = at;
                while (end < sequence_.size() && digit(end)) ++end;
                part(at, end);
                at = end;
            }
        }
        return result_;
    }

private:
    // A run of digits.
    void part(std::size_t at, std::size_t end) {
        for (; at + v_.k <= end; at += v_.k) {
            if (const Id id = kmer(at)) {
                put(id, at);
                continue;
            }
            for (std::size_t i = 0; i < v_.k; ++i) single(at + i);
        }
        if (at == end || v_.tail == Tail::kDrop) return;
        if (v_.tail == Tail::kPad) put(v_.pad, at);
        for (; v_.tail == Tail::kSingle && at < end; ++at) single(at);
    }

    void single(std::size_t at) {
        const std::optional<char> base = base_at(at);
        const std::vector<Id>& table = at == 0 && !v_.starts.empty() ? v_.starts : v_.bases;
        const Id own = base ? table[static_cast<std::uint8_t>(*base)] : Id();
        put(!base ? Id() : own ? own : v_.unknown, at);
    }

    // Whether it belongs to a word, or separates words.
    bool is_unnamed(std::size_t at) const {
        const std::optional<char> base = base_at(at);
        return v_.words && base && !v_.bases[static_cast<std::uint8_t>(*base)];
    }
    bool is_space(std::size_t at) const {
        return std::string_view(" \t\n\v\f\r\x1c\x1d\x1e\x1f").find(sequence_[at]) != std::string_view::npos;
    }

    void any_kmer(std::size_t at) {
        for (std::size_t i = 0; i < v_.k; ++i) {
            if (!base_at(at + i)) return put(Id(), at + i);
        }
        for (std::size_t i = 0; i < v_.k; ++i) {
            if (!digit(at + i)) return put(v_.unknown, at + i);
        }
        const Id id = kmer(at);
        put(id ? id : v_.unknown, at);
    }

    Id kmer(std::size_t at) const {
        std::size_t index = 0;
        for (std::size_t i = 0; i < v_.k; ++i) index = index * v_.digits.size() + *digit(at + i);
        return v_.kmers[index];
    }

    void put(Id id, std::size_t at) {
        if (result_.unknown) return;
        if (id) {
            result_.ids.push_back(*id);
        } else {
            result_.unknown = at;
        }
    }

    std::optional<std::size_t> digit(std::size_t at) const {
        const std::optional<char> base = base_at(at);
        const std::size_t index = base ? v_.digits.find(*base) : std::string::npos;
        return index == std::string::npos ? std::nullopt : std::optional(index);
    }

    // The policies' result for a byte; nothing if they reject it.
    std::optional<char> base_at(std::size_t at) const {
        char base = sequence_[at];
        const bool is_lower = 'a' <= base && base <= 'z';
        if (is_lower && v_.lower_case == Policy::kReject) return std::nullopt;
        if (is_lower && v_.lower_case == Policy::kNormalize) base = static_cast<char>(base - 'a' + 'A');
        if (base != '\0' && std::string_view("RYSWKMBDHVryswkmbdhv").find(base) != std::string_view::npos) {
            if (v_.ambiguous == Policy::kReject) return std::nullopt;
            if (v_.ambiguous == Policy::kNormalize) base = 'N';
        }
        if ((base == 'N' || base == 'n') && v_.n == Policy::kReject) return std::nullopt;
        return base;
    }

    const DnaVocabulary& v_;
    std::string_view sequence_;
    DnaIds result_;
};

inline DnaIds encode_dna(const DnaVocabulary& vocabulary, std::string_view sequence) {
    return DnaEncoder(vocabulary, sequence).encode();
}

// Nothing if a byte has no id.
inline std::optional<std::string> reverse_complement(std::string_view bases) {
    constexpr std::string_view kFrom = "ACGTURYSWKMBDHVN", kTo = "TGCAAYRSWMKVHDBN";
    std::string result;
    for (const char base : bases) {
        const bool is_lower = 'a' <= base && base <= 'z';
        const std::size_t at = kFrom.find(is_lower ? static_cast<char>(base - 32) : base);
        if (at == std::string_view::npos) return std::nullopt;
        result.insert(result.begin(), is_lower ? static_cast<char>(kTo[at] + 32) : kTo[at]);
    }
    return result;
}

}  // namespace crayon::naive
