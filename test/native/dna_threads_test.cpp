// Matrices of DNA on real threads: the ids of the naive version, or the first failing row's error, for any number of threads and
// however the host waits; cancelled jobs, and released vocabularies. Run this under ThreadSanitizer.
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "dna_vocabularies.h"
#include "parallel/pool.h"
#include "share.h"

namespace crayon::test::dna_threads_test {
namespace {

const u8* bytes_of(const std::string& text) { return reinterpret_cast<const u8*>(text.data()); }

// A pool with its threads, which record finished jobs. Tasks are small.
class Workers {
public:
    explicit Workers(u32 threads) : pool_(new Pool(threads, 256)) {
        for (u32 i = 0; i < threads; ++i) {
            threads_.emplace_back([this] {
                crayon_job* done[4];
                crayon_result result;
                while (crayon_pool_work(pool(), done, 4, &result) == CRAYON_OK) {
                    const std::lock_guard<std::mutex> guard(mutex_);
                    reported_.insert(done, done + result.count);
                    changed_.notify_all();
                }
            });
        }
    }
    ~Workers() {
        crayon_pool_close(pool());
        for (std::thread& thread : threads_) thread.join();
        crayon_pool_release(pool());
    }
    crayon_pool* pool() { return reinterpret_cast<crayon_pool*>(pool_); }
    void await(crayon_job* job) {
        std::unique_lock<std::mutex> guard(mutex_);
        changed_.wait(guard, [&] { return reported_.erase(job) > 0; });
    }

private:
    Pool* pool_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::set<crayon_job*> reported_;
};

// A matrix, and its expected contents.
struct Work {
    std::string bytes;
    std::vector<u32> offsets = {0};
    u32 rows = 0, columns = 0, threads = 0;
    std::vector<u32> ids, expected_ids, unknown, expected_unknown;
    std::vector<u8> mask, expected_mask;
    u32 failed_row = 0, status = CRAYON_OK;
    std::size_t position = 0;
    crayon_job* job = nullptr;

    Work(Random& random, const DnaModel& model)
        : rows(static_cast<u32>(random.below(40))), threads(static_cast<u32>(random.below(4))) {
        const bool has_bad = random.one_in(2);
        for (u32 row = 0; row < rows; ++row) {
            std::string sequence(random.below(200), 'A');
            for (char& base : sequence) base = "ACGTN"[random.below(random.one_in(20) ? 5 : 4)];
            if (has_bad && random.one_in(10) && !sequence.empty()) sequence[random.below(sequence.size())] = '?';
            bytes += sequence;
            offsets.push_back(static_cast<u32>(bytes.size()));
            const naive::DnaIds found = naive::encode_dna(model.vocabulary, sequence);
            columns = std::max(columns, static_cast<u32>(found.ids.size()) + 1);
            if (found.unknown && status == CRAYON_OK) {
                status = CRAYON_UNKNOWN_BASE;
                failed_row = row;
                position = *found.unknown;
            }
        }
        columns += 200;  // so that a row with a bad base is not too long first
        for (u32 row = 0; row < rows; ++row) {
            std::vector<u32> line =
                naive::encode_dna(model.vocabulary, bytes.substr(offsets[row], offsets[row + 1] - offsets[row])).ids;
            expected_unknown.push_back(
                static_cast<u32>(std::count(line.begin(), line.end(), model.vocabulary.unknown.value_or(0xFFFFFFFF))));
            std::vector<u8> ones(line.size(), 1);
            line.resize(columns, *model.vocabulary.pad);
            ones.resize(columns, 0);
            expected_ids.insert(expected_ids.end(), line.begin(), line.end());
            expected_mask.insert(expected_mask.end(), ones.begin(), ones.end());
        }
        ids.resize(expected_ids.size(), 0xA5A5A5A5);
        mask.resize(expected_mask.size(), 0xA5);
        unknown.resize(rows, 0xA5A5A5A5);
    }

    void create(crayon_dna* dna) {
        crayon_result result;
        ASSERT_EQ(crayon_job_create_dna(dna, bytes_of(bytes), offsets.back(), offsets.data(), rows, columns, CRAYON_DNA_PAD_RIGHT,
                                        4, ids.data(), mask.data(), unknown.data(), &job, &result),
                  CRAYON_OK);
        crayon_job_set_threads(job, threads);
    }

    void expect(const crayon_result& result) const {
        ASSERT_EQ(result.status, status);
        if (status == CRAYON_OK) {
            EXPECT_EQ(ids, expected_ids);
            EXPECT_EQ(mask, expected_mask);
            EXPECT_EQ(unknown, expected_unknown);
            return;
        }
        EXPECT_EQ(result.count, failed_row);
        EXPECT_EQ(result.position, position);
        const std::size_t before = std::size_t{failed_row} * columns;  // rows before it are complete
        EXPECT_TRUE(std::equal(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(before), expected_ids.begin()));
    }
};

DnaModel without_unknown() {
    DnaModel model = nucleotide_transformer_v2();
    model.vocabulary.unknown.reset();
    model.vocabulary.words = false;
    return model;
}

class DnaThreads : public testing::TestWithParam<u32> {};

TEST_P(DnaThreads, MatricesEqualThoseOfOneThread) {
    Random random(GetParam());
    Workers workers(GetParam());
    u64 failed = 0, whole = 0;
    for (u64 round = 0; round < sample(60, 8); ++round) {
        const DnaModel model = round % 3 == 0 ? nucleotide_transformer_v2() : without_unknown();
        const OpenDna open(model);
        std::vector<Work> all;
        for (u32 i = 0; i < 8; ++i) all.emplace_back(random, model);
        crayon_result result;
        for (Work& work : all) work.create(open.dna());
        for (std::size_t i = 0; i < all.size(); ++i) {
            crayon_job* const job = all[i].job;
            if (i % 4 == 0) {
                ASSERT_EQ(crayon_pool_submit(workers.pool(), job, &result), CRAYON_OK);
            } else if (i % 4 == 1) {
                ASSERT_EQ(crayon_job_start(workers.pool(), job, &result), CRAYON_OK);
            }
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            Work& work = all[i];
            if (i % 4 == 0) {
                workers.await(work.job);
                crayon_job_result(work.job, &result);
            } else {
                crayon_job_run(i % 4 == 3 ? nullptr : workers.pool(), work.job, &result);
            }
            work.expect(result);
            crayon_job_release(work.job);
            ++(work.status == CRAYON_OK ? whole : failed);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(whole, 0u);
    EXPECT_GT(failed, 0u);
}

TEST_P(DnaThreads, JobsKeepTheirVocabularyAndCanBeCancelled) {
    const DnaModel model = without_unknown();
    Random random(GetParam() + 100);
    Workers workers(GetParam());
    for (u64 round = 0; round < sample(40, 4); ++round) {
        Work kept(random, model), cancelled(random, model);
        crayon_result result;
        {
            const OpenDna open(model);
            kept.create(open.dna());
            cancelled.create(open.dna());
            ASSERT_EQ(crayon_pool_submit(workers.pool(), kept.job, &result), CRAYON_OK);
            ASSERT_EQ(crayon_pool_submit(workers.pool(), cancelled.job, &result), CRAYON_OK);
        }
        crayon_job_cancel(cancelled.job);
        workers.await(kept.job);
        crayon_job_result(kept.job, &result);
        kept.expect(result);
        workers.await(cancelled.job);
        crayon_job_result(cancelled.job, &result);
        if (result.status != CRAYON_CANCELLED) cancelled.expect(result);  // it had finished already
        crayon_job_release(kept.job);
        crayon_job_release(cancelled.job);
        if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Each, DnaThreads, testing::Values(1, 2, 3, 8));

// Calls that do not apply to these jobs are refused, and do nothing.
TEST(DnaJobs, HaveNoTextAndNoIds) {
    const OpenDna open(without_unknown());
    u32 ids[4];
    const std::string bases = "ACGT";
    const u32 offsets[] = {0, 4};
    crayon_job* job = nullptr;
    crayon_result result;
    EXPECT_EQ(crayon_job_create_dna(open.dna(), bytes_of(bases), 4, offsets, 1, 4, 64, 4, ids, nullptr, nullptr, &job, &result),
              CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_create_dna(open.dna(), bytes_of(bases), 4, offsets, 1, 4, 0, 1, ids, nullptr, nullptr, &job, &result),
              CRAYON_INVALID_ARGUMENT);
    ASSERT_EQ(crayon_job_create_dna(open.dna(), bytes_of(bases), 4, offsets, 1, 4, 0, 4, ids, nullptr, nullptr, &job, &result),
              CRAYON_OK);
    EXPECT_EQ(crayon_job_set_text(job, bytes_of(bases), 1, 1, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_append_utf8(job, bytes_of(bases), 1, 1, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_end(job, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_result(job, &result), CRAYON_INVALID_ARGUMENT);  // it has not finished
    EXPECT_EQ(crayon_job_run(nullptr, job, &result), CRAYON_OK);
    EXPECT_EQ(ids[0], 4102u);
    EXPECT_EQ(crayon_job_run(nullptr, job, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_token_count(job), 0u);
    EXPECT_EQ(crayon_job_copy(job, ids, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_detach_ids(job), nullptr);
    crayon_job_release(job);
}

}  // namespace
}  // namespace crayon::test::dna_threads_test
