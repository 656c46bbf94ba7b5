// Compiles a vocabulary to the bytes of a cartridge.

#include <node_api.h>

#include <cstring>

#include "environment.h"
#include "functions.h"

namespace crayon::addon {

namespace {

struct Compiler {
    crayon_compiler* it = nullptr;
    ~Compiler() { crayon_compiler_release(it); }
};

bool add_tokens(crayon_compiler* compiler, const Reader& tokens, crayon_result& result) {
    const Elements<const std::uint8_t> bytes(tokens.env, tokens["bytes"].it), flags(tokens.env, tokens["flags"].it);
    const Elements<const std::uint32_t> offsets(tokens.env, tokens["offsets"].it), ids(tokens.env, tokens["ids"].it);
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
        if (crayon_compiler_add_token(compiler, bytes.data + offsets.data[i], offsets.data[i + 1] - offsets.data[i],
                                      ids.data[i], flags.data[i], &result) != CRAYON_OK) {
            return false;
        }
    }
    return true;
}

bool set_template(crayon_compiler* compiler, const Reader& around, crayon_result& result) {
    if (!around.is_object()) return true;
    const Elements<const std::uint32_t> ids(around.env, around["ids"].it);
    const std::uint32_t prefix = around["prefix"].integer(), count = static_cast<std::uint32_t>(ids.count);
    result.status = CRAYON_INVALID_ARGUMENT;
    return prefix <= count &&
           crayon_compiler_set_template(compiler, ids.data, prefix, count - prefix, &result) == CRAYON_OK;
}

bool add_views(crayon_compiler* compiler, const Reader& views, crayon_result& result) {
    for (std::uint32_t i = 0; i < views.length(); ++i) {
        const Reader view = views[i];
        const Utf8 name(view.env, view["name"].it), scanner(view.env, view["scanner"].it);
        if (crayon_compiler_add_view(compiler, name.text, name.length, scanner.text, scanner.length, &result) !=
                CRAYON_OK ||
            crayon_compiler_set_normalizer(compiler, view["normalizer"].integer(), &result) != CRAYON_OK ||
            !add_tokens(compiler, view["tokens"], result) || !set_template(compiler, view["template"], result)) {
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

bool set_merges(crayon_compiler* compiler, const TokenBytes& tokens, const Reader& merges, crayon_result& result) {
    const Elements<const std::uint32_t> pairs(merges.env, merges["pairs"].it);
    const Elements<const std::uint32_t> unmatched(merges.env, merges["unmatched"].it);
    if (pairs.count > 0x7FFFFFFF || unmatched.count > 0x7FFFFFFF) {
        result.status = CRAYON_INVALID_ARGUMENT;
        return false;
    }
    return crayon_compiler_set_bpe_merges(compiler, tokens.bytes, tokens.byte_count, tokens.offsets, tokens.count,
                                          pairs.data, static_cast<std::uint32_t>(pairs.count / 2), unmatched.data,
                                          static_cast<std::uint32_t>(unmatched.count), merges["whole"].truth(),
                                          &result) == CRAYON_OK;
}

bool set_tokens(crayon_compiler* compiler, const Reader& input, crayon_result& result) {
    const Elements<const std::uint8_t> bytes(input.env, input["bytes"].it);
    const Elements<const std::uint32_t> offsets(input.env, input["offsets"].it);
    if (!bytes.valid || offsets.count == 0 || bytes.count > 0x7FFFFFFF || offsets.count > 0x7FFFFFFF) {
        result.status = CRAYON_INVALID_ARGUMENT;
        return false;
    }
    const std::uint32_t byte_count = static_cast<std::uint32_t>(bytes.count);
    const std::uint32_t token_count = static_cast<std::uint32_t>(offsets.count - 1);
    const Reader merges = input["merges"];
    if (merges.is_object()) {
        return set_merges(compiler, {bytes.data, byte_count, offsets.data, token_count}, merges, result);
    }
    const Utf8 model(input.env, input["model"].it);
    if (model.text && std::strcmp(model.text, "bpe") == 0) {
        return crayon_compiler_set_bpe(compiler, bytes.data, byte_count, offsets.data, token_count, &result) ==
               CRAYON_OK;
    }
    return crayon_compiler_set_longest_match(compiler, bytes.data, byte_count, offsets.data, token_count,
                                             id_or_none(input.env, input["unknownId"].it), &result) == CRAYON_OK;
}

bool set_pattern(crayon_compiler* compiler, const Reader& input, crayon_result& result) {
    const Elements<const std::uint8_t> pattern(input.env, input["pattern"].it);
    if (!pattern.valid || pattern.count == 0) return true;
    result.status = CRAYON_INVALID_ARGUMENT;
    return pattern.count <= 0x7FFFFFFF &&
           crayon_compiler_set_pattern(compiler, pattern.data, static_cast<std::uint32_t>(pattern.count), &result) ==
               CRAYON_OK;
}

bool set_words(crayon_compiler* compiler, const Reader& input, crayon_result& result) {
    const Elements<const std::uint32_t> words(input.env, input["words"].it);
    if (!words.valid || words.count == 0) return true;
    result.status = CRAYON_INVALID_ARGUMENT;
    return words.count <= 0x7FFFFFFF &&
           crayon_compiler_set_words(compiler, words.data, static_cast<std::uint32_t>(words.count / 2), &result) == CRAYON_OK;
}

bool build(crayon_compiler*& compiler, const Reader& input, std::uint32_t form, const std::uint8_t*& file,
           crayon_result& result) {
    const Utf8 metadata(input.env, input["metadata"].it);
    return crayon_compiler_create(&compiler, &result) == CRAYON_OK && set_tokens(compiler, input, result) &&
           crayon_compiler_set_metadata(compiler, metadata.text, metadata.length, &result) == CRAYON_OK &&
           set_pattern(compiler, input, result) && set_words(compiler, input, result) &&
           add_views(compiler, input["views"], result) && finish(compiler, form, file, result);
}

}  // namespace

napi_value compile(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    crayon_result result = {};
    result.status = CRAYON_INVALID_ARGUMENT;
    Compiler compiler;
    const std::uint8_t* file = nullptr;
    const Reader input(env, in.at[0]);
    if (!input.is_object() || !build(compiler.it, input, in.integer(1), file, result)) {
        in.environment->fail(env, result);
        return nullptr;
    }
    return copy_of(env, *in.environment, file, result.count);
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
    return copy_of(env, *in.environment, file, result.count);
}

}  // namespace crayon::addon
