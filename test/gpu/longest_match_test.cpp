// Longest match on the emulated device: the ids of the naive version and of the engine, however the documents are cut into
// chunks.
#include <fstream>

#include "plugin/pipeline.h"
#include "tables.h"

namespace crayon::gpu::test::longest_match_test {
namespace {

using crayon::test::Form;
using crayon::test::MatchVocabulary;
using crayon::test::sample;

// What must come out: the ids of each document; if one has an unknown character and there is no id for it, that document.
struct Expected {
    std::vector<std::vector<u64>> rows;
    std::optional<u64> failed;
};

Expected naive_rows(const MatchVocabulary& v, const Documents& documents) {
    const naive::Matches tokens = v.matches();
    Expected expected;
    for (u64 i = 0; i < documents.count(); ++i) {
        expected.rows.emplace_back();
        for (const naive::Match& match : naive::longest_matches(documents[i], tokens, v.unknown)) {
            if (match.is_unknown && v.unknown == kNone && !expected.failed) expected.failed = i;
            expected.rows.back().push_back(match.id);
        }
    }
    return expected;
}

void expect_same(const Outcome& outcome, const Expected& expected) {
    ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
    if (expected.failed) {
        EXPECT_EQ(outcome.result.failure, CRAYON_GPU_NO_ID);
        EXPECT_EQ(outcome.result.failed_document, *expected.failed);
    } else {
        ASSERT_EQ(outcome.result.failure, CRAYON_GPU_NO_FAILURE);
        EXPECT_EQ(outcome.rows, expected.rows);
    }
}

DeviceModel upload_to(EmulatedDevice& device, const MatchTables& tables) {
    EXPECT_TRUE(is_possible(tables.tables));
    return upload(device, tables.tables);
}

TEST(LongestMatchKernels, EqualTheNaiveVersion) {
    u64 failed = 0, repaired = 0, composed = 0;
    for (u64 number = 0, cases = sample(240, 24); number < cases; ++number) {
        Random random(number + 1);
        const bool is_watched = number % 4 == 0;
        const MatchVocabulary v = crayon::test::random_matches(random, number % 3 != 0, false);
        Documents documents;
        for (u64 n = random.below(random.one_in(4) ? 300 : 6) + 1; n > 0; --n) {
            documents.add(random.one_in(4) ? ""
                                           : crayon::test::random_match_text(random, v,
                                                                             is_watched         ? 30
                                                                             : random.one_in(5) ? 400
                                                                                                : 60));
        }
        Watched watched(order_of(number));
        if (!is_watched) watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        const MatchTables tables(compile_matches(v, Form::kFull));
        const DeviceModel model = upload_to(device, tables);
        const u32 chunk_size = random.one_in(2) ? 64 : static_cast<u32>(64 + 16 * random.below(12));
        const Expected expected = naive_rows(v, documents);
        const Outcome ids = run(watched.state, model, documents.batch(CRAYON_GPU_IDS, random.one_in(2) ? 4 : 8), chunk_size);
        SCOPED_TRACE("case " + std::to_string(number));
        expect_same(ids, expected);
        if (HasFatalFailure()) return;
        failed += expected.failed.has_value();
        repaired += ids.result.repaired == 1;
        composed += ids.result.repaired == 2;

        const Outcome counts = run(watched.state, model, documents.batch(CRAYON_GPU_COUNTS, 4), chunk_size);
        EXPECT_EQ(counts.result.failure, ids.result.failure);
        EXPECT_EQ(counts.result.count, ids.result.count);
        for (u64 i = 0; i < counts.rows.size(); ++i) EXPECT_EQ(counts.rows[i].size(), expected.rows[i].size());
    }
    EXPECT_GT(failed, 0u);
    EXPECT_GT(repaired, 0u);
    EXPECT_GT(composed, 0u);
}

// Chains of tokens of three bytes that begin at different positions never meet, since 64 and 16 are not multiples of three.
MatchVocabulary never_meeting() {
    MatchVocabulary v;
    v.tokens = {"aaa", "a", "b"};
    return v;
}

TEST(LongestMatchKernels, AreExactWhereChainsNeverMeet) {
    for (const u64 length : {1u, 63u, 64u, 65u, 200u, 4096u, 64u * 256, 64u * 256 + 1, 64u * 600 + 5}) {
        Random random(length);
        const MatchVocabulary v = never_meeting();
        const Documents documents(
            {"b", std::string(length, 'a'), "", std::string(length / 2, 'a') + "b" + std::string(length, 'a')});
        Watched watched(order_of(length));
        if (length > 5000) watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        const MatchTables tables(compile_matches(v, Form::kFull));
        const Outcome outcome = run(watched.state, upload_to(device, tables), documents.batch(CRAYON_GPU_IDS, 4), 64);
        expect_same(outcome, naive_rows(v, documents));
        if (length > 500) {
            EXPECT_EQ(outcome.result.repaired, 2u);
        }
    }
}

// Tokens that are longer than chunks, up to the longest that are supported.
TEST(LongestMatchKernels, CrossChunksWithLongTokens) {
    MatchVocabulary v;
    v.tokens = {"a", "b", std::string(300, 'a'), std::string(kLongestToken, 'a'), std::string(700, 'a') + "b"};
    const MatchTables tables(compile_matches(v, Form::kFull));
    EXPECT_TRUE(is_supported(tables.tables));
    for (u64 number = 0; number < 4; ++number) {
        const Documents documents({std::string(20001, 'a'), std::string(700, 'a') + "bbb" + std::string(1234, 'a'), "ab",
                                   std::string(1023, 'a') + "b"});
        Watched watched(order_of(number));
        watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        expect_same(run(watched.state, upload_to(device, tables), documents.batch(CRAYON_GPU_IDS, 4), 64),
                    naive_rows(v, documents));
    }
    v.tokens.push_back(std::string(kLongestToken + 1, 'b'));
    EXPECT_FALSE(is_supported(MatchTables(compile_matches(v, Form::kFull)).tables));
}

// Whatever the text is, kernels do not work more than a constant times its length. Longest match itself takes as many steps as
// the longest token is long, where a path through the trie ends without one: here that is three.
TEST(LongestMatchKernels, HaveBoundedWork) {
    const auto loads_of = [](const std::string& text) {
        Watched watched({32, 1});
        EmulatedDevice device(watched.state);
        const MatchTables tables(compile_matches(never_meeting(), Form::kFull));
        const DeviceModel model = upload_to(device, tables);
        watched.recorder.forget();
        const Documents documents({text});
        const Outcome outcome = run(watched.state, model, documents.batch(CRAYON_GPU_IDS, 4), 64);
        EXPECT_EQ(outcome.rows[0].size(), text.size() / 3 + text.size() % 3);
        u64 bytes = 0;
        for (const auto& [kernel, traffic] : watched.recorder.all()) bytes += traffic.loaded + traffic.stored;
        return static_cast<double>(bytes) / static_cast<double>(text.size());
    };
    const double small = loads_of(std::string(4000, 'a')), large = loads_of(std::string(40000, 'a'));
    EXPECT_LT(large, 1.1 * small);
    EXPECT_LT(large, 150);
}

// Every arrangement of rows in a matrix.
TEST(LongestMatchKernels, FillMatrices) {
    for (u64 number = 0, cases = sample(60, 12); number < cases; ++number) {
        Random random(number + 77);
        MatchVocabulary v = crayon::test::random_matches(random, true, false);
        Documents documents;
        for (u64 n = random.below(8); n > 0; --n) documents.add(crayon::test::random_match_text(random, v, 40));
        Watched watched(order_of(number));
        EmulatedDevice device(watched.state);
        const MatchTables tables(compile_matches(v, Form::kFull));
        const DeviceModel model = upload_to(device, tables);
        const Expected expected = naive_rows(v, documents);

        crayon_gpu_batch batch = documents.batch(CRAYON_GPU_MATRIX, random.one_in(2) ? 4 : 8);
        const std::vector<u32> before(random.below(3), 901), after(random.below(3), 902);
        batch.before_count = static_cast<u32>(before.size());
        batch.after_count = static_cast<u32>(after.size());
        batch.before = before.data();
        batch.after = after.data();
        batch.pad_id = 903;
        batch.flags = static_cast<u32>(random.below(4));
        u64 longest = 0;
        for (const auto& row : expected.rows) longest = std::max<u64>(longest, row.size());
        const u64 around = before.size() + after.size();
        batch.columns = random.one_in(3) ? 0 : around + random.below(2 * longest + 2);
        const u64 columns = batch.columns ? batch.columns : longest + around;

        const Outcome outcome = run(watched.state, model, batch, 64);
        ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
        std::vector<u64> matrix;
        std::vector<u8> mask;
        std::optional<u64> too_long;
        for (u64 row = 0; row < documents.count(); ++row) {
            std::vector<u64> ids = expected.rows[row];
            if (ids.size() + around > columns && !too_long) too_long = row;
            ids.resize(std::min<u64>(ids.size(), columns - around));
            ids.insert(ids.begin(), before.begin(), before.end());
            ids.insert(ids.end(), after.begin(), after.end());
            std::vector<u8> is_id(ids.size(), 1);
            const bool left = batch.flags & CRAYON_GPU_PAD_LEFT;
            ids.insert(left ? ids.begin() : ids.end(), columns - is_id.size(), 903);
            is_id.insert(left ? is_id.begin() : is_id.end(), columns - is_id.size(), 0);
            matrix.insert(matrix.end(), ids.begin(), ids.end());
            mask.insert(mask.end(), is_id.begin(), is_id.end());
        }
        if (too_long && (batch.flags & CRAYON_GPU_TRUNCATE) == 0) {
            EXPECT_EQ(outcome.result.failure, CRAYON_GPU_ROW_TOO_LONG);
            EXPECT_EQ(outcome.result.failed_document, *too_long);
            continue;
        }
        ASSERT_EQ(outcome.result.failure, CRAYON_GPU_NO_FAILURE);
        EXPECT_EQ(outcome.result.columns, columns);
        EXPECT_EQ(outcome.ids, matrix);
        EXPECT_EQ(outcome.mask, mask);
    }
}

TEST(DecodeKernels, GiveTheBytesOfTokens) {
    for (u64 number = 0, cases = sample(40, 10); number < cases; ++number) {
        Random random(number + 5);
        const MatchVocabulary v = crayon::test::random_matches(random, random.one_in(2), false);
        Watched watched(order_of(number));
        EmulatedDevice device(watched.state);
        const MatchTables tables(compile_matches(v, Form::kFull));
        const DeviceModel model = upload_to(device, tables);
        std::vector<u32> ids;
        std::vector<u64> offsets = {0};
        std::string text;
        std::vector<u64> lengths;
        for (u64 n = random.below(10); n > 0; --n) {
            lengths.push_back(text.size());
            for (u64 k = random.below(random.one_in(3) ? 600 : 20); k > 0; --k) {
                const u32 id = static_cast<u32>(random.below(v.tokens.size()));
                if (v.tokens[id].empty()) continue;
                ids.push_back(id);
                text += v.tokens[id];
            }
            lengths.back() = text.size() - lengths.back();
            offsets.push_back(ids.size());
        }
        crayon_gpu_batch batch{};
        batch.size = sizeof batch;
        batch.output = CRAYON_GPU_BYTES;
        batch.bytes = reinterpret_cast<const u8*>(ids.data());
        batch.offsets = offsets.data();
        batch.document_count = offsets.size() - 1;
        const Outcome outcome = run(watched.state, model, batch);
        ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
        ASSERT_EQ(outcome.result.failure, CRAYON_GPU_NO_FAILURE);
        EXPECT_EQ(outcome.text, text);
        for (u64 i = 0; i < lengths.size(); ++i) EXPECT_EQ(outcome.rows[i].size(), lengths[i]);

        if (ids.empty()) continue;
        const u64 bad = random.below(ids.size());
        ids[bad] = random.one_in(2) ? kNone : static_cast<u32>(v.tokens.size());
        const Outcome failed = run(watched.state, model, batch);
        EXPECT_EQ(failed.result.failure, CRAYON_GPU_NO_ID);
        EXPECT_TRUE(offsets[failed.result.failed_document] <= bad && bad < offsets[failed.result.failed_document + 1]);
    }
}

// The vocabulary that is published as `lite`, where it has been built, against the engine.
TEST(LongestMatchKernels, EqualTheEngineWithAPublishedVocabulary) {
    std::ifstream stream(CRAYON_PROJECT_DIR "/cartridges/lite.cray", std::ios::binary);
    if (!stream) GTEST_SKIP() << "cartridges/lite.cray has not been built";
    const std::string file((std::istreambuf_iterator<char>(stream)), {});
    crayon_cartridge* cartridge = nullptr;
    crayon_tokenizer* tokenizer = nullptr;
    crayon_encoder* encoder = nullptr;
    crayon_result result;
    ASSERT_EQ(crayon_cartridge_open_bytes(file.data(), static_cast<u32>(file.size()), 0, &cartridge, &result), CRAYON_OK);
    ASSERT_EQ(crayon_tokenizer_create(cartridge, 0, "", 0, &tokenizer, &result), CRAYON_OK);
    ASSERT_EQ(crayon_encoder_create(tokenizer, &encoder, &result), CRAYON_OK);

    Documents documents;
    for (u64 number = 0, cases = sample(400, 40); number < cases; ++number) {
        std::string text;
        for (u64 n = number % 10 == 0 ? 200 : 3; n > 0; --n) text += crayon::test::TextGenerator(number * 1000 + n).utf8();
        documents.add(text);
    }
    Expected expected;
    for (u64 i = 0; i < documents.count(); ++i) {
        const std::string text = documents[i];
        ASSERT_EQ(crayon_encoder_begin(encoder, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result), CRAYON_OK);
        ASSERT_EQ(crayon_encoder_feed_utf8(encoder, reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()), 1,
                                           &result),
                  CRAYON_OK);
        std::vector<u32> ids(text.size());
        ASSERT_EQ(crayon_encoder_read(encoder, ids.data(), static_cast<u32>(ids.size()), &result), CRAYON_OK);
        expected.rows.emplace_back(ids.begin(), ids.begin() + result.count);
    }
    crayon_encoder_release(encoder);
    crayon_tokenizer_release(tokenizer);
    crayon_cartridge_release(cartridge);

    EmulatedState state;
    EmulatedDevice device(state);
    const MatchTables tables(file);
    const DeviceModel model = upload_to(device, tables);
    for (const u32 chunk_size : {64u, 256u})
        expect_same(run(state, model, documents.batch(CRAYON_GPU_IDS, 4), chunk_size), expected);
}

// What writes results writes whole sectors, and loads what it needs once.
TEST(Kernels, StreamCoalesced) {
    MatchVocabulary v;
    for (const char* token : {"a", "b", "ab", "abb", "bba", "aab"}) v.tokens.push_back(token);
    const MatchTables tables(compile_matches(v, Form::kFull));
    Random random(4);
    std::string text;
    while (text.size() < 60000) text += random.one_in(2) ? 'a' : 'b';
    const Documents documents({text.substr(0, 20000), text.substr(20000)});
    for (const u32 warp_size : {32u, 64u}) {
        Watched watched({warp_size, 2});
        EmulatedDevice device(watched.state);
        const DeviceModel model = upload_to(device, tables);
        const Outcome ids = run(watched.state, model, documents.batch(CRAYON_GPU_IDS, 4));
        const Outcome matrix = run(watched.state, model, documents.batch(CRAYON_GPU_MATRIX, 8));
        const Traffic emit = watched.recorder.of("emit"), pad = watched.recorder.of("pad_mask64");
        // 4 bytes each, then 8; a sector with ids of two small chunks is stored by both.
        EXPECT_LE(32 * emit.stored_sectors, 1.2 * static_cast<double>(ids.result.count * 12));
        EXPECT_LE(32 * pad.stored_sectors, 1.02 * static_cast<double>(matrix.ids.size() * 9));
        EXPECT_LE(32 * pad.loaded_sectors,
                  8.0 * static_cast<double>(matrix.result.count) + 64.0 * static_cast<double>(pad.requests));

        std::vector<u32> packed;
        for (const auto& row : ids.rows) packed.insert(packed.end(), row.begin(), row.end());
        crayon_gpu_batch batch{};
        batch.size = sizeof batch;
        const u64 offsets[] = {0, packed.size()};
        batch.output = CRAYON_GPU_BYTES;
        batch.bytes = reinterpret_cast<const u8*>(packed.data());
        batch.offsets = offsets;
        batch.document_count = 1;
        EXPECT_EQ(run(watched.state, model, batch).text, text);
        const Traffic gather = watched.recorder.of("decode_gather");
        EXPECT_LE(32 * gather.stored_sectors, 1.02 * static_cast<double>(text.size()));
    }
}

// Documents are encoded, or the job fails and says why, whichever allocation, copy or launch fails.
TEST(Pipeline, SurvivesFaults) {
    const MatchVocabulary v = never_meeting();
    const Documents documents({std::string(3000, 'a'), "b", std::string(100, 'a')});
    const MatchTables tables(compile_matches(v, Form::kFull));
    const Expected expected = naive_rows(v, documents);
    for (u32 Faults::*fault : {&Faults::allocation, &Faults::copy, &Faults::launch, &Faults::lost, &Faults::hang}) {
        u32 failures = 0;
        for (u32 number = 1;; ++number) {
            EmulatedState model_state, state;
            EmulatedDevice device(model_state);
            const DeviceModel model = upload_to(device, tables);
            state.faults.*fault = number;
            state.time_limit_ms = 1;
            const Outcome outcome = run(state, model, documents.batch(CRAYON_GPU_MATRIX, 4), 64);
            EXPECT_EQ(state.used.load(), 0u);
            if (outcome.status == CRAYON_GPU_OK) {
                EXPECT_EQ(outcome.result.columns, expected.rows[0].size());
                break;
            }
            ++failures;
            EXPECT_EQ(state.lost == CRAYON_GPU_OK, fault == &Faults::allocation);
            ASSERT_LT(number, 200u);
        }
        EXPECT_GT(failures, 5u);
    }
    // Any memory: either it is enough, or it is said that it is not.
    const u64 enough = [&] {
        EmulatedState state;
        EmulatedDevice device(state);
        return most_memory(upload_to(device, tables), documents.batch(CRAYON_GPU_IDS, 4));
    }();
    for (u64 memory = 1000; memory < 2 * enough; memory = memory * 5 / 4) {
        EmulatedState model_state, state;
        EmulatedDevice device(model_state);
        const DeviceModel model = upload_to(device, tables);
        state.memory = memory;
        const Outcome outcome = run(state, model, documents.batch(CRAYON_GPU_IDS, 4), 64);
        if (outcome.status == CRAYON_GPU_OK) {
            expect_same(outcome, expected);
        } else {
            EXPECT_EQ(outcome.status, CRAYON_GPU_OUT_OF_DEVICE_MEMORY);
            EXPECT_LT(memory, enough);
        }
    }
}

}  // namespace
}  // namespace crayon::gpu::test::longest_match_test
