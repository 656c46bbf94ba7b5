// Opens, describes and closes tokenizers, and describes failures.

#include <cstring>
#include <new>

#include "environment.h"
#include "functions.h"
#include "objects.h"

namespace crayon::addon {

namespace {

// A flag besides the engine's: OPEN_DNA in lib/open/open-failed.ts.
constexpr std::uint32_t kOpenDna = 256;

// The view with that name; false if the cartridge has none.
bool find_view(const crayon_cartridge* cartridge, const Utf8& name, std::uint32_t& view) {
    std::uint32_t length = 0;
    for (view = 0; const char* found = crayon_cartridge_view_name(cartridge, view, &length); ++view) {
        if (length == name.length && std::memcmp(found, name.text, length) == 0) return true;
    }
    return false;
}

// The tokens of the `.json` beside a version 2 file, and the unknown id, for characters where no token begins.
struct Dat {
    Elements<const std::uint8_t> bytes;
    Elements<const std::uint32_t> offsets;
    std::uint32_t unknown;

    explicit Dat(const Napi::Value& list)
        : bytes(bytes_at(list, "bytes")), offsets(numbers_at(list, "offsets")), unknown(id_at(list, "unknown")) {}
    bool valid() const { return bytes.valid && bytes.count <= 0x7FFFFFFF && offsets.count > 0 && offsets.count <= 0x7FFFFFFF; }
    std::uint32_t byte_count() const { return static_cast<std::uint32_t>(bytes.count); }
    std::uint32_t token_count() const { return static_cast<std::uint32_t>(offsets.count - 1); }
};

// `dat`: nullptr for a cartridge.
void open_path(const Utf8& path, std::uint32_t flags, const Dat* dat, OpenTokenizer& open, crayon_result& result) {
    if (!path.text) return;
    if (dat) {
        crayon_cartridge_open_dat_file(path.text, path.length, flags, dat->bytes.data, dat->byte_count(), dat->offsets.data,
                                       dat->token_count(), dat->unknown, &open.cartridge, &result);
    } else {
        crayon_cartridge_open_file(path.text, path.length, flags, &open.cartridge, &result);
    }
}

void open_bytes(const Elements<const std::uint8_t>& bytes, std::uint32_t flags, const Dat* dat, OpenTokenizer& open,
                crayon_result& result) {
    if (!bytes.valid) return;
    if (bytes.count > 0x7FFFFFFF) {
        result.status = CRAYON_FILE_TOO_LARGE;
        return;
    }
    const void* data = bytes.data ? static_cast<const void*>(bytes.data) : "";
    std::uint32_t length = static_cast<std::uint32_t>(bytes.count);
    if (dat) {
        crayon_cartridge_open_dat_bytes(data, length, flags, dat->bytes.data, dat->byte_count(), dat->offsets.data,
                                        dat->token_count(), dat->unknown, &open.cartridge, &result);
    } else {
        crayon_cartridge_open_bytes(data, length, flags, &open.cartridge, &result);
    }
}

void open_source(napi_env env, napi_value source, std::uint32_t flags, const Dat* dat, OpenTokenizer& open,
                 crayon_result& result) {
    result.status = CRAYON_INVALID_ARGUMENT;
    if (dat && !dat->valid()) return;
    napi_valuetype type = napi_undefined;
    napi_typeof(env, source, &type);
    if (type == napi_string)
        open_path(Utf8(env, source), flags, dat, open, result);
    else
        open_bytes(Elements<const std::uint8_t>(env, source), flags, dat, open, result);
}

void open_tokenizer(napi_env env, const napi_value (&arguments)[5], OpenTokenizer& open, crayon_result& result) {
    std::uint32_t flags = 0;
    napi_get_value_uint32(env, arguments[2], &flags);
    const bool wants_dna = (flags & kOpenDna) != 0;
    flags &= ~kOpenDna;
    const Napi::Value list(env, arguments[4]);
    if (list.IsObject()) {
        const Dat dat(list);
        open_source(env, arguments[0], flags, &dat, open, result);
    } else {
        open_source(env, arguments[0], flags, nullptr, open, result);
    }
    if (result.status != CRAYON_OK) return;
    if (napi_get_value_uint32(env, arguments[1], &open.view) != napi_ok) {
        Utf8 name(env, arguments[1]);
        if (!name.text || !find_view(open.cartridge, name, open.view)) {
            result.status = CRAYON_UNKNOWN_VIEW;
            return;
        }
    }
    Utf8 kernel(env, arguments[3]);
    if (crayon_tokenizer_create(open.cartridge, open.view, kernel.text ? kernel.text : "", kernel.length, &open.tokenizer,
                                &result) != CRAYON_OK) {
        return;
    }
    // A DNA vocabulary opens only if DNA is requested.
    const bool is_dna = std::strcmp(crayon_tokenizer_model(open.tokenizer), "dna") == 0;
    if (is_dna != wants_dna) result.status = CRAYON_INVALID_ARGUMENT;
}

}  // namespace

napi_value statuses(napi_env env, napi_callback_info) {
    const Napi::Array rows = Napi::Array::New(env);
    if (rows.IsEmpty()) return nullptr;
    for (std::uint32_t number = 0, count = 0; number < CRAYON_STATUS_COUNT; ++number) {
        const char* name = crayon_status_name(number);
        if (!name) continue;
        const Napi::Object row = Napi::Object::New(env);
        if (row.IsEmpty()) return nullptr;
        set(row, "name", name);
        set(row, "number", number);
        set(row, "sentence", crayon_status_sentence(number));
        set(rows, count++, row);
    }
    return rows;
}

napi_value kernels(napi_env env, napi_callback_info) {
    const Napi::Array names = Napi::Array::New(env);
    if (names.IsEmpty()) return nullptr;
    for (std::uint32_t i = 0; const char* name = crayon_kernel_name(i); ++i) set(names, i, name);
    return names;
}

// A thread terminated during a call still asks for the failure. In that case the object lacks some properties.
napi_value failure(napi_env env, napi_callback_info info) {
    Environment& environment = *Arguments<1>(env, info).environment;
    const crayon_result& result = environment.failure;
    const char* name = crayon_status_name(result.status);
    const char* sentence = crayon_status_sentence(result.status);
    const Napi::Object out = Napi::Object::New(env);
    if (out.IsEmpty()) return nullptr;
    set(out, "code", name ? name : "UNKNOWN");
    set(out, "sentence", sentence ? sentence : "the engine gave a status that has no name");
    set(out, "section", result.section);
    set(out, "position", result.position_high * 4294967296.0 + result.position);
    if (environment.failed_row >= 0) set(out, "row", static_cast<double>(environment.failed_row));
    environment.failed_row = -1;
    return out;
}

// Of the last call's crayon_result.
napi_value result_more(napi_env env, napi_callback_info info) {
    return number(env, Arguments<1>(env, info).environment->failure.more);
}
napi_value result_count(napi_env env, napi_callback_info info) {
    return number(env, Arguments<1>(env, info).environment->failure.count);
}

// Tells the garbage collector about memory of an object that has grown or shrunk by so many bytes.
napi_value weigh(napi_env env, napi_callback_info info) {
    const Arguments<1> in(env, info);
    std::int64_t total;
    napi_adjust_external_memory(env, in.handle(0), &total);
    return nullptr;
}

napi_value load(napi_env env, napi_callback_info info) {
    Arguments<5> in(env, info);
    Environment& environment = *in.environment;
    OpenTokenizer* open = new (std::nothrow) OpenTokenizer;
    if (!open) return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    crayon_result result = {};
    open_tokenizer(env, in.at, *open, result);
    if (result.status == CRAYON_OK) open->handle = environment.tokenizers.add(open);
    if (open->handle) return number(env, static_cast<double>(open->handle));
    if (result.status == CRAYON_OK) result.status = CRAYON_OUT_OF_MEMORY;
    environment.close(env, open);
    return environment.fail(env, result);
}

napi_value share(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    Environment& environment = *in.environment;
    const OpenTokenizer* open = environment.tokenizers.find(in.handle(0));
    if (!open) return environment.fail(env, CRAYON_CLOSED);
    OpenTokenizer* shared = new (std::nothrow) OpenTokenizer;
    if (shared) shared->handle = environment.tokenizers.add(shared);
    if (!shared || !shared->handle) {
        delete shared;
        return environment.fail(env, CRAYON_OUT_OF_MEMORY);
    }
    crayon_tokenizer_retain(open->tokenizer);
    shared->tokenizer = open->tokenizer;
    return number(env, static_cast<double>(shared->handle));
}

napi_value limit_caches(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const OpenTokenizer* open = in.environment->tokenizers.find(in.handle(0));
    if (!open) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_tokenizer_cache_limit(open->tokenizer, static_cast<std::uint64_t>(in.handle(1)));
    return number(env, 0);
}

// Cache sizes: in the pool, and in this environment.
napi_value memory(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    const OpenTokenizer* open = in.environment->tokenizers.find(in.handle(0));
    if (!open) {
        in.environment->keep_failure(CRAYON_CLOSED);
        return nullptr;
    }
    std::uint64_t bytes[3];
    crayon_tokenizer_memory(open->tokenizer, bytes);
    if (open->idle) bytes[2] += crayon_encoder_cache_bytes(open->idle);
    for (const Session* session = open->sessions; session; session = session->next) {
        bytes[2] += crayon_encoder_cache_bytes(session->encoder);
    }
    const Napi::Object out = Napi::Object::New(env);
    if (out.IsEmpty()) return nullptr;
    set(out, "mapped", static_cast<double>(bytes[0]));
    set(out, "private", static_cast<double>(bytes[1]));
    set(out, "caches", static_cast<double>(bytes[2]));
    return out;
}

napi_value trim(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    OpenTokenizer* open = in.environment->tokenizers.find(in.handle(0));
    if (!open) return in.environment->fail(env, CRAYON_CLOSED);
    in.environment->trim(env, *open, static_cast<std::uint64_t>(in.handle(1)));
    return number(env, 0);
}

napi_value describe(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    OpenTokenizer* open = in.environment->tokenizers.find(in.handle(0));
    if (!open) {
        in.environment->keep_failure(CRAYON_CLOSED);
        return nullptr;
    }
    const Napi::Object out = Napi::Object::New(env);
    const Napi::Array views = Napi::Array::New(env), added = Napi::Array::New(env);
    if (out.IsEmpty() || views.IsEmpty() || added.IsEmpty()) return nullptr;
    std::uint32_t length = 0;
    for (std::uint32_t i = 0; const char* name = crayon_cartridge_view_name(open->cartridge, i, &length); ++i) {
        set(views, i, Napi::String::New(env, name, length));
        if (i == open->view) set(out, "name", Napi::String::New(env, name, length));
    }
    set(out, "views", views);
    set(out, "vocabularySize", crayon_tokenizer_vocabulary_size(open->tokenizer));
    set(out, "model", crayon_tokenizer_model(open->tokenizer));
    set(out, "scanner", crayon_tokenizer_scanner(open->tokenizer));
    set(out, "normalizer", crayon_tokenizer_normalizer(open->tokenizer));
    set(out, "kernel", crayon_tokenizer_kernel(open->tokenizer));
    const std::uint32_t unknown_id = crayon_tokenizer_unknown_id(open->tokenizer);
    if (unknown_id != 0xFFFFFFFF) set(out, "unknownId", unknown_id);
    if (crayon_tokenizer_unknown_bytes(open->tokenizer)) set(out, "unknownUnit", "byte");
    const char* metadata = crayon_cartridge_metadata(open->cartridge, &length);
    set(out, "metadata", Napi::String::New(env, metadata ? metadata : "", length));
    std::uint32_t token[3];
    for (std::uint32_t i = 0; const std::uint8_t* bytes = crayon_tokenizer_added_token(open->tokenizer, i, token); ++i) {
        const Napi::Object row = Napi::Object::New(env);
        if (row.IsEmpty()) return nullptr;
        set(row, "text", Napi::String::New(env, reinterpret_cast<const char*>(bytes), token[0]));
        set(row, "id", token[1]);
        set(row, "special", (token[2] & CRAYON_ADDED_SPECIAL) != 0);
        if (token[2] & (CRAYON_ADDED_LSTRIP | CRAYON_ADDED_RSTRIP)) set(row, "strips", true);
        if (token[2] & CRAYON_ADDED_SINGLE_WORD) set(row, "singleWord", true);
        if (token[2] & CRAYON_ADDED_NORMALIZED) set(row, "normalized", true);
        if (token[2] & CRAYON_ADDED_NEVER_FOUND) set(row, "neverFound", true);
        set(added, i, row);
    }
    set(out, "addedTokens", added);
    std::uint32_t counts[2];
    const std::uint32_t* ids = crayon_tokenizer_template(open->tokenizer, counts);
    for (std::uint32_t i = 0; i < 2; ids += counts[i++]) {
        const Napi::Array around = Napi::Array::New(env);
        if (around.IsEmpty()) return nullptr;
        for (std::uint32_t k = 0; k < counts[i]; ++k) set(around, k, ids[k]);
        set(out, i == 0 ? "prefix" : "suffix", around);
    }
    return out;
}

napi_value sections(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    OpenTokenizer* open = in.environment->tokenizers.find(in.handle(0));
    if (!open) {
        in.environment->keep_failure(CRAYON_CLOSED);
        return nullptr;
    }
    const Napi::Array rows = Napi::Array::New(env);
    if (rows.IsEmpty()) return nullptr;
    std::uint32_t section[4];
    for (std::uint32_t i = 0; crayon_cartridge_section(open->cartridge, i, section); ++i) {
        const Napi::Object row = Napi::Object::New(env);
        if (row.IsEmpty()) return nullptr;
        set(row, "id", section[0]);
        set(row, "flags", section[1]);
        set(row, "offset", section[2]);
        set(row, "length", section[3]);
        set(rows, i, row);
    }
    return rows;
}

napi_value retire(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    if (OpenTokenizer* open = in.environment->tokenizers.find(in.handle(0))) in.environment->retire(env, open);
    return number(env, 0);
}

napi_value close(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    if (OpenTokenizer* open = in.environment->tokenizers.remove(in.handle(0))) in.environment->close(env, open);
    return number(env, 0);
}

}  // namespace crayon::addon
