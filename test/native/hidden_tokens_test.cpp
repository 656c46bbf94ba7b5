// Hidden tokens: which tokens the compiler hides, and what callers see. test/lib/character-bpe.test.ts compares their ids with
// Hugging Face's.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "crayon/crayon.h"
#include "kernels.h"
#include "naive/merge_list.h"
#include "open_bpe.h"
#include "scan_text.h"
#include "share.h"

namespace crayon::test::hidden_tokens_test {
namespace {

constexpr u32 kNoId = 0xFFFFFFFF, kVisible = 8, kUnknown = 0;

// "?" is the unknown token, é one of two bytes; the ids 5 to 7 are for added tokens.
class Characters {
public:
    Characters() {
        crayon_result result;
        EXPECT_EQ(crayon_compiler_create(&compiler_, &result), u32{CRAYON_OK});
        tokens_ = {"?", "a", "\xC3\xA9", "a\xC3\xA9", "b"};
        std::map<std::string, u32> ids;
        for (u32 id = 0; id < tokens_.size(); ++id) ids[tokens_[id]] = id;
        tokens_.resize(kVisible);
        for (int byte = 0; byte < 256; ++byte) {
            const std::string token(1, static_cast<char>(byte));
            if (ids.emplace(token, static_cast<u32>(tokens_.size())).second) tokens_.push_back(token);
        }
        const u32 merges[] = {ids.at("\xC3"), ids.at("\xA9"), ids.at("a"), ids.at("\xC3\xA9")};
        set(merges, 2);
    }
    // BPE over bytes; those in `visible` have tokens.
    Characters(std::string_view visible, const std::vector<naive::TokenPair>& pairs) {
        EXPECT_EQ(crayon_compiler_create(&compiler_, &result), u32{CRAYON_OK});
        tokens_ = {"<?>"};
        for (const char byte : visible) tokens_.emplace_back(1, byte);
        for (const auto& [left, right] : pairs) tokens_.push_back(left + right);
        visible_ = count();
        std::map<std::string, u32> ids;
        for (u32 id = 1; id < visible_; ++id) ids[tokens_[id]] = id;
        for (int byte = 0; byte < 256; ++byte) {
            if (visible.find(static_cast<char>(byte)) == visible.npos) tokens_.emplace_back(1, static_cast<char>(byte));
        }
        std::vector<u32> merges;
        for (const auto& [left, right] : pairs) merges.insert(merges.end(), {ids.at(left), ids.at(right)});
        set(merges.data(), static_cast<u32>(pairs.size()));
    }
    // Words, each with FF after it: the hidden tokens come after the bytes, which are hidden unless they are
    // visible.
    Characters(const std::vector<std::string>& visible, const std::vector<std::string>& hidden,
               const std::vector<naive::TokenPair>& pairs, bool shows_bytes = false) {
        EXPECT_EQ(crayon_compiler_create(&compiler_, &result), u32{CRAYON_OK});
        tokens_ = visible;
        visible_ = count();
        for (int byte = 0; byte < 256; ++byte) {
            const std::string token(1, static_cast<char>(byte));
            const bool is_visible = std::find(visible.begin(), visible.end(), token) != visible.end();
            if (!shows_bytes || !is_visible) tokens_.push_back(token);
        }
        tokens_.insert(tokens_.end(), hidden.begin(), hidden.end());
        std::map<std::string, u32> ids;
        for (u32 id = 0; id < count(); ++id) ids[tokens_[id]] = id;
        std::vector<u32> merges;
        for (const auto& [left, right] : pairs) merges.insert(merges.end(), {ids.at(left), ids.at(right)});
        set(merges.data(), static_cast<u32>(pairs.size()));
    }
    ~Characters() {
        crayon_tokenizer_release(tokenizer_);
        crayon_cartridge_release(cartridge_);
        crayon_compiler_release(compiler_);
    }
    void set(const u32* merges, u32 count) {
        std::string bytes;
        std::vector<u32> offsets = {0};
        for (const std::string& token : tokens_) {
            bytes += token;
            offsets.push_back(static_cast<u32>(bytes.size()));
        }
        EXPECT_EQ(crayon_compiler_set_bpe_merges(compiler_, reinterpret_cast<const u8*>(bytes.data()),
                                                 static_cast<u32>(bytes.size()), offsets.data(), static_cast<u32>(tokens_.size()),
                                                 merges, count, nullptr, nullptr, 0, 0, &result),
                  u32{CRAYON_OK});
    }
    u32 hide(u32 from, u32 unknown_id, u32 fuses = 0) {
        return crayon_compiler_set_hidden_tokens(compiler_, from, unknown_id, fuses, &result);
    }
    u32 view(const char* name = "test", const char* pretokenizer = "none") {
        return crayon_compiler_add_view(compiler_, name, 4, pretokenizer, 4, &result);
    }
    void use(const Kernel& kernel) {
        crayon_tokenizer_release(tokenizer_);
        const u32 length = static_cast<u32>(std::string_view(kernel.name).size());
        EXPECT_EQ(crayon_tokenizer_create(cartridge_, 0, kernel.name, length, &tokenizer_, &result), u32{CRAYON_OK});
    }
    const std::vector<std::string>& tokens() const { return tokens_; }
    u32 visible() const { return visible_; }
    u32 add(const std::string& text, u32 id, u32 flags) {
        return crayon_compiler_add_token(compiler_, reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()), id,
                                         flags, &result);
    }
    u32 finish() {
        const u8* file = nullptr;
        const u32 status = crayon_compiler_finish(compiler_, &file, &result);
        if (status == CRAYON_OK) {
            EXPECT_EQ(crayon_cartridge_open_bytes(file, result.count, 0, &cartridge_, &result), u32{CRAYON_OK});
            EXPECT_EQ(crayon_tokenizer_create(cartridge_, 0, nullptr, 0, &tokenizer_, &result), u32{CRAYON_OK});
        }
        return status;
    }
    const crayon_tokenizer* tokenizer() const { return tokenizer_; }
    std::vector<u32> encode(const std::string& text) {
        crayon_encoder* encoder = nullptr;
        EXPECT_EQ(crayon_encoder_create(tokenizer_, &encoder, &result), u32{CRAYON_OK});
        EXPECT_EQ(crayon_encoder_begin(encoder, CRAYON_SPECIAL_ALLOW, nullptr, 0, &result), u32{CRAYON_OK});
        EXPECT_EQ(crayon_encoder_feed_utf8(encoder, reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()), 1,
                                           &result),
                  u32{CRAYON_OK});
        std::vector<u32> ids(4 * text.size() + 8);
        EXPECT_EQ(crayon_encoder_read(encoder, ids.data(), static_cast<u32>(ids.size()), &result), u32{CRAYON_OK});
        ids.resize(result.count);
        crayon_encoder_release(encoder);
        return ids;
    }
    std::string decode(const std::vector<u32>& ids) {
        std::vector<u8> bytes(64);
        crayon_decode(tokenizer_, ids.data(), static_cast<u32>(ids.size()), 0, bytes.data(), 64, &result);
        return std::string(bytes.begin(), bytes.begin() + result.count);
    }
    u32 count() const { return static_cast<u32>(tokens_.size()); }

    crayon_result result{};

private:
    std::vector<std::string> tokens_;
    u32 visible_ = kVisible;
    crayon_compiler* compiler_ = nullptr;
    crayon_cartridge* cartridge_ = nullptr;
    crayon_tokenizer* tokenizer_ = nullptr;
};

TEST(HiddenTokens, AreBeginningsOfCharactersAndBytes) {
    Characters c;
    EXPECT_EQ(c.hide(0, kUnknown), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(c.hide(c.count() + 1, kUnknown), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(c.hide(kVisible, kVisible), u32{CRAYON_INVALID_ARGUMENT});  // the unknown id is hidden
    EXPECT_EQ(c.hide(6, kUnknown), u32{CRAYON_INVALID_ARGUMENT});         // 6 is an id without a token
    EXPECT_EQ(c.result.position, 6u);
    EXPECT_EQ(c.hide(kVisible, kNoId), u32{CRAYON_INVALID_ARGUMENT});  // bytes have no tokens, and there is no unknown token
    EXPECT_EQ(c.result.position, kVisible);
    EXPECT_EQ(c.hide(kVisible, kUnknown), u32{CRAYON_OK});
}

TEST(HiddenTokens, HaveNoIdsForCallers) {
    Characters c;
    ASSERT_EQ(c.hide(kVisible, kUnknown), u32{CRAYON_OK});
    ASSERT_EQ(c.view(), u32{CRAYON_OK});
    ASSERT_EQ(c.finish(), u32{CRAYON_OK});
    EXPECT_EQ(crayon_tokenizer_vocabulary_size(c.tokenizer()), kVisible);
    EXPECT_EQ(crayon_tokenizer_unknown_id(c.tokenizer()), kUnknown);
    EXPECT_EQ(crayon_tokenizer_id_of(c.tokenizer(), reinterpret_cast<const u8*>("\xC3"), 1), kNoId);
    EXPECT_EQ(crayon_tokenizer_id_of(c.tokenizer(), reinterpret_cast<const u8*>("a\xC3\xA9"), 3), 3u);
    EXPECT_EQ(c.encode("a\xC3\xA9"
                       "b"),
              (std::vector<u32>{3, 4}));
    EXPECT_EQ(c.encode("\xE4\xB8\xAD\xE4\xB8\xAD"), (std::vector<u32>{kUnknown, kUnknown}));
    EXPECT_EQ(c.decode({3, 4}),
              "a\xC3\xA9"
              "b");
    c.decode({kVisible});
    EXPECT_EQ(c.result.status, u32{CRAYON_INVALID_ID});
}

TEST(HiddenTokens, AreFusedIfTheVocabularySaysSo) {
    Characters c;
    ASSERT_EQ(c.hide(kVisible, kUnknown, 1), u32{CRAYON_OK});
    ASSERT_EQ(c.view(), u32{CRAYON_OK});
    ASSERT_EQ(c.finish(), u32{CRAYON_OK});
    EXPECT_EQ(c.encode("b\xE4\xB8\xAD!\xE4\xB8\xAD\xC3\xA9"), (std::vector<u32>{4, kUnknown, 2}));
}

TEST(HiddenTokens, ShareNoIdWithAnAddedToken) {
    Characters c;
    ASSERT_EQ(c.hide(kVisible, kUnknown), u32{CRAYON_OK});
    ASSERT_EQ(c.view(), u32{CRAYON_OK});
    ASSERT_EQ(c.add("<x>", kVisible, CRAYON_ADDED_SPECIAL), u32{CRAYON_OK});
    EXPECT_EQ(c.finish(), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(c.result.position, kVisible);
}

constexpr u32 kFuses = 1;

constexpr u32 kEndsWords = 2, kSplitsHidden = 4;

TEST(HiddenTokens, AreCharactersThatAreTokensElsewhereInAWord) {
    const std::string end = "\xFF", b = "b" + end;
    for (const u32 fuses : {0u, kFuses}) {
        Characters c({"<?>", "a", b, "a" + b}, {"a" + end}, {{"a", end}, {"b", end}, {"a", b}}, true);
        ASSERT_EQ(c.hide(c.visible(), kUnknown, kEndsWords | fuses), u32{CRAYON_OK});
        ASSERT_EQ(c.view("test", fuses ? "bert" : "none"), u32{CRAYON_OK});
        ASSERT_EQ(c.finish(), u32{CRAYON_OK});
        for_each_kernel([&](const Kernel& kernel) {
            c.use(kernel);
            EXPECT_EQ(c.encode("ab"), (std::vector<u32>{3}));
            EXPECT_EQ(c.encode("aab"), (std::vector<u32>{1, 3}));
            EXPECT_EQ(c.encode("a"), (std::vector<u32>{0}));
            EXPECT_EQ(c.encode("bxa"), fuses ? (std::vector<u32>{0}) : (std::vector<u32>{0, 0, 0}));
            EXPECT_EQ(c.encode("\xE4\xB8\xAD\xFF"), fuses ? (std::vector<u32>{0}) : (std::vector<u32>{0, 0}));
        });
    }
}

// The unused pieces of SentencePiece.
TEST(HiddenTokens, OfSeveralCharactersBecomeTheirHalves) {
    const std::string e = "\xC3\xA9";
    for (const u32 fuses : {0u, kFuses}) {
        Characters c({"<?>", "a", "b", "c", "d", "abcd", e}, {"ab", "abc", e + e},
                     {{"\xC3", "\xA9"}, {"a", "b"}, {"ab", "c"}, {"abc", "d"}, {e, e}}, true);
        EXPECT_EQ(c.hide(c.visible(), kUnknown, fuses), u32{CRAYON_INVALID_ARGUMENT});
        EXPECT_EQ(c.hide(c.visible(), kUnknown, kSplitsHidden | kEndsWords), u32{CRAYON_INVALID_ARGUMENT});
        ASSERT_EQ(c.hide(c.visible(), kUnknown, kSplitsHidden | fuses), u32{CRAYON_OK});
        ASSERT_EQ(c.view(), u32{CRAYON_OK});
        ASSERT_EQ(c.finish(), u32{CRAYON_OK});
        for_each_kernel([&](const Kernel& kernel) {
            c.use(kernel);
            EXPECT_EQ(c.encode("abcd"), (std::vector<u32>{5}));
            EXPECT_EQ(c.encode("abc"), (std::vector<u32>{1, 2, 3}));
            EXPECT_EQ(c.encode("abab"), (std::vector<u32>{1, 2, 1, 2}));
            EXPECT_EQ(c.encode("abcabcd"), (std::vector<u32>{1, 2, 3, 5}));
            EXPECT_EQ(c.encode("abc?abc"), (std::vector<u32>{1, 2, 3, 0, 1, 2, 3}));
            EXPECT_EQ(c.encode(e + e + e), (std::vector<u32>{6, 6, 6}));
            std::vector<u32> expected;
            std::string text;
            for (u32 i = 0; i < 2000; ++i) {
                text += i % 7 ? "abc" : "abcd";
                if (i % 7) {
                    expected.insert(expected.end(), {1, 2, 3});
                } else {
                    expected.push_back(5);
                }
            }
            EXPECT_EQ(c.encode(text), expected);
        });
    }
}

TEST(AddedTokens, ThatAreNeverFoundDecode) {
    Characters c;
    ASSERT_EQ(c.hide(kVisible, kUnknown), u32{CRAYON_OK});
    ASSERT_EQ(c.view(), u32{CRAYON_OK});
    ASSERT_EQ(c.add("<x>", 6, CRAYON_ADDED_SPECIAL | CRAYON_ADDED_NEVER_FOUND), u32{CRAYON_OK});
    ASSERT_EQ(c.add("_<x>", 6, CRAYON_ADDED_SPECIAL), u32{CRAYON_OK});
    ASSERT_EQ(c.finish(), u32{CRAYON_OK});
    EXPECT_EQ(c.encode("a_<x>a"), (std::vector<u32>{1, 6, 1}));
    EXPECT_EQ(c.encode("a<x>a"), (std::vector<u32>{1, 0, 0, 0, 1}));
    EXPECT_EQ(c.decode({6}), "<x>");
}

}  // namespace
}  // namespace crayon::test::hidden_tokens_test
