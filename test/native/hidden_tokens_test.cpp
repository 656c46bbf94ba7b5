// Hidden tokens: what the compiler takes for one, and what callers see. Their ids are compared with Hugging Face's in
// test/lib/character-bpe.test.ts.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "crayon/crayon.h"
#include "open_bpe.h"

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
                                                 merges, count, nullptr, 0, 0, &result),
                  u32{CRAYON_OK});
    }
    u32 hide(u32 from, u32 unknown_id, u32 fuses = 0) {
        return crayon_compiler_set_hidden_tokens(compiler_, from, unknown_id, fuses, &result);
    }
    u32 view(const char* name = "test") { return crayon_compiler_add_view(compiler_, name, 4, "none", 4, &result); }
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
    EXPECT_EQ(c.hide(kVisible, kNoId), u32{CRAYON_INVALID_ARGUMENT});  // bytes have no tokens, and there is no unknown one
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

TEST(HiddenTokens, AreFusedWhereTheVocabularySaysSo) {
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
