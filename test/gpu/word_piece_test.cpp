// WordPiece on the emulated device: the ids of its definition, and of the engine, whatever the words are.
#include <optional>

#include "gpu/device_tables.h"
#include "naive/bert.h"
#include "naive/utf.h"
#include "plugin/pipeline.h"
#include "survival.h"
#include "tables.h"
#include "tokenizer.h"
#include "vocabularies.h"

namespace crayon::gpu::test::word_piece_test {
namespace {

using crayon::test::sample;
using crayon::test::TokenArrays;

struct Model {
    std::vector<std::string> tokens = {"[UNK]"};
    u32 unknown_id = 0;
    std::string prefix = "##";
    u32 most_characters = 100;
    bool is_whole = false;
    std::string pretokenizer = "bert";

    void add(const std::string& token) {
        if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
    }
};

// Its cartridge, as an engine has it open.
class Engine {
public:
    explicit Engine(const Model& model) {
        crayon_compiler* compiler = nullptr;
        EXPECT_EQ(crayon_compiler_create(&compiler, &result_), CRAYON_OK);
        const TokenArrays list(model.tokens);
        EXPECT_EQ(crayon_compiler_set_word_piece(compiler, list.data(), list.size(), list.offsets.data(), list.count(), nullptr,
                                                 0, model.unknown_id, reinterpret_cast<const u8*>(model.prefix.data()),
                                                 static_cast<u32>(model.prefix.size()),
                                                 model.is_whole ? 0 : model.most_characters, model.is_whole, &result_),
                  CRAYON_OK);
        EXPECT_EQ(crayon_compiler_add_view(compiler, "test", 4, model.pretokenizer.data(),
                                           static_cast<u32>(model.pretokenizer.size()), &result_),
                  CRAYON_OK);
        const u8* file = nullptr;
        EXPECT_EQ(crayon_compiler_finish(compiler, &file, &result_), CRAYON_OK);
        EXPECT_EQ(crayon_cartridge_open_bytes(file, result_.count, CRAYON_OPEN_COPY, &cartridge_, &result_), CRAYON_OK);
        crayon_compiler_release(compiler);
        EXPECT_EQ(crayon_tokenizer_create(cartridge_, 0, nullptr, 0, &tokenizer_, &result_), CRAYON_OK);
        EXPECT_EQ(crayon_encoder_create(tokenizer_, &encoder_, &result_), CRAYON_OK);
        EXPECT_EQ(crayon_device_supports(tokenizer_), 1u);
        EXPECT_TRUE(words_.make(tokenizer().view().pretokenizer));
        tables.size = sizeof tables;
        tables.kind = CRAYON_GPU_WORD_PIECE;
        words_.state(tokenizer(), tables);
    }
    ~Engine() {
        crayon_encoder_release(encoder_);
        crayon_tokenizer_release(tokenizer_);
        crayon_cartridge_release(cartridge_);
    }
    Engine(const Engine&) = delete;

    const Tokenizer& tokenizer() const { return *reinterpret_cast<const Tokenizer*>(tokenizer_); }
    // nullopt: UNKNOWN_CHARACTER.
    std::optional<std::vector<u64>> encode(const std::string& text) {
        std::vector<u64> all;
        EXPECT_EQ(crayon_encoder_begin(encoder_, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result_), CRAYON_OK);
        crayon_encoder_feed_utf8(encoder_, reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()), 1, &result_);
        do {
            u32 ids[64];
            if (crayon_encoder_read(encoder_, ids, 64, &result_) != CRAYON_OK) return std::nullopt;
            all.insert(all.end(), ids, ids + result_.count);
        } while (result_.more);
        return all;
    }

    crayon_gpu_tables tables{};

private:
    crayon_result result_{};
    crayon_cartridge* cartridge_ = nullptr;
    crayon_tokenizer* tokenizer_ = nullptr;
    crayon_encoder* encoder_ = nullptr;
    WordTables words_;
};

// --- by definition ---

std::vector<std::string> naive_words(const Model& model, const std::string& text) {
    const naive::Characters characters = naive::decode_utf8(text);
    std::vector<std::string> words;
    bool is_open = false;
    for (std::size_t i = 0; i < characters.code_points.size(); ++i) {
        const char32_t c = characters.code_points[i];
        const std::string bytes = text.substr(characters.offsets[i], characters.offsets[i + 1] - characters.offsets[i]);
        const bool is_alone = model.pretokenizer == "bert" && naive::is_bert_punctuation(c);
        if (naive::is_white_space(c)) {
            is_open = false;
            continue;
        }
        if (is_alone || !is_open) words.emplace_back();
        words.back() += bytes;
        is_open = !is_alone;
    }
    return words;
}

// Nothing: the word is unknown.
std::vector<u64> naive_parts(const Model& model, const std::map<std::string, u32>& ids, const std::string& word) {
    if (!model.is_whole && naive::decode_utf8(word).code_points.size() > model.most_characters) return {};
    std::vector<u64> parts;
    for (std::size_t at = 0, end; at < word.size(); at = end) {
        std::map<std::string, u32>::const_iterator found = ids.end();
        for (end = word.size(); end > at; --end) {
            found = ids.find((at > 0 ? model.prefix : "") + word.substr(at, end - at));
            if (found != ids.end()) break;
        }
        if (end == at || (model.is_whole && end < word.size())) return {};
        parts.push_back(found->second);
    }
    return parts;
}

using Rows = std::vector<std::optional<std::vector<u64>>>;  // nullopt: a word without an id

Rows naive_rows(const Model& model, const Documents& documents) {
    std::map<std::string, u32> ids;
    for (u32 id = 0; id < model.tokens.size(); ++id) {
        if (!model.tokens[id].empty()) ids[model.tokens[id]] = id;
    }
    Rows rows;
    for (u64 i = 0; i < documents.count(); ++i) {
        std::optional<std::vector<u64>> row(std::in_place);
        for (const std::string& word : naive_words(model, documents[i])) {
            const std::vector<u64> parts = naive_parts(model, ids, word);
            if (parts.empty() && model.unknown_id == kNone) row.reset();
            if (!row) break;
            if (parts.empty()) row->push_back(model.unknown_id);
            row->insert(row->end(), parts.begin(), parts.end());
        }
        rows.push_back(row);
    }
    return rows;
}

void expect_rows(const Outcome& outcome, const Rows& rows) {
    ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
    const auto failed = std::find(rows.begin(), rows.end(), std::nullopt);
    if (failed != rows.end()) {
        EXPECT_EQ(outcome.result.failure, CRAYON_GPU_NO_ID);
        EXPECT_EQ(outcome.result.failed_document, static_cast<u64>(failed - rows.begin()));
        return;
    }
    ASSERT_EQ(outcome.result.failure, CRAYON_GPU_NO_FAILURE);
    ASSERT_EQ(outcome.rows.size(), rows.size());
    for (u64 i = 0; i < rows.size(); ++i) ASSERT_EQ(outcome.rows[i], *rows[i]) << "row " << i;
}

DeviceModel upload_to(EmulatedDevice& device, const Engine& engine) {
    EXPECT_TRUE(is_possible(engine.tables));
    EXPECT_TRUE(is_supported(engine.tables));
    return upload(device, engine.tables);
}

// --- texts ---

std::string random_text(Random& random, u64 longest) {
    static constexpr const char* kParts[] = {
        "a",    "b",        "a",    "ab",       "\xC3\xA9", "\xE4\xB8\xAD", "\xCC\x81",     "\xF0\x9F\x98\x80",
        "#",    " ",        ".",    "\n",       "  ",       "\xC2\xA0",     "\xE3\x80\x80", "\xE3\x80\x82",
        "\xFF", "\xE4\xB8", "\xA9", "\xE3\x80", "\xF0\x9F"};
    std::string text;
    for (u64 n = random.below(longest); n > 0; --n) text += kParts[random.below(std::size(kParts) - (random.one_in(4) ? 0 : 5))];
    if (random.one_in(4)) text += std::string(random.below(longest), " a\n.\xA9"[random.below(5)]);
    return text;
}

Model random_model(Random& random) {
    Model model;
    model.prefix = std::array<const char*, 4>{"##", "", "a", "#"}[random.below(4)];
    model.is_whole = random.one_in(4);
    if (model.is_whole) model.prefix.clear();
    model.most_characters = std::array<u32, 4>{100, 3, 1, 0}[random.below(4)];
    if (random.one_in(3)) model.pretokenizer = "whitespace_split";
    for (u64 n = 1 + random.below(25); n > 0; --n) {
        const std::vector<std::string> words = naive_words(model, random_text(random, 8));
        if (words.empty()) continue;
        model.add((random.one_in(2) ? model.prefix : "") + words[random.below(words.size())]);
    }
    for (const char* token : {"a", "b", "\xC3\xA9", "\xFF", "."}) {
        if (random.one_in(2)) model.add(random.one_in(2) ? token : model.prefix + token);
    }
    if (random.one_in(8)) model.unknown_id = kNone;
    return model;
}

TEST(WordPieceKernels, EqualItsDefinition) {
    u64 tokens = 0, unknown = 0, failed = 0;
    for (u64 number = 0, cases = sample(400, 60); number < cases; ++number) {
        SCOPED_TRACE("case " + std::to_string(number));
        Random random(number * 11 + 5);
        const Model model = random_model(random);
        const bool is_watched = number % 4 == 0;
        Documents documents;
        for (u64 n = random.below(is_watched ? 6 : 16); n > 0; --n) {
            crayon::test::TextGenerator texts(random.below(100000));
            documents.add(random.one_in(5)   ? ""
                          : random.one_in(4) ? texts.utf8()
                          : random.one_in(6) ? texts.utf8_of_pages(random.below(1024))
                                             : random_text(random, is_watched ? 60 : 300));
        }
        Engine engine(model);
        const Rows rows = naive_rows(model, documents);
        Watched watched(order_of(number));
        if (!is_watched) watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        const DeviceModel uploaded = upload_to(device, engine);
        const u32 chunk_size = random.one_in(2) ? 64 : static_cast<u32>(64 + random.below(200));
        const Outcome ids = run(watched.state, uploaded, documents.batch(CRAYON_GPU_IDS, random.one_in(2) ? 4 : 8), chunk_size);
        expect_rows(ids, rows);
        if (HasFatalFailure()) return;
        for (u64 i = 0; i < rows.size(); ++i) EXPECT_EQ(engine.encode(documents[i]), rows[i]) << "row " << i;
        const Outcome counts = run(watched.state, uploaded, documents.batch(CRAYON_GPU_COUNTS, 4), chunk_size);
        EXPECT_EQ(counts.result.failure, ids.result.failure);
        failed += ids.result.failure != CRAYON_GPU_NO_FAILURE;
        if (ids.result.failure) continue;
        EXPECT_EQ(counts.result.count, ids.result.count);
        for (u64 i = 0; i < rows.size(); ++i) {
            EXPECT_EQ(counts.rows[i].size(), rows[i]->size());
            tokens += rows[i]->size();
            unknown += static_cast<u64>(std::count(rows[i]->begin(), rows[i]->end(), model.unknown_id));
        }
    }
    EXPECT_GT(tokens, 3000u);
    EXPECT_GT(unknown, 500u);
    EXPECT_LT(unknown, tokens);
    EXPECT_GT(failed, 0u);
}

Model small_model() {
    Model model;
    for (const char* token : {"a", "##a", "##aaa", "un", "##aff", "##able", ".", "\xE4\xB8\xAD", "\xC3\xA9", "##\xC3\xA9",
                              "a\xCC\x81", "##\xF0\x9F\x98\x80"})
        model.add(token);
    return model;
}

std::string repeated(const std::string& part, u64 count) {
    std::string text;
    for (; count > 0; --count) text += part;
    return text;
}

// Up to the most characters, and in every place of a chunk and of the words that a device reads.
TEST(WordPieceKernels, CutWordsOfEveryLength) {
    const Model model = small_model();
    Engine engine(model);
    Documents documents({"", " ", "\n\t  \xE3\x80\x80", "unaffable", "unaffably unaffable.", "."});
    for (const u64 length : {1, 2, 99, 100, 101, 127, 128, 129, 5000}) {
        for (const char* part : {"a", "\xC3\xA9", "b"}) documents.add(repeated(part, length));
        documents.add("a" + repeated("\xF0\x9F\x98\x80", length - 1));
        documents.add("un " + repeated("a", length) + "." + repeated("\xC3\xA9", length) + repeated(" ", length) + "unaffable");
        documents.add(repeated("\xE4\xB8\xAD ", length) + repeated("a\xCC\x81 ", length));
        documents.add(repeated("\xC3", length) + " a" + repeated("\x80", length) + " " + repeated("\xF0\x9F\x98", length));
        documents.add(repeated(".", length) + repeated("\xE3\x80\x80", length) + "a");
    }
    for (u64 shift = 0; shift < 70; ++shift) documents.add(repeated(" ", shift) + "unaffable " + repeated("\xC3\xA9", 40));
    const Rows rows = naive_rows(model, documents);
    for (u64 number = 0; number < 4; ++number) {
        Watched watched(order_of(number));
        if (number > 1) watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        expect_rows(run(watched.state, upload_to(device, engine), documents.batch(CRAYON_GPU_IDS, 4), number % 2 ? 64 : 0), rows);
    }
    for (u64 i = 0; i < documents.count(); ++i) EXPECT_EQ(engine.encode(documents[i]), rows[i]) << "row " << i;
}

// The published lists of characters separate words.
TEST(WordPieceKernels, KnowEveryCharacter) {
    Model model = small_model();
    Documents documents;
    for (u32 first = 0; first < 0x110000; first += 4096) {
        std::string text;
        for (u32 c = first; c < first + 4096; ++c)
            text += "a" + naive::encode_utf8(std::u32string(1, c >= 0xD800 && c < 0xE000 ? U'b' : c)) + "a";
        documents.add(text);
    }
    for (const char* pretokenizer : {"bert", "whitespace_split"}) {
        model.pretokenizer = pretokenizer;
        Engine engine(model);
        EmulatedState state;
        EmulatedDevice device(state);
        expect_rows(run(state, upload_to(device, engine), documents.batch(CRAYON_GPU_IDS, 4)), naive_rows(model, documents));
    }
}

TEST(WordPieceKernels, FillMatrices) {
    const Model model = small_model();
    Engine engine(model);
    const Documents documents({"", "a", "unaffable unaffable", "  ", "a.a b"});
    const Rows rows = naive_rows(model, documents);
    Watched watched({64, 5});
    EmulatedDevice device(watched.state);
    crayon_gpu_batch batch = documents.batch(CRAYON_GPU_MATRIX, 8);
    const u32 around[] = {101, 102};
    batch.columns = 6;
    batch.pad_id = 77;
    batch.flags = CRAYON_GPU_TRUNCATE;
    batch.before = around;
    batch.after = around + 1;
    batch.before_count = batch.after_count = 1;
    const Outcome matrix = run(watched.state, upload_to(device, engine), batch, 64);
    ASSERT_EQ(matrix.status, CRAYON_GPU_OK);
    for (u64 row = 0; row < rows.size(); ++row) {
        std::vector<u64> expected(rows[row]->begin(),
                                  rows[row]->begin() + static_cast<long>(std::min<u64>(rows[row]->size(), 4)));
        expected.insert(expected.begin(), 101);
        expected.push_back(102);
        for (u64 column = 0; column < 6; ++column) {
            const bool is_id = column < expected.size();
            EXPECT_EQ(matrix.ids[row * 6 + column], is_id ? expected[column] : 77) << row << " " << column;
            EXPECT_EQ(matrix.mask[row * 6 + column], is_id);
        }
    }
    EXPECT_EQ(run(watched.state, upload_to(device, engine), documents.batch(CRAYON_GPU_IDS, 2)).status,
              CRAYON_GPU_INVALID_ARGUMENT);
}

TEST(WordPieceKernels, RefuseTablesThatAreNone) {
    Model model = small_model();
    Engine engine(model);
    const auto refused = [&](auto change) {
        crayon_gpu_tables tables = engine.tables;
        change(tables);
        EXPECT_FALSE(is_possible(tables));
    };
    EXPECT_TRUE(is_possible(engine.tables));
    refused([](auto& t) { t.units = nullptr; });
    refused([](auto& t) { t.values = nullptr; });
    refused([](auto& t) { t.unit_count -= 1; });
    refused([](auto& t) { t.class_blocks = nullptr; });
    refused([](auto& t) { t.class_count -= 1; });
    refused([](auto& t) { t.continuation_base = t.unit_count; });
    crayon_gpu_tables tables = engine.tables;
    tables.most_characters = kLongestWord;
    EXPECT_TRUE(is_supported(tables));
    tables.most_characters = kLongestWord + 1;
    EXPECT_FALSE(is_supported(tables));
    tables.continuation_base = kNone;  // then a word has only one part
    EXPECT_TRUE(is_supported(tables));
    tables.longest_token = kLongestToken + 1;
    EXPECT_FALSE(is_supported(tables));
}

// Whatever a text is, no thread reads much more of it than a chunk and a word.
TEST(WordPieceKernels, HaveBoundedWork) {
    const Model model = small_model();
    Engine engine(model);
    for (const char* part : {" ", "a", ".", "b", "\xE3\x80\x80", "\x80"}) {
        const auto bytes_of = [&](u64 count) {
            Watched watched({32, 1});
            EmulatedDevice device(watched.state);
            const DeviceModel uploaded = upload_to(device, engine);
            watched.recorder.forget();
            EXPECT_EQ(run(watched.state, uploaded, Documents({repeated(part, count)}).batch(CRAYON_GPU_IDS, 4), 64).status,
                      CRAYON_GPU_OK);
            const Traffic& pieces = watched.recorder.of("word_pieces");
            // A thread of each chunk or so drops whitespace: every word has a count of four bytes.
            EXPECT_GE(pieces.stored, part[0] == ' ' ? 4 * (count / 64) : 0);
            return static_cast<double>(pieces.loaded);
        };
        // A word that is too long costs its first characters alone.
        EXPECT_LT(bytes_of(40'000), 5 * bytes_of(10'000) + 20'000) << part;
    }
}

// Documents are encoded, or the job fails and says why, whichever allocation, copy or launch fails.
TEST(WordPieceKernels, SurviveFaults) {
    const Model model = small_model();
    Engine engine(model);
    const Documents documents({"unaffable " + repeated("a", 300), "", "a.a " + repeated("unaffable ", 20), "   "});
    const Upload upload = [&](EmulatedDevice& device) { return upload_to(device, engine); };
    const auto rows_of = [&](const Documents& each) -> ExpectRows {
        return [rows = naive_rows(model, each)](const Outcome& outcome) { expect_rows(outcome, rows); };
    };
    expect_survives_faults(upload, documents, 8, rows_of(documents));
    // Every byte is a word, too.
    for (const std::string& text : {documents.bytes, repeated(".", 3000)}) {
        const Documents each({text, ""});
        expect_survives_little_memory(upload, each, rows_of(each));
    }
}

}  // namespace
}  // namespace crayon::gpu::test::word_piece_test
