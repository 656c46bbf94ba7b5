// Batches on a device from several threads, by the engine and a plugin that it loads: run this under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "crayon/crayon.h"
#include "generate_text.h"
#include "longest_match_vocabularies.h"
#include "share.h"

namespace crayon::gpu::test::device_threads_test {
namespace {

using crayon::test::Form;
using crayon::test::MatchVocabulary;
using crayon::test::Random;
using crayon::test::sample;
using u32 = std::uint32_t;

// In the order of crayon_device_open. They make a device of its own; without any, all who open it have one together.
struct Settings {
    u32 slice_bytes = 0, time_limit_ms = 0, budget_kib = 0, streams = 0;
};

crayon_device* open_device(const Settings& settings) {
    const std::string path = CRAYON_EMULATED_PLUGIN;
    crayon_device* device = nullptr;
    crayon_result result;
    EXPECT_EQ(crayon_device_open(path.data(), static_cast<u32>(path.size()), reinterpret_cast<const u32*>(&settings),
                                 sizeof settings / sizeof(u32), &device, &result),
              CRAYON_OK);
    return device;
}

// A vocabulary, open, and texts with their ids by the naive version.
struct Own {
    explicit Own(std::uint64_t seed) {
        Random random(seed);
        MatchVocabulary v = crayon::test::random_matches(random, true, false);
        const std::string file = compile_matches(v, Form::kFull);
        crayon_result result;
        crayon_cartridge* cartridge = nullptr;
        EXPECT_EQ(crayon_cartridge_open_bytes(file.data(), static_cast<u32>(file.size()), 0, &cartridge, &result), CRAYON_OK);
        EXPECT_EQ(crayon_tokenizer_create(cartridge, 0, "", 0, &tokenizer, &result), CRAYON_OK);
        crayon_cartridge_release(cartridge);
        for (int row = 0; row < 25; ++row) {
            const std::string text = random_match_text(random, v, 30);
            bytes += text;
            offsets.push_back(static_cast<u32>(bytes.size()));
            rows.emplace_back();
            for (const naive::Match& match : naive::longest_matches(text, v.matches(), v.unknown))
                rows.back().push_back(match.id);
            longest = std::max(longest, rows.back().size());
        }
    }
    ~Own() { crayon_tokenizer_release(tokenizer); }
    Own(const Own&) = delete;

    crayon_device_job* job(crayon_device* device) const {
        crayon_device_job* job = nullptr;
        crayon_result result;
        EXPECT_EQ(crayon_device_create_texts(device, tokenizer, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, 0,
                                             reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), offsets.data(),
                                             static_cast<u32>(rows.size()), &job, &result),
                  CRAYON_OK);
        return job;
    }
    void expect_rows(crayon_device_job* job) const {
        std::vector<u32> totals(rows.size() + 1);
        crayon_result result;
        ASSERT_EQ(crayon_device_job_row_offsets(job, totals.data(), &result), CRAYON_OK);
        u32* const ids = crayon_device_job_detach_ids(job);
        for (std::size_t row = 0; row < rows.size(); ++row)
            EXPECT_EQ(std::vector<u32>(ids + totals[row], ids + totals[row + 1]), rows[row]);
        crayon_ids_release(ids);
    }
    // With an id before each row and two after it, and padding on the left.
    static constexpr u32 kAround[] = {7, 8, 9};
    void pad(crayon_device_job* job, u32 columns) const {
        const u32 words[] = {columns, 4, 1, 5, 1, 2, kAround[0], kAround[1], kAround[2]};
        crayon_result result;
        EXPECT_EQ(crayon_device_job_pad(job, words, std::size(words), &result), CRAYON_OK);
    }
    void expect_matrix(crayon_device_job* job) const {
        std::uint64_t words = 0;
        const std::int64_t columns = crayon_device_job_columns(job, &words);
        ASSERT_GE(columns, static_cast<std::int64_t>(longest + 3));
        ASSERT_EQ(words, rows.size() * static_cast<std::uint64_t>(columns));
        u32 *const ids = crayon_device_job_detach_matrix(job, 0), *const mask = crayon_device_job_detach_matrix(job, 1);
        std::vector<u32> expected, expected_mask;
        for (const std::vector<u32>& row : rows) {
            const std::size_t capacity = static_cast<std::size_t>(columns) - row.size() - 3;
            expected.insert(expected.end(), capacity, 5);
            expected.push_back(7);
            expected.insert(expected.end(), row.begin(), row.end());
            expected.insert(expected.end(), {8, 9});
            expected_mask.insert(expected_mask.end(), capacity, 0);
            expected_mask.insert(expected_mask.end(), row.size() + 3, 1);
        }
        EXPECT_EQ(std::vector<u32>(ids, ids + words), expected);
        EXPECT_EQ(std::vector<u32>(mask, mask + words), expected_mask);
        crayon_ids_release(ids);
        crayon_ids_release(mask);
    }

    crayon_tokenizer* tokenizer = nullptr;
    std::string bytes;
    std::vector<u32> offsets = {0};
    std::vector<std::vector<u32>> rows;
    std::size_t longest = 0;
};

crayon_status run(crayon_device_job* job) {
    crayon_result result;
    return crayon_device_job_run(job, &result);
}

template <class Function>
void in_threads(u32 count, Function function) {
    std::vector<std::thread> threads;
    for (u32 i = 0; i < count; ++i) threads.emplace_back([&function, i] { function(i); });
    for (std::thread& thread : threads) thread.join();
}

// Each thread opens the device for every job and releases it before the job runs; vocabularies are shared by two threads each.
TEST(DeviceThreads, TakeTurns) {
    const Own own[] = {Own(1), Own(2), Own(3), Own(4), Own(5), Own(6)};  // more than a device keeps
    for (const Settings& settings : {Settings(), Settings{4096}}) {
        crayon_device* const kept = open_device(settings);
        in_threads(6, [&](u32 thread) {
            for (u32 turn = 0, turns = sample(3, 2); turn < turns; ++turn) {
                const Own& mine = own[(thread / 2 + turn) % std::size(own)];
                crayon_device* const device = settings.slice_bytes ? kept : open_device(settings);
                crayon_device_job* const job = mine.job(device);
                const bool is_padded = turn % 2 == 1;
                if (is_padded) mine.pad(job, thread % 2 ? 0xFFFFFFFF : static_cast<u32>(mine.longest + 4));
                if (!settings.slice_bytes) crayon_device_release(device);
                EXPECT_EQ(run(job), CRAYON_OK);
                is_padded ? mine.expect_matrix(job) : mine.expect_rows(job);
                crayon_device_job_release(job);
                crayon_device_facts facts;
                crayon_device_describe(kept, &facts);
                EXPECT_EQ(facts.is_usable, 1u);
            }
        });
        crayon_device_release(kept);
    }
}

// One job hangs; those behind it are cancelled, or released without having run, while it has the device.
TEST(DeviceThreads, CancelWhatWaits) {
    const Own own(7);
    setenv("CRAYON_EMULATED_DEVICE", "hang=2", 1);
    Settings settings;
    settings.time_limit_ms = 600'000;
    crayon_device* const device = open_device(settings);
    crayon_device_job* const hangs = own.job(device);
    std::thread first([&] { EXPECT_NE(run(hangs), CRAYON_OK); });
    std::vector<crayon_device_job*> waiting;
    for (int i = 0; i < 4; ++i) waiting.push_back(own.job(device));
    std::atomic<u32> begun{0};
    std::thread others([&] {
        in_threads(4, [&](u32 i) {
            ++begun;
            const crayon_status status = run(waiting[i]);
            EXPECT_TRUE(status == CRAYON_CANCELLED || status == CRAYON_DEVICE_FAILED || status == CRAYON_DEVICE_UNAVAILABLE)
                << status;
        });
    });
    while (begun < 4) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    crayon_device_job_release(own.job(device));
    for (crayon_device_job* const job : waiting) crayon_device_job_cancel(job);
    crayon_device_job_cancel(hangs);
    crayon_device_release(device);  // the jobs have it still
    first.join();
    others.join();
    for (crayon_device_job* const job : waiting) crayon_device_job_release(job);
    crayon_device_job_release(hangs);
    unsetenv("CRAYON_EMULATED_DEVICE");
}

// At any moment of a job, also at its end.
TEST(DeviceThreads, CancelWhatRuns) {
    const Own own(8);
    crayon_device* const device = open_device(Settings{4096});
    u32 cancelled = 0;
    for (u32 turn = 0, turns = sample(60, 12); turn < turns; ++turn) {
        crayon_device_job* const job = own.job(device);
        if (turn % 3 == 0) own.pad(job, static_cast<u32>(own.longest + 3));
        crayon_status status = CRAYON_OK;
        std::thread runs([&] { status = run(job); });
        std::this_thread::sleep_for(std::chrono::microseconds(turn * turn * 3));
        crayon_device_job_cancel(job);
        runs.join();
        EXPECT_TRUE(status == CRAYON_OK || status == CRAYON_CANCELLED) << status;
        cancelled += status == CRAYON_CANCELLED;
        if (status == CRAYON_OK) turn % 3 == 0 ? own.expect_matrix(job) : own.expect_rows(job);
        crayon_device_job_release(job);
    }
    EXPECT_GT(cancelled, 0u);
    crayon_device_job* const job = own.job(device);
    EXPECT_EQ(run(job), CRAYON_OK);
    own.expect_rows(job);
    crayon_device_job_release(job);
    crayon_device_release(device);
}

// A device that fails while several threads have jobs for it: each job has all ids, or none.
TEST(DeviceThreads, SeeADeviceFail) {
    const Own own[] = {Own(9), Own(10)};
    for (u32 turn = 0, turns = sample(12, 4); turn < turns; ++turn) {
        const std::string fault = turn % 3 == 0 ? "launch=" : turn % 3 == 1 ? "lost=" : "copy=";
        setenv("CRAYON_EMULATED_DEVICE", (fault + std::to_string(10 + 17 * turn)).c_str(), 1);
        crayon_device* const device = open_device(Settings{4096});
        std::atomic<u32> failed{0};
        in_threads(4, [&](u32 thread) {
            for (int each = 0; each < 4; ++each) {
                const Own& mine = own[thread % 2];
                crayon_device_job* const job = mine.job(device);
                const crayon_status status = run(job);
                if (status == CRAYON_OK) mine.expect_rows(job);
                failed += status != CRAYON_OK;
                EXPECT_TRUE(status == CRAYON_OK || status == CRAYON_DEVICE_FAILED || status == CRAYON_DEVICE_UNAVAILABLE)
                    << status;
                crayon_device_facts facts;
                crayon_device_describe(device, &facts);
                EXPECT_TRUE(status == CRAYON_OK || !facts.is_usable);
                crayon_device_job_release(job);
            }
        });
        EXPECT_GT(failed, 0u);
        crayon_device_release(device);
    }
    unsetenv("CRAYON_EMULATED_DEVICE");
}

// Words in upper case, which a normalizer lowers; the ids are known from how the text is made.
TEST(DeviceThreads, ShareAPoolForNormalizing) {
    const std::string tokens = "[UNK]thecat.";
    const u32 token_offsets[] = {0, 5, 8, 11, 12}, program[] = {1, 0, 0, 0, 13, 8, 0, 0, 0, 0};  // BERT's step: lower case
    crayon_result result;
    crayon_compiler* compiler = nullptr;
    ASSERT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    ASSERT_EQ(crayon_compiler_set_word_piece(compiler, reinterpret_cast<const std::uint8_t*>(tokens.data()),
                                             static_cast<u32>(tokens.size()), token_offsets, 4, nullptr, 0, 0,
                                             reinterpret_cast<const std::uint8_t*>("##"), 2, 100, 0, &result),
              CRAYON_OK);
    ASSERT_EQ(crayon_compiler_add_view(compiler, "test", 4, "bert", 4, &result), CRAYON_OK);
    ASSERT_EQ(crayon_compiler_set_normalizer(compiler, 2, &result), CRAYON_OK);
    ASSERT_EQ(
        crayon_compiler_set_normalizer_program(compiler, reinterpret_cast<const std::uint8_t*>(program), sizeof program, &result),
        CRAYON_OK);
    const std::uint8_t* file = nullptr;
    ASSERT_EQ(crayon_compiler_finish(compiler, &file, &result), CRAYON_OK);
    crayon_cartridge* cartridge = nullptr;
    ASSERT_EQ(crayon_cartridge_open_bytes(file, static_cast<u32>(result.count), CRAYON_OPEN_COPY, &cartridge, &result),
              CRAYON_OK);
    crayon_compiler_release(compiler);
    crayon_tokenizer* tokenizer = nullptr;
    ASSERT_EQ(crayon_tokenizer_create(cartridge, 0, "", 0, &tokenizer, &result), CRAYON_OK);
    crayon_cartridge_release(cartridge);

    crayon_pool* pool = nullptr;
    ASSERT_EQ(crayon_pool_create(3, &pool, &result), CRAYON_OK);
    std::vector<std::thread> helpers;
    for (int i = 0; i < 3; ++i) {
        helpers.emplace_back([pool] {
            crayon_job* done[8];
            crayon_result worked;
            while (crayon_pool_work(pool, done, 8, &worked) == CRAYON_OK) ADD_FAILURE() << "no job of these is reported";
        });
    }
    crayon_device* const device = open_device({});
    in_threads(2, [&](u32 thread) {
        Random random(thread + 5);
        std::string bytes;
        std::vector<u32> offsets = {0}, ids, totals = {0};
        for (const u32 length : {300'000u, 0u, 50u, 200'000u}) {
            while (bytes.size() < offsets.back() + length) {
                const u32 id = static_cast<u32>(random.below(4));
                bytes += std::vector<std::string>{"x ", "THE ", "Cat\n", "."}[id];
                ids.push_back(id);
            }
            offsets.push_back(static_cast<u32>(bytes.size()));
            totals.push_back(static_cast<u32>(ids.size()));
        }
        crayon_device_job* job = nullptr;
        crayon_result created;
        ASSERT_EQ(crayon_device_create_texts(device, tokenizer, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, 0,
                                             reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), offsets.data(), 4,
                                             &job, &created),
                  CRAYON_OK);
        crayon_device_job_use_pool(job, pool, 0);
        ASSERT_EQ(run(job), CRAYON_OK);
        std::vector<u32> found(5);
        ASSERT_EQ(crayon_device_job_row_offsets(job, found.data(), &created), CRAYON_OK);
        EXPECT_EQ(found, totals);
        u32* const got = crayon_device_job_detach_ids(job);
        EXPECT_EQ(std::vector<u32>(got, got + totals.back()), ids);
        crayon_ids_release(got);
        crayon_device_job_release(job);
    });
    crayon_device_release(device);
    crayon_pool_close(pool);
    for (std::thread& helper : helpers) helper.join();
    crayon_pool_release(pool);
    crayon_tokenizer_release(tokenizer);
}

}  // namespace
}  // namespace crayon::gpu::test::device_threads_test
