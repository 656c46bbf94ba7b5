// Compiles a vocabulary to the bytes of a cartridge.

#include <cstdlib>
#include <cstring>

#include "environment.h"
#include "functions.h"
#include "objects.h"

namespace crayon::addon {

namespace {

struct Compiler {
    crayon_compiler* it = nullptr;
    ~Compiler() { crayon_compiler_release(it); }
};

bool add_tokens(crayon_compiler* compiler, const Napi::Value& tokens, crayon_result& result) {
    const auto bytes = bytes_at(tokens, "bytes"), flags = bytes_at(tokens, "flags");
    const auto offsets = numbers_at(tokens, "offsets"), ids = numbers_at(tokens, "ids");
    if (!ids.valid) {
        result.status = CRAYON_INVALID_ARGUMENT;
        return false;
    }
    for (std::size_t i = 0; i < ids.count; ++i) {
        if (i + 1 >= offsets.count || i >= flags.count || offsets.data[i] > offsets.data[i + 1] ||
            offsets.data[i + 1] > bytes.count) {
            result.status = CRAYON_INVALID_ARGUMENT;
            return false;
        }
        if (crayon_compiler_add_token(compiler, bytes.data + offsets.data[i], offsets.data[i + 1] - offsets.data[i], ids.data[i],
                                      flags.data[i], &result) != CRAYON_OK) {
            return false;
        }
    }
    return true;
}

bool set_template(crayon_compiler* compiler, const Napi::Value& around, crayon_result& result) {
    if (!around.IsObject()) return true;
    const auto ids = numbers_at(around, "ids");
    const std::uint32_t prefix = integer_at(around, "prefix"), count = static_cast<std::uint32_t>(ids.count);
    result.status = CRAYON_INVALID_ARGUMENT;
    return prefix <= count && crayon_compiler_set_template(compiler, ids.data, prefix, count - prefix, &result) == CRAYON_OK;
}

bool add_views(crayon_compiler* compiler, const Napi::Value& views, crayon_result& result) {
    for (std::uint32_t i = 0; i < length_of(views); ++i) {
        const Napi::Value view = property(views, i);
        const Utf8 name = text_at(view, "name"), pretokenizer = text_at(view, "scanner");
        if (crayon_compiler_add_view(compiler, name.text, name.length, pretokenizer.text, pretokenizer.length, &result) !=
                CRAYON_OK ||
            crayon_compiler_set_normalizer(compiler, integer_at(view, "normalizer"), &result) != CRAYON_OK ||
            !add_tokens(compiler, property(view, "tokens"), result) ||
            !set_template(compiler, property(view, "template"), result)) {
            return false;
        }
    }
    return true;
}

// In the order of FORMS in lib/native/addon.ts.
constexpr decltype(&crayon_compiler_finish) kForms[] = {crayon_compiler_finish, crayon_compiler_finish_slim,
                                                        crayon_compiler_finish_dat};

bool finish(crayon_compiler* compiler, std::uint32_t form, const std::uint8_t*& file, crayon_result& result) {
    result.status = CRAYON_INVALID_ARGUMENT;
    return form < 3 && kForms[form](compiler, &file, &result) == CRAYON_OK;
}

struct TokenBytes {
    const std::uint8_t* bytes;
    std::uint32_t byte_count;
    const std::uint32_t* offsets;
    std::uint32_t count;
};

bool set_merges(crayon_compiler* compiler, const TokenBytes& tokens, const Napi::Value& merges, crayon_result& result) {
    const auto pairs = numbers_at(merges, "pairs");
    const auto priorities = numbers_at(merges, "priorities");
    const auto unmatched = numbers_at(merges, "unmatched");
    const bool is_list = priorities.count == 0 || priorities.count == pairs.count / 2;
    if (!is_list || pairs.count > 0x7FFFFFFF || unmatched.count > 0x7FFFFFFF) {
        result.status = CRAYON_INVALID_ARGUMENT;
        return false;
    }
    if (crayon_compiler_set_bpe_merges(compiler, tokens.bytes, tokens.byte_count, tokens.offsets, tokens.count, pairs.data,
                                       static_cast<std::uint32_t>(pairs.count / 2), priorities.count ? priorities.data : nullptr,
                                       unmatched.data, static_cast<std::uint32_t>(unmatched.count),
                                       truth(merges.Env(), property(merges, "whole")), &result) != CRAYON_OK) {
        return false;
    }
    const Napi::Value hidden = property(merges, "hidden");
    if (!hidden.IsObject()) return true;
    const std::uint32_t flags = (truth(merges.Env(), property(hidden, "fusesUnknown")) ? CRAYON_FUSES_UNKNOWN : 0) |
                                (truth(merges.Env(), property(hidden, "endsWords")) ? CRAYON_ENDS_WORDS : 0) |
                                (truth(merges.Env(), property(hidden, "splitsHidden")) ? CRAYON_SPLITS_HIDDEN : 0);
    return crayon_compiler_set_hidden_tokens(compiler, id_at(hidden, "from"), id_at(hidden, "unknownId"), flags, &result) ==
           CRAYON_OK;
}

bool set_word_piece(crayon_compiler* compiler, const TokenBytes& tokens, const Napi::Value& rules, crayon_result& result) {
    const auto unmatched = numbers_at(rules, "unmatched");
    const Utf8 prefix = text_at(rules, "prefix");
    result.status = CRAYON_INVALID_ARGUMENT;
    return unmatched.count <= 0x7FFFFFFF &&
           crayon_compiler_set_word_piece(compiler, tokens.bytes, tokens.byte_count, tokens.offsets, tokens.count, unmatched.data,
                                          static_cast<std::uint32_t>(unmatched.count), id_at(rules, "unknownId"),
                                          reinterpret_cast<const std::uint8_t*>(prefix.text), prefix.length,
                                          integer_at(rules, "mostCharacters"), truth(rules.Env(), property(rules, "wholeWords")),
                                          &result) == CRAYON_OK;
}

bool set_unigram(crayon_compiler* compiler, const TokenBytes& tokens, const Napi::Value& rules, crayon_result& result) {
    const auto unmatched = numbers_at(rules, "unmatched"), byte_ids = numbers_at(rules, "byteIds");
    const Elements<const double> scores{rules.Env(), property(rules, "scores")};
    double unknown_score = 0;
    result.status = CRAYON_INVALID_ARGUMENT;
    if (scores.count != tokens.count || unmatched.count > 0x7FFFFFFF || (byte_ids.count != 0 && byte_ids.count != 256) ||
        napi_get_value_double(rules.Env(), property(rules, "unknownScore"), &unknown_score) != napi_ok) {
        return false;
    }
    return crayon_compiler_set_unigram(compiler, tokens.bytes, tokens.byte_count, tokens.offsets, tokens.count, unmatched.data,
                                       static_cast<std::uint32_t>(unmatched.count), id_at(rules, "unknownId"), scores.data,
                                       unknown_score, byte_ids.count ? byte_ids.data : nullptr,
                                       truth(rules.Env(), property(rules, "sumsFloats")), &result) == CRAYON_OK;
}

bool set_general(crayon_compiler* compiler, const TokenBytes& tokens, const Napi::Value& rules, crayon_result& result) {
    const auto unmatched = numbers_at(rules, "unmatched");
    const auto section = bytes_at(rules, "section");
    result.status = CRAYON_INVALID_ARGUMENT;
    return unmatched.count <= 0x7FFFFFFF && section.count <= 0x7FFFFFFF &&
           crayon_compiler_set_general(compiler, tokens.bytes, tokens.byte_count, tokens.offsets, tokens.count, unmatched.data,
                                       static_cast<std::uint32_t>(unmatched.count), id_at(rules, "unknownId"), section.data,
                                       static_cast<std::uint32_t>(section.count), &result) == CRAYON_OK;
}

bool set_tokens(crayon_compiler* compiler, const Napi::Value& input, crayon_result& result) {
    const auto bytes = bytes_at(input, "bytes");
    const auto offsets = numbers_at(input, "offsets");
    if (!bytes.valid || offsets.count == 0 || bytes.count > 0x7FFFFFFF || offsets.count > 0x7FFFFFFF) {
        result.status = CRAYON_INVALID_ARGUMENT;
        return false;
    }
    const std::uint32_t byte_count = static_cast<std::uint32_t>(bytes.count);
    const std::uint32_t token_count = static_cast<std::uint32_t>(offsets.count - 1);
    const Napi::Value merges = property(input, "merges");
    if (merges.IsObject()) {
        return set_merges(compiler, {bytes.data, byte_count, offsets.data, token_count}, merges, result);
    }
    const TokenBytes tokens = {bytes.data, byte_count, offsets.data, token_count};
    const Napi::Value words = property(input, "wordPiece"), unigram = property(input, "unigram"),
                      general = property(input, "general");
    if (words.IsObject()) return set_word_piece(compiler, tokens, words, result);
    if (unigram.IsObject()) return set_unigram(compiler, tokens, unigram, result);
    if (general.IsObject()) return set_general(compiler, tokens, general, result);
    const Utf8 model = text_at(input, "model");
    if (model.text && std::strcmp(model.text, "bpe") == 0) {
        return crayon_compiler_set_bpe(compiler, bytes.data, byte_count, offsets.data, token_count, &result) == CRAYON_OK;
    }
    return crayon_compiler_set_longest_match(compiler, bytes.data, byte_count, offsets.data, token_count, id_at(input, "unknown"),
                                             &result) == CRAYON_OK;
}

bool set_pattern(crayon_compiler* compiler, const Napi::Value& input, crayon_result& result) {
    const auto pattern = bytes_at(input, "pattern");
    if (!pattern.valid || pattern.count == 0) return true;
    result.status = CRAYON_INVALID_ARGUMENT;
    return pattern.count <= 0x7FFFFFFF &&
           crayon_compiler_set_pattern(compiler, pattern.data, static_cast<std::uint32_t>(pattern.count), &result) == CRAYON_OK;
}

bool set_program(crayon_compiler* compiler, const Napi::Value& input, crayon_result& result) {
    const auto program = bytes_at(input, "program");
    if (!program.valid || program.count == 0) return true;
    result.status = CRAYON_INVALID_ARGUMENT;
    return program.count <= 0x7FFFFFFF &&
           crayon_compiler_set_normalizer_program(compiler, program.data, static_cast<std::uint32_t>(program.count), &result) ==
               CRAYON_OK;
}

bool set_words(crayon_compiler* compiler, const Napi::Value& input, crayon_result& result) {
    const auto words = numbers_at(input, "words");
    if (!words.valid || words.count == 0) return true;
    result.status = CRAYON_INVALID_ARGUMENT;
    return words.count <= 0x7FFFFFFF &&
           crayon_compiler_set_words(compiler, words.data, static_cast<std::uint32_t>(words.count / 2), &result) == CRAYON_OK;
}

bool build(crayon_compiler*& compiler, const Napi::Value& input, std::uint32_t form, const std::uint8_t*& file,
           crayon_result& result) {
    const Utf8 metadata = text_at(input, "metadata");
    return crayon_compiler_create(&compiler, &result) == CRAYON_OK && set_tokens(compiler, input, result) &&
           crayon_compiler_set_metadata(compiler, metadata.text, metadata.length, &result) == CRAYON_OK &&
           set_pattern(compiler, input, result) && set_program(compiler, input, result) && set_words(compiler, input, result) &&
           add_views(compiler, property(input, "views"), result) && finish(compiler, form, file, result);
}

}  // namespace

napi_value compile(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    crayon_result result = {};
    result.status = CRAYON_INVALID_ARGUMENT;
    Compiler compiler;
    const std::uint8_t* file = nullptr;
    const Napi::Value input(env, in.at[0]);
    if (!input.IsObject() || !build(compiler.it, input, in.integer(1), file, result)) {
        in.environment->fail(env, result);
        return nullptr;
    }
    return copy_of(env, file, result.count);
}

napi_value recompile(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    OpenTokenizer* open = in.environment->tokenizers.find(in.handle(0));
    if (!open) {
        in.environment->keep_failure(CRAYON_CLOSED);
        return nullptr;
    }
    crayon_result result = {};
    Compiler compiler;
    const std::uint8_t* file = nullptr;
    if (crayon_compiler_create(&compiler.it, &result) != CRAYON_OK ||
        crayon_compiler_set_cartridge(compiler.it, open->cartridge, &result) != CRAYON_OK ||
        !finish(compiler.it, in.integer(1), file, result)) {
        in.environment->fail(env, result);
        return nullptr;
    }
    return copy_of(env, file, result.count);
}

napi_value normalize(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const Elements<const std::uint8_t> program(env, in.at[0]), text(env, in.at[1]);
    crayon_result result = {};
    result.status = CRAYON_INVALID_ARGUMENT;
    std::uint8_t* bytes = nullptr;
    if (program.count > 0x7FFFFFFF || text.count > 0x7FFFFFFF ||
        crayon_compiler_normalize(program.data, static_cast<std::uint32_t>(program.count), text.data,
                                  static_cast<std::uint32_t>(text.count), &bytes, &result) != CRAYON_OK) {
        in.environment->fail(env, result);
        return nullptr;
    }
    const napi_value copy = copy_of(env, bytes, result.count);
    std::free(bytes);
    return copy;
}

}  // namespace crayon::addon
