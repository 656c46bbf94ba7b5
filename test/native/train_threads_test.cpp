// Training with several threads: they count texts, and help with the merges. Run this under ThreadSanitizer. And with little
// memory: wherever it runs out, the result is a status.
#include <thread>

#include "share.h"
#include "train/thread_pool.h"
#include "train_corpora.h"

#if __has_include(<sys/resource.h>) && !defined(CRAYON_SANITIZED)
#define CRAYON_LIMITS_MEMORY 1
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace crayon::test::train_threads_test {
namespace {

TEST(TrainThreads, TasksAreEachPerformedOnce) {
    for (const int helpers : {0, 1, 3}) {
        train::ThreadPool thread_pool;
        std::vector<std::thread> threads;
        for (int i = 0; i < helpers; ++i) threads.emplace_back([&] { thread_pool.help(); });
        Random random(helpers);
        std::vector<std::uint32_t> performed;  // not atomic: each task has its own
        for (std::uint64_t run = 0; run < sample(20000, 2000); ++run) {
            performed.assign(random.below(20), 0);
            auto perform = [&](std::uint32_t task) { ++performed[task]; };
            thread_pool.run(static_cast<std::uint32_t>(performed.size()), perform);
            for (const std::uint32_t times : performed) ASSERT_EQ(times, 1u);
            // Occasionally the helpers fall asleep.
            if (run % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        thread_pool.dismiss();
        for (std::thread& thread : threads) thread.join();
        thread_pool.help();  // returns at once
    }
}

std::vector<std::string> texts_of(std::uint64_t seed, std::size_t bytes) {
    Random random(seed);
    std::vector<std::string> texts;
    for (std::size_t size = 0; size < bytes; size += texts.back().size()) {
        std::string text;
        while (text.size() < 3000) {
            std::string word(1 + random.below(4), static_cast<char>('a' + random.below(3)));
            for (std::size_t k = random.below(7); k > 0; --k) word.push_back(static_cast<char>('a' + random.below(5)));
            text += word + (random.one_in(9) ? "\n" : " ");
        }
        texts.push_back(text);
    }
    return texts;
}

naive::Trained train_with(std::uint32_t threads, const std::vector<std::string>& texts, const TrainerSettings& settings) {
    const TrainerHandle trainer = create_trainer(settings, threads);
    for (const std::string& text : texts) {
        // In parts, of which some are longer than a block of the threads'.
        for (std::size_t begin = 0; begin < text.size(); begin += 700000) feed(trainer, text.substr(begin, 700000), false);
        feed(trainer, "", true);
    }
    start(trainer);
    return train(trainer);
}

TEST(TrainThreads, TheResultDoesNotDependOnThreads) {
    for (std::uint64_t seed = 1; seed <= sample(8, 2); ++seed) {
        TrainerSettings settings;
        settings.pretokenizer = seed % 2 ? "none" : "gpt2";
        settings.ties = static_cast<std::uint32_t>(seed / 2 % 2);
        settings.options.vocabulary_size = 256 + 150;
        // Without a pretokenizer all positions count: over a million, so that the first pairs are counted in parts.
        const std::vector<std::string> texts = texts_of(seed, seed == 1 ? 1100000 : 150000);
        const naive::Trained expected = train_with(1, texts, settings);
        for (const std::uint32_t threads : {2, 4}) expect_same(train_with(threads, texts, settings), expected);
    }
}

TEST(TrainThreads, LongListsAreDivided) {
    // Enough occurrences that lists have several parts, in runs and side by side.
    for (std::uint64_t seed = 1; seed <= sample(8, 2); ++seed) {
        Random random(seed);
        naive::Words words;
        for (int i = 0; i < 3; ++i) {
            std::string word;
            while (word.size() < 30000) word.append(1 + random.below(5), static_cast<char>('a' + random.below(1 + seed % 3)));
            words[word] = 1 + random.below(3);
        }
        TrainerSettings settings;
        settings.ties = static_cast<std::uint32_t>(seed % 2);
        settings.options.vocabulary_size = 280;
        const TrainerHandle trainer = create_trainer(settings, 3);
        add_words(trainer, words);
        start(trainer);
        expect_same(train(trainer), train_naively(words, settings));
    }
}

TEST(TrainThreads, LongTextsAreCutOrCountedByTheCaller) {
    // Longer than all blocks that may wait, and short ones between them; "x"s have no place to cut.
    std::vector<std::string> texts = {"a b", std::string(600000, 'x'), "c"};
    for (const std::string& text : texts_of(3, 2500000)) texts.back() += text;
    texts.push_back(texts[1] + " " + texts[1]);
    for (const char* const pretokenizer : {"cl100k", "none"}) {
        TrainerSettings settings;
        settings.pretokenizer = pretokenizer;
        settings.options.vocabulary_size = 256 + 20;
        expect_same(train_with(2, texts, settings), train_with(1, texts, settings));
    }
}

TEST(TrainThreads, ATrainingMayEndAtAnyTime) {
    const std::vector<std::string> texts = texts_of(5, 400000);
    TrainerSettings settings;
    settings.pretokenizer = "gpt2";
    settings.options.vocabulary_size = 1000;
    std::uint32_t progress[10];
    for (std::size_t seed = 0; seed < sample(200, 20); ++seed) {
        const TrainerHandle trainer = create_trainer(settings, 1 + static_cast<std::uint32_t>(seed % 4));
        Random random(seed);
        const std::size_t count = random.below(2 * texts.size());
        for (std::size_t i = 0; i < std::min(count, texts.size()); ++i) feed(trainer, texts[i], i + 1 < count);
        if (count <= texts.size()) continue;
        start(trainer);
        for (std::size_t steps = random.below(20); steps > 0 && step(trainer, progress); --steps) {
        }
        crayon_trainer* restored = nullptr;
        const std::uint8_t* bytes;
        crayon_result result;
        ASSERT_EQ(crayon_trainer_save(trainer.get(), &bytes, &result), CRAYON_OK);
        ASSERT_EQ(crayon_trainer_restore(bytes, result.count, "", 0, 3, &restored, &result), CRAYON_OK);
        const TrainerHandle other(restored, crayon_trainer_release);
        for (std::size_t steps = random.below(20); steps > 0 && step(other, progress); --steps) {
        }
    }
}

#ifdef CRAYON_LIMITS_MEMORY

// The status of a training that has this many more bytes of memory than the process uses now.
crayon_status status_with(std::size_t bytes, std::uint32_t threads, const std::string& text,
                          const std::vector<std::uint8_t>& saved) {
    std::size_t pages = 0;
    if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    const std::size_t now = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const rlimit limit = {now + bytes, now + bytes};
    if (pages == 0 || setrlimit(RLIMIT_AS, &limit) != 0) return CRAYON_STATUS_COUNT;
    const crayon_trainer_options options = {2000, 1, 0, CRAYON_TIES_LARGER, 0};
    crayon_trainer* trainer = nullptr;
    crayon_result result;
    if (saved.empty()) {
        crayon_trainer_create(&options, nullptr, "gpt2", 4, "", 0, threads, &trainer, &result);
        if (result.status == CRAYON_OK) {
            crayon_trainer_feed(trainer, reinterpret_cast<const std::uint8_t*>(text.data()),
                                static_cast<std::uint32_t>(text.size()), 1, &result);
        }
        if (result.status == CRAYON_OK) crayon_trainer_start(trainer, &result);
    } else {
        crayon_trainer_restore(saved.data(), static_cast<std::uint32_t>(saved.size()), "", 0, threads, &trainer, &result);
    }
    std::uint32_t progress[10];
    while (result.status == CRAYON_OK) {
        crayon_trainer_step(trainer, 0, progress, &result);
        if (!result.more) break;
    }
    const std::uint8_t* bytes_of_checkpoint;
    if (result.status == CRAYON_OK) crayon_trainer_save(trainer, &bytes_of_checkpoint, &result);
    const crayon_status status = result.status;
    const bool goes_on = trainer && status != CRAYON_OK && crayon_trainer_step(trainer, 1, progress, &result) == CRAYON_OK;
    crayon_trainer_release(trainer);
    return goes_on ? crayon_status{CRAYON_STATUS_COUNT} : status;
}

bool can_limit_memory() {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit = {1 << 20, 1 << 20};
        if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
        void* const memory = mmap(nullptr, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        _exit(memory == MAP_FAILED ? 0 : 1);
    }
    int ended = 0;
    return child > 0 && waitpid(child, &ended, 0) == child && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

TEST(TrainThreads, MemoryMayRunOutAnywhere) {
    std::string text;
    for (const std::string& each : texts_of(7, 500000)) text += each;
    TrainerSettings settings;
    settings.pretokenizer = "gpt2";
    settings.options.vocabulary_size = 400;
    const TrainerHandle trainer = create_trainer(settings);
    feed(trainer, text, true);
    start(trainer);
    const std::uint8_t* bytes;
    crayon_result result;
    ASSERT_EQ(crayon_trainer_save(trainer.get(), &bytes, &result), CRAYON_OK);
    if (!can_limit_memory()) GTEST_SKIP() << "the memory of a process has no limit, as in an emulator";
    for (const auto& saved : {std::vector<std::uint8_t>(), std::vector<std::uint8_t>(bytes, bytes + result.count)}) {
        std::map<int, int> met;
        const std::size_t steps = sample(200, 20);
        for (std::size_t i = 0; i <= steps; ++i) {
            const pid_t child = fork();
            ASSERT_GE(child, 0);
            if (child == 0) _exit(static_cast<int>(status_with((i * 16 << 20) / steps, 1 + i % 2, text, saved)));
            int ended = 0;
            ASSERT_EQ(waitpid(child, &ended, 0), child);
            ASSERT_TRUE(WIFEXITED(ended)) << "crashed with " << (i * 16 << 20) / steps << " bytes";
            ++met[WEXITSTATUS(ended)];
        }
        EXPECT_GT(met[CRAYON_OK], 0);
        EXPECT_GT(met[CRAYON_OUT_OF_MEMORY], 0);
        EXPECT_EQ(met.size(), 2u) << "another status";
    }
}

#endif

}  // namespace
}  // namespace crayon::test::train_threads_test
