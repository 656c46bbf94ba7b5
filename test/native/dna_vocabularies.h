// DNA vocabularies for tests: of published models, written by rule, and random ones; and their cartridges.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "crayon/crayon.h"
#include "generate_text.h"
#include "naive/dna.h"

namespace crayon::test {

struct DnaSpecial {
    std::string bytes;
    std::uint32_t id;
    std::uint32_t flags = 0;
};

struct DnaModel {
    naive::DnaVocabulary vocabulary;
    std::vector<std::string> tokens;  // by id; empty: a hole
    std::vector<DnaSpecial> specials;
    std::vector<std::uint32_t> before, after;
    std::uint32_t first_kmer = 0xFFFFFFFF;  // the k-mers are by rule
    std::uint32_t vocabulary_size = 0;
    bool pads_left = false;

    void add(std::string_view bases, std::uint32_t first) {
        for (const char base : bases) set_base(base, first++);
    }
    void set_base(char base, std::uint32_t id) {
        vocabulary.bases[static_cast<std::uint8_t>(base)] = id;
        set_token(std::string(1, base), id);
    }
    void set_token(const std::string& bytes, std::uint32_t id) {
        tokens.resize(std::max<std::size_t>(tokens.size(), id + 1));
        tokens[id] = bytes;
    }
    // All k-mers, in order.
    void add_kmers(naive::Unit unit, std::uint32_t k, const std::string& digits, std::uint32_t first) {
        vocabulary.unit = unit;
        vocabulary.k = k;
        vocabulary.digits = digits;
        first_kmer = first;
        std::vector<std::string> kmers = {""};
        for (std::uint32_t i = 0; i < k; ++i) {
            std::vector<std::string> longer;
            for (const std::string& kmer : kmers) {
                for (const char digit : digits) longer.push_back(kmer + digit);
            }
            kmers = std::move(longer);
        }
        for (const std::string& kmer : kmers) {
            vocabulary.kmers.push_back(first);
            set_token(kmer, first++);
        }
    }
};

inline DnaModel hyena_dna() {
    DnaModel model;
    model.specials = {{"[CLS]", 0}, {"[SEP]", 1}, {"[BOS]", 2}, {"[MASK]", 3}, {"[PAD]", 4}, {"[RESERVED]", 5}, {"[UNK]", 6}};
    model.add("ACGTN", 7);
    model.vocabulary.unknown = 6;
    model.vocabulary.pad = 4;
    model.after = {1};
    model.pads_left = true;
    return model;
}

inline DnaModel caduceus() {
    DnaModel model = hyena_dna();
    model.vocabulary.lower_case = naive::Policy::kNormalize;
    return model;
}

inline DnaModel nucleotide_transformer_v1() {
    DnaModel model;
    model.specials = {{"<unk>", 0}, {"<pad>", 1}, {"<mask>", 2}, {"<cls>", 3}, {"<eos>", 4105}, {"<bos>", 4106}};
    model.add_kmers(naive::Unit::kKmers, 6, "ATCG", 4);
    model.add("ATCGN", 4100);
    model.vocabulary.unknown = 0;
    model.vocabulary.words = true;
    model.vocabulary.pad = 1;
    model.before = {3};
    return model;
}

inline DnaModel nucleotide_transformer_v2() {
    DnaModel model;
    model.specials = {{"<unk>", 0}, {"<pad>", 1}, {"<mask>", 2}, {"<cls>", 3}, {"<eos>", 4}, {"<bos>", 5}};
    model.add_kmers(naive::Unit::kKmers, 6, "ATCG", 6);
    model.add("ATCGN", 4102);
    model.vocabulary.unknown = 0;
    model.vocabulary.words = true;
    model.vocabulary.pad = 1;
    model.before = {3};
    return model;
}

inline DnaModel nucleotide_transformer_v3() {
    DnaModel model;
    model.specials = {{"<unk>", 0}, {"<pad>", 1}, {"<mask>", 2}, {"<cls>", 3}, {"<eos>", 4}, {"<bos>", 5}};
    model.add("ATCGN", 6);
    model.vocabulary.unknown = 0;
    model.vocabulary.pad = 1;
    return model;
}

inline DnaModel evo2() {
    DnaModel model;
    for (std::uint32_t byte = 0; byte < 256; ++byte) model.set_base(static_cast<char>(byte), byte);
    model.vocabulary.pad = 1;
    model.vocabulary_size = 512;
    return model;
}

// Any possible vocabulary.
inline DnaModel random_dna_model(Random& random, naive::Unit unit) {
    using naive::Policy;
    DnaModel model;
    naive::DnaVocabulary& v = model.vocabulary;
    const std::uint32_t spread = random.one_in(3) ? 60000 : random.one_in(3) ? 100000 : 200;
    const auto any_id = [&] { return static_cast<std::uint32_t>(random.below(spread)); };
    if (unit == naive::Unit::kBytes && random.one_in(3)) {
        for (naive::Id& id : v.bases) id = any_id();
    }
    for (const char c : std::string("ACGTNacgtnRYUu-\xF0")) {
        if (random.below(4)) v.bases[static_cast<std::uint8_t>(c)] = any_id();
    }
    v.lower_case = static_cast<Policy>(random.below(3));
    v.ambiguous = static_cast<Policy>(random.below(3));
    v.n = random.one_in(3) ? Policy::kReject : Policy::kKeep;
    if (random.below(3)) v.unknown = any_id();
    if (random.below(4)) v.pad = any_id();
    v.tail = static_cast<naive::Tail>(random.below(3));
    if (!v.pad && v.tail == naive::Tail::kPad) v.tail = naive::Tail::kSingle;
    if (unit == naive::Unit::kBytes && random.one_in(3)) {
        v.starts = v.bases;
        for (const char c : std::string("ACGTacN")) v.starts[static_cast<std::uint8_t>(c)] = any_id();
    }
    for (std::size_t i = random.below(3); i > 0; --i) model.before.push_back(any_id());
    for (std::size_t i = random.below(3); i > 0; --i) model.after.push_back(any_id());
    model.pads_left = random.one_in(2);
    model.set_token("A", 0);
    if (unit == naive::Unit::kBytes) return model;

    static constexpr const char* kDigits[] = {"ACGT", "ATCG", "ACGTN", "acgt", "TGCAN", "AC-\xF0"};
    const std::string digits = kDigits[random.below(std::size(kDigits))];
    const std::uint32_t k = 1 + static_cast<std::uint32_t>(random.below(random.one_in(4) ? 8 : 6));
    v.unit = unit;
    v.k = k;
    v.digits = digits;
    const std::size_t count = static_cast<std::size_t>(std::llround(std::pow(digits.size(), k)));
    const bool is_rule = random.one_in(2);
    if (is_rule) model.first_kmer = any_id();
    const std::size_t holes = random.one_in(2) ? 0 : 1 + random.below(20);
    for (std::size_t i = 0; i < count; ++i) {
        if (is_rule) {
            v.kmers.push_back(model.first_kmer + static_cast<std::uint32_t>(i));
        } else {
            v.kmers.push_back(holes > 0 && random.below(20) < holes ? naive::Id() : naive::Id(any_id()));
        }
    }
    v.words = unit == naive::Unit::kKmers && v.unknown && random.one_in(2);
    if (v.words) {
        for (const char digit : digits) v.bases[static_cast<std::uint8_t>(digit)] = any_id();
        if (random.one_in(8)) v.bases[static_cast<std::uint8_t>(' ')] = any_id();
    }
    return model;
}

inline std::uint32_t number_of(naive::Id id) { return id.value_or(0xFFFFFFFF); }

inline std::vector<std::uint32_t> numbers_of(const std::vector<naive::Id>& ids) {
    std::vector<std::uint32_t> numbers;
    for (const naive::Id& id : ids) numbers.push_back(number_of(id));
    return numbers;
}

// The bytes of its cartridge.
inline std::string compile_dna(const DnaModel& model) {
    const auto length = [](const auto& of) { return static_cast<std::uint32_t>(of.size()); };
    const auto bytes = [](const std::string& of) { return reinterpret_cast<const std::uint8_t*>(of.data()); };
    const naive::DnaVocabulary& v = model.vocabulary;
    crayon_result result;
    crayon_dna_compiler* compiler = nullptr;
    EXPECT_EQ(crayon_dna_compiler_create(&compiler, &result), CRAYON_OK);
    const crayon_dna_policies policies = {static_cast<std::uint32_t>(v.lower_case), static_cast<std::uint32_t>(v.ambiguous),
                                          static_cast<std::uint32_t>(v.n), static_cast<std::uint32_t>(v.tail)};
    const crayon_dna_rules rules = {static_cast<std::uint32_t>(v.unit),
                                    v.k,
                                    model.vocabulary_size,
                                    model.first_kmer,
                                    number_of(v.unknown),
                                    number_of(v.pad),
                                    static_cast<std::uint32_t>(model.pads_left ? CRAYON_DNA_SIDE_LEFT : CRAYON_DNA_SIDE_RIGHT),
                                    policies,
                                    static_cast<std::uint32_t>(v.words ? CRAYON_DNA_UNKNOWN_WORDS : CRAYON_DNA_UNKNOWN_EACH)};
    EXPECT_EQ(crayon_dna_compiler_set_rules(compiler, &rules, &result), CRAYON_OK);
    std::string token_bytes;
    std::vector<std::uint32_t> offsets = {0};
    for (const std::string& token : model.tokens) {
        token_bytes += token;
        offsets.push_back(length(token_bytes));
    }
    EXPECT_EQ(crayon_dna_compiler_set_tokens(compiler, bytes(token_bytes), length(token_bytes), offsets.data(),
                                             length(model.tokens), &result),
              CRAYON_OK);
    const std::vector<std::uint32_t> bases = numbers_of(v.bases), starts = numbers_of(v.starts), kmers = numbers_of(v.kmers);
    EXPECT_EQ(crayon_dna_compiler_set_bases(compiler, bases.data(), starts.empty() ? nullptr : starts.data(), &result),
              CRAYON_OK);
    if (v.unit != naive::Unit::kBytes) {
        const std::uint32_t count = model.first_kmer == 0xFFFFFFFF ? length(kmers) : 0;
        EXPECT_EQ(crayon_dna_compiler_set_kmers(compiler, bytes(v.digits), length(v.digits), kmers.data(), count, &result),
                  CRAYON_OK);
    }
    EXPECT_EQ(crayon_dna_compiler_set_template(compiler, model.before.data(), length(model.before), model.after.data(),
                                               length(model.after), &result),
              CRAYON_OK);
    EXPECT_EQ(crayon_dna_compiler_set_metadata(compiler, "{\"name\":\"dna\"}", 14, &result), CRAYON_OK);
    for (const DnaSpecial& special : model.specials) {
        EXPECT_EQ(crayon_dna_compiler_add_special(compiler, bytes(special.bytes), length(special.bytes), special.id,
                                                  special.flags, &result),
                  CRAYON_OK);
    }
    const std::uint8_t* file = nullptr;
    EXPECT_EQ(crayon_dna_compiler_finish(compiler, &file, &result), CRAYON_OK)
        << crayon_status_name(result.status) << " at " << result.position;
    std::string copy(reinterpret_cast<const char*>(file), file ? result.count : 0);
    crayon_dna_compiler_release(compiler);
    return copy;
}

// A cartridge of it, opened.
class OpenDna {
public:
    explicit OpenDna(const DnaModel& model, const std::string& kernel = "", const crayon_dna_policies* policies = nullptr) {
        const std::string file = compile_dna(model);
        crayon_result result;
        EXPECT_EQ(crayon_cartridge_open_bytes(file.data(), static_cast<std::uint32_t>(file.size()), 0, &cartridge_, &result),
                  CRAYON_OK)
            << crayon_status_name(result.status) << " in " << result.section << " at " << result.position;
        EXPECT_EQ(crayon_tokenizer_create(cartridge_, 0, kernel.data(), static_cast<std::uint32_t>(kernel.size()), &tokenizer_,
                                          &result),
                  CRAYON_OK);
        EXPECT_EQ(crayon_dna_create(tokenizer_, policies, &dna_, &result), CRAYON_OK);
    }
    ~OpenDna() {
        crayon_dna_release(dna_);
        crayon_tokenizer_release(tokenizer_);
        crayon_cartridge_release(cartridge_);
    }
    OpenDna(const OpenDna&) = delete;

    crayon_cartridge* cartridge() const { return cartridge_; }
    crayon_tokenizer* tokenizer() const { return tokenizer_; }
    crayon_dna* dna() const { return dna_; }
    std::uint32_t least_width() const {
        std::uint32_t about[137];
        crayon_dna_describe(dna_, about);
        return about[3];
    }

private:
    crayon_cartridge* cartridge_ = nullptr;
    crayon_tokenizer* tokenizer_ = nullptr;
    crayon_dna* dna_ = nullptr;
};

}  // namespace crayon::test
