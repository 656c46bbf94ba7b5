#include <algorithm>

#include "structure/use.h"

namespace crayon::test {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

class UseDna {
public:
    UseDna(crayon_tokenizer* tokenizer, Random& random)
        : tokenizer_(tokenizer), random_(random), vocabulary_size_(crayon_tokenizer_vocabulary_size(tokenizer)) {}
    ~UseDna() { crayon_dna_release(dna_); }

    std::string run() {
        crayon_encoder* encoder = nullptr;
        crayon_encoder_create(tokenizer_, &encoder, &result_);
        if (result_.status != CRAYON_INVALID_ARGUMENT || encoder) return "an encoder of DNA";
        const auto policy = [&] { return small(random_.below(4)); };
        const crayon_dna_policies policies = {policy(), policy(), policy(), policy()};
        crayon_dna_create(tokenizer_, random_.one_in(3) ? nullptr : &policies, &dna_, &result_);
        if (result_.status == CRAYON_INVALID_ARGUMENT) crayon_dna_create(tokenizer_, nullptr, &dna_, &result_);
        if (result_.status != CRAYON_OK) return "DNA cannot be created";
        crayon_dna_describe(dna_, about_);
        for (u32 i = 0; i < about_[7] + about_[8]; ++i) {
            if (about_[9 + i] >= vocabulary_size_) return "an id of the template";
        }
        std::string failure;
        for (int i = 0; i < 4 && failure.empty(); ++i) {
            const std::string sequence = sequence_of();
            failure = random_.one_in(3) ? rows_of(sequence) : encode(sequence);
        }
        return failure;
    }

private:
    std::string sequence_of() {
        std::string sequence;
        const std::size_t length = random_.below(random_.one_in(6) ? 5000 : 300);
        while (sequence.size() < length) {
            if (random_.one_in(4)) sequence += static_cast<char>(random_.next());
            for (std::size_t run = random_.below(80); run > 0; --run) sequence += "ACGT"[random_.below(4)];
            if (random_.one_in(2)) sequence += "NnacgtR"[random_.below(7)];
        }
        return sequence;
    }

    u32 width() { return std::max(about_[3], 1u << random_.below(4)); }

    bool are_ids(const std::vector<u8>& bytes, u32 width, std::size_t count) const {
        for (std::size_t i = 0; i < count; ++i) {
            u32 id = 0;
            for (u32 byte = std::min(width, 4u); byte-- > 0;) id = id << 8 | bytes[i * width + byte];
            if (id >= vocabulary_size_) return false;
        }
        return true;
    }

    std::string encode(const std::string& sequence) {
        const u8* const bytes = reinterpret_cast<const u8*>(sequence.data());
        const u32 wide = width(), capacity = small(random_.below(sequence.size() + 2));
        const bool is_row = random_.one_in(3);
        const u32 flags = is_row ? CRAYON_DNA_TEMPLATE | small(random_.below(2)) * CRAYON_DNA_TRUNCATE
                                 : small(random_.below(4)) * CRAYON_DNA_CONTINUED;
        std::vector<u8> ids(std::size_t{capacity} * wide);
        crayon_dna_part part = {};
        crayon_dna_encode(dna_, bytes, small(sequence.size()), flags, wide, ids.data(), capacity, &part, &result_);
        if (result_.count > capacity) return "more ids than there is room for";
        if (part.unknown > result_.count && result_.status == CRAYON_OK) return "more unknown ids than ids";
        if (result_.position > sequence.size()) return "a position after the sequence";
        if (result_.status != CRAYON_OK && result_.status != CRAYON_UNKNOWN_BASE &&
            !(is_row && result_.status == CRAYON_TEXT_TOO_LONG)) {
            return std::string("encode: ") + crayon_status_name(result_.status);
        }
        if (!are_ids(ids, wide, result_.count)) return "an id that is none";
        const u32 offsets[] = {0, small(sequence.size())};
        u32 count = 0;
        crayon_dna_count_rows(dna_, bytes, offsets[1], offsets, 1, &count, &result_);
        return result_.status == CRAYON_OK && count > sequence.size() ? "more ids than bytes" : "";
    }

    std::string rows_of(const std::string& sequence) {
        const u32 rows = small(random_.below(5)), columns = small(random_.below(200)), wide = width();
        std::vector<u32> offsets = {0};
        for (u32 row = 0; row < rows; ++row) {
            offsets.push_back(offsets.back() + small(random_.below(sequence.size() - offsets.back() + 1)));
        }
        const u32 flags = (random_.one_in(2) ? u32{CRAYON_DNA_TEMPLATE} : 0) | CRAYON_DNA_TRUNCATE |
                          (random_.one_in(2) ? u32{CRAYON_DNA_PAD_LEFT} : 0);
        std::vector<u8> ids(std::size_t{rows} * columns * wide), mask(std::size_t{rows} * columns);
        std::vector<u32> unknown(rows);
        crayon_dna_encode_rows(dna_, reinterpret_cast<const u8*>(sequence.data()), small(sequence.size()), offsets.data(), rows,
                               columns, flags, wide, ids.data(), mask.data(), unknown.data(), &result_);
        if (result_.count > columns) return "a row that is too long";
        return result_.status == CRAYON_OK && !are_ids(ids, wide, mask.size()) ? "an id of a row that is none" : "";
    }

    crayon_tokenizer* tokenizer_;
    Random& random_;
    u32 vocabulary_size_;
    crayon_dna* dna_ = nullptr;
    u32 about_[137] = {};
    crayon_result result_ = {};
};

}  // namespace

std::string use_dna(crayon_tokenizer* tokenizer, Random& random) { return UseDna(tokenizer, random).run(); }

}  // namespace crayon::test
