// Encoding in parts equals encoding the whole: for every kind of tokenizer, every division of a text, and every order in which
// threads may take and finish the parts. Here one thread draws the order; parallel_threads_test.cpp uses real threads. The
// expected ids come from a single encoder.
//
// CRAYON_FUZZ_STRINGS sets how many texts are generated for each kind, CRAYON_FUZZ_SEED the first one's seed.
#include <gtest/gtest.h>

#include "fuzz_setting.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "parallel/cuts.h"
#include "parallel_texts.h"
#include "share.h"

namespace crayon::test::parallel_test {
namespace {

// How the work of a job is done.
struct Order {
    std::uint64_t slice_bytes;
    std::size_t threads;
    bool counts = false;
    bool arrives_late = false;  // the text, in windows
    std::uint64_t overlap = 0;
    u32 threshold = 1;
};

crayon_job* as_c(EncodeJob* job) { return reinterpret_cast<crayon_job*>(job); }

template <class Integer>
Encoded written_rows(crayon_job* job, Random& random) {
    Encoded encoded;
    crayon_result result;
    const std::size_t rows = crayon_job_row_count(job);
    std::vector<u32> before(random.below(3)), after(random.below(3)), lengths(rows);
    for (u32& id : before) id = static_cast<u32>(random.below(0x10000));
    for (u32& id : after) id = static_cast<u32>(random.below(0x10000));
    const crayon_row_form form = {before.data(), after.data(), static_cast<u32>(before.size()), static_cast<u32>(after.size()),
                                  sizeof(Integer)};
    const std::size_t around = before.size() + after.size(), size = crayon_job_token_count(job) + rows * around;
    std::vector<Integer> out(size);
    if (size > 0) {
        EXPECT_EQ(crayon_job_write_rows(job, &form, out.data(), size * sizeof(Integer) - 1, lengths.data(), &result),
                  CRAYON_INVALID_ARGUMENT);
    }
    EXPECT_EQ(crayon_job_write_rows(job, &form, out.data(), size * sizeof(Integer), lengths.data(), &result), CRAYON_OK);
    std::size_t at = 0;
    const auto take = [&](const std::vector<u32>& expected) {
        for (const u32 id : expected) EXPECT_EQ(out[at++], id);
    };
    for (const u32 length : lengths) {
        if (length < around || at + length > size) return {{}, {}, CRAYON_OK, 0, 0};
        take(before);
        for (std::size_t i = around; i < length; ++i) encoded.ids.push_back(out[at++]);
        take(after);
        encoded.offsets.push_back(static_cast<u32>(encoded.ids.size()));
    }
    EXPECT_EQ(at, size);
    EXPECT_EQ(crayon_job_write_rows(job, &form, out.data(), size * sizeof(Integer), lengths.data(), &result),
              CRAYON_INVALID_ARGUMENT)
        << "they are written once";
    return encoded;
}

// The result of a job whose ids are apart, from its rows between other ids.
Encoded rows_of(crayon_job* job, Random& random) {
    crayon_result result;
    if (crayon_job_result(job, &result) != CRAYON_OK) return result_of(job, false);
    return random.one_in(2) ? written_rows<std::uint16_t>(job, random) : written_rows<u32>(job, random);
}

// Runs a job in a possible order of threads.
Encoded encode_in_parts(Tokenizing& tokenizing, Encoder& encoder, const std::vector<std::string>& rows, const Policy& policy,
                        const Order& order, Random& random) {
    EncodeJob* job = nullptr;
    EXPECT_TRUE(EncodeJob::create(tokenizer_of(tokenizing), policy.special, policy.allowed.data(),
                                  static_cast<u32>(policy.allowed.size()), order.counts, &job)
                    .ok());
    std::string text;
    std::vector<u32> offsets = {0};
    for (const std::string& row : rows) {
        text += row;
        offsets.push_back(static_cast<u32>(text.size()));
    }
    if (order.arrives_late) {
        EXPECT_TRUE(job->reserve(text.size()).ok());
    } else if (rows.size() == 1) {
        EXPECT_TRUE(job->set_text(bytes_of(text), text.size(), true).ok());
    } else {
        EXPECT_TRUE(job->set_rows(bytes_of(text), offsets.data(), static_cast<u32>(rows.size())).ok());
    }
    job->set_overlap(order.overlap, 0, order.threshold);
    const bool apart = !order.counts && random.one_in(3);
    job->gathered_from = apart ? ~u64{0} : random.below(100);
    job->is_awaited = random.one_in(3);
    job->most_threads = static_cast<u32>(random.one_in(3) ? 1 + random.below(4) : 0);
    EXPECT_TRUE(job->start(static_cast<u32>(order.threads), order.slice_bytes).ok());
    std::vector<EncodeJob::Task> taken;
    std::size_t row = 0, at = 0;
    bool ended = !order.arrives_late;
    for (std::size_t steps = 0; !job->is_done(); ++steps) {
        EncodeJob::Task task;
        if (!ended && random.one_in(3)) {
            if (row == rows.size()) {
                EXPECT_TRUE(job->end_text(nullptr).ok());
                ended = true;
            } else {
                const std::size_t length = random.below(rows[row].size() - at + 1);
                const bool last = at + length == rows[row].size() && random.one_in(2);
                EXPECT_TRUE(job->append_utf8(bytes_of(rows[row]) + at, static_cast<u32>(length), last, nullptr).ok());
                at = last ? 0 : at + length;
                row += last;
            }
        } else if (taken.size() < order.threads && (taken.empty() || random.one_in(2))) {
            const bool is_host = job->is_awaited && random.one_in(2);
            if (job->take(&task, is_host)) {
                taken.push_back(task);
            } else {
                EXPECT_FALSE(job->has_task(is_host)) << "a thread would sleep, and the job would not go on";
            }
            job->is_awaited = job->is_awaited && !random.one_in(20);
        } else if (!taken.empty()) {
            const std::size_t chosen = random.below(taken.size());
            job->run(taken[chosen], &encoder);
            job->complete(taken[chosen]);
            taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(chosen));
        } else if (ended && !job->is_done() && steps > 1000 + 100 * text.size()) {
            ADD_FAILURE() << "no task, and not done";
            break;
        }
    }
    const Encoded encoded = apart ? rows_of(as_c(job), random) : result_of(as_c(job), order.counts);
    EXPECT_TRUE(taken.empty());
    delete job;
    return encoded;
}

std::string printed(const std::vector<std::string>& rows) {
    std::string out;
    for (const std::string& row : rows) out += testing::PrintToString(row) + "\n";
    return out;
}

class KindTest : public testing::TestWithParam<TokenizerKind> {};

TEST_P(KindTest, PartsEqualTheWhole) {
    const std::uint64_t strings = fuzz_setting("CRAYON_FUZZ_STRINGS", sample(6000));
    const std::uint64_t first_seed = fuzz_setting("CRAYON_FUZZ_SEED", 1);
    constexpr std::uint64_t kTextsPerTokenizer = 40;
    std::uint64_t failures = 0, parts = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + strings && !HasFailure(); seed += kTextsPerTokenizer) {
        Random random(seed);
        const RandomTokenizer random_tokenizer(random, GetParam());
        Tokenizing tokenizing(random_tokenizer.cartridge);
        Encoder& encoder = tokenizing.encoder()->encoder;
        for (std::uint64_t i = 0; i < kTextsPerTokenizer && !HasFailure(); ++i) {
            const Policy policy = random_policy(random, random_tokenizer.added);
            std::vector<std::string> rows(random.one_in(4) ? random.below(6) : 1);
            for (std::string& row : rows) row = nasty_text(random, random.below(120), random_tokenizer.added);
            Order order{1 + random.below(random.one_in(2) ? 12 : 90), 1 + random.below(6), random.one_in(4), random.one_in(4)};
            if (random.one_in(3)) order.overlap = 1 + random.below(40);
            order.threshold = static_cast<u32>(1 + random.below(4));
            const Encoded whole = encode_alone(tokenizing.encoder(), rows, policy);
            Encoded found = encode_in_parts(tokenizing, encoder, rows, policy, order, random);
            if (order.counts) found.ids = whole.ids;
            failures += whole.status != CRAYON_OK;
            parts += !rows.empty() && rows[0].size() > order.slice_bytes;
            ASSERT_EQ(found == whole, true) << "CRAYON_FUZZ_SEED=" << seed << ", text " << i << ", slices of "
                                            << order.slice_bytes << ", threads " << order.threads << ", overlap " << order.overlap
                                            << ", threshold " << order.threshold << ", special " << policy.special << ", status "
                                            << whole.status << " at " << whole.position << ", found " << found.status << " at "
                                            << found.position << "\n"
                                            << printed(rows) << testing::PrintToString(whole.ids) << "\n"
                                            << testing::PrintToString(found.ids);
        }
    }
    EXPECT_GT(parts, strings / 4);
    EXPECT_TRUE(strings < 400 || failures > 0) << "no text was refused";
}

// Every division of a text in two parts.
TEST_P(KindTest, EveryCut) {
    Random random(77);
    for (std::uint64_t n = sample(12); n > 0; --n) {
        const RandomTokenizer random_tokenizer(random, GetParam());
        Tokenizing tokenizing(random_tokenizer.cartridge);
        Encoder& encoder = tokenizing.encoder()->encoder;
        const Policy policy{CRAYON_SPECIAL_ALLOW, {}};
        const std::vector<std::string> rows = {nasty_text(random, 90, random_tokenizer.added)};
        const Encoded whole = encode_alone(tokenizing.encoder(), rows, policy);
        for (std::size_t cut = 1; cut < rows[0].size(); ++cut) {
            const Encoded found = encode_in_parts(tokenizing, encoder, rows, policy, {cut, 2}, random);
            ASSERT_EQ(found == whole, true) << "cut at " << cut << "\n" << printed(rows);
        }
    }
}

// Texts with long pieces, on which chains meet late or never.
TEST_P(KindTest, LongRuns) {
    Random random(5);
    const RandomTokenizer random_tokenizer(random, GetParam());
    Tokenizing tokenizing(random_tokenizer.cartridge);
    Encoder& encoder = tokenizing.encoder()->encoder;
    const std::string_view things[] = {"a", " ", "\u0966", "1", "\n", "!", "a ", " \n", "\u4E2D", "\xFF", "ab1", "\t"};
    for (std::string_view thing : things) {
        std::string run;
        for (std::size_t length = 3000 + random.below(100); run.size() < length;) run += thing;
        const std::vector<std::string> rows = {"ab " + run + "b\n 12 a's\u0966 . ", run, "x", run + run};
        const Encoded whole = encode_alone(tokenizing.encoder(), rows, {});
        for (std::uint64_t slice_bytes : {100, 777, 2048}) {
            for (const bool arrives_late : {false, true}) {
                for (const std::uint64_t overlap : {0, 16, 1000}) {
                    const Order order{slice_bytes, 3, false, arrives_late, overlap};
                    const Encoded found = encode_in_parts(tokenizing, encoder, rows, {}, order, random);
                    ASSERT_EQ(found == whole, true)
                        << testing::PrintToString(thing) << " in slices of " << slice_bytes << ", overlap " << overlap;
                }
            }
        }
    }
}

// Pieces longer than a part may require text beyond its end.
TEST_P(KindTest, VeryLongPieces) {
    Random random(6);
    const RandomTokenizer random_tokenizer(random, GetParam());
    Tokenizing tokenizing(random_tokenizer.cartridge);
    Encoder& encoder = tokenizing.encoder()->encoder;
    const std::vector<std::string> rows = {"b " + std::string(200000, 'a') + " b" + std::string(150000, ' ') + "\n."};
    const Encoded whole = encode_alone(tokenizing.encoder(), rows, {});
    for (const std::uint64_t slice_bytes : {3000, 30000}) {
        for (const bool arrives_late : {false, true}) {
            const Encoded found = encode_in_parts(tokenizing, encoder, rows, {}, {slice_bytes, 3, false, arrives_late}, random);
            ASSERT_EQ(found == whole, true) << slice_bytes;
        }
    }
}

// A text that continues in another job: both together have the ids of the whole.
TEST_P(KindTest, TextsInSeveralJobs) {
    Random random(8);
    for (std::uint64_t n = sample(200, 4); n > 0; --n) {
        const RandomTokenizer random_tokenizer(random, GetParam());
        Tokenizing tokenizing(random_tokenizer.cartridge);
        const std::string text = nasty_text(random, 200, random_tokenizer.added);
        const Encoded whole = encode_alone(tokenizing.encoder(), {text}, {});
        if (whole.status != CRAYON_OK) continue;
        std::vector<std::uint32_t> ids;
        std::size_t begin = 0, end = 0;
        do {
            end += random.below(text.size() - end + 1);
            EncodeJob* job = nullptr;
            ASSERT_TRUE(EncodeJob::create(tokenizer_of(tokenizing), CRAYON_SPECIAL_AS_TEXT, nullptr, 0, false, &job).ok());
            ASSERT_TRUE(job->set_text(bytes_of(text) + begin, end - begin, end == text.size()).ok());
            ASSERT_TRUE(job->start(2, 1 + random.below(50)).ok());
            for (EncodeJob::Task task; job->take(&task); job->complete(task)) {
                job->run(task, &tokenizing.encoder()->encoder);
            }
            crayon_result result;
            ASSERT_EQ(crayon_job_result(as_c(job), &result), CRAYON_OK);
            begin += result.position;
            const std::size_t before = ids.size();
            ids.resize(before + crayon_job_token_count(as_c(job)));
            crayon_job_copy(as_c(job), ids.data() + before, &result);
            delete job;
        } while (end < text.size());
        ASSERT_EQ(begin, text.size());
        ASSERT_EQ(ids, whole.ids);
    }
}

INSTANTIATE_TEST_SUITE_P(Parallel, KindTest, testing::ValuesIn(kTokenizerKinds), [](const auto& info) {
    return std::string(info.param.pretokenizer) + (info.param.is_bpe ? "_bpe" : "_longest_match");
});

// The counterexamples to joining at tokens, and to encoding a part as if the text ended there.
TEST(Parallel, KnownCounterexamples) {
    Random random(3);
    Vocabulary vocabulary = random_vocabulary(random, "ab \n", 30);
    const std::string digit = "\u0966";
    for (const std::string& token : {digit.substr(0, 2), digit, digit + digit.substr(0, 2), digit + digit}) vocabulary.add(token);
    keep_mergeable(vocabulary);
    std::string digits = "ab ";
    for (int i = 0; i < 356; ++i) digits += digit;
    const std::string texts[] = {digits, "a" + std::string(300, ' ') + "\nb",
                                 std::string(150, 'a') + " " + std::string(150, 'a')};
    for (const char* pretokenizer : {"gpt2", "cl100k", "o200k", "qwen2", "tekken", "deepseek3"}) {
        Tokenizing tokenizing(compile(vocabulary, pretokenizer));
        Encoder& encoder = tokenizing.encoder()->encoder;
        for (const std::string& text : texts) {
            const Encoded whole = encode_alone(tokenizing.encoder(), {text}, {});
            for (std::uint64_t slice_bytes = 1; slice_bytes < text.size(); slice_bytes += 1 + slice_bytes / 8) {
                ASSERT_EQ(encode_in_parts(tokenizing, encoder, {text}, {}, {slice_bytes, 4}, random) == whole, true)
                    << pretokenizer << " in slices of " << slice_bytes;
            }
        }
    }
}

// A cut before whitespace, after something else, is the end of a piece in each pattern.
TEST(Parallel, CutsBeforeWhitespaceEndPieces) {
    std::uint64_t cuts = 0;
    for (std::uint64_t seed = 1; seed <= sample(3000); ++seed) {
        const std::string text = TextGenerator(seed * 31).utf8();
        const naive::Characters characters = naive::decode_utf8(text);
        for (const auto& published : naive::kPublishedPatterns) {
            static std::map<std::string_view, naive::Pattern> patterns;
            const naive::Pattern& pattern = patterns.try_emplace(published.family, published.pattern).first->second;
            std::set<std::size_t> boundaries;
            for (std::size_t end : pattern.split(characters.code_points)) boundaries.insert(characters.offsets[end]);
            for (std::size_t wanted = 1; wanted < text.size(); ++wanted) {
                const std::size_t cut = cut_near(bytes_of(text), wanted, 64);
                ASSERT_LE(cut, wanted);
                const bool is_blank = text[cut] == ' ' || text[cut] == '\t';
                if (!is_blank || static_cast<signed char>(text[cut - 1]) <= ' ') continue;
                ASSERT_EQ(boundaries.count(cut), 1u) << published.family << ": " << testing::PrintToString(text);
                ++cuts;
            }
        }
    }
    EXPECT_GT(cuts, at_least(20000));
}

// So parts of ordinary text are accepted unchanged: nothing is searched for, or encoded twice.
TEST(Parallel, PartsOfOrdinaryTextAreAcceptedUnchanged) {
    Random random(10);
    for (const std::string pretokenizer : {"gpt2", "cl100k", "o200k", "qwen2", "tekken", "deepseek3", "none"}) {
        Tokenizing tokenizing(compile(random_vocabulary(random, "ab ", 30), pretokenizer));
        std::string text;
        while (text.size() < 200000) {
            text.append(1 + random.below(9), 'a');
            text += random.one_in(5) ? ".\n" : random.one_in(5) ? "'s 1234" : " ";
        }
        EncodeJob* job = nullptr;
        ASSERT_TRUE(EncodeJob::create(tokenizer_of(tokenizing), 0, nullptr, 0, true, &job).ok());
        ASSERT_TRUE(job->set_text(bytes_of(text), text.size(), true).ok());
        ASSERT_TRUE(job->start(2, 8192).ok());
        std::size_t tasks = 0;
        for (EncodeJob::Task first, second; job->take(&first); ++tasks) {  // the second one always guesses
            const bool is_more = job->take(&second);
            for (EncodeJob::Task* task : {&second, &first}) {
                if (task == &second && !is_more) continue;
                EXPECT_EQ(task->kind, EncodeJob::Task::Kind::kEncode);
                job->run(*task, &tokenizing.encoder()->encoder);
                job->complete(*task);
            }
            tasks += is_more;
        }
        EXPECT_TRUE(job->is_done());
        const std::size_t whole = (text.size() - 8192 / 2) / 8192 + 1;
        EXPECT_GE(tasks, whole);
        EXPECT_LE(tasks, pretokenizer == "none" ? whole + 1 : whole);  // with slightly smaller slices
        delete job;
    }
}

TEST(Parallel, TheFirstForbiddenTokenOfTheTextIsReported) {
    Random random(11);
    const Vocabulary vocabulary = random_vocabulary(random, "ab ", 30);
    Tokenizing tokenizing(compile(vocabulary, "cl100k", {{"<|x|>", 400}, {"|x|>|x|>", 401}}));
    Encoder& encoder = tokenizing.encoder()->encoder;
    std::string text = std::string(500, 'b') + " ab" + std::string(300, ' ') + "<|x|>|x|> a <|x|>";
    const Encoded whole = encode_alone(tokenizing.encoder(), {text}, {CRAYON_SPECIAL_FORBID, {}});
    EXPECT_EQ(whole.status, static_cast<std::uint32_t>(CRAYON_SPECIAL_FORBIDDEN));
    EXPECT_EQ(whole.position, 803u);
    for (std::uint64_t slice_bytes = 1; slice_bytes < text.size(); slice_bytes += 1 + slice_bytes / 16) {
        const Encoded found = encode_in_parts(tokenizing, encoder, {text}, {CRAYON_SPECIAL_FORBID, {}}, {slice_bytes, 4}, random);
        ASSERT_EQ(found == whole, true) << slice_bytes;
    }
}

// A single thread takes every part from a known stop: it does not even inspect cuts.
TEST(Parallel, OneThreadNeverGuesses) {
    Random random(12);
    const Vocabulary vocabulary = random_vocabulary(random, "ab ", 30);
    Tokenizing tokenizing(compile(vocabulary, "o200k"));
    EncodeJob* job = nullptr;
    ASSERT_TRUE(EncodeJob::create(tokenizer_of(tokenizing), 0, nullptr, 0, false, &job).ok());
    std::string words;
    while (words.size() < 5000) words += "\u0966\u0966";
    ASSERT_TRUE(job->set_text(bytes_of(words), words.size(), true).ok());
    ASSERT_TRUE(job->start(8, 64).ok());
    for (EncodeJob::Task task; job->take(&task); job->complete(task)) {
        EXPECT_EQ(task.kind, EncodeJob::Task::Kind::kEncode);
        EXPECT_TRUE(task.slice->exact);
        job->run(task, &tokenizing.encoder()->encoder);
    }
    EXPECT_TRUE(job->is_done());
    delete job;
}

// What a job costs threads of equal speed, each of which encodes a byte in a unit of time; a search for a meeting point costs
// what encoding the bytes that it reads at most does. An abandoned part is encoded to its end.
struct Cost {
    std::uint64_t span = 0, work = 0, searches = 0;
};
Cost cost_of(EncodeJob& job, Encoder& encoder, std::size_t count) {
    constexpr std::uint64_t kSearch = 4096;
    struct Thread {
        std::uint64_t clock = 0;
        enum { kIdle, kBusy, kBlocked } state = kIdle;
        EncodeJob::Task task;
    };
    std::vector<Thread> threads(count);
    Cost cost;
    while (!job.is_done()) {
        Thread* next = nullptr;
        for (Thread& thread : threads) {
            if (thread.state != Thread::kBlocked && (!next || thread.clock < next->clock)) next = &thread;
        }
        if (!next) {
            ADD_FAILURE() << "no thread can go on";
            break;
        }
        if (next->state == Thread::kBusy) {
            job.complete(next->task);
            next->state = Thread::kIdle;
            cost.span = std::max(cost.span, next->clock);
            for (Thread& other : threads) {
                if (other.state == Thread::kBlocked) other = {next->clock, Thread::kIdle, {}};
            }
        } else if (!job.take(&next->task)) {
            next->state = Thread::kBlocked;
        } else {
            const EncodeJob::Task& task = next->task;
            job.run(next->task, &encoder);
            std::uint64_t spent = 0;
            if (task.kind == EncodeJob::Task::Kind::kMeet) {
                ++cost.searches;
                spent = kSearch;
            } else if (task.kind == EncodeJob::Task::Kind::kEncode) {
                spent = std::max(task.slice->end, task.slice->target) - task.slice->begin;
            }
            cost.work += spent;
            next->clock += spent;
            next->state = Thread::kBusy;
        }
    }
    return cost;
}

// Texts whose parts never meet, meet now and then, or that are one piece: several threads take a tenth longer than one at most,
// and encode no more than about twice the text.
TEST(Parallel, HopelessTextsTakeATenthLongerAtMost) {
    Random random(21);
    const std::string things[] = {"a", " ", "\n", "7", "\u0966", "\u200D", "\U0001F469\u200D\U0001F467", "ab", "aab"};
    std::uint64_t searches = 0;
    for (const TokenizerKind& kind : kTokenizerKinds) {
        // Tokens of three and five things: chains in different phases have no position in common.
        std::string cartridge;
        if (kind.is_bpe) {
            Vocabulary vocabulary = random_vocabulary(random, "ab \n7", 30);
            cartridge = compile(vocabulary, kind.pretokenizer, {});
        } else {
            MatchVocabulary vocabulary = random_matches(random, true);
            vocabulary.tokens.clear();
            for (int byte = 0; byte < 256; ++byte) vocabulary.tokens.emplace_back(1, static_cast<char>(byte));
            for (const std::string& thing : things) {
                for (const int times : {3, 5}) {
                    std::string token;
                    for (int i = 0; i < times; ++i) token += thing;
                    vocabulary.tokens.push_back(token);
                }
            }
            cartridge = compile_matches(vocabulary, Form::kFull, kind.pretokenizer, {});
        }
        Tokenizing tokenizing(cartridge);
        for (const std::string& thing : things) {
            std::string text;
            while (text.size() < 1'000'000) text += thing;
            for (const std::size_t threads : {2, 3, 16}) {
                EncodeJob* job = nullptr;
                ASSERT_TRUE(EncodeJob::create(tokenizer_of(tokenizing), 0, nullptr, 0, true, &job).ok());
                ASSERT_TRUE(job->set_text(bytes_of(text), text.size(), true).ok());
                ASSERT_TRUE(job->start(static_cast<u32>(threads)).ok());
                const Cost cost = cost_of(*job, tokenizing.encoder()->encoder, threads);
                searches += cost.searches;
                EXPECT_LE(cost.span, text.size() + text.size() / 10)
                    << kind.pretokenizer << kind.is_bpe << ", " << thing << ", " << threads;
                EXPECT_LE(cost.work, 2 * text.size() + text.size() / 10)
                    << kind.pretokenizer << kind.is_bpe << ", " << thing << ", " << threads;
                delete job;
            }
        }
    }
    EXPECT_GT(searches, 20u) << "the texts are not hopeless";
}

// Texts of UTF-16 windows, cut anywhere, have the encoder's ids.
TEST(Parallel, Utf16Windows) {
    Random random(13);
    const Vocabulary vocabulary = random_vocabulary(random, "ab ", 30);
    Tokenizing tokenizing(compile(vocabulary, "cl100k"));
    for (std::uint64_t n = sample(400, 8); n > 0; --n) {
        std::vector<std::u16string> rows(1 + random.below(3));
        std::size_t total = 0;
        for (std::u16string& row : rows) total += (row = TextGenerator(random.next()).utf16()).size();
        std::vector<std::string> utf8;
        for (const std::u16string& row : rows) utf8.push_back(naive::utf8_of_utf16(row));
        crayon_job* job = nullptr;
        crayon_result result;
        ASSERT_EQ(crayon_job_create(tokenizing.tokenizer(), 0, nullptr, 0, 0, &job, &result), CRAYON_OK);
        if (random.one_in(2)) {
            ASSERT_EQ(crayon_job_reserve(job, 3 * total, &result), CRAYON_OK);
        }
        for (const std::u16string& row : rows) {
            std::size_t at = 0;
            for (bool last = false; !last;) {
                const std::size_t length = random.below(row.size() - at + 1);
                last = at + length == row.size();
                const bool ends =
                    last && (&row != &rows.back() || row.empty() || random.one_in(2));  // otherwise crayon_job_end ends it
                ASSERT_EQ(crayon_job_append_utf16(job, reinterpret_cast<const std::uint16_t*>(row.data()) + at,
                                                  static_cast<std::uint32_t>(length), ends, &result),
                          CRAYON_OK);
                at += length;
            }
        }
        ASSERT_EQ(crayon_job_end(job, &result), CRAYON_OK);
        ASSERT_EQ(crayon_job_run(nullptr, job, &result), CRAYON_OK);
        EXPECT_EQ(result_of(job, false) == encode_alone(tokenizing.encoder(), utf8, {}), true);
        crayon_job_release(job);
    }
}

TEST(Parallel, HostileSizesAndOrders) {
    Random random(14);
    Tokenizing tokenizing(compile(random_vocabulary(random, "ab ", 30), "gpt2", {{"<|x|>", 400}}));
    crayon_result result;
    crayon_job* job = nullptr;
    const std::uint32_t unknown[] = {400, 7};
    EXPECT_EQ(crayon_job_create(tokenizing.tokenizer(), CRAYON_SPECIAL_LISTED, unknown, 2, 0, &job, &result),
              CRAYON_UNKNOWN_SPECIAL);
    EXPECT_EQ(result.position, 1u);
    EXPECT_EQ(crayon_job_create(tokenizing.tokenizer(), 4, nullptr, 0, 0, &job, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(job, nullptr);
    const auto create = [&] { EXPECT_EQ(crayon_job_create(tokenizing.tokenizer(), 0, nullptr, 0, 0, &job, &result), CRAYON_OK); };

    create();  // no text
    EXPECT_EQ(crayon_job_result(job, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_run(nullptr, job, &result), CRAYON_INVALID_ARGUMENT);  // it would never end
    EXPECT_EQ(crayon_job_end(job, &result), CRAYON_OK);
    EXPECT_EQ(crayon_job_append_utf8(job, nullptr, 0, 0, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_run(nullptr, job, &result), CRAYON_OK);
    EXPECT_EQ(crayon_job_token_count(job), 0u);
    EXPECT_EQ(crayon_job_row_count(job), 0u);
    EXPECT_EQ(crayon_job_run(nullptr, job, &result), CRAYON_INVALID_ARGUMENT);
    crayon_job_release(job);

    create();  // an empty text
    EXPECT_EQ(crayon_job_set_text(job, nullptr, 0, 1, &result), CRAYON_OK);
    EXPECT_EQ(crayon_job_set_text(job, nullptr, 0, 1, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_run(nullptr, job, &result), CRAYON_OK);
    EXPECT_EQ(crayon_job_row_count(job), 1u);
    std::uint32_t id = 0;
    EXPECT_EQ(crayon_job_copy(job, &id, &result), CRAYON_OK);
    EXPECT_EQ(crayon_job_copy(job, &id, &result), CRAYON_INVALID_ARGUMENT);
    crayon_job_release(job);

    create();  // rows: none, and empty ones
    const std::uint32_t offsets[] = {3, 3, 3, 4, 2};
    EXPECT_EQ(crayon_job_set_rows(job, bytes_of("abab"), offsets, 4, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(result.position, 3u);
    EXPECT_EQ(crayon_job_set_rows(job, bytes_of("abab"), offsets, 3, &result), CRAYON_OK);
    EXPECT_EQ(crayon_job_run(nullptr, job, &result), CRAYON_OK);
    std::uint32_t rows[4];
    EXPECT_EQ(crayon_job_row_offsets(job, rows, &result), CRAYON_OK);
    EXPECT_EQ(std::vector<std::uint32_t>(rows, rows + 4), (std::vector<std::uint32_t>{0, 0, 0, 1}));
    crayon_job_release(job);

    create();
    EXPECT_EQ(crayon_job_reserve(job, ~std::uint64_t{0}, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_job_append_utf8(job, bytes_of("a"), 1, 0, &result), CRAYON_OK);
    crayon_job_cancel(job);  // not submitted
    crayon_job_release(job);
    crayon_job_release(nullptr);
    crayon_pool_release(nullptr);
}

}  // namespace
}  // namespace crayon::test::parallel_test
