// What one JavaScript environment (the main thread or a worker) has open, and the scratch memory of its calls.
//
// Invariant: nothing here is shared between environments; the instance data of the module owns one Environment, and its
// end closes whatever is still open. Everything runs on the environment's own thread and no call runs JavaScript before
// it is done with the scratch, so one scratch serves every call.
#pragma once

#include <node_api.h>

#include <cstdint>

#include "crayon/crayon.h"
#include "handle_table.h"
#include "id_chunks.h"

namespace crayon::addon {

struct Session;

// A tokenizer that JavaScript holds a handle of. `idle` is the encoder (with its warm cache) that one-shot calls use in
// place and that a session borrows: created when it is first needed, nullptr while it is lent.
struct OpenTokenizer {
    crayon_cartridge* cartridge = nullptr;
    crayon_tokenizer* tokenizer = nullptr;
    crayon_encoder* idle = nullptr;
    std::uint32_t view = 0;
    std::int64_t handle = 0;
    Session* sessions = nullptr;
    bool retired = false;  // to be closed when the last session ends
};

// A text on its way in several calls: a long string, a stream or the rows of a batch. It has an encoder to itself.
struct Session {
    OpenTokenizer* owner = nullptr;
    Session* next = nullptr;  // of the same owner
    crayon_encoder* encoder = nullptr;
    std::int64_t handle = 0;
    std::uint32_t special = 0;
    std::uint32_t* allowed = nullptr;
    std::uint32_t allowed_count = 0;
    bool counting = false;     // ids are counted and not kept
    bool has_offsets = false;  // gathers offsets, in `unit`
    std::uint32_t unit = 0;
    bool open_text = false;  // a text has begun and not ended
    std::uint64_t counted = 0;
    IdChunks ids;
    IdChunks offsets;

    explicit Session(SpareChunks& spare) : ids(spare), offsets(spare) {}
};

class Environment {
public:
    // The longest string, in UTF-16 units, that one call takes, and the most bytes or 32-bit ids handed to the engine
    // at once.
    static constexpr std::uint32_t kWindow = 64 * 1024;

    // nullptr: out of memory.
    static Environment* create();
    ~Environment();

    // The encoder for one-shot calls; nullptr (and the failure kept) if it cannot be made.
    crayon_encoder* encoder_of(napi_env env, OpenTokenizer& open) {
        return open.idle ? open.idle : make_encoder(env, open);
    }
    Session* begin_session(napi_env env, OpenTokenizer& open);
    void end_session(napi_env env, Session* session);
    // Ends the tokenizer's sessions too.
    void close(napi_env env, OpenTokenizer* open);
    // Closes it as soon as it has no session.
    void retire(napi_env env, OpenTokenizer* open);

    // Keep a failure for `failure()` of the module; each returns the number that tells JavaScript so.
    napi_value fail(napi_env env, const crayon_result& result);
    napi_value fail(napi_env env, crayon_status status);
    void keep_failure(crayon_status status);

    HandleTable<OpenTokenizer> tokenizers;
    HandleTable<Session> sessions;
    SpareChunks spare;         // before all chunks: it is the last to go
    IdChunks overflow{spare};  // ids of a one-shot call that did not fit the slab
    crayon_result failure = {};
    std::int64_t failed_row = -1;  // of a batch, if the failure is about one

    // One use of the scratch at a time.
    char16_t* units() { return static_cast<char16_t*>(scratch_); }
    std::uint8_t* bytes() { return static_cast<std::uint8_t*>(scratch_); }
    std::uint32_t* numbers() { return static_cast<std::uint32_t*>(scratch_); }

private:
    Environment() = default;
    crayon_encoder* make_encoder(napi_env env, OpenTokenizer& open);
    void release_encoder(napi_env env, crayon_encoder* encoder);

    void* scratch_ = nullptr;
};

// What a call brought: its arguments (undefined where JavaScript gave fewer) and the environment's data.
template <std::size_t N>
struct Arguments {
    Arguments(napi_env env, napi_callback_info info) : env(env) {
        std::size_t count = N;
        void* data = nullptr;
        napi_get_cb_info(env, info, &count, at, nullptr, &data);
        home = static_cast<Environment*>(data);
    }
    // 0 if the argument is no number.
    std::int64_t handle(std::size_t index) const {
        std::int64_t value = 0;
        napi_get_value_int64(env, at[index], &value);
        return value;
    }
    std::uint32_t integer(std::size_t index) const {
        std::uint32_t value = 0;
        napi_get_value_uint32(env, at[index], &value);
        return value;
    }
    bool truth(std::size_t index) const {
        bool value = false;
        napi_get_value_bool(env, at[index], &value);
        return value;
    }
    napi_env env;
    napi_value at[N];
    Environment* home;
};

// The elements of a typed array; `data` is nullptr for another type, and may be for an empty array.
template <class T>
struct Elements {
    T* data = nullptr;
    std::size_t count = 0;
    bool valid = false;

    Elements(napi_env env, napi_value value) {
        napi_typedarray_type type;
        void* start = nullptr;
        if (napi_get_typedarray_info(env, value, &type, &count, &start, nullptr, nullptr) != napi_ok) return;
        valid = sizeof(T) == 1 ? type == napi_uint8_array : type == napi_uint32_array;
        if (valid) data = static_cast<T*>(start);
        if (!data) count = 0;
    }
};

// How special tokens are taken: a number of the engine, or the ids of those that are tokens.
struct Policy {
    std::uint32_t special = CRAYON_SPECIAL_LISTED;
    const std::uint32_t* allowed = nullptr;
    std::uint32_t allowed_count = 0;

    Policy(napi_env env, napi_value value) {
        if (napi_get_value_uint32(env, value, &special) == napi_ok) return;
        Elements<const std::uint32_t> ids(env, value);
        allowed = ids.data;
        allowed_count = static_cast<std::uint32_t>(ids.count);
    }
};

// An id that may be missing: 0xFFFFFFFF if the value is no number.
inline std::uint32_t id_or_none(napi_env env, napi_value value) {
    std::uint32_t id = 0;
    return napi_get_value_uint32(env, value, &id) == napi_ok ? id : 0xFFFFFFFF;
}

inline napi_value number(napi_env env, double value) {
    napi_value out = nullptr;
    if (value >= -2147483648.0 && value <= 2147483647.0) {
        napi_create_int32(env, static_cast<std::int32_t>(value), &out);
    } else {
        napi_create_double(env, value, &out);
    }
    return out;
}

}  // namespace crayon::addon
