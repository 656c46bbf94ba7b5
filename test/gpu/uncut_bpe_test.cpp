// BPE without a pretokenizer on the emulated device: the ids of merging whole documents by its definition, and of the engine.
#include <set>

#include "gpu/device_tables.h"
#include "naive/utf.h"
#include "plugin/pipeline.h"
#include "survival.h"
#include "tables.h"
#include "tokenizer.h"
#include "vocabularies.h"

namespace crayon::gpu::test::uncut_bpe_test {
namespace {

using crayon::test::sample;
using crayon::test::TokenArrays;
using crayon::test::Vocabulary;

// A cartridge, as an engine has it open, and its tables for devices.
class Engine {
public:
    explicit Engine(const std::string& file) : file_(file, layout::kCl100k) {
        EXPECT_EQ(crayon_cartridge_open_bytes(reinterpret_cast<const u8*>(file.data()), static_cast<u32>(file.size()),
                                              CRAYON_OPEN_COPY, &cartridge_, &result_),
                  CRAYON_OK);
        EXPECT_EQ(crayon_tokenizer_create(cartridge_, 0, nullptr, 0, &tokenizer_, &result_), CRAYON_OK);
        EXPECT_EQ(crayon_encoder_create(tokenizer_, &encoder_, &result_), CRAYON_OK);
        EXPECT_EQ(crayon_device_supports(tokenizer_), 1u);
        const Tokenizer& tokenizer = *reinterpret_cast<const Tokenizer*>(tokenizer_);
        EXPECT_TRUE(uncut_.make(tokenizer));
        tables = file_.tables;
        tables.pattern = nullptr;
        std::copy_n(tables.byte_ranks, 256, byte_ranks_);
        tables.byte_ranks = byte_ranks_;
        uncut_.state(tokenizer, tables, byte_ranks_);
    }
    ~Engine() {
        crayon_encoder_release(encoder_);
        crayon_tokenizer_release(tokenizer_);
        crayon_cartridge_release(cartridge_);
    }
    Engine(const Engine&) = delete;

    std::vector<u64> encode(const std::string& text) {
        std::vector<u64> all;
        EXPECT_EQ(crayon_encoder_begin(encoder_, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result_), CRAYON_OK);
        crayon_encoder_feed_utf8(encoder_, reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()), 1, &result_);
        do {
            u32 ids[64];
            EXPECT_EQ(crayon_encoder_read(encoder_, ids, 64, &result_), CRAYON_OK);
            all.insert(all.end(), ids, ids + result_.count);
        } while (result_.more);
        return all;
    }
    Rows encode(const Documents& documents) {
        Rows rows;
        for (u64 i = 0; i < documents.count(); ++i) rows.push_back(encode(documents[i]));
        return rows;
    }

    crayon_gpu_tables tables{};

private:
    BpeFile file_;
    UncutTables uncut_;
    u32 byte_ranks_[256];
    crayon_result result_{};
    crayon_cartridge* cartridge_ = nullptr;
    crayon_tokenizer* tokenizer_ = nullptr;
    crayon_encoder* encoder_ = nullptr;
};

DeviceModel upload_to(EmulatedDevice& device, const Engine& engine) {
    EXPECT_TRUE(is_possible(engine.tables));
    EXPECT_TRUE(is_supported(engine.tables));
    return upload(device, engine.tables);
}

// --- bytes ---

Rows naive_rows(const Vocabulary& v, const Documents& documents) {
    Rows rows;
    for (u64 i = 0; i < documents.count(); ++i) {
        const std::vector<u32> ids = naive::merge_long(documents[i], v.ranks);
        rows.emplace_back(ids.begin(), ids.end());
    }
    return rows;
}

std::string random_document(Random& random, const Vocabulary& v, u64 longest) {
    std::string text;
    const u64 length = random.below(longest), any = 2 + random.below(30);
    while (text.size() < length) {
        const std::string& token = v.tokens[random.below(v.tokens.size())];
        if (random.one_in(any)) {
            text += static_cast<char>(random.below(256));
        } else if (random.one_in(20)) {
            text.append(random.below(200), "ab \n"[random.below(4)]);
        } else {
            text += random.one_in(3) ? token.substr(random.below(token.size() + 1)) : token;
        }
    }
    return text;
}

TEST(UncutBpeKernels, EqualMergingWholeDocuments) {
    u64 tokens = 0;
    for (u64 number = 0, cases = sample(80, 10); number < cases; ++number) {
        SCOPED_TRACE("case " + std::to_string(number));
        Random random(number * 11 + 2);
        const bool is_watched = number % 8 == 0;
        const Vocabulary v =
            number % 2 ? crayon::test::random_vocabulary(random, "aBst \n'1.\xE4\xB8\xAD\xC3\xA9", 120)
                       : crayon::test::grown_vocabulary(random, {"the ", "low", "er ", "est", " of ", "\u00E9t", "aa"}, 150);
        Engine engine(compile(v, "none"));
        Documents documents;
        for (u64 n = random.below(is_watched ? 4 : 12); n > 0; --n)
            documents.add(random.one_in(5) ? "" : random_document(random, v, is_watched ? 200 : 1500));
        const Rows rows = naive_rows(v, documents);
        Watched watched(order_of(number));
        if (!is_watched) watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        const DeviceModel model = upload_to(device, engine);
        const u32 chunk_size = random.one_in(2) ? 64 : static_cast<u32>(64 + 16 * random.below(12));
        const Outcome ids = run(watched.state, model, documents.batch(CRAYON_GPU_IDS, random.one_in(2) ? 4 : 8), chunk_size);
        expect_rows(ids, rows);
        if (HasFatalFailure()) return;
        EXPECT_EQ(rows, engine.encode(documents));
        tokens += ids.result.count;
        const Outcome counts = run(watched.state, model, documents.batch(CRAYON_GPU_COUNTS, 4), chunk_size);
        EXPECT_EQ(counts.result.count, ids.result.count);
    }
    EXPECT_GT(tokens, 10000u);
}

// Around every length at which something else is done, and at every place of a chunk.
TEST(UncutBpeKernels, MergePiecesOfEveryLength) {
    Random random(3);
    const Vocabulary v = crayon::test::random_vocabulary(random, "ab", 150, 70);
    Engine engine(compile(v, "none"));
    Documents documents;
    for (const u64 length : {1u,  2u,  7u,   8u,   9u,   16u,  17u,  24u,  25u,  32u,   33u,   63u,
                             64u, 65u, 127u, 128u, 129u, 255u, 511u, 512u, 513u, 1024u, 4095u, 4096u}) {
        std::string alternating, any;
        for (u64 i = 0; i < length; ++i) alternating += "ab"[i % 2];
        for (u64 i = 0; i < length; ++i) any += "aab"[random.below(3)];
        for (const std::string& each : {std::string(length, 'a'), alternating, any, any + "." + alternating}) documents.add(each);
    }
    for (u64 shift = 0; shift < 70; ++shift)
        documents.add(std::string(shift, '.') + "abab" + std::string(shift % 7, '\x80') + "aa");
    const Rows rows = naive_rows(v, documents);
    for (u64 number = 0; number < 4; ++number) {
        Watched watched(order_of(number));
        watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        expect_rows(run(watched.state, upload_to(device, engine), documents.batch(CRAYON_GPU_IDS, 4), 64), rows);
    }
    EXPECT_EQ(rows, engine.encode(documents));

    documents = Documents({"a", std::string(kLongestPiece, 'a') + ".", "." + std::string(kLongestPiece + 1, 'a'), "a"});
    for (const u32 output : {CRAYON_GPU_IDS, CRAYON_GPU_COUNTS}) {
        Watched watched;
        watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        const Outcome longer = run(watched.state, upload_to(device, engine), documents.batch(output, 4), 64);
        EXPECT_EQ(longer.status, CRAYON_GPU_OK);
        EXPECT_EQ(longer.result.failure, CRAYON_GPU_PIECE_TOO_LONG);
        EXPECT_EQ(longer.result.failed_document, 2u);
    }
}

// A token that merging does not make is not that of a piece, as where a text is cut is no matter of its tokens.
TEST(UncutBpeKernels, FindNoTokensThatMergingDoesNotMake) {
    Vocabulary v;
    for (int byte = 0; byte < 256; ++byte) v.add(std::string(1, static_cast<char>(byte)));
    for (const char* token : {"ab", "bc", "abc", "cab", "bcbcbcbcbc", "abababababababababababababab"}) v.add(token);
    Engine engine(compile(v, "none"));
    const Documents documents({"abc", "cab", "bcbcbcbcbc", "abababababababababababababab", "ab", "bc"});
    Watched watched;
    EmulatedDevice device(watched.state);
    expect_rows(run(watched.state, upload_to(device, engine), documents.batch(CRAYON_GPU_IDS, 4)), naive_rows(v, documents));
    EXPECT_EQ(engine.encode(documents), naive_rows(v, documents));
}

// --- characters ---

const std::string kMark = "\u2581";

// BPE over characters with a token for each byte, and spaces as U+2581.
class Characters {
public:
    Characters(Random& random, std::vector<std::string> characters, u64 merges) : characters_(std::move(characters)) {
        for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
        std::vector<std::string> parts;
        for (const std::string& character : characters_) {
            if (character.size() > 1) add(character);
            parts.push_back(character);
        }
        for (u64 tries = 0; tries < 30 * merges && pairs_.size() < merges; ++tries) {
            const std::string left = parts[random.below(parts.size())], right = parts[random.below(parts.size())];
            if (left.size() + right.size() > 40 || ids_.contains(left + right)) continue;
            indices_[{left, right}] = pairs_.size();
            if (merged(left + right) != std::vector<std::string>{left + right}) {
                indices_.erase({left, right});
                continue;
            }
            pairs_.emplace_back(left, right);
            add(left + right);
            parts.push_back(left + right);
        }
        visible_ = static_cast<u32>(tokens_.size());
        std::vector<std::pair<std::string, std::string>> all;
        for (const std::string& character : characters_) {
            for (std::size_t i = 1; i < character.size(); ++i) {
                const std::string head = character.substr(0, i + 1);
                if (i + 1 < character.size() && ids_.contains(head)) continue;
                if (i + 1 < character.size()) add(head);
                all.emplace_back(character.substr(0, i), character.substr(i, 1));
            }
        }
        all.insert(all.end(), pairs_.begin(), pairs_.end());
        for (const auto& [left, right] : all) merges_.insert(merges_.end(), {ids_.at(left), ids_.at(right)});
    }

    std::string compile() const {
        crayon_compiler* compiler = nullptr;
        crayon_result result;
        const TokenArrays list(tokens_);
        const u32 program[] = {1, 0, 0, 0, layout::kStepSentencePiece, layout::kMarksSpaces, 0, 0, 0, 0};
        EXPECT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
        EXPECT_EQ(
            crayon_compiler_set_bpe_merges(compiler, list.data(), list.size(), list.offsets.data(), list.count(), merges_.data(),
                                           static_cast<u32>(merges_.size() / 2), nullptr, nullptr, 0, 0, &result),
            CRAYON_OK);
        EXPECT_EQ(crayon_compiler_set_hidden_tokens(compiler, visible_, kNone, CRAYON_FUSES_UNKNOWN, &result), CRAYON_OK);
        EXPECT_EQ(crayon_compiler_add_view(compiler, "test", 4, "none", 4, &result), CRAYON_OK);
        EXPECT_EQ(crayon_compiler_set_normalizer(compiler, layout::kProgramNormalizer, &result), CRAYON_OK);
        EXPECT_EQ(crayon_compiler_set_normalizer_program(compiler, reinterpret_cast<const u8*>(program), sizeof program, &result),
                  CRAYON_OK);
        const u8* file = nullptr;
        EXPECT_EQ(crayon_compiler_finish(compiler, &file, &result), CRAYON_OK)
            << crayon_status_name(result.status) << " " << result.section << " " << result.position;
        const std::string bytes(reinterpret_cast<const char*>(file), result.count);
        crayon_compiler_release(compiler);
        return bytes;
    }

    // By definition. Bytes that are not UTF-8 are as devices see them, which get none of these from an engine.
    std::vector<u64> ids(const std::string& text) const {
        std::vector<u64> ids;
        for (const std::string& token : merged(text)) {
            if (const auto known = ids_.find(token); known != ids_.end() && known->second < visible_) {
                ids.push_back(known->second);
                continue;
            }
            for (const char byte : token) ids.push_back(ids_.at(std::string(1, byte)));
        }
        return ids;
    }
    const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }
    Rows rows(const Documents& documents) const {
        Rows rows;
        for (u64 i = 0; i < documents.count(); ++i) rows.push_back(ids(documents[i]));
        return rows;
    }

private:
    void add(const std::string& token) {
        ids_.emplace(token, static_cast<u32>(tokens_.size()));
        tokens_.push_back(token);
    }
    std::vector<std::string> merged(const std::string& text) const {
        const naive::Characters characters = naive::decode_utf8(text);
        std::vector<std::string> units;
        for (std::size_t i = 0; i < characters.code_points.size(); ++i) {
            const std::string one = text.substr(characters.offsets[i], characters.offsets[i + 1] - characters.offsets[i]);
            units.push_back(one == " " ? kMark : one);
        }
        for (;;) {
            std::size_t best = ~std::size_t{0}, at = 0;
            for (std::size_t i = 0; i + 1 < units.size(); ++i) {
                const auto pair = indices_.find({units[i], units[i + 1]});
                if (pair == indices_.end() || pair->second >= best) continue;
                best = pair->second;
                at = i;
            }
            if (best == ~std::size_t{0}) return units;
            units[at] += units[at + 1];
            units.erase(units.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
    }

    std::vector<std::string> characters_, tokens_;
    std::vector<std::pair<std::string, std::string>> pairs_;
    std::map<std::pair<std::string, std::string>, std::size_t> indices_;
    std::map<std::string, u32> ids_;
    std::vector<u32> merges_;
    u32 visible_ = 0;
};

const std::vector<std::string> kCharacters = {kMark,    "a",      "b",      "c",          "e",      "t",          "\u00E9",
                                              "\u0438", "\u4E2D", "\u6587", "\U0001F600", "\u2580", "\U0001F601", "."};

std::string random_text(Random& random, u64 longest, bool is_well_formed) {
    static const std::vector<std::string> kOthers = {" ",      " ",      "  ",         "z",          "\u00EA",
                                                     "\u2582", "\u4E00", "\U0001F602", "\U00010000", "\n"};
    std::string text;
    for (u64 n = random.below(longest); n > 0; --n) {
        if (!is_well_formed && random.one_in(12)) {
            text += "\xE2\x96\xFF\xC3\x80\xF0"[random.below(6)];
        } else if (random.one_in(3)) {
            text += kOthers[random.below(kOthers.size())];
        } else {
            text += kCharacters[random.below(kCharacters.size())];
        }
    }
    return text;
}

TEST(UncutBpeKernels, EqualMergingCharactersAndFallBackToBytes) {
    u64 tokens = 0;
    for (u64 number = 0, cases = sample(80, 10); number < cases; ++number) {
        SCOPED_TRACE("case " + std::to_string(number));
        Random random(number * 13 + 5);
        const bool is_watched = number % 8 == 0, is_well_formed = number % 3 != 0;
        const Characters model(random, kCharacters, 20 + random.below(120));
        Engine engine(model.compile());
        ASSERT_EQ(engine.tables.marks_spaces, 1u);
        Documents documents;
        for (u64 n = random.below(is_watched ? 4 : 12); n > 0; --n)
            documents.add(random.one_in(6) ? "" : random_text(random, is_watched ? 60 : 300, is_well_formed));
        const Rows rows = model.rows(documents);
        Watched watched(order_of(number));
        if (!is_watched) watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        const DeviceModel uploaded = upload_to(device, engine);
        const Outcome ids = run(watched.state, uploaded, documents.batch(CRAYON_GPU_IDS, random.one_in(2) ? 4 : 8), 64);
        expect_rows(ids, rows);
        if (HasFatalFailure()) return;
        if (is_well_formed) {
            EXPECT_EQ(rows, engine.encode(documents));
        }
        tokens += ids.result.count;
    }
    EXPECT_GT(tokens, 3000u);
}

// Unknown characters become up to four ids each, in pieces of every length.
TEST(UncutBpeKernels, FallBackToBytesInPiecesOfEveryLength) {
    Random random(8);
    const Characters model(random, kCharacters, 60);
    Engine engine(model.compile());
    Documents documents;
    for (const u64 length : {1u, 2u, 5u, 6u, 8u, 16u, 21u, 22u, 40u, 43u, 60u, 100u, 180u, 300u, 1000u}) {
        std::string far, near, spaces;
        for (u64 i = 0; i < length; ++i) far += i % 2 ? "\U0001F602" : "\u4E00";
        for (u64 i = 0; i < length; ++i) near += random.one_in(2) ? "\u2582" : random.one_in(2) ? kMark : "\u2580";
        for (u64 i = 0; i < length; ++i) spaces += random.one_in(3) ? "\u00EA" : " ";
        for (const std::string& each : {far, near, spaces, "a" + far + "b"}) documents.add(each);
    }
    const Rows rows = model.rows(documents);
    for (u64 number = 0; number < 4; ++number) {
        Watched watched(order_of(number));
        watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        expect_rows(run(watched.state, upload_to(device, engine), documents.batch(CRAYON_GPU_IDS, 4), 64), rows);
    }
    EXPECT_EQ(rows, engine.encode(documents));
}

// A space in a key takes three bytes of it.
TEST(UncutBpeKernels, FindPiecesWithSpaces) {
    Random random(9);
    std::vector<std::string> letters = {kMark};
    for (char c = 'a'; c <= 'd'; ++c) letters.emplace_back(1, c);
    const Characters model(random, letters, 300);
    Engine engine(model.compile());
    Documents documents;
    for (u64 n = 0; n < 300; ++n) {
        std::string text;
        for (u64 i = 0, length = 1 + n % 30; i < length; ++i) text += " abcd"[random.below(random.one_in(4) ? 1 : 5)];
        documents.add(text);
    }
    Watched watched;
    EmulatedDevice device(watched.state);
    const DeviceModel uploaded = upload_to(device, engine);
    expect_rows(run(watched.state, uploaded, documents.batch(CRAYON_GPU_IDS, 4)), model.rows(documents));
    EXPECT_EQ(engine.encode(documents), model.rows(documents));
}

// Only pieces that are no token are merged; tokens of more than 24 bytes are not looked up where spaces stand for marks.
TEST(UncutBpeKernels, MergeNoPieceThatIsAToken) {
    Random random(12);
    const Characters model(random, {kMark, "a", "b", "\u00E9"}, 300);
    Engine engine(model.compile());
    Documents documents;
    u64 lengths = 0;
    for (const auto& [left, right] : model.pairs()) {
        std::string token = left + right;
        if (token.size() > 24) continue;
        lengths |= u64{1} << token.size();
        for (std::size_t at; (at = token.find(kMark)) != token.npos;) token.replace(at, kMark.size(), " ");
        documents.add(token);
    }
    for (const u32 length : {4u, 6u, 8u, 9u, 10u, 12u}) EXPECT_TRUE(lengths >> length & 1) << length;
    Watched watched;
    EmulatedDevice device(watched.state);
    const DeviceModel uploaded = upload_to(device, engine);
    watched.recorder.forget();
    expect_rows(run(watched.state, uploaded, documents.batch(CRAYON_GPU_IDS, 4)), model.rows(documents));
    EXPECT_EQ(watched.recorder.of("merge_thread").stored, 0u);
    EXPECT_EQ(watched.recorder.of("merge_block").stored, 0u);
    documents.add("abaabbabaaabbbaabababbaabbaaababbbabababaab");
    expect_rows(run(watched.state, uploaded, documents.batch(CRAYON_GPU_IDS, 4)), model.rows(documents));
    EXPECT_GT(watched.recorder.of("merge_thread").stored, 0u);
}

TEST(UncutBpeKernels, FillMatrices) {
    Random random(10);
    const Characters model(random, kCharacters, 60);
    Engine engine(model.compile());
    const Documents documents({"", "a b", "\U0001F602\u4E00", " ", std::string(30, 'a')});
    const Rows rows = model.rows(documents);
    Watched watched({64, 5});
    EmulatedDevice device(watched.state);
    crayon_gpu_batch batch = documents.batch(CRAYON_GPU_MATRIX, 8);
    batch.columns = 5;
    batch.pad_id = 77;
    batch.flags = CRAYON_GPU_TRUNCATE;
    const Outcome matrix = run(watched.state, upload_to(device, engine), batch, 64);
    ASSERT_EQ(matrix.status, CRAYON_GPU_OK);
    for (u64 row = 0; row < rows.size(); ++row) {
        for (u64 column = 0; column < 5; ++column) {
            const bool is_id = column < rows[row].size();
            EXPECT_EQ(matrix.ids[row * 5 + column], is_id ? rows[row][column] : 77);
            EXPECT_EQ(matrix.mask[row * 5 + column], is_id);
        }
    }
}

// Tables that pass the validator may say anything of pairs: here that two "a" are a hidden token of more bytes. No more ids come
// out than there are bytes.
TEST(UncutBpeKernels, WriteNoMoreIdsThanBytesWithTablesThatAreNone) {
    Random random(11);
    const Characters model(random, kCharacters, 0);
    Engine engine(model.compile());
    crayon_gpu_tables tables = engine.tables;
    const u32 hidden = [&] {  // the rank of one with three bytes
        for (u32 rank = 0; rank < tables.token_count; ++rank) {
            const u32 id = tables.ids ? tables.ids[rank] : rank;
            if (id >= tables.visible_count && tables.token_offsets[id + 1] - tables.token_offsets[id] == 3) return rank;
        }
        return kNone;
    }();
    ASSERT_NE(hidden, kNone);
    std::vector<u32> splits(tables.splits, tables.splits + 2 * tables.token_count);
    std::vector<u32> entries(tables.pairs.entries, tables.pairs.entries + tables.pairs.slot_count), joined(2048, ~0u);
    const u32 a = tables.byte_ranks[u8{'a'}];
    splits[hidden * 2] = splits[hidden * 2 + 1] = a;
    const u64 hash = layout::hash_word(a | u64{a} << 32, 0, tables.pairs.seed);
    const u8 pilot = tables.pairs.pilots[layout::bucket_of(hash, tables.pairs.bucket_count)];
    entries[layout::slot_of(hash, pilot, tables.pairs.slot_count)] = layout::pair_slot(hidden, hash);
    tables.splits = splits.data();
    tables.pairs.entries = entries.data();
    tables.joined = reinterpret_cast<const u8*>(joined.data());
    Documents documents;
    for (const u64 length : {2u, 3u, 16u, 17u, 64u, 65u, 200u, 4096u}) documents.add(std::string(length, 'a'));
    Watched watched;
    watched.state.machine.recorder = nullptr;
    EmulatedDevice device(watched.state);
    const Outcome outcome = run(watched.state, upload(device, tables), documents.batch(CRAYON_GPU_IDS, 4));
    ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
    for (u64 i = 0; i < documents.count(); ++i) EXPECT_EQ(outcome.rows[i].size(), documents[i].size());
}

TEST(UncutBpeKernels, AreRefusedWithoutTheirTables) {
    Vocabulary v;
    for (int byte = 0; byte < 256; ++byte) v.add(std::string(1, static_cast<char>(byte)));
    Engine engine(compile(v, "none"));
    ASSERT_TRUE(is_possible(engine.tables));
    const auto refused = [&](auto damage) {
        crayon_gpu_tables tables = engine.tables;
        damage(tables);
        EXPECT_FALSE(is_possible(tables));
    };
    refused([](auto& t) { t.joined = nullptr; });
    refused([](auto& t) { t.whole = nullptr; });
    refused([](auto& t) { t.visible_count = t.token_count + 1; });
    refused([](auto& t) { t.pairs.entries = nullptr; });
}

// Documents are encoded, or the job fails and says why, whichever allocation, copy or launch fails, and however little memory
// there is.
TEST(UncutBpeKernels, SurviveFaults) {
    Random random(5);
    const Characters model(random, kCharacters, 60);
    Engine engine(model.compile());
    const Documents documents({random_text(random, 100, true) + std::string(600, 'a'), "", std::string(80, 'b') + " ba. \u4E00"});
    const Upload upload = [&](EmulatedDevice& device) { return upload_to(device, engine); };
    const auto rows_of = [&](const Documents& each) -> ExpectRows {
        return [rows = model.rows(each)](const Outcome& outcome) { expect_rows(outcome, rows); };
    };
    expect_survives_faults(upload, documents, 8, rows_of(documents));
    std::string digits;
    for (int i = 0; i < 3000; ++i) digits += "1z."[i % 3];
    for (const std::string& text : {documents.bytes, digits}) {
        const Documents each({text, ""});
        expect_survives_little_memory(upload, each, rows_of(each));
    }
}

}  // namespace
}  // namespace crayon::gpu::test::uncut_bpe_test
