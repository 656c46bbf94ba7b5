// Texts that threads make ready for a device, compared with the normalizer on each document as a whole: run this under
// ThreadSanitizer.
#include "gpu/prepared_text.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "generate_text.h"
#include "longest_match_vocabularies.h"
#include "share.h"
#include "threads.h"
#include "tokenizer.h"

namespace crayon::gpu::test::prepared_text_threads_test {
namespace {

using crayon::test::Random;
using crayon::test::sample;
using crayon::test::TokenArrays;

// An open tokenizer whose normalizer is a program of one step.
class Own {
public:
    Own(u32 step, u32 flags) : program_{1, 0, 0, 0, step, flags, 0, 0, 0, 0} {
        crayon_compiler* compiler = nullptr;
        EXPECT_EQ(crayon_compiler_create(&compiler, &result_), CRAYON_OK);
        step == layout::kStepBert ? set_words(compiler) : set_characters(compiler);
        EXPECT_EQ(crayon_compiler_set_normalizer(compiler, layout::kProgramNormalizer, &result_), CRAYON_OK);
        EXPECT_EQ(crayon_compiler_set_normalizer_program(compiler, bytes(), size(), &result_), CRAYON_OK);
        const u8* file = nullptr;
        EXPECT_EQ(crayon_compiler_finish(compiler, &file, &result_), CRAYON_OK);
        EXPECT_EQ(crayon_cartridge_open_bytes(file, result_.count, CRAYON_OPEN_COPY, &cartridge_, &result_), CRAYON_OK);
        crayon_compiler_release(compiler);
        EXPECT_EQ(crayon_tokenizer_create(cartridge_, 0, nullptr, 0, &tokenizer_, &result_), CRAYON_OK);
        EXPECT_TRUE(NormalizedText::is_needed(tokenizer()));
    }
    ~Own() {
        crayon_tokenizer_release(tokenizer_);
        crayon_cartridge_release(cartridge_);
    }
    Own(const Own&) = delete;

    const Tokenizer& tokenizer() const { return *reinterpret_cast<const Tokenizer*>(tokenizer_); }
    std::string normalized(const std::string& text) const {
        u8* made = nullptr;
        crayon_result result;
        EXPECT_EQ(crayon_compiler_normalize(bytes(), size(), reinterpret_cast<const u8*>(text.data()),
                                            static_cast<u32>(text.size()), &made, &result),
                  CRAYON_OK);
        std::string copy(reinterpret_cast<const char*>(made), result.count);
        std::free(made);
        return copy;
    }

private:
    const u8* bytes() const { return reinterpret_cast<const u8*>(program_); }
    static constexpr u32 size() { return sizeof program_; }
    void set_words(crayon_compiler* compiler) {
        const TokenArrays list(std::vector<std::string>{"[UNK]", "a"});
        EXPECT_EQ(crayon_compiler_set_word_piece(compiler, list.data(), list.size(), list.offsets.data(), list.count(), nullptr,
                                                 0, 0, reinterpret_cast<const u8*>("##"), 2, 100, 0, &result_),
                  CRAYON_OK);
        EXPECT_EQ(crayon_compiler_add_view(compiler, "test", 4, "bert", 4, &result_), CRAYON_OK);
    }
    void set_characters(crayon_compiler* compiler) {
        std::vector<std::string> tokens;
        for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
        tokens.insert(tokens.end(), {"\u2581", "\xE2\x96"});
        const TokenArrays list(tokens);
        const u32 merges[] = {0xE2, 0x96, 257, 0x81};
        EXPECT_EQ(crayon_compiler_set_bpe_merges(compiler, list.data(), list.size(), list.offsets.data(), list.count(), merges, 2,
                                                 nullptr, nullptr, 0, 0, &result_),
                  CRAYON_OK);
        EXPECT_EQ(crayon_compiler_set_hidden_tokens(compiler, 257, 0xFFFFFFFF, CRAYON_FUSES_UNKNOWN, &result_), CRAYON_OK);
        EXPECT_EQ(crayon_compiler_add_view(compiler, "test", 4, "none", 4, &result_), CRAYON_OK);
    }

    const u32 program_[10];
    crayon_result result_{};
    crayon_cartridge* cartridge_ = nullptr;
    crayon_tokenizer* tokenizer_ = nullptr;
};

struct Batch {
    std::vector<u8> bytes;  // no byte after them is readable
    std::vector<u64> ends;

    Batch(Random& random, u64 documents, u64 longest) {
        static const std::vector<std::string> kParts = {" ",      "the ",   "Caf\u00E9 ", "e\u0301", "\u00C5",   "\u4E2D\u6587",
                                                        "\u2581", "\u3000", "don't.",     "\xFF",    "\xE2\x96", "\u0130",
                                                        "\n",     "\uFFFD"};
        for (u64 n = 0; n < documents; ++n) {
            const u64 length = n == 0             ? longest
                               : random.one_in(3) ? random.below(longest)
                                                  : random.below(60),
                      likely = 1 + random.below(kParts.size());
            for (const u64 end = bytes.size() + length; bytes.size() < end;) {
                const std::string& part = kParts[random.one_in(8) ? random.below(kParts.size()) : random.below(likely)];
                bytes.insert(bytes.end(), part.begin(), part.end());
            }
            ends.push_back(bytes.size());
        }
        bytes.shrink_to_fit();
    }
    std::string operator[](u64 i) const {
        const u64 begin = i ? ends[i - 1] : 0;
        return std::string(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                           bytes.begin() + static_cast<std::ptrdiff_t>(ends[i]));
    }
};

// As a device would read it.
std::string marked(const std::string& text) {
    std::string made;
    for (const char byte : text) made += byte == ' ' ? "\u2581" : std::string(1, byte);
    return made;
}

void expect_whole_documents(const Own& own, PreparedText& prepared, const Batch& batch) {
    prepared.begin(batch.bytes.data(), batch.bytes.size());
    for (u64 i = 0; i < batch.ends.size(); ++i) {
        ASSERT_TRUE(prepared.add(i ? batch.ends[i - 1] : 0, batch.ends[i], kOpensSegment | kOpensText));
    }
    EXPECT_EQ(prepared.raw_length(), batch.bytes.size());
    ASSERT_TRUE(prepared.prepare().ok());
    Buffer<u64> ends;
    ASSERT_TRUE(prepared.append_ends(&ends));
    ASSERT_EQ(ends.size(), batch.ends.size());
    std::string all(prepared.length(), '\0');
    ASSERT_TRUE(prepared.write(reinterpret_cast<u8*>(all.data())).ok());
    u64 begin = 0;
    for (u64 i = 0; i < batch.ends.size(); ++i) {
        const std::string text = all.substr(begin, ends[i] - begin), expected = own.normalized(batch[i]);
        ASSERT_EQ(own.tokenizer().marks_spaces() ? marked(text) : text, expected) << "document " << i;
        begin = ends[i];
    }
    EXPECT_EQ(begin, prepared.length());
}

TEST(PreparedTextThreads, NormalizeAsTheWholeDocument) {
    const Own words(layout::kStepBert,
                    layout::kCleanText | layout::kSpacesIdeographs | layout::kStripsAccents | layout::kLowercases);
    const Own characters(layout::kStepSentencePiece, layout::kPutsSpace | layout::kMarksSpaces);
    Threads threads(3);
    for (u64 number = 0, cases = sample(12, 3); number < cases; ++number) {
        for (const Own* const own : {&words, &characters}) {
            Random random(number * 2 + (own == &words));
            PreparedText alone(own->tokenizer()), together(own->tokenizer());
            together.use({&threads.pool, number % 3 == 2 ? 2u : 0u});
            for (u32 slice = 0; slice < 2; ++slice) {
                const Batch batch(random, 1 + random.below(12), random.one_in(2) ? 300'000 : 20'000);
                expect_whole_documents(*own, alone, batch);
                expect_whole_documents(*own, together, batch);
                if (HasFatalFailure()) return;
            }
        }
    }
}

TEST(PreparedTextThreads, ShareThePool) {
    const Own words(layout::kStepBert, layout::kCleanText | layout::kStripsAccents | layout::kLowercases);
    Threads threads(2);
    std::vector<std::thread> callers;
    for (u32 caller = 0; caller < 3; ++caller) {
        callers.emplace_back([&, caller] {
            Random random(caller + 70);
            PreparedText prepared(words.tokenizer());
            prepared.use({&threads.pool, 0});
            for (u32 slice = 0; slice < 2; ++slice) expect_whole_documents(words, prepared, Batch(random, 6, 300'000));
        });
    }
    for (std::thread& caller : callers) caller.join();
}

TEST(PreparedTextThreads, AreNotNeeded) {
    const Own words(layout::kStepBert, layout::kLowercases);
    Random random(7);
    const Batch batch(random, 5, 300'000);
    PreparedText prepared(words.tokenizer());
    {
        Threads threads(1);
        threads.pool.close();
        prepared.use({&threads.pool, 0});
        expect_whole_documents(words, prepared, batch);
    }
}

// Whichever thread does it, a failure is not lost, and what has not begun by then is not done.
TEST(DoTasks, ReportFailures) {
    Threads threads(3);
    for (const Helpers& helpers : {Helpers{}, Helpers{&threads.pool, 0}, Helpers{&threads.pool, 1}}) {
        for (const u64 fails : {u64{0}, u64{1}, u64{57}, u64{99}, u64{100}}) {
            std::atomic<u64> sum{0}, failures{0};
            const auto work = [&](u64 number, Encoder*) -> Status {
                sum += number;
                if (number != fails) return {};
                ++failures;
                return Status::out_of_memory();
            };
            const Status status = do_tasks(helpers, 100, work);
            EXPECT_EQ(status.code, fails < 100 ? CRAYON_OUT_OF_MEMORY : CRAYON_OK);
            EXPECT_EQ(failures, fails < 100 ? 1u : 0u);
            if (fails == 100) {
                EXPECT_EQ(sum, 99u * 100 / 2);
            }
        }
        EXPECT_TRUE(do_tasks(helpers, 0, [](u64, Encoder*) { return Status::out_of_memory(); }).ok());
    }
}

}  // namespace
}  // namespace crayon::gpu::test::prepared_text_threads_test
