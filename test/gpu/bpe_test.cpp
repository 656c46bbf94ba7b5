// BPE on the emulated device: the ids of merging by its definition, and of the engine, whatever the pieces are.
#include <fstream>

#include "naive/merge_list.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "naive/utf.h"
#include "plugin/pipeline.h"
#include "survival.h"
#include "tables.h"
#include "vocabularies.h"

namespace crayon::gpu::test::bpe_test {
namespace {

using crayon::test::compile;
using crayon::test::sample;
using crayon::test::Tokenizing;
using crayon::test::Vocabulary;

struct Family {
    std::string_view name;
    u32 pretokenizer;
};
constexpr Family kFamilies[] = {{"cl100k", layout::kCl100k}, {"o200k", layout::kO200k},   {"qwen2", layout::kQwen2},
                                {"gpt2", layout::kGpt2},     {"tekken", layout::kTekken}, {"deepseek3", layout::kDeepseek3}};

std::vector<std::string> naive_pieces(const Family& family, const std::string& text) {
    static std::map<std::string_view, naive::Pattern> patterns;
    if (patterns.empty()) {
        for (const auto& each : naive::kPublishedPatterns) patterns.emplace(each.family, each.pattern);
    }
    const auto characters = naive::decode_utf8(text);
    std::vector<std::string> pieces;
    std::size_t begin = 0;
    for (const std::size_t end : patterns.at(family.name).split(characters.code_points)) {
        pieces.push_back(text.substr(begin, characters.offsets[end] - begin));
        begin = characters.offsets[end];
    }
    return pieces;
}

Rows naive_rows(const Vocabulary& v, const Family& family, const Documents& documents) {
    Rows rows;
    for (u64 i = 0; i < documents.count(); ++i) {
        rows.emplace_back();
        for (const std::string& piece : naive_pieces(family, documents[i])) {
            const auto whole = v.ranks.find(piece);
            const std::vector<u32> ids =
                whole != v.ranks.end() ? std::vector<u32>{whole->second} : naive::merge_long(piece, v.ranks);
            rows.back().insert(rows.back().end(), ids.begin(), ids.end());
        }
    }
    return rows;
}

Rows engine_rows(const std::string& cartridge, const Documents& documents) {
    Tokenizing engine(cartridge);
    Rows rows;
    for (u64 i = 0; i < documents.count(); ++i) {
        const std::vector<u32> ids = engine.encode(documents[i]);
        rows.emplace_back(ids.begin(), ids.end());
    }
    return rows;
}

DeviceModel upload_to(EmulatedDevice& device, const BpeFile& file) {
    EXPECT_TRUE(is_possible(file.tables));
    EXPECT_TRUE(is_supported(file.tables));
    return upload(device, file.tables);
}

// Letters, mostly of a small alphabet, and some of every other kind of text.
std::string random_document(Random& random, std::string_view alphabet, u64 longest) {
    std::string text;
    for (u64 words = random.below(12); words > 0; --words) {
        if (random.one_in(8)) text += crayon::test::TextGenerator(random.below(100000)).utf8();
        for (u64 n = random.below(random.one_in(6) ? longest : 20); n > 0; --n) text += alphabet[random.below(alphabet.size())];
        if (random.one_in(4)) text += std::string(random.below(longest), alphabet[0]);
        text += " \n.7"[random.below(4)];
    }
    return text;
}

TEST(BpeKernels, EqualMergingByItsDefinition) {
    u64 tokens = 0, bins[kBins] = {};
    for (u64 number = 0, cases = sample(96, 12); number < cases; ++number) {
        SCOPED_TRACE("case " + std::to_string(number));
        Random random(number * 7 + 1);
        const Family& family = kFamilies[number % std::size(kFamilies)];
        const std::string_view alphabet = std::array<std::string_view, 4>{"ab", "a", "abcdefgh", "ab\xC3\xA9"}[random.below(4)];
        const bool is_watched = number % 8 == 0;
        const u64 longest = is_watched ? 70 : random.one_in(3) ? 700 : 100;
        Documents documents;
        for (u64 n = random.below(is_watched ? 4 : 12); n > 0; --n)
            documents.add(random.one_in(5) ? "" : random_document(random, alphabet, longest));
        const Vocabulary v = random.one_in(2) ? crayon::test::random_vocabulary(random, alphabet, 30 + random.below(200))
                                              : crayon::test::grown_vocabulary(random, {random_document(random, alphabet, 200)},
                                                                               100, random.below(50));
        const std::string cartridge = compile(v, family.name);
        const Rows rows = naive_rows(v, family, documents);

        Watched watched(order_of(number));
        if (!is_watched) watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        const BpeFile file(cartridge, family.pretokenizer);
        const DeviceModel model = upload_to(device, file);
        const u32 chunk_size = random.one_in(2) ? 64 : static_cast<u32>(64 + 16 * random.below(12));
        const Outcome ids = run(watched.state, model, documents.batch(CRAYON_GPU_IDS, random.one_in(2) ? 4 : 8), chunk_size);
        expect_rows(ids, rows);
        if (HasFatalFailure()) return;
        EXPECT_EQ(rows, engine_rows(cartridge, documents));
        tokens += ids.result.count;
        const Outcome counts = run(watched.state, model, documents.batch(CRAYON_GPU_COUNTS, 4), chunk_size);
        EXPECT_EQ(counts.result.count, ids.result.count);
        for (u64 i = 0; i < rows.size(); ++i) EXPECT_EQ(counts.rows[i].size(), rows[i].size());
        for (u64 i = 0; i < documents.count(); ++i) {
            for (const std::string& piece : naive_pieces(family, documents[i])) {
                if (!v.ranks.contains(piece)) ++bins[bin_of(piece.size())];
            }
        }
    }
    EXPECT_GT(tokens, 10000u);
    for (u32 bin = 0; bin < 3; ++bin) EXPECT_GT(bins[bin], 2u) << "pieces of bin " << bin;
}

// Around every length at which something else is done: keys of 8, 16 and 24 bytes, bins, and the longest piece.
TEST(BpeKernels, MergePiecesOfEveryLength) {
    Random random(3);
    Vocabulary v = crayon::test::random_vocabulary(random, "ab", 150, 70);
    for (const u32 length : {7u, 8u, 9u, 15u, 16u, 17u, 23u, 24u, 25u, 33u, 40u}) {
        const std::string token(length, 'c');  // as a whole alone: merging does not make them
        v.add(token);
    }
    const std::string cartridge = compile(v, "cl100k");
    const BpeFile file(cartridge, layout::kCl100k);
    Documents documents;
    for (const u64 length : {1u,  2u,  7u,  8u,   9u,   15u,  16u,  17u,  23u,  24u,  25u,  32u,   33u,   40u,
                             63u, 64u, 65u, 127u, 128u, 129u, 255u, 257u, 511u, 512u, 513u, 1024u, 4095u, 4096u}) {
        std::string alternating, any;
        for (u64 i = 0; i < length; ++i) alternating += "ab"[i % 2];
        for (u64 i = 0; i < length; ++i) any += "aab"[random.below(3)];
        for (const std::string& each : {std::string(length, 'a'), std::string(length, 'c'), alternating, any})
            documents.add(each);
        if (length > 70) continue;
        std::string broken, wide;
        for (u64 i = 0; i < length; ++i) broken += "\xE4\xB8\x80\xFF\xC3"[random.below(5)];
        while (wide.size() + 3 <= length) wide += random.one_in(3) ? "\u4E2D" : "\u6587";
        documents.add(broken);
        documents.add(wide);
    }
    const Rows rows = naive_rows(v, kFamilies[0], documents);
    for (u64 number = 0; number < 4; ++number) {
        Watched watched(order_of(number));
        watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        expect_rows(run(watched.state, upload_to(device, file), documents.batch(CRAYON_GPU_IDS, 4), 64), rows);
    }
    EXPECT_EQ(rows, engine_rows(cartridge, documents));

    Watched watched;
    EmulatedDevice device(watched.state);
    const DeviceModel model = upload_to(device, file);
    Documents few;
    for (u64 i = 0; i < documents.count(); ++i) {
        if (documents[i].size() < 300) few.add(documents[i]);
    }
    expect_rows(run(watched.state, model, few.batch(CRAYON_GPU_IDS, 4), 64), naive_rows(v, kFamilies[0], few));
    documents = Documents({"a", std::string(kLongestPiece, 'a'), std::string(kLongestPiece + 1, 'a')});
    const Outcome longer = run(watched.state, model, documents.batch(CRAYON_GPU_COUNTS, 4), 64);
    EXPECT_EQ(longer.result.failure, CRAYON_GPU_PIECE_TOO_LONG);
    EXPECT_EQ(longer.result.failed_document, 2u);
}

// Keys of tables are padded with zeros: zero bytes in a key are not padding. (A table of one token has one slot, for all of
// them.)
TEST(BpeKernels, TellPiecesOfZerosApart) {
    for (const u32 length : {9u, 25u}) {
        Vocabulary v;
        for (int byte = 0; byte < 256; ++byte) v.add(std::string(1, static_cast<char>(byte)));
        v.add(std::string(length, '\0'));
        const BpeFile file(compile(v, "cl100k"), layout::kCl100k);
        Documents documents;
        for (u32 n = 1; n <= 40; ++n) documents.add(std::string(n, '\0'));
        Watched watched;
        EmulatedDevice device(watched.state);
        expect_rows(run(watched.state, upload_to(device, file), documents.batch(CRAYON_GPU_IDS, 4)),
                    naive_rows(v, kFamilies[0], documents));
    }
}

// Merges by a list, with ids in another order, and tokens that no text produces.
TEST(BpeKernels, HaveIdsThatAreNoRanks) {
    for (u64 number = 0; number < 6; ++number) {
        Random random(number + 40);
        const Vocabulary v = crayon::test::grown_vocabulary(random, {random_document(random, "abc", 300)}, 120);
        std::vector<std::string> tokens;
        for (const std::string& token : v.tokens) {
            if (!token.empty()) tokens.push_back(token);
        }
        const u32 unmatched = static_cast<u32>(tokens.size());
        std::vector<naive::TokenPair> pairs;
        for (const std::string& token : tokens) {
            if (token.size() == 1) continue;
            naive::Ranks before = v.ranks;
            before.erase(token);
            const std::vector<u32> halves = naive::merge(token, before);
            ASSERT_EQ(halves.size(), 2u);
            pairs.emplace_back(v.tokens[halves[0]], v.tokens[halves[1]]);
        }
        std::string bytes;
        std::vector<u32> offsets = {0}, merges;
        for (std::size_t i = tokens.size(); i > 1; --i) std::swap(tokens[i - 1], tokens[random.below(i)]);
        tokens.push_back("a");  // once more
        std::map<std::string, u32> ids;
        for (u32 id = 0; id < tokens.size(); ++id) {
            bytes += tokens[id];
            offsets.push_back(static_cast<u32>(bytes.size()));
            if (id != unmatched) ids[tokens[id]] = id;
        }
        for (const auto& [left, right] : pairs) merges.insert(merges.end(), {ids.at(left), ids.at(right)});
        crayon_compiler* compiler = nullptr;
        crayon_result result;
        ASSERT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
        ASSERT_EQ(
            crayon_compiler_set_bpe_merges(compiler, reinterpret_cast<const u8*>(bytes.data()), static_cast<u32>(bytes.size()),
                                           offsets.data(), static_cast<u32>(tokens.size()), merges.data(),
                                           static_cast<u32>(merges.size() / 2), nullptr, &unmatched, 1, number % 2, &result),
            CRAYON_OK)
            << crayon_status_name(result.status) << " " << result.section << " " << result.position;
        ASSERT_EQ(crayon_compiler_add_view(compiler, "test", 4, "qwen2", 5, &result), CRAYON_OK);
        const u8* made = nullptr;
        ASSERT_EQ(crayon_compiler_finish(compiler, &made, &result), CRAYON_OK);
        const std::string cartridge(reinterpret_cast<const char*>(made), result.count);
        crayon_compiler_release(compiler);
        ASSERT_FALSE(section_of(cartridge, layout::kIds).empty());

        const naive::MergeList list(pairs);
        Documents documents;
        for (u64 n = 0; n < 8; ++n) documents.add(random_document(random, "abc", 100));
        Rows rows;
        for (u64 i = 0; i < documents.count(); ++i) {
            rows.emplace_back();
            for (const std::string& piece : naive_pieces(kFamilies[2], documents[i])) {
                for (const std::string& token : list.merge(piece)) rows.back().push_back(ids.at(token));
            }
        }
        Watched watched(order_of(number));
        if (number > 1) watched.state.machine.recorder = nullptr;
        EmulatedDevice device(watched.state);
        const BpeFile file(cartridge, layout::kQwen2);
        expect_rows(run(watched.state, upload_to(device, file), documents.batch(CRAYON_GPU_IDS, 4)), rows);
        EXPECT_EQ(rows, engine_rows(cartridge, documents));
    }
}

TEST(BpeKernels, FillMatricesAndDecode) {
    Random random(9);
    const Vocabulary v = crayon::test::random_vocabulary(random, "ab", 100);
    const BpeFile file(compile(v, "o200k"), layout::kO200k);
    Documents documents({"", "a", "ab abab", std::string(100, 'b'), ""});
    Watched watched({64, 5});
    EmulatedDevice device(watched.state);
    const DeviceModel model = upload_to(device, file);
    const Rows rows = naive_rows(v, kFamilies[1], documents);
    crayon_gpu_batch batch = documents.batch(CRAYON_GPU_MATRIX, 8);
    batch.columns = 5;
    batch.pad_id = 77;
    batch.flags = CRAYON_GPU_TRUNCATE;
    const Outcome matrix = run(watched.state, model, batch, 64);
    ASSERT_EQ(matrix.status, CRAYON_GPU_OK);
    for (u64 row = 0; row < rows.size(); ++row) {
        for (u64 column = 0; column < 5; ++column) {
            const bool is_id = column < rows[row].size();
            EXPECT_EQ(matrix.ids[row * 5 + column], is_id ? rows[row][column] : 77);
            EXPECT_EQ(matrix.mask[row * 5 + column], is_id);
        }
    }
    std::vector<u32> ids;
    for (const auto& row : rows) ids.insert(ids.end(), row.begin(), row.end());
    const u64 offsets[] = {0, ids.size()};
    batch = {};
    batch.size = sizeof batch;
    batch.output = CRAYON_GPU_BYTES;
    batch.bytes = reinterpret_cast<const u8*>(ids.data());
    batch.offsets = offsets;
    batch.document_count = 1;
    EXPECT_EQ(run(watched.state, model, batch).text, documents.bytes);
    EXPECT_EQ(run(watched.state, model, documents.batch(CRAYON_GPU_IDS, 2)).status, CRAYON_GPU_INVALID_ARGUMENT);
}

// Tables that pass the validator may say anything of pairs: here that two "a" are an "a". Each merge leaves one unit less all the
// same.
TEST(BpeKernels, EndWithTablesThatAreNone) {
    Vocabulary v;
    for (int byte = 0; byte < 256; ++byte) v.add(std::string(1, static_cast<char>(byte)));
    v.add("xy");
    BpeFile file(compile(v, "cl100k"), layout::kCl100k);
    std::vector<u32> splits(file.tables.splits, file.tables.splits + 2 * file.tables.token_count);
    std::vector<u32> entries(file.tables.pairs.entries, file.tables.pairs.entries + file.tables.pairs.slot_count);
    splits['a' * 2] = splits['a' * 2 + 1] = 'a';
    const crayon_gpu_hash_table& pairs = file.tables.pairs;
    const u64 hash = layout::hash_word('a' | u64{'a'} << 32, 0, pairs.seed);
    const u8 pilot = pairs.pilots[layout::bucket_of(hash, pairs.bucket_count)];
    entries[layout::slot_of(hash, pilot, pairs.slot_count)] = layout::pair_slot('a', hash);
    file.tables.splits = splits.data();
    file.tables.pairs.entries = entries.data();
    Documents documents;
    Rows rows;
    for (const u64 length : {2u, 3u, 16u, 17u, 64u, 65u, 200u, 4096u}) {
        documents.add(std::string(length, 'a'));
        rows.push_back({'a'});
    }
    Watched watched;
    watched.state.machine.recorder = nullptr;
    EmulatedDevice device(watched.state);
    expect_rows(run(watched.state, upload_to(device, file), documents.batch(CRAYON_GPU_IDS, 4)), rows);
}

TEST(BpeKernels, AreRefusedWithoutTheirTables) {
    Vocabulary v;
    for (int byte = 0; byte < 256; ++byte) v.add(std::string(1, static_cast<char>(byte)));
    const BpeFile file(compile(v, "cl100k"), layout::kCl100k);
    ASSERT_TRUE(is_possible(file.tables));
    const auto refused = [&](auto damage) {
        crayon_gpu_tables tables = file.tables;
        damage(tables);
        EXPECT_FALSE(is_possible(tables));
    };
    refused([](auto& t) { t.pattern = nullptr; });
    refused([](auto& t) { t.pattern_length -= 1; });
    refused([](auto& t) { t.pattern_length = sizeof(layout::Pattern) - 1; });
    // A pattern that is none: a head, a block, a class and a row beyond what there is.
    std::vector<u64> pattern((file.tables.pattern_length + 7) / 8);
    u8* const bytes = reinterpret_cast<u8*>(pattern.data());
    const auto damaged = [&](u64 at, u8 byte) {
        std::memcpy(bytes, file.tables.pattern, file.tables.pattern_length);
        bytes[at] = byte;
        refused([&](auto& t) { t.pattern = bytes; });
    };
    const u64 blocks = sizeof(layout::Pattern) + 2 * layout::kPatternBlocks;
    damaged(offsetof(layout::Pattern, state_count), 0);
    damaged(offsetof(layout::Pattern, class_count), 200);
    damaged(offsetof(layout::Pattern, row_length), 3);
    damaged(offsetof(layout::Pattern, block_count) + 3, 0xFF);
    damaged(offsetof(layout::Pattern, cuts), layout::kAllPatternCuts | layout::kInnerPattern);
    damaged(sizeof(layout::Pattern), 1);
    damaged(sizeof(layout::Pattern) + 2 * 700 + 1, 0x7F);
    damaged(blocks + 65, 0x7E);
    damaged(file.tables.pattern_length - 1, 0x7F);
    refused([](auto& t) { t.pairs.entries = nullptr; });
    refused([](auto& t) { t.pieces24.bucket_count = 0; });
    refused([](auto& t) { t.splits = nullptr; });
    refused([](auto& t) { t.byte_ranks = nullptr; });
    refused([](auto& t) { t.token_bytes = nullptr; });
    refused([](auto& t) { t.longest_token = 0; });
    refused([](auto& t) {
        static u32 ranks[256];
        ranks[9] = t.token_count;
        t.byte_ranks = ranks;
    });
}

// Whatever a piece is, merging it is not more than quadratic in a bounded length.
TEST(BpeKernels, HaveBoundedWork) {
    Random random(12);
    const Vocabulary v = crayon::test::random_vocabulary(random, "ab", 200);
    const BpeFile file(compile(v, "cl100k"), layout::kCl100k);
    const auto bytes_per_byte = [&](u64 length, u64 count) {
        std::string text;
        for (u64 n = 0; n < count; ++n) {
            for (u64 i = 0; i < length; ++i) text += "ab"[random.below(2)];
            text += '\n';
        }
        Watched watched({32, 1});
        EmulatedDevice device(watched.state);
        const DeviceModel model = upload_to(device, file);
        watched.recorder.forget();
        EXPECT_EQ(run(watched.state, model, Documents({text}).batch(CRAYON_GPU_IDS, 4)).status, CRAYON_GPU_OK);
        u64 bytes = 0;
        for (const auto& [kernel, traffic] : watched.recorder.all()) bytes += traffic.loaded + traffic.stored;
        return static_cast<double>(bytes) / static_cast<double>(text.size());
    };
    // Merging looks up as many pairs per byte in long pieces as in short ones.
    const double small = bytes_per_byte(60, 40), large = bytes_per_byte(1200, 2);
    EXPECT_LT(large, 1.3 * small);
    EXPECT_LT(small, 400);
}

// Documents are encoded, or the job fails and says why, whichever allocation, copy or launch fails.
TEST(BpeKernels, SurviveFaults) {
    Random random(5);
    const Vocabulary v = crayon::test::random_vocabulary(random, "ab", 60);
    const BpeFile file(compile(v, "cl100k"), layout::kCl100k);
    const Documents documents({random_document(random, "ab", 50) + std::string(600, 'a'), "", std::string(80, 'b') + " ba."});
    const Upload upload = [&](EmulatedDevice& device) { return upload_to(device, file); };
    const auto rows_of = [&](const Documents& each) -> ExpectRows {
        return [rows = naive_rows(v, kFamilies[0], each)](const Outcome& outcome) { expect_rows(outcome, rows); };
    };
    expect_survives_faults(upload, documents, 10, rows_of(documents));
    // Every byte is a piece, too.
    std::string digits;
    for (int i = 0; i < 3000; ++i) digits += "1a."[i % 3];
    for (const std::string& text : {documents.bytes, digits}) {
        const Documents each({text, ""});
        expect_survives_little_memory(upload, each, rows_of(each));
    }
}

// Published vocabularies, where they have been built, against the engine.
TEST(BpeKernels, EqualTheEngineWithPublishedVocabularies) {
    u64 compared = 0;
    for (const auto& [name, family] : std::map<std::string, Family>{
             {"cl100k_base", kFamilies[0]}, {"o200k_base", kFamilies[1]}, {"r50k_base", kFamilies[3]}}) {
        std::ifstream stream(CRAYON_PROJECT_DIR "/cartridges/" + name + ".cray", std::ios::binary);
        if (!stream) continue;
        ++compared;
        const std::string cartridge((std::istreambuf_iterator<char>(stream)), {});
        Documents documents;
        for (const char* path : {"/README.md", "/native/src/model/bpe.cpp"}) {
            std::ifstream source(std::string(CRAYON_PROJECT_DIR) + path, std::ios::binary);
            documents.add(std::string((std::istreambuf_iterator<char>(source)), {}));
        }
        for (u64 number = 0, cases = sample(200, 40); number < cases; ++number) {
            crayon::test::TextGenerator texts(number * 10 + family.pretokenizer);
            documents.add(number % 3 == 0 ? texts.utf8_of_pages(texts.random().below(1024)) : texts.utf8());
        }
        const BpeFile file(cartridge, family.pretokenizer);
        for (const u64 number : {0, 5}) {
            Watched watched(order_of(number));
            watched.state.machine.recorder = nullptr;
            EmulatedDevice device(watched.state);
            expect_rows(run(watched.state, upload_to(device, file), documents.batch(CRAYON_GPU_IDS, 4)),
                        engine_rows(cartridge, documents));
        }
    }
    if (compared == 0) GTEST_SKIP() << "no cartridge of a published BPE has been built";
}

// What is read and written in the order of the text moves whole sectors.
TEST(BpeKernels, StreamCoalesced) {
    Random random(8);
    const Vocabulary v = crayon::test::random_vocabulary(random, "ab", 200);
    const BpeFile file(compile(v, "cl100k"), layout::kCl100k);
    std::string text;
    while (text.size() < 12000) text += random_document(random, "ab", 20);
    for (const u32 warp_size : {32u, 64u}) {
        Watched watched({warp_size, 2});
        EmulatedDevice device(watched.state);
        const DeviceModel model = upload_to(device, file);
        watched.recorder.forget();
        const Outcome outcome = run(watched.state, model, Documents({text}).batch(CRAYON_GPU_IDS, 4));
        ASSERT_EQ(outcome.status, CRAYON_GPU_OK);
        // The stage has gaps, a slot of four bytes for each byte, and a piece has two offsets of eight.
        const Traffic& emit = watched.recorder.of("emit");
        EXPECT_LE(32 * emit.stored_sectors, 1.1 * static_cast<double>(emit.stored));
        EXPECT_LE(32 * emit.loaded_sectors, 4 * text.size() + 16 * 2 * outcome.result.count + 32 * emit.requests);
    }
}

}  // namespace
}  // namespace crayon::gpu::test::bpe_test
