// DNA on the emulated device: the ids of the naive version, for any vocabulary, policies and bytes.
#include "tables.h"

namespace crayon::gpu::test::dna_test {
namespace {

using crayon::test::DnaModel;
using crayon::test::sample;

std::string random_bases(Random& random, std::size_t length, int kind) {
    static constexpr const char* kLetters[] = {"ACGT", "ACGTN", "ACGTacgt", "ACGTNRYn-\xF0", "ACGTTTTTTTTTTN", "ACGTXXXXXXx \n"};
    const std::string letters = kLetters[kind % 6];
    std::string bases;
    const std::size_t rare = 1 + random.below(3000);
    while (bases.size() < length) {
        if (kind % 6 != 0 && random.one_in(rare))
            bases += std::string(random.below(kind == 5 ? 5000 : 40), "NX "[kind == 5 ? random.below(3) : 0]);
        bases += letters[random.below(kind % 2 && rare > 20 ? 4 : letters.size())];
    }
    bases.resize(length);
    return bases;
}

u32 least_width(const DeviceModel& model) { return model.greatest_id < 0x100 ? 1 : model.greatest_id < 0x10000 ? 2 : 4; }

TEST(DnaKernels, EqualTheNaiveVersion) {
    u64 failed = 0, encoded = 0, irregular = 0;
    for (u64 number = 0, cases = sample(900, 90); number < cases; ++number) {
        Random random(number + 1);
        const auto unit = static_cast<naive::Unit>(1 + number % 3);
        DnaModel model = crayon::test::random_dna_model(random, unit);
        if (random.one_in(2)) {  // a kind one, so that texts are encoded
            model.vocabulary.lower_case = model.vocabulary.ambiguous = model.vocabulary.n = naive::Policy::kKeep;
            if (!model.vocabulary.unknown) model.vocabulary.unknown = 3;
        }
        const bool is_watched = number % 5 == 0;
        Documents documents;
        const int kind = static_cast<int>(random.below(6));
        const bool has_long = random.one_in(3);
        for (u64 n = random.below(random.one_in(3) ? 100 : 8); n > 0; --n) {
            const std::size_t length = random.one_in(4) ? 0 : has_long ? random.below(9000) : random.below(60);
            documents.add(random_bases(random, is_watched ? length % 600 : length, kind));
        }
        Watched watched(order_of(number));
        if (!is_watched) watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        const DnaTables tables(model.vocabulary, model.first_kmer);
        ASSERT_TRUE(is_possible(tables.tables));
        const DeviceModel on_device = upload(device, tables.tables);

        std::vector<std::vector<u64>> rows;
        std::optional<u64> bad;
        for (u64 i = 0; i < documents.count(); ++i) {
            const naive::DnaIds ids = naive::encode_dna(model.vocabulary, documents[i]);
            if (ids.unknown && !bad) bad = i;
            rows.emplace_back(ids.ids.begin(), ids.ids.end());
        }
        const u32 least = least_width(on_device);
        const u32 width = least << random.below(4 - static_cast<u32>(std::countr_zero(least)));
        const Outcome outcome = run(watched.state, on_device, documents.batch(CRAYON_GPU_IDS, width));
        SCOPED_TRACE("case " + std::to_string(number));
        ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
        if (bad) {
            ++failed;
            ASSERT_EQ(outcome.result.failure, CRAYON_GPU_NO_ID);
            EXPECT_EQ(outcome.result.failed_document, *bad);
            continue;
        }
        ++encoded;
        ASSERT_EQ(outcome.result.failure, CRAYON_GPU_NO_FAILURE);
        ASSERT_EQ(outcome.rows, rows);
        u64 longest = 0;
        for (const auto& row : rows) longest = std::max<u64>(longest, row.size());
        EXPECT_EQ(outcome.result.longest_row, longest);
        irregular +=
            unit == naive::Unit::kKmers && documents.bytes.find_first_not_of(model.vocabulary.digits) != std::string::npos;
    }
    EXPECT_GT(failed, crayon::test::at_least(50));
    EXPECT_GT(encoded, crayon::test::at_least(50));
    EXPECT_GT(irregular, 0u);
}

TEST(DnaKernels, EqualTheEngine) {
    for (const DnaModel& model : {crayon::test::hyena_dna(), crayon::test::nucleotide_transformer_v2(), crayon::test::evo2()}) {
        Random random(model.tokens.size());
        const std::string text = random_bases(random, 20011, 1);
        crayon::test::OpenDna engine(model);
        crayon_result result;
        std::vector<u32> ids(text.size());
        ASSERT_EQ(crayon_dna_encode(engine.dna(), reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()), 0, 4,
                                    ids.data(), static_cast<u32>(ids.size()), nullptr, &result),
                  CRAYON_OK);
        ids.resize(result.count);

        EmulatedState state;
        EmulatedDevice device(state);
        const DnaTables tables(model.vocabulary, model.first_kmer);
        const DeviceModel on_device = upload(device, tables.tables);
        const Outcome outcome = run(state, on_device, Documents({text}).batch(CRAYON_GPU_IDS, 4));
        EXPECT_EQ(outcome.rows[0], std::vector<u64>(ids.begin(), ids.end()));
    }
}

// The borders of tiles and of vectors.
TEST(DnaKernels, HaveNoBorders) {
    const DnaModel nt = crayon::test::nucleotide_transformer_v2(), hyena = crayon::test::hyena_dna();
    for (u64 number = 0; number < 64; ++number) {
        const u64 length = 4096 * (1 + number % 2) + number / 2 % 9 - 4 + (number >= 32 ? 4096 * 7 : 0);
        Random random(number);
        const Documents documents({random_bases(random, length, 0), random_bases(random, 5000, 0), random_bases(random, 17, 0)});
        for (const DnaModel* model : {&nt, &hyena}) {
            EmulatedState state;
            state.machine = {number % 2 ? 64u : 32u, number, nullptr};
            EmulatedDevice device(state);
            const DnaTables tables(model->vocabulary, model->first_kmer);
            const DeviceModel on_device = upload(device, tables.tables);
            const Outcome outcome = run(state, on_device, documents.batch(CRAYON_GPU_IDS, model == &nt ? 2 : 1));
            for (u64 i = 0; i < 3; ++i) {
                const naive::DnaIds ids = naive::encode_dna(model->vocabulary, documents[i]);
                EXPECT_EQ(outcome.rows[i], std::vector<u64>(ids.ids.begin(), ids.ids.end()));
            }
        }
    }
}

// What streams moves only what it must, in requests of whole sectors.
TEST(DnaKernels, RowsOfOneLengthAreTheMatrix) {
    const DnaModel model = crayon::test::hyena_dna();
    const DnaTables tables(model.vocabulary, model.first_kmer);
    Random random(3);
    for (const u64 rows : {0u, 1u, 7u, 300u}) {
        for (const bool is_equal : {true, false}) {
            Documents documents;
            std::vector<u64> expected;
            for (u64 row = 0; row < rows; ++row) {
                documents.add(random_bases(random, is_equal || row != rows / 2 ? 65 : 64, 0));
                const naive::DnaIds ids = naive::encode_dna(model.vocabulary, documents[row]);
                expected.insert(expected.end(), ids.ids.begin(), ids.ids.end());
                if (ids.ids.size() < 65) expected.push_back(99);
            }
            for (const u64 columns : {0u, 65u}) {
                if (columns == 0 && rows == 1 && !is_equal) continue;  // the one row is the longest
                Watched watched(order_of(rows));
                EmulatedDevice device(watched.state);
                crayon_gpu_batch batch = documents.batch(CRAYON_GPU_MATRIX, 4);
                batch.columns = columns;
                batch.pad_id = 99;
                const Outcome outcome = run(watched.state, upload(device, tables.tables), batch);
                ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
                EXPECT_EQ(outcome.ids, expected) << rows;
                std::vector<u8> mask(expected.size(), 1);
                if (!is_equal && rows > 0) mask[rows / 2 * 65 + 64] = 0;
                EXPECT_EQ(outcome.mask, mask) << rows;
                EXPECT_EQ(watched.recorder.of("pad_mask").launches, is_equal || rows == 0 ? 0u : 1u);
            }
        }
    }
}

TEST(DnaKernels, StreamCoalesced) {
    Random random(9);
    DnaModel nt = crayon::test::nucleotide_transformer_v2(), hyena = crayon::test::hyena_dna();
    DnaModel stride_1 = nt;
    stride_1.vocabulary.unit = naive::Unit::kStride1;
    const u64 length = std::max<u64>(sample(1 << 18), 1 << 16);
    Documents one({random_bases(random, length, 0)});
    Documents many;
    while (many.bytes.size() < length) many.add(random_bases(random, 600 + random.below(400), 0));
    for (const u32 warp_size : {32u, 64u}) {
        for (const Documents* documents : {&one, &many}) {
            for (const DnaModel* model : {&nt, &hyena, &stride_1}) {
                for (const u32 width : {1u, 2u, 4u, 8u}) {
                    if (width == 1 && model != &hyena) continue;
                    Watched watched({warp_size, 1});
                    EmulatedDevice device(watched.state);
                    const DnaTables tables(model->vocabulary, model->first_kmer);
                    const DeviceModel on_device = upload(device, tables.tables);
                    const Outcome outcome = run(watched.state, on_device, documents->batch(CRAYON_GPU_IDS, width));
                    ASSERT_EQ(outcome.result.failure, CRAYON_GPU_NO_FAILURE);
                    const std::string kernel = (model == &hyena ? "lut" : "kmer") + std::to_string(8 * width);
                    const Traffic traffic = watched.recorder.of(kernel);
                    ASSERT_EQ(traffic.launches, 1u) << kernel;
                    const double needed = static_cast<double>(documents->bytes.size() + outcome.result.count * width +
                                                              (model == &hyena ? 0 : 16 * documents->count()));
                    const double moved = static_cast<double>(traffic.moved()) / needed;
                    const double unshared = static_cast<double>(traffic.uncoalesced) / static_cast<double>(traffic.requests);
                    EXPECT_LE(moved, 1.15) << kernel << ", " << documents->count() << " documents";
                    EXPECT_LE(unshared, documents == &one ? 0 : 0.02) << kernel;
                    std::printf("%s, warps of %u, %llu documents: %.3f of the necessary bytes\n", kernel.c_str(), warp_size,
                                static_cast<unsigned long long>(documents->count()), moved);
                }
            }
        }
    }
}

}  // namespace
}  // namespace crayon::gpu::test::dna_test
