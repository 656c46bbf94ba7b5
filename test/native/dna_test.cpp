// DNA: every kernel gives the ids of the naive version, for every kind of vocabulary and policy, however the sequence and the
// capacity are divided; and the published vocabularies give their published ids.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "dna_vocabularies.h"
#include "kernels.h"
#include "share.h"

namespace crayon::test::dna_test {
namespace {

using Ids = std::vector<u32>;

const u8* bytes_of(const std::string& text) { return reinterpret_cast<const u8*>(text.data()); }
u32 length_of(const auto& of) { return static_cast<u32>(of.size()); }

// Memory of exactly `count` ids, at an odd address, which a sanitizer guards.
class IdBytes {
public:
    IdBytes(std::size_t count, u32 width) : width_(width), memory_(count * width + 1, 0xA5) {}
    void* data() { return memory_.data() + 1; }
    Ids first(std::size_t count) const { return part(0, count); }
    Ids part(std::size_t begin, std::size_t count) const {
        Ids ids;
        for (std::size_t i = begin; i < begin + count; ++i) {
            u64 id = 0;
            std::memcpy(&id, memory_.data() + 1 + i * width_, width_);
            ids.push_back(id > 0xFFFFFFFF ? 0xFFFFFFFF : static_cast<u32>(id));
        }
        return ids;
    }

private:
    u32 width_;
    std::vector<u8> memory_;
};

// Runs of 1 to 300 bases, separated by the letters that policies cover.
std::string random_sequence(Random& random, std::size_t longest) {
    static constexpr std::string_view kKinds[] = {"ACGT",           "ACGT", "ACGT",       "acgt",  "ACGTN", "N",
                                                  "ACGTRYSWKMBDHV", "nryb", "ACGTacgtNn", "UuXx-", "XU \n", "x\x1f\xC3\xA9"};
    std::string sequence;
    const std::size_t length = random.below(longest + 1);
    while (sequence.size() < length) {
        const std::string_view kind = kKinds[random.below(random.one_in(3) ? std::size(kKinds) : 3)];
        for (std::size_t run = random.below(random.one_in(3) ? 300 : 20); run > 0; --run)
            sequence += kind[random.below(kind.size())];
        if (random.one_in(30)) sequence += static_cast<char>(random.next());
    }
    sequence.resize(length);
    return sequence;
}

std::string text_of(const crayon_result& result) {
    return std::string(crayon_status_name(result.status)) + " at " + std::to_string(result.position);
}

u32 count_unknown(const DnaModel& model, const Ids& ids) {
    const naive::Id unknown = model.vocabulary.unknown;
    return unknown ? static_cast<u32>(std::count(ids.begin(), ids.end(), *unknown)) : 0;
}

// In calls whose capacity and bytes come from `random`. Returns the byte of an error, or the length.
std::size_t encode_in_parts(const OpenDna& open, const std::string& sequence, u32 width, u32 k, Random& random, Ids* ids,
                            u32* unknown) {
    std::size_t at = 0;
    u32 flags = 0;
    ids->clear();
    *unknown = 0;
    for (;;) {
        const std::size_t left = sequence.size() - at;
        // At least k bytes and ids each time, to make progress.
        const std::size_t given = random.one_in(2) ? left : std::min(left, k + random.below(200));
        const u32 capacity = k + static_cast<u32>(random.below(random.one_in(2) ? 4 : 300));
        const std::string part = sequence.substr(at, given);
        const u32 unfinished = given < left ? u32{CRAYON_DNA_UNFINISHED} : 0;
        IdBytes out(capacity, width);
        crayon_result result;
        crayon_dna_part made = {};
        crayon_dna_encode(open.dna(), bytes_of(part), length_of(part), flags | unfinished, width, out.data(), capacity, &made,
                          &result);
        *unknown += made.unknown;
        for (const u32 id : out.first(result.count)) ids->push_back(id);
        if (result.status == CRAYON_UNKNOWN_BASE) return at + result.position;
        EXPECT_EQ(result.status, CRAYON_OK) << text_of(result);
        EXPECT_TRUE(result.more == 0 || result.count + k > capacity);
        EXPECT_TRUE(made.more == result.more && made.position == result.position);
        if (result.status != CRAYON_OK) return 0;
        at += result.position;
        flags = at > 0 ? CRAYON_DNA_CONTINUED : 0;
        if (result.more == 0 && !unfinished) return at;
    }
}

void expect_naive(const DnaModel& model, const OpenDna& open, const std::string& sequence, u32 width, Random& random) {
    const naive::DnaIds expected = naive::encode_dna(model.vocabulary, sequence);
    const u32 capacity = length_of(sequence) + static_cast<u32>(random.below(2));
    IdBytes out(capacity, width);
    crayon_result result;
    crayon_dna_part part = {0, 0, 0xA5A5A5A5};
    crayon_dna_encode(open.dna(), bytes_of(sequence), length_of(sequence), 0, width, out.data(), capacity, &part, &result);
    ASSERT_EQ(out.first(result.count), expected.ids) << sequence << " " << text_of(result);
    ASSERT_EQ(part.unknown, count_unknown(model, expected.ids)) << sequence;
    ASSERT_EQ(result.status, expected.unknown ? CRAYON_UNKNOWN_BASE : CRAYON_OK) << sequence;
    ASSERT_EQ(result.position, expected.unknown.value_or(sequence.size())) << sequence;
    ASSERT_EQ(result.more, 0u);

    const u32 offsets[] = {0, 0, length_of(sequence)};
    u32 counts[] = {1, 0xA5A5A5A5};
    crayon_dna_count_rows(open.dna(), bytes_of(sequence), length_of(sequence), offsets, 2, counts, &result);
    ASSERT_EQ(result.status, expected.unknown ? CRAYON_UNKNOWN_BASE : CRAYON_OK) << sequence;
    ASSERT_EQ(counts[0], 0u);
    if (expected.unknown) {
        ASSERT_EQ(result.section, 1u) << sequence;
        ASSERT_EQ(result.position, *expected.unknown) << sequence;
    } else {
        ASSERT_EQ(counts[1], expected.ids.size()) << sequence;
    }

    Ids parts;
    u32 unknown = 0;
    ASSERT_EQ(encode_in_parts(open, sequence, width, model.vocabulary.k, random, &parts, &unknown),
              expected.unknown.value_or(sequence.size()))
        << sequence;
    ASSERT_EQ(parts, expected.ids) << sequence;
    ASSERT_EQ(unknown, count_unknown(model, expected.ids)) << sequence;
}

u32 any_width(const OpenDna& open, Random& random) { return std::max(open.least_width(), 1u << random.below(4)); }

class DnaUnits : public testing::TestWithParam<naive::Unit> {};

TEST_P(DnaUnits, EveryKernelGivesTheIdsOfTheNaiveVersion) {
    for_each_kernel([&](const Kernel& kernel) {
        for (u64 seed = 1; seed <= sample(300, 20); ++seed) {
            Random random(seed);
            const DnaModel model = random_dna_model(random, GetParam());
            const OpenDna open(model, kernel.name);
            for (int i = 0; i < 12; ++i) {
                const std::string sequence = random_sequence(random, random.one_in(4) ? 6000 : 300);
                expect_naive(model, open, sequence, any_width(open, random), random);
                ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
            }
        }
    });
}

TEST_P(DnaUnits, EveryKAndEveryLengthAroundBlocks) {
    for_each_kernel([&](const Kernel& kernel) {
        for (u32 k = 1; k <= 8; ++k) {
            if (GetParam() == naive::Unit::kBytes && k > 1) continue;
            DnaModel model = k == 1 && GetParam() == naive::Unit::kBytes ? hyena_dna() : DnaModel();
            if (GetParam() != naive::Unit::kBytes) {
                model.add_kmers(GetParam(), k, "ACGT", 5);
                model.add("ACGT", 1);
                model.vocabulary.unknown = 0;
            }
            const OpenDna open(model, kernel.name);
            Random random(k);
            for (std::size_t length = 0; length < 300; ++length) {
                if (!in_sweep(length)) continue;
                std::string sequence;
                while (sequence.size() < length) sequence += "ACGT"[random.below(4)];
                expect_naive(model, open, sequence, any_width(open, random), random);
                if (length == 0) continue;
                sequence[random.below(length)] = 'N';
                expect_naive(model, open, sequence, any_width(open, random), random);
                ASSERT_FALSE(HasFatalFailure()) << k << " " << length;
            }
            for (const std::size_t length : {2047u, 2048u, 2049u, 4096u + k}) {
                std::string sequence;
                while (sequence.size() < length) sequence += "ACGT"[random.below(4)];
                expect_naive(model, open, sequence, any_width(open, random), random);
            }
        }
    });
}

// A row has the ids of a sequence, with its special ids.
TEST_P(DnaUnits, RowsArePaddedAndTruncatedSequences) {
    u64 padded = 0, cut = 0, too_long = 0;
    for (u64 seed = 1; seed <= sample(600, 60); ++seed) {
        Random random(seed);
        const DnaModel model = random_dna_model(random, GetParam());
        const OpenDna open(model, kernel_at(0)->name);
        const u32 width = any_width(open, random), rows = static_cast<u32>(random.below(6)),
                  columns = static_cast<u32>(random.below(120));
        const bool wraps = random.one_in(2), cuts = random.one_in(2), says_side = random.one_in(2), masks = random.one_in(2);
        const bool left = says_side ? random.one_in(2) : model.pads_left;
        const Ids before = wraps ? model.before : Ids(), after = wraps ? model.after : Ids();
        u32 flags = (wraps ? u32{CRAYON_DNA_TEMPLATE} : 0) | (cuts ? u32{CRAYON_DNA_TRUNCATE} : 0);
        if (says_side) flags |= left ? CRAYON_DNA_PAD_LEFT : CRAYON_DNA_PAD_RIGHT;

        std::string bytes;
        Ids offsets = {0};
        Ids ids, unknown;
        std::vector<u8> mask;
        u32 status = CRAYON_OK, section = 0, longest = 0;
        std::size_t position = 0;
        for (u32 row = 0; row < rows; ++row) {
            const std::string sequence = random_sequence(random, 150);
            bytes += sequence;
            offsets.push_back(length_of(bytes));
            if (status != CRAYON_OK) continue;
            naive::DnaIds expected = naive::encode_dna(model.vocabulary, sequence);
            const std::size_t around = before.size() + after.size();
            const std::size_t capacity = around > columns ? 0 : columns - around;
            // After the end of the row, nothing is an error.
            if (around > columns || (!cuts && expected.ids.size() > capacity)) {
                status = CRAYON_TEXT_TOO_LONG;
                section = row;
                ++too_long;
                continue;
            }
            if (expected.ids.size() > capacity) {
                expected.ids.resize(capacity);
                expected.unknown.reset();
                ++cut;
            } else if (expected.unknown && expected.ids.size() + model.vocabulary.k > capacity) {
                status = 0xFFFFFFFF;  // the capacity may end before the unknown base
                continue;
            } else if (expected.unknown) {
                status = CRAYON_UNKNOWN_BASE;
                section = row;
                position = *expected.unknown;
                continue;
            }
            unknown.push_back(count_unknown(model, expected.ids));
            Ids line = before;
            line.insert(line.end(), expected.ids.begin(), expected.ids.end());
            line.insert(line.end(), after.begin(), after.end());
            longest = std::max(longest, length_of(line));
            const std::size_t padding = columns - line.size();
            if (padding > 0 && !model.vocabulary.pad) {
                status = CRAYON_INVALID_ARGUMENT;
                section = row;
                continue;
            }
            padded += padding > 0;
            std::vector<u8> of_line(line.size(), 1);
            line.insert(left ? line.begin() : line.end(), padding, number_of(model.vocabulary.pad));
            of_line.insert(left ? of_line.begin() : of_line.end(), padding, 0);
            ids.insert(ids.end(), line.begin(), line.end());
            mask.insert(mask.end(), of_line.begin(), of_line.end());
        }
        if (status == 0xFFFFFFFF) continue;

        IdBytes out(std::size_t{rows} * columns, width);
        std::vector<u8> out_mask(std::size_t{rows} * columns);
        Ids out_unknown(rows);
        crayon_result result;
        crayon_dna_encode_rows(open.dna(), bytes_of(bytes), length_of(bytes), offsets.data(), rows, columns, flags, width,
                               out.data(), masks ? out_mask.data() : nullptr, out_unknown.data(), &result);
        ASSERT_EQ(result.status, status) << "seed " << seed;
        ASSERT_EQ(result.section, section) << "seed " << seed;
        ASSERT_EQ(result.position, position) << "seed " << seed;
        ASSERT_EQ(out.first(ids.size()), ids) << "seed " << seed;
        if (masks) out_mask.resize(mask.size());
        ASSERT_EQ(masks ? out_mask : mask, mask) << "seed " << seed;
        ASSERT_EQ(status == CRAYON_OK ? out_unknown : unknown, unknown) << "seed " << seed;
        ASSERT_EQ(status == CRAYON_OK ? result.count : longest, longest) << "seed " << seed;
    }
    EXPECT_GT(padded, at_least(50));
    EXPECT_GT(cut, at_least(20));
    EXPECT_GT(too_long, at_least(20));
}

INSTANTIATE_TEST_SUITE_P(Each, DnaUnits, testing::Values(naive::Unit::kBytes, naive::Unit::kKmers, naive::Unit::kStride1),
                         [](const auto& info) {
                             return info.param == naive::Unit::kBytes   ? "Bytes"
                                    : info.param == naive::Unit::kKmers ? "Kmers"
                                                                        : "Stride1";
                         });

// --- published vocabularies --------------------------------------------------------------------------------------------

Ids ids_of(const DnaModel& model, const std::string& sequence, u32 flags = 0) {
    const OpenDna open(model);
    IdBytes out(sequence.size() + 8, 4);
    crayon_result result;
    crayon_dna_encode(open.dna(), bytes_of(sequence), length_of(sequence), flags, 4, out.data(), length_of(sequence) + 8, nullptr,
                      &result);
    EXPECT_EQ(result.status, CRAYON_OK) << text_of(result);
    return out.first(result.count);
}

TEST(Dna, HyenaDna) {
    EXPECT_EQ(ids_of(hyena_dna(), "ACGTN"), (Ids{7, 8, 9, 10, 11}));
    EXPECT_EQ(ids_of(hyena_dna(), "ACgtR-"), (Ids{7, 8, 6, 6, 6, 6}));
    EXPECT_EQ(ids_of(hyena_dna(), "ACGTN", CRAYON_DNA_TEMPLATE), (Ids{7, 8, 9, 10, 11, 1}));

    const OpenDna open(hyena_dna());
    const u32 offsets[] = {0, 2, 5};
    IdBytes out(8, 4);
    crayon_result result;
    EXPECT_EQ(crayon_dna_encode_rows(open.dna(), bytes_of("ACGTN"), 5, offsets, 2, 4, CRAYON_DNA_TEMPLATE, 4, out.data(), nullptr,
                                     nullptr, &result),
              CRAYON_OK);
    EXPECT_EQ(out.first(8), (Ids{4, 7, 8, 1, 9, 10, 11, 1}));
}

TEST(Dna, Caduceus) { EXPECT_EQ(ids_of(caduceus(), "acgtnACGTNr"), (Ids{7, 8, 9, 10, 11, 7, 8, 9, 10, 11, 6})); }

TEST(Dna, NucleotideTransformer) {
    // A 0, T 1, C 2, G 3.
    EXPECT_EQ(ids_of(nucleotide_transformer_v2(), "AAAAAA"), (Ids{6}));
    EXPECT_EQ(ids_of(nucleotide_transformer_v2(), "GGGGGG"), (Ids{4101}));
    EXPECT_EQ(ids_of(nucleotide_transformer_v2(), "AAAAAT"), (Ids{7}));
    EXPECT_EQ(ids_of(nucleotide_transformer_v2(), "TAAAAA"), (Ids{6 + 1024}));
    EXPECT_EQ(ids_of(nucleotide_transformer_v2(), "ATTCCG"), (Ids{6 + 256 + 64 + 2 * 16 + 2 * 4 + 3}));
    EXPECT_EQ(ids_of(nucleotide_transformer_v2(), "AAAAAANGGGGGGAT"), (Ids{6, 4106, 4101, 4102, 4103}));
    EXPECT_EQ(ids_of(nucleotide_transformer_v2(), "ACGTN"), (Ids{4102, 4104, 4105, 4103, 4106}));
    EXPECT_EQ(ids_of(nucleotide_transformer_v2(), "ACXXT X\n\xC3\xA9 "), (Ids{4102, 4104, 0, 4103, 0, 0}));
    EXPECT_EQ(ids_of(nucleotide_transformer_v1(), "AAAAAAGGGGGGATCGN"), (Ids{4, 4099, 4100, 4101, 4102, 4103, 4104}));
    EXPECT_EQ(ids_of(nucleotide_transformer_v3(), "ATCGN"), (Ids{6, 7, 8, 9, 10}));
    const OpenDna v1(nucleotide_transformer_v1()), v2(nucleotide_transformer_v2());
    EXPECT_EQ(crayon_tokenizer_vocabulary_size(v1.tokenizer()), 4107u);
    EXPECT_EQ(crayon_tokenizer_vocabulary_size(v2.tokenizer()), 4107u);
    EXPECT_EQ(v2.least_width(), 2u);
}

TEST(Dna, Evo2) {
    EXPECT_EQ(ids_of(evo2(), "ACgt\xC3\xA9"), (Ids{65, 67, 103, 116, 0xC3, 0xA9}));
    const OpenDna open(evo2());
    EXPECT_EQ(crayon_tokenizer_vocabulary_size(open.tokenizer()), 512u);
    EXPECT_EQ(open.least_width(), 1u);
}

TEST(Dna, PoliciesOfTheCaller) {
    struct {
        crayon_dna_policies policies;
        std::string sequence;
        u32 status;
        u32 position;
        Ids ids;
    } const cases[] = {
        {{CRAYON_DNA_REJECT, 3, 3, 3}, "ACGa", CRAYON_UNKNOWN_BASE, 3, {7, 8, 9}},
        {{CRAYON_DNA_NORMALIZE, 3, 3, 3}, "ACga", CRAYON_OK, 4, {7, 8, 9, 7}},
        {{CRAYON_DNA_KEEP, 3, 3, 3}, "ACga", CRAYON_OK, 4, {7, 8, 6, 6}},
        {{3, CRAYON_DNA_REJECT, 3, 3}, "ARA", CRAYON_UNKNOWN_BASE, 1, {7}},
        {{3, CRAYON_DNA_NORMALIZE, 3, 3}, "ARA", CRAYON_OK, 3, {7, 11, 7}},
        {{3, CRAYON_DNA_NORMALIZE, CRAYON_DNA_REJECT, 3}, "ARA", CRAYON_UNKNOWN_BASE, 1, {7}},
        {{3, 3, CRAYON_DNA_REJECT, 3}, "ACN", CRAYON_UNKNOWN_BASE, 2, {7, 8}},
    };
    for (const auto& each : cases) {
        const OpenDna open(hyena_dna(), "", &each.policies);
        IdBytes out(8, 1);
        crayon_result result;
        crayon_dna_encode(open.dna(), bytes_of(each.sequence), length_of(each.sequence), 0, 1, out.data(), 8, nullptr, &result);
        EXPECT_EQ(result.status, each.status) << each.sequence;
        EXPECT_EQ(result.position, each.position) << each.sequence;
        EXPECT_EQ(out.first(result.count), each.ids) << each.sequence;
    }
}

// --- its tokenizer ------------------------------------------------------------------------------------------------------

TEST(Dna, TokensHaveNamesBytesAndDecode) {
    const OpenDna open(nucleotide_transformer_v2());
    crayon_tokenizer* const tokenizer = open.tokenizer();
    EXPECT_STREQ(crayon_tokenizer_model(tokenizer), "dna");
    EXPECT_STREQ(crayon_tokenizer_scanner(tokenizer), "none");
    EXPECT_EQ(crayon_tokenizer_unknown_id(tokenizer), 0u);
    u32 length = 0;
    const u8* bytes = crayon_tokenizer_token_bytes(tokenizer, 6 + 1024, &length);
    EXPECT_EQ(std::string(bytes, bytes + length), "TAAAAA");
    EXPECT_EQ(crayon_tokenizer_id_of(tokenizer, bytes_of("TAAAAA"), 6), 6u + 1024);
    EXPECT_EQ(crayon_tokenizer_id_of(tokenizer, bytes_of("<cls>"), 5), 3u);
    EXPECT_EQ(crayon_tokenizer_id_of(tokenizer, bytes_of("TAAAAN"), 6), 0xFFFFFFFF);
    const u32 ids[] = {3, 6, 4106, 4101, 4103};
    u8 decoded[64];
    crayon_result result;
    EXPECT_EQ(crayon_decode(tokenizer, ids, 5, CRAYON_DECODE_SKIP_SPECIAL, decoded, 64, &result), CRAYON_OK);
    EXPECT_EQ(std::string(decoded, decoded + result.count), "AAAAAANGGGGGGT");
    EXPECT_EQ(crayon_decode(tokenizer, ids, 2, 0, decoded, 64, &result), CRAYON_OK);
    EXPECT_EQ(std::string(decoded, decoded + result.count), "<cls>AAAAAA");
}

TEST(Dna, HasNoTextEncoder) {
    const OpenDna open(hyena_dna());
    crayon_result result;
    crayon_encoder* encoder = nullptr;
    EXPECT_EQ(crayon_encoder_create(open.tokenizer(), &encoder, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(encoder, nullptr);
    crayon_compiler* compiler = nullptr;
    crayon_compiler_create(&compiler, &result);
    EXPECT_EQ(crayon_compiler_set_cartridge(compiler, open.cartridge(), &result), CRAYON_INVALID_ARGUMENT);
    crayon_compiler_release(compiler);
}

TEST(Dna, ArgumentsAreChecked) {
    const OpenDna open(nucleotide_transformer_v2());
    crayon_result result;
    u8 ids[64];
    const std::string sequence = "ACGT";
    const u8* const bases = bytes_of(sequence);
    const auto encode = [&](u32 flags, u32 width) {
        return crayon_dna_encode(open.dna(), bases, 4, flags, width, ids, 8, nullptr, &result);
    };
    EXPECT_EQ(encode(0, 1), CRAYON_INVALID_ARGUMENT);  // ids need two bytes
    EXPECT_EQ(encode(0, 3), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(encode(64, 4), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(encode(CRAYON_DNA_PAD_LEFT | CRAYON_DNA_PAD_RIGHT, 4), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(encode(CRAYON_DNA_TEMPLATE | CRAYON_DNA_CONTINUED, 4), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(encode(0, 2), CRAYON_OK);
    // Another thread may change the offsets of a shared array, so each is checked where it is used.
    u32 counts[2];
    for (const auto& offsets : {std::array<u32, 3>{0, 2, 1}, {0, 2, 5}, {0, 0xFFFFFFFF, 1}, {5, 4, 4}}) {
        const u32 row = offsets[0] > 4 || offsets[1] > 4 ? 0 : 1;
        EXPECT_EQ(crayon_dna_encode_rows(open.dna(), bases, 4, offsets.data(), 2, 4, 0, 2, ids, nullptr, nullptr, &result),
                  CRAYON_INVALID_ARGUMENT);
        EXPECT_EQ(result.section, row);
        EXPECT_EQ(crayon_dna_count_rows(open.dna(), bases, 4, offsets.data(), 2, counts, &result), CRAYON_INVALID_ARGUMENT);
        EXPECT_EQ(result.section, row);
    }
    EXPECT_EQ(crayon_dna_count_rows(open.dna(), nullptr, 4, nullptr, 0, counts, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_dna_count_rows(open.dna(), bases, 4, nullptr, 1, counts, &result), CRAYON_INVALID_ARGUMENT);
    for (const crayon_dna_policies& policies :
         {crayon_dna_policies{4, 3, 3, 3}, {3, 9, 3, 3}, {3, 3, CRAYON_DNA_NORMALIZE, 3}, {3, 3, 3, 4}}) {
        crayon_dna* dna = nullptr;
        EXPECT_EQ(crayon_dna_create(open.tokenizer(), &policies, &dna, &result), CRAYON_INVALID_ARGUMENT);
        EXPECT_EQ(dna, nullptr);
    }
}

TEST(Dna, TheCompilerRefusesInvalidVocabularies) {
    struct Compiler {
        crayon_dna_compiler* handle = nullptr;
        ~Compiler() { crayon_dna_compiler_release(handle); }
    };
    crayon_result result;
    const u32 none = 0xFFFFFFFF;
    const auto rules_status = [&](crayon_dna_rules rules) {
        Compiler compiler;
        crayon_dna_compiler_create(&compiler.handle, &result);
        return crayon_dna_compiler_set_rules(compiler.handle, &rules, &result);
    };
    EXPECT_EQ(rules_status({2, 6, 0, 5, 0, 1, 0, {2, 2, 2, 0}, 0}), CRAYON_OK);
    EXPECT_EQ(rules_status({2, 6, 0, 5, 0, 1, 0, {2, 2, 2, 0}, 1}), CRAYON_OK);
    EXPECT_EQ(rules_status({2, 6, 0, 5, 0, 1, 0, {2, 2, 2, 0}, 2}), CRAYON_INVALID_ARGUMENT);     // a rule for unknown bytes
    EXPECT_EQ(rules_status({0, 1, 0, 5, 0, 1, 0, {2, 2, 2, 0}, 0}), CRAYON_INVALID_ARGUMENT);     // unit
    EXPECT_EQ(rules_status({1, 2, 0, none, 0, 1, 0, {2, 2, 2, 0}, 0}), CRAYON_INVALID_ARGUMENT);  // bytes with k 2
    EXPECT_EQ(rules_status({2, 9, 0, 5, 0, 1, 0, {2, 2, 2, 0}, 0}), CRAYON_INVALID_ARGUMENT);     // k
    EXPECT_EQ(rules_status({2, 6, 0, 5, 0, 1, 2, {2, 2, 2, 0}, 0}), CRAYON_INVALID_ARGUMENT);     // side
    EXPECT_EQ(rules_status({2, 6, 0, 5, 0, 1, 0, {3, 2, 2, 0}, 0}), CRAYON_INVALID_ARGUMENT);     // a default policy for defaults
    EXPECT_EQ(rules_status({2, 6, 0, 5, 0, 1, 0, {2, 2, 1, 0}, 0}), CRAYON_INVALID_ARGUMENT);     // N normalized
    EXPECT_EQ(rules_status({2, 6, 0, 5, 0, none, 0, {2, 2, 2, 1}, 0}), CRAYON_INVALID_ARGUMENT);  // tails without a pad_id

    // One change to an otherwise valid vocabulary.
    const auto finish_status = [&](const char* digits, u32 kmer_count, u32 size, u32 after, u32 special, bool starts) {
        Compiler compiler;
        crayon_dna_compiler_create(&compiler.handle, &result);
        const u32 offsets[] = {0, 1};
        const Ids bases(256, 0), kmers(64, 0);
        const crayon_dna_rules rules = {2, 2, size, kmer_count > 0 ? none : 5, 0, 1, 0, {2, 2, 2, 0}, 0};
        crayon_dna_compiler_set_rules(compiler.handle, &rules, &result);
        crayon_dna_compiler_set_tokens(compiler.handle, bytes_of("?"), 1, offsets, 1, &result);
        crayon_dna_compiler_set_bases(compiler.handle, bases.data(), starts ? bases.data() : nullptr, &result);
        crayon_dna_compiler_set_kmers(compiler.handle, reinterpret_cast<const u8*>(digits), 4, kmers.data(), kmer_count, &result);
        crayon_dna_compiler_set_template(compiler.handle, nullptr, 0, &after, 1, &result);
        crayon_dna_compiler_add_special(compiler.handle, bytes_of("<x>"), 3, special, 0, &result);
        const u8* file = nullptr;
        return crayon_dna_compiler_finish(compiler.handle, &file, &result);
    };
    EXPECT_EQ(finish_status("ACGT", 0, 0, 1, 1, false), CRAYON_OK);
    EXPECT_EQ(finish_status("ACGT", 16, 0, 1, 1, false), CRAYON_OK);
    EXPECT_EQ(finish_status("ACGA", 0, 0, 1, 1, false), CRAYON_INVALID_ARGUMENT);   // a digit twice
    EXPECT_EQ(finish_status("ACGT", 15, 0, 1, 1, false), CRAYON_INVALID_ARGUMENT);  // not all 2-mers
    EXPECT_EQ(finish_status("ACGT", 0, 20, 1, 1, false), CRAYON_INVALID_ARGUMENT);  // the last has the id 20
    EXPECT_EQ(result.position, 20u);
    EXPECT_EQ(finish_status("ACGT", 0, 21, 1, 1, false), CRAYON_OK);
    EXPECT_EQ(finish_status("ACGT", 0, 0, none, 1, false), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(finish_status("ACGT", 0, 0, 1, 0, false), CRAYON_INVALID_ARGUMENT);  // 0 is "?"
    EXPECT_EQ(finish_status("ACGT", 0, 0, 1, 1, true), CRAYON_INVALID_ARGUMENT);   // k-mers with other ids at the start
}

// --- bases alone --------------------------------------------------------------------------------------------------------

std::string random_bases(Random& random, std::size_t length, std::string_view alphabet) {
    std::string bases;
    while (bases.size() < length) bases += alphabet[random.below(alphabet.size())];
    return bases;
}

TEST(Bases, ReverseComplement) {
    for_each_kernel([](const Kernel& kernel) {
        const u32 name_length = static_cast<u32>(std::strlen(kernel.name));
        Random random(1);
        for (std::size_t length = 0; length < 400; ++length) {
            if (!in_sweep(length)) continue;
            std::string bases = random_bases(random, length, length % 2 ? "ACGTacgtN" : "ACGTURYSWKMBDHVNacgturyswkmbdhvn");
            std::string out(length, ' ');
            crayon_result result;
            u8* const at = reinterpret_cast<u8*>(out.data());
            ASSERT_EQ(crayon_dna_reverse_complement(bytes_of(bases), length_of(bases), at, kernel.name, name_length, &result),
                      CRAYON_OK);
            ASSERT_EQ(out, naive::reverse_complement(bases)) << bases;
            out = bases;
            ASSERT_EQ(crayon_dna_reverse_complement(at, length_of(bases), at, kernel.name, name_length, &result), CRAYON_OK);
            ASSERT_EQ(out, naive::reverse_complement(bases)) << "in place: " << bases;

            if (length == 0) continue;
            const std::size_t first = random.below(length), other = first + random.below(length - first);
            static constexpr char kBad[] = {'X', 'x', '-', '\0', '@', '`', '\xC1', '\xE7', ' '};
            bases[first] = bases[other] = kBad[random.below(std::size(kBad))];
            out = bases;
            ASSERT_EQ(crayon_dna_reverse_complement(at, length_of(bases), at, kernel.name, name_length, &result),
                      CRAYON_UNKNOWN_BASE);
            ASSERT_EQ(result.position, first) << bases;
        }
    });
}

TEST(Bases, PackAndUnpack) {
    for_each_kernel([](const Kernel& kernel) {
        const u32 name_length = static_cast<u32>(std::strlen(kernel.name));
        Random random(2);
        for (std::size_t length = 0; length < 400; ++length) {
            if (!in_sweep(length)) continue;
            std::string bases = random_bases(random, length, "ACGTacgt");
            std::vector<u8> expected((length + 3) / 4);
            for (std::size_t i = 0; i < length; ++i) {
                const std::size_t code = std::string_view("AaCcGgTt").find(bases[i]) / 2;
                expected[i / 4] = static_cast<u8>(expected[i / 4] | code << (2 * (i % 4)));
            }
            std::vector<u8> packed(expected.size(), 0xA5);
            crayon_result result;
            ASSERT_EQ(crayon_dna_pack(bytes_of(bases), length_of(bases), packed.data(), kernel.name, name_length, &result),
                      CRAYON_OK);
            ASSERT_EQ(packed, expected) << bases;
            ASSERT_EQ(result.count, expected.size());
            std::string unpacked(length, ' ');
            ASSERT_EQ(crayon_dna_unpack(packed.data(), length_of(bases), reinterpret_cast<u8*>(unpacked.data()), kernel.name,
                                        name_length, &result),
                      CRAYON_OK);
            for (char& base : bases) base = static_cast<char>(base & ~32);
            ASSERT_EQ(unpacked, bases);
            if (length == 0) continue;
            const std::size_t bad = random.below(length);
            bases[bad] = "NnUX@\0\xC1"[random.below(7)];
            ASSERT_EQ(crayon_dna_pack(bytes_of(bases), length_of(bases), packed.data(), kernel.name, name_length, &result),
                      CRAYON_UNKNOWN_BASE);
            ASSERT_EQ(result.position, bad) << bases;
        }
    });
}

TEST(Bases, KernelsHaveNames) {
    crayon_result result;
    u8 out[4];
    EXPECT_EQ(crayon_dna_reverse_complement(bytes_of("ACG"), 3, out, "none", 4, &result), CRAYON_UNKNOWN_KERNEL);
    EXPECT_EQ(crayon_dna_unpack(bytes_of("ACG"), 3, out, "none", 4, &result), CRAYON_UNKNOWN_KERNEL);
    EXPECT_EQ(crayon_dna_pack(nullptr, 3, out, "", 0, &result), CRAYON_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace crayon::test::dna_test
