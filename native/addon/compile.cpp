// Compiles a vocabulary to the bytes of a cartridge. Arguments are read with node-addon-api.

#include <napi.h>

#include <cstring>
#include <string>

#include "environment.h"
#include "functions.h"

namespace crayon::addon {

namespace {

struct Compiler {
    crayon_compiler* it = nullptr;
    ~Compiler() { crayon_compiler_release(it); }
};

std::uint32_t size_of(const std::string& text) { return static_cast<std::uint32_t>(text.size()); }

std::string text_of(const Napi::Object& from, const char* key) {
    Napi::Value value = from.Get(key);
    return value.IsString() ? value.As<Napi::String>().Utf8Value() : std::string();
}

Napi::Object object_at(const Napi::Value& list, std::uint32_t index) {
    return list.As<Napi::Array>().Get(index).As<Napi::Object>();
}

std::uint32_t length_of(const Napi::Value& list) { return list.IsArray() ? list.As<Napi::Array>().Length() : 0; }

bool add_views(crayon_compiler* compiler, const Napi::Value& views, crayon_result& result) {
    for (std::uint32_t i = 0; i < length_of(views); ++i) {
        Napi::Object view = object_at(views, i);
        std::string name = text_of(view, "name"), scanner = text_of(view, "scanner");
        if (crayon_compiler_add_view(compiler, name.data(), size_of(name), scanner.data(), size_of(scanner), &result) !=
            CRAYON_OK) {
            return false;
        }
        Napi::Value tokens = view.Get("tokens");
        for (std::uint32_t j = 0; j < length_of(tokens); ++j) {
            Napi::Object token = object_at(tokens, j);
            Elements<const std::uint8_t> bytes(view.Env(), token.Get("bytes"));
            std::uint32_t flags = token.Get("special").ToBoolean() ? CRAYON_ADDED_SPECIAL : 0;
            if (crayon_compiler_add_token(compiler, bytes.data, static_cast<std::uint32_t>(bytes.count),
                                          token.Get("id").ToNumber().Uint32Value(), flags, &result) != CRAYON_OK) {
                return false;
            }
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

// nullptr without memory, or if the thread was terminated meanwhile, since building takes long: node-addon-api would
// abort the process then.
napi_value copy_of(napi_env env, Environment& environment, const std::uint8_t* file, std::uint32_t length) {
    void* data = nullptr;
    napi_value buffer = nullptr, bytes = nullptr;
    if (napi_create_arraybuffer(env, length, &data, &buffer) != napi_ok) {
        environment.keep_failure(CRAYON_OUT_OF_MEMORY);
        return nullptr;
    }
    if (data) std::memcpy(data, file, length);
    napi_create_typedarray(env, napi_uint8_array, length, buffer, 0, &bytes);
    return bytes;
}

bool set_tokens(crayon_compiler* compiler, const Napi::Object& input, crayon_result& result) {
    Napi::Env env = input.Env();
    Elements<const std::uint8_t> bytes(env, input.Get("bytes"));
    Elements<const std::uint32_t> offsets(env, input.Get("offsets"));
    if (!bytes.valid || offsets.count == 0 || bytes.count > 0x7FFFFFFF || offsets.count > 0x7FFFFFFF) {
        result.status = CRAYON_INVALID_ARGUMENT;
        return false;
    }
    std::uint32_t byte_count = static_cast<std::uint32_t>(bytes.count);
    std::uint32_t token_count = static_cast<std::uint32_t>(offsets.count - 1);
    if (text_of(input, "model") == "bpe") {
        return crayon_compiler_set_bpe(compiler, bytes.data, byte_count, offsets.data, token_count, &result) ==
               CRAYON_OK;
    }
    return crayon_compiler_set_longest_match(compiler, bytes.data, byte_count, offsets.data, token_count,
                                             id_or_none(env, input.Get("unknownId")), &result) == CRAYON_OK;
}

bool build(crayon_compiler*& compiler, const Napi::Object& input, std::uint32_t form, const std::uint8_t*& file,
           crayon_result& result) {
    std::string metadata = text_of(input, "metadata");
    return crayon_compiler_create(&compiler, &result) == CRAYON_OK && set_tokens(compiler, input, result) &&
           crayon_compiler_set_metadata(compiler, metadata.data(), size_of(metadata), &result) == CRAYON_OK &&
           add_views(compiler, input.Get("views"), result) && finish(compiler, form, file, result);
}

}  // namespace

napi_value compile(napi_env raw, napi_callback_info info) {
    Arguments<2> in(raw, info);
    Napi::Env env(raw);
    crayon_result result = {};
    result.status = CRAYON_INVALID_ARGUMENT;
    Compiler compiler;
    const std::uint8_t* file = nullptr;
    Napi::Value input(env, in.at[0]);
    if (!input.IsObject() || !build(compiler.it, input.As<Napi::Object>(), in.integer(1), file, result)) {
        in.environment->fail(env, result);
        return nullptr;
    }
    return copy_of(env, *in.environment, file, result.count);
}

napi_value recompile(napi_env raw, napi_callback_info info) {
    Arguments<2> in(raw, info);
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
        in.environment->fail(raw, result);
        return nullptr;
    }
    return copy_of(raw, *in.environment, file, result.count);
}

}  // namespace crayon::addon
