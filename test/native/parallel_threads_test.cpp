// Jobs on real threads: any number of threads, concurrent jobs of all sizes, cancelled jobs, released tokenizers, a closed pool.
// Run this under ThreadSanitizer.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "any_tokenizer.h"
#include "parallel/pool.h"
#include "read_parts.h"
#include "share.h"

namespace crayon::test::parallel_threads_test {
namespace {

// A pool with its threads, which collect the finished jobs.
class Workers {
public:
    explicit Workers(std::size_t threads, std::uint64_t slice_bytes = 0)
        : pool_(new Pool(static_cast<u32>(threads), slice_bytes)) {
        for (std::size_t i = 0; i < threads; ++i) {
            threads_.emplace_back([this, i] {
                crayon_job* done[8];
                crayon_result result;
                while (crayon_pool_work(pool(), done, 1 + static_cast<std::uint32_t>(i % 8), &result) == CRAYON_OK) {
                    const std::lock_guard<std::mutex> guard(mutex_);
                    for (std::uint32_t k = 0; k < result.count; ++k) ++reports_[done[k]];
                    changed_.notify_all();
                }
                EXPECT_EQ(result.status, static_cast<std::uint32_t>(CRAYON_CLOSED));
            });
        }
    }
    ~Workers() {
        close();
        crayon_pool_release(pool());
    }
    crayon_pool* pool() { return reinterpret_cast<crayon_pool*>(pool_); }
    void close() {
        crayon_pool_close(pool());
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }
    // Waits until a job has been reported.
    void await(crayon_job* job) {
        std::unique_lock<std::mutex> guard(mutex_);
        changed_.wait(guard, [&] { return reports_[job] > 0; });
    }
    int reports(crayon_job* job) {
        const std::lock_guard<std::mutex> guard(mutex_);
        return reports_[job];
    }
    void forget(crayon_job* job) {
        const std::lock_guard<std::mutex> guard(mutex_);
        reports_.erase(job);
    }

private:
    Pool* pool_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<crayon_job*, int> reports_;
};

crayon_job* create_job(Tokenizing& tokenizing, std::uint32_t flags = 0, const Policy& policy = {}) {
    crayon_job* job = nullptr;
    crayon_result result;
    EXPECT_EQ(crayon_job_create(tokenizing.tokenizer(), policy.special, policy.allowed.data(),
                                static_cast<std::uint32_t>(policy.allowed.size()), flags, &job, &result),
              CRAYON_OK);
    return job;
}

void set_text(crayon_job* job, const std::string& text) {
    crayon_result result;
    EXPECT_EQ(crayon_job_set_text(job, bytes_of(text), text.size(), 1, &result), CRAYON_OK);
}

std::string long_text(Random& random, std::size_t length) {
    std::string text;
    while (text.size() < length) {
        text += nasty_text(random, random.below(300), {});
        if (random.one_in(30)) text.append(random.below(3000), "a \n1"[random.below(4)]);
    }
    return text;
}

class ThreadCount : public testing::TestWithParam<int> {};

TEST_P(ThreadCount, JobsOfAllSizesAtOnce) {
    Random random(GetParam());
    const RandomTokenizer cl100k(random, {"cl100k", true}), none(random, {"none", false});
    Tokenizing tokenizings[] = {Tokenizing(cl100k.cartridge), Tokenizing(none.cartridge)};
    Workers workers(GetParam(), 512);
    struct Work {
        std::vector<std::string> rows;
        std::string text;
        std::vector<std::uint32_t> offsets = {0};
        Tokenizing* tokenizing;
        bool counts, is_owned;
        crayon_job* job;
    };
    std::vector<Work> all(sample(120, 24));
    crayon_result result;
    for (Work& work : all) {
        work.tokenizing = &tokenizings[random.below(2)];
        work.rows.resize(random.one_in(3) ? random.below(40) : 1);
        for (std::string& row : work.rows) {
            row = long_text(random, random.one_in(10) ? 20000 : random.below(500));
            work.text += row;
            work.offsets.push_back(static_cast<std::uint32_t>(work.text.size()));
        }
        work.counts = random.one_in(4);
        work.is_owned = random.one_in(3);
        work.job = create_job(*work.tokenizing, work.counts ? CRAYON_JOB_COUNT : 0);
        if (!work.is_owned) {
            EXPECT_EQ(crayon_job_set_rows(work.job, bytes_of(work.text), work.offsets.data(),
                                          static_cast<std::uint32_t>(work.rows.size()), &result),
                      CRAYON_OK);
        } else {
            EXPECT_EQ(crayon_job_reserve(work.job, work.text.size(), &result), CRAYON_OK);
        }
        reinterpret_cast<EncodeJob*>(work.job)->gathered_from = random.below(1000);
        ASSERT_EQ(crayon_pool_submit(workers.pool(), work.job, &result), CRAYON_OK);
        if (!work.is_owned) continue;
        for (const std::string& row : work.rows) {
            const std::size_t half = row.size() / 2;
            crayon_job_append_utf8(work.job, bytes_of(row), static_cast<std::uint32_t>(half), 0, &result);
            EXPECT_EQ(
                crayon_job_append_utf8(work.job, bytes_of(row) + half, static_cast<std::uint32_t>(row.size() - half), 1, &result),
                CRAYON_OK);
        }
        EXPECT_EQ(crayon_job_end(work.job, &result), CRAYON_OK);
    }
    for (Work& work : all) {
        workers.await(work.job);
        const Encoded whole = encode_alone(work.tokenizing->encoder(), work.rows, {});
        Encoded found = result_of(work.job, work.counts);
        if (work.counts) found.ids = whole.ids;
        EXPECT_EQ(found == whole, true);
        crayon_job_release(work.job);
    }
}

// The calling thread works too, even with a pool without threads.
TEST_P(ThreadCount, TheCallerWorks) {
    Random random(100 + GetParam());
    const RandomTokenizer o200k(random, {"o200k", true});
    Tokenizing tokenizing(o200k.cartridge);
    const std::string text = long_text(random, 60000);
    const Encoded whole = encode_alone(tokenizing.encoder(), {text}, {});
    Workers workers(static_cast<std::size_t>(GetParam() - 1), 1000);
    for (int round = 0; round < 3; ++round) {
        crayon_job* job = create_job(tokenizing);
        set_text(job, text);
        crayon_result result;
        EXPECT_EQ(crayon_job_run(workers.pool(), job, &result), CRAYON_OK);
        EXPECT_EQ(result.position, text.size());
        EXPECT_EQ(result_of(job, false) == whole, true);
        EXPECT_EQ(workers.reports(job), 0);
        workers.forget(job);
        crayon_job_release(job);
    }
}

INSTANTIATE_TEST_SUITE_P(ParallelThreads, ThreadCount, testing::Values(1, 2, 3, 4, 8),
                         [](const auto& info) { return std::to_string(info.param); });

// Rows arrive in large numbers, as UTF-8 or UTF-16, while threads work; the caller works on the rest.
TEST_P(ThreadCount, RowsAppendedWhileThreadsWork) {
    Random random(GetParam());
    const RandomTokenizer cl100k(random, {"cl100k", true});
    Tokenizing tokenizing(cl100k.cartridge);
    Workers workers(GetParam(), 512);
    crayon_result result;
    for (std::uint64_t round = 0; round < sample(40, 8); ++round) {
        std::vector<std::u16string> texts(random.below(200));
        std::vector<std::string> rows;
        for (std::u16string& text : texts) {
            if (!random.one_in(8)) text = TextGenerator(random.next()).utf16();
            rows.push_back(naive::utf8_of_utf16(text));
        }
        crayon_job* job = create_job(tokenizing);
        std::size_t bytes = 0;
        for (const std::u16string& text : texts) bytes += 3 * text.size();
        ASSERT_EQ(crayon_job_reserve(job, bytes, &result), CRAYON_OK);
        crayon_job_set_threads(job, static_cast<std::uint32_t>(random.below(4)));
        const bool is_started = random.one_in(2);
        if (is_started) {
            ASSERT_EQ(crayon_job_start(workers.pool(), job, &result), CRAYON_OK);
        } else {
            crayon_job_set_tag(job, &rows);
            ASSERT_EQ(crayon_job_tag(job), &rows);
            ASSERT_EQ(crayon_pool_submit(workers.pool(), job, &result), CRAYON_OK);
        }
        for (std::size_t from = 0; from < rows.size();) {
            const std::size_t to = std::min(rows.size(), from + 1 + random.below(50));
            std::string joined;
            std::u16string units;
            std::vector<std::uint32_t> offsets = {0}, lengths;
            for (; from < to; ++from) {
                joined += rows[from];
                units += texts[from];
                offsets.push_back(static_cast<std::uint32_t>(joined.size()));
                lengths.push_back(static_cast<std::uint32_t>(texts[from].size()));
            }
            if (random.one_in(2)) {
                ASSERT_EQ(crayon_job_append_rows(job, bytes_of(joined), offsets.data(),
                                                 static_cast<std::uint32_t>(lengths.size()), &result),
                          CRAYON_OK);
            } else {
                ASSERT_EQ(crayon_job_append_rows_utf16(job, reinterpret_cast<const std::uint16_t*>(units.data()), lengths.data(),
                                                       static_cast<std::uint32_t>(lengths.size()), &result),
                          CRAYON_OK);
            }
        }
        ASSERT_EQ(crayon_job_end(job, &result), CRAYON_OK);
        if (is_started) {
            crayon_job_run(workers.pool(), job, &result);
            EXPECT_EQ(workers.reports(job), 0);
        } else {
            workers.await(job);
            workers.forget(job);
        }
        EXPECT_TRUE(result_of(job, false) == encode_alone(tokenizing.encoder(), rows, {})) << round;
        crayon_pool_dispose(workers.pool(), job);
    }
}

// Rows in parts, of every kind, in any number of threads: the numbers that one encoder gives for each, or its first failure; or
// none, if the job is cancelled.
TEST_P(ThreadCount, PartsOfRows) {
    Workers workers(GetParam(), 512);
    crayon_result result;
    std::size_t failed = 0, cancelled = 0;
    for (std::uint64_t round = 0; round < sample(200, 2 * AnyTokenizer::kKindCount); ++round) {
        Random random(1000 * static_cast<std::uint64_t>(GetParam()) + round);
        const AnyTokenizer made(random, AnyTokenizer::kKinds[round % AnyTokenizer::kKindCount]);
        Tokenizing tokenizing(made.cartridge), alone(made.cartridge);
        const Policy policy = {static_cast<std::uint32_t>(random.below(3)), {}};
        const auto limit = static_cast<std::uint32_t>(4 + random.below(60));
        crayon_part_form form{limit,
                              random.one_in(2) ? 0 : limit / 2,
                              CRAYON_UNIT_UTF16,
                              static_cast<std::uint32_t>(random.below(5)),
                              nullptr,
                              nullptr,
                              0,
                              0};
        std::vector<std::string> rows(random.below(20));
        for (std::string& row : rows) row = made.text(random, random.below(random.one_in(6) ? 3000 : 200));
        if (random.one_in(6) && !rows.empty()) {  // more than a window of the job
            while (rows[0].size() < 40000) rows[0] += made.text(random, 3000);
        }
        crayon_job* const job = create_job(tokenizing, 0, policy);
        {
            const std::string separators = "a\n";  // copied
            const std::vector<std::uint32_t> numbers = {1, 0, 1, 1};
            if (form.cuts == CRAYON_CUT_LISTED) {
                form.separators = bytes_of(separators);
                form.numbers = numbers.data();
                form.length = form.count = 2;
            }
            ASSERT_EQ(crayon_job_set_parts(job, &form, &result), CRAYON_OK);
        }
        const std::string joined = test::joined(rows), separators = "a\n";
        const std::uint32_t numbers[] = {1, 0, 1, 1};
        form.separators = bytes_of(separators);
        form.numbers = numbers;
        std::vector<std::uint32_t> offsets = {0};
        for (const std::string& row : rows) offsets.push_back(offsets.back() + static_cast<std::uint32_t>(row.size()));
        const auto row_count = static_cast<std::uint32_t>(rows.size());
        if (random.one_in(2)) {
            ASSERT_EQ(crayon_job_set_rows(job, bytes_of(joined), offsets.data(), row_count, &result), CRAYON_OK);
        } else {
            ASSERT_EQ(crayon_job_append_rows(job, bytes_of(joined), offsets.data(), row_count, &result), CRAYON_OK);
            ASSERT_EQ(crayon_job_end(job, &result), CRAYON_OK);
        }
        ASSERT_EQ(crayon_pool_submit(workers.pool(), job, &result), CRAYON_OK);
        if (random.one_in(5)) {
            for (std::size_t spin = random.below(500); spin > 0; --spin) std::this_thread::yield();
            crayon_job_cancel(job);
        }
        workers.await(job);
        workers.forget(job);
        Encoded expected;
        for (const std::string& row : rows) {
            const ReadParts parts = read_parts(alone.encoder(), policy.special, form, row);
            expected.status = parts.status;
            expected.position = parts.position;
            if (parts.status != CRAYON_OK) break;
            expected.ids.insert(expected.ids.end(), parts.numbers.begin(), parts.numbers.end());
            expected.offsets.push_back(static_cast<std::uint32_t>(expected.ids.size()));
            ++expected.row;
        }
        const Encoded found = result_of(job, false);
        if (found.status == CRAYON_CANCELLED) {
            ++cancelled;
        } else {
            EXPECT_TRUE(found == expected) << round << ", " << made.kind.name << ", cuts " << form.cuts;
            failed += expected.status != CRAYON_OK;
        }
        crayon_job_release(job);
    }
    EXPECT_GT(failed, 0u);
    EXPECT_GT(cancelled + failed, 1u);
}

TEST(ParallelThreads, PartsOfWrongFormsAreRefused) {
    Random random(1);
    const RandomTokenizer cl100k(random, {"cl100k", true});
    Tokenizing tokenizing(cl100k.cartridge);
    crayon_result result;
    const crayon_part_form good{4, 0, 0, 0, nullptr, nullptr, 0, 0}, wrong{4, 4, 0, 0, nullptr, nullptr, 0, 0};
    crayon_job* const counting = create_job(tokenizing, CRAYON_JOB_COUNT);
    crayon_job* const job = create_job(tokenizing);
    EXPECT_EQ(crayon_job_set_parts(counting, &good, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_set_parts(job, &wrong, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_set_parts(job, nullptr, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_set_parts(job, &good, &result), CRAYON_OK);
    set_text(job, "a b");
    EXPECT_EQ(crayon_job_run(nullptr, job, &result), CRAYON_OK);
    EXPECT_EQ(crayon_job_set_parts(job, &good, &result), CRAYON_INVALID_ARGUMENT);  // it is no longer new
    crayon_job_release(counting);
    crayon_job_release(job);
}

TEST(ParallelThreads, RowsThatDecreaseAreRefused) {
    Random random(1);
    const RandomTokenizer cl100k(random, {"cl100k", true});
    Tokenizing tokenizing(cl100k.cartridge);
    crayon_job* job = create_job(tokenizing);
    crayon_result result;
    const std::uint32_t offsets[] = {0, 2, 1, 3};
    EXPECT_EQ(crayon_job_append_rows(job, bytes_of("abc"), offsets, 3, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(result.position, 1u);
    crayon_job_release(job);
}

// The calling thread works for a while; then the others continue without it.
TEST_P(ThreadCount, TheCallerWorksForAWhile) {
    Random random(200 + GetParam());
    const RandomTokenizer o200k(random, {"o200k", true});
    Tokenizing tokenizing(o200k.cartridge);
    Workers workers(GetParam(), 600);
    crayon_result result;
    for (std::uint64_t round = 0; round < sample(60, 12); ++round) {
        const std::string text = long_text(random, random.below(20000));
        crayon_job* job = create_job(tokenizing);
        reinterpret_cast<EncodeJob*>(job)->gathered_from = random.below(2000);
        crayon_job_set_threads(job, static_cast<std::uint32_t>(random.below(4)));
        ASSERT_EQ(crayon_job_reserve(job, text.size(), &result), CRAYON_OK);
        ASSERT_EQ(crayon_job_start(workers.pool(), job, &result), CRAYON_OK);
        const std::size_t half = text.size() / 2;
        crayon_job_append_utf8(job, bytes_of(text), static_cast<std::uint32_t>(half), 0, &result);
        const bool is_late = random.one_in(4);  // its text, partly
        const auto rest = [&] {
            crayon_job_append_utf8(job, bytes_of(text) + half, static_cast<std::uint32_t>(text.size() - half), 1, &result);
            ASSERT_EQ(crayon_job_end(job, &result), CRAYON_OK);
        };
        if (!is_late) rest();
        ASSERT_EQ(crayon_job_run_for(workers.pool(), job, random.below(300), &result), CRAYON_OK);
        const bool is_done = result.count == 1;
        if (is_late) {
            EXPECT_FALSE(is_done);
            rest();
        }
        if (!is_done) workers.await(job);
        EXPECT_EQ(workers.reports(job), is_done ? 0 : 1);
        EXPECT_TRUE(result_of(job, false) == encode_alone(tokenizing.encoder(), {text}, {})) << round;
        workers.forget(job);
        crayon_job_release(job);
    }
}

// Started, and abandoned before its text has ended.
TEST(ParallelThreads, StartedAndCancelled) {
    Random random(1);
    const RandomTokenizer cl100k(random, {"cl100k", true});
    Tokenizing tokenizing(cl100k.cartridge);
    Workers workers(2);
    crayon_result result;
    crayon_job* job = create_job(tokenizing);
    ASSERT_EQ(crayon_job_reserve(job, 100, &result), CRAYON_OK);
    ASSERT_EQ(crayon_job_start(workers.pool(), job, &result), CRAYON_OK);
    ASSERT_EQ(crayon_job_append_utf8(job, bytes_of("abc"), 3, 1, &result), CRAYON_OK);
    EXPECT_EQ(crayon_job_run(workers.pool(), job, &result), CRAYON_INVALID_ARGUMENT);  // not ended
    crayon_job_cancel(job);
    EXPECT_EQ(crayon_job_run(workers.pool(), job, &result), CRAYON_CANCELLED);
    crayon_job_release(job);
}

TEST(ParallelThreads, CancelledInTheMiddle) {
    Random random(21);
    const RandomTokenizer cl100k(random, {"cl100k", true});
    Tokenizing tokenizing(cl100k.cartridge);
    const std::string text = long_text(random, 200000);
    Workers workers(3, 256);
    std::uint64_t cancelled = 0;
    for (std::uint64_t n = sample(40, 10); n > 0; --n) {
        crayon_job* job = create_job(tokenizing);
        crayon_result result;
        const bool waits_for_text = random.one_in(3);
        if (waits_for_text) {
            EXPECT_EQ(crayon_job_reserve(job, text.size(), &result), CRAYON_OK);
            crayon_job_append_utf8(job, bytes_of(text), 30000, 0, &result);
        } else {
            set_text(job, text);
        }
        ASSERT_EQ(crayon_pool_submit(workers.pool(), job, &result), CRAYON_OK);
        for (std::size_t spin = random.below(2000); spin > 0; --spin) std::this_thread::yield();
        crayon_job_cancel(job);
        if (waits_for_text) {  // the host may not have been told yet
            crayon_job_append_utf8(job, bytes_of(text), 30000, 0, &result);
            crayon_job_end(job, &result);
        }
        workers.await(job);
        crayon_job_cancel(job);
        const crayon_status status = crayon_job_result(job, &result);
        EXPECT_TRUE(status == CRAYON_CANCELLED || status == CRAYON_OK) << status;
        cancelled += status == CRAYON_CANCELLED;
        EXPECT_EQ(workers.reports(job), 1);
        workers.forget(job);
        crayon_job_release(job);
    }
    EXPECT_GT(cancelled, 0u);
}

// Jobs keep their tokenizer; idle encoders keep a released one only until trim().
TEST(ParallelThreads, TokenizersReleasedWhileJobsRun) {
    Random random(22);
    Workers workers(2, 512);
    for (std::uint64_t n = sample(30, 6); n > 0; --n) {
        const RandomTokenizer kind(random, kTokenizerKinds[random.below(std::size(kTokenizerKinds))]);
        const std::string text = long_text(random, 30000);
        Encoded whole;
        crayon_job* job = nullptr;
        crayon_result result;
        {
            Tokenizing tokenizing(kind.cartridge);
            whole = encode_alone(tokenizing.encoder(), {text}, {});
            job = create_job(tokenizing);
            set_text(job, text);
            ASSERT_EQ(crayon_pool_submit(workers.pool(), job, &result), CRAYON_OK);
        }
        workers.await(job);
        EXPECT_EQ(result_of(job, false) == whole, true);
        workers.forget(job);
        crayon_job_release(job);
        crayon_pool_trim(workers.pool());
    }
}

// Each owner may give it another text until it releases it; only then are its idle encoders dropped.
TEST(ParallelThreads, TokenizersWithTwoOwners) {
    Random random(26);
    const RandomTokenizer kind(random, {"o200k", true});
    const std::string text = long_text(random, 30000);
    EncoderFreeList free_list;
    crayon_tokenizer* kept = nullptr;
    {
        Tokenizing tokenizing(kind.cartridge);
        kept = tokenizing.tokenizer();
        crayon_tokenizer_retain(kept);
    }
    Tokenizer& tokenizer = *reinterpret_cast<Tokenizer*>(kept);
    Encoder* encoder = nullptr;
    ASSERT_TRUE(Encoder::create(tokenizer, &encoder).ok());
    EXPECT_EQ(free_list.put(encoder), nullptr);
    EXPECT_EQ(free_list.take_released(), nullptr);
    crayon_encoder* alone = nullptr;
    crayon_result result;
    ASSERT_EQ(crayon_encoder_create(kept, &alone, &result), CRAYON_OK);
    const Encoded whole = encode_alone(alone, {text}, {});
    crayon_encoder_release(alone);
    Workers workers(2, 512);
    crayon_job* job = nullptr;
    ASSERT_EQ(crayon_job_create(kept, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, 0, &job, &result), CRAYON_OK);
    set_text(job, text);
    ASSERT_EQ(crayon_pool_submit(workers.pool(), job, &result), CRAYON_OK);
    workers.await(job);
    EXPECT_EQ(result_of(job, false) == whole, true);
    workers.forget(job);
    crayon_job_release(job);
    crayon_tokenizer_release(kept);
    EXPECT_EQ(free_list.take_released(), encoder);
    delete encoder;
}

// The caches of threads: each job has its limit, while others read the size and release memory; no id depends on it.
TEST(ParallelThreads, CachesAreLimitedCountedAndReleased) {
    Random random(27);
    const RandomTokenizer kind(random, {"o200k", true});
    Tokenizing tokenizing(kind.cartridge);
    crayon_tokenizer* const tokenizer = tokenizing.tokenizer();
    const std::string text = long_text(random, 200000);
    const Encoded whole = encode_alone(tokenizing.encoder(), {text}, {});
    Workers workers(3, 512);
    crayon_result result;
    std::uint32_t memory[6];
    std::uint64_t most = 0;
    for (const std::uint64_t limit : {0, 1, 100'000, 300'000'000, 50'000, 0}) {
        crayon_job* const job = create_job(tokenizing);
        set_text(job, text);
        crayon_job_cache_limit(job, limit);
        ASSERT_EQ(crayon_pool_submit(workers.pool(), job, &result), CRAYON_OK);
        crayon_tokenizer_trim(tokenizer, workers.pool(), 20'000);
        workers.await(job);
        crayon_tokenizer_memory(tokenizer, memory);
        most = std::max(most, std::uint64_t{memory[5]} << 32 | memory[4]);
        EXPECT_EQ(result_of(job, false) == whole, true);
        workers.forget(job);
        crayon_job_release(job);
        crayon_tokenizer_cache_limit(tokenizer, limit);
    }
    EXPECT_GT(most, 0u);
    // Each has returned its encoder before it waits for work.
    for (std::uint32_t tries = 0; tries < 10000; ++tries) {
        crayon_tokenizer_trim(tokenizer, workers.pool(), 0);
        crayon_tokenizer_memory(tokenizer, memory);
        if (memory[4] == 0) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(memory[0] + memory[2] > 0, true);
    EXPECT_EQ(memory[4], 0u);
}

TEST(ParallelThreads, ASmallJobDoesNotWaitForALargeOne) {
    Random random(23);
    const RandomTokenizer cl100k(random, {"cl100k", true});
    Tokenizing tokenizing(cl100k.cartridge);
    // No thread works yet, so the order is determined: slices of the large job and the small jobs alternate.
    const std::string large = long_text(random, 100000), small = "a b";
    Pool pool(1, 1000);
    crayon_pool* const handle = reinterpret_cast<crayon_pool*>(&pool);
    crayon_job* jobs[4];
    crayon_result result;
    for (crayon_job*& job : jobs) {
        job = create_job(tokenizing);
        set_text(job, &job == jobs ? large : small);
        ASSERT_EQ(crayon_pool_submit(handle, job, &result), CRAYON_OK);
    }
    std::vector<crayon_job*> done;
    while (done.size() < 4) {
        crayon_job* some[2];
        ASSERT_EQ(crayon_pool_work(handle, some, 2, &result), CRAYON_OK);
        done.insert(done.end(), some, some + result.count);
    }
    EXPECT_EQ(done.back(), jobs[0]);
    EXPECT_EQ(done[0], jobs[1]);
    crayon_pool_close(handle);
    EXPECT_EQ(crayon_pool_work(handle, jobs, 1, &result), CRAYON_CLOSED);
    for (crayon_job* job : jobs) EXPECT_EQ(crayon_job_result(job, &result), CRAYON_OK);
    crayon_job* late = create_job(tokenizing);
    set_text(late, small);
    EXPECT_EQ(crayon_pool_submit(handle, late, &result), CRAYON_CLOSED);
    EXPECT_EQ(crayon_job_run(handle, late, &result), CRAYON_CLOSED);
    EXPECT_EQ(crayon_job_run(nullptr, late, &result), CRAYON_OK);
    crayon_job_release(late);
    for (crayon_job* job : jobs) crayon_job_release(job);
}

TEST(ParallelThreads, ClosedWithJobsLeft) {
    Random random(24);
    const RandomTokenizer gpt2(random, {"gpt2", true});
    Tokenizing tokenizing(gpt2.cartridge);
    const std::string texts[] = {"a", long_text(random, 50000)};
    for (std::uint64_t n = sample(40, 8); n > 0; --n) {
        std::vector<crayon_job*> jobs;
        {
            Workers workers(1 + random.below(4), 300);
            crayon_result result;
            for (int i = 0; i < 12; ++i) {
                jobs.push_back(create_job(tokenizing));
                if (i == 5) {
                    crayon_job_reserve(jobs.back(), 100, &result);  // waits for text that never comes
                } else {
                    set_text(jobs.back(), texts[i % 2]);
                }
                ASSERT_EQ(crayon_pool_submit(workers.pool(), jobs.back(), &result), CRAYON_OK);
            }
            for (std::size_t spin = random.below(500); spin > 0; --spin) std::this_thread::yield();
            workers.close();
            for (crayon_job* job : jobs) EXPECT_EQ(workers.reports(job), 1);
        }
        for (crayon_job* job : jobs) {
            crayon_result result;
            const crayon_status status = crayon_job_result(job, &result);
            EXPECT_TRUE(status == CRAYON_CANCELLED || status == CRAYON_OK) << status;
            crayon_job_release(job);
        }
    }
}

}  // namespace
}  // namespace crayon::test::parallel_threads_test
