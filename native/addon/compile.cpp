// A vocabulary to the bytes of a cartridge: build time, written with node-addon-api.

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

bool finish(crayon_compiler* compiler, bool slim, const std::uint8_t*& file, crayon_result& result) {
    return (slim ? crayon_compiler_finish_slim : crayon_compiler_finish)(compiler, &file, &result) == CRAYON_OK;
}

Napi::Value copy_of(Napi::Env env, const std::uint8_t* file, std::uint32_t length) {
    Napi::Uint8Array out = Napi::Uint8Array::New(env, length);
    if (out.Data()) std::memcpy(out.Data(), file, length);
    return out;
}

bool build(crayon_compiler*& compiler, const Napi::Object& input, const std::uint8_t*& file, crayon_result& result) {
    Napi::Env env = input.Env();
    Elements<const std::uint8_t> bytes(env, input.Get("bytes"));
    Elements<const std::uint32_t> offsets(env, input.Get("offsets"));
    if (!bytes.valid || offsets.count == 0 || bytes.count > 0x7FFFFFFF || offsets.count > 0x7FFFFFFF) {
        result.status = CRAYON_INVALID_ARGUMENT;
        return false;
    }
    std::string metadata = text_of(input, "metadata");
    return crayon_compiler_create(&compiler, &result) == CRAYON_OK &&
           crayon_compiler_set_bpe(compiler, bytes.data, static_cast<std::uint32_t>(bytes.count), offsets.data,
                                   static_cast<std::uint32_t>(offsets.count - 1), &result) == CRAYON_OK &&
           crayon_compiler_set_metadata(compiler, metadata.data(), size_of(metadata), &result) == CRAYON_OK &&
           add_views(compiler, input.Get("views"), result) &&
           finish(compiler, input.Get("slim").ToBoolean(), file, result);
}

}  // namespace

napi_value compile_bpe(napi_env raw, napi_callback_info info) {
    Arguments<1> in(raw, info);
    Napi::Env env(raw);
    crayon_result result = {};
    result.status = CRAYON_INVALID_ARGUMENT;
    Compiler compiler;
    const std::uint8_t* file = nullptr;
    Napi::Value input(env, in.at[0]);
    if (!input.IsObject() || !build(compiler.it, input.As<Napi::Object>(), file, result)) {
        in.home->fail(env, result);
        return nullptr;
    }
    return copy_of(env, file, result.count);
}

napi_value recompile(napi_env raw, napi_callback_info info) {
    Arguments<2> in(raw, info);
    OpenTokenizer* open = in.home->tokenizers.find(in.handle(0));
    if (!open) {
        in.home->keep_failure(CRAYON_CLOSED);
        return nullptr;
    }
    Napi::Env env(raw);
    crayon_result result = {};
    Compiler compiler;
    const std::uint8_t* file = nullptr;
    if (crayon_compiler_create(&compiler.it, &result) != CRAYON_OK ||
        crayon_compiler_set_cartridge(compiler.it, open->cartridge, &result) != CRAYON_OK ||
        !finish(compiler.it, Napi::Value(env, in.at[1]).ToBoolean(), file, result)) {
        in.home->fail(env, result);
        return nullptr;
    }
    return copy_of(env, file, result.count);
}

}  // namespace crayon::addon
