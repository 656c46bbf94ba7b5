// What one JavaScript environment (the main thread or a worker) has open, and the scratch memory of its calls.
//
// Invariant: environments share nothing here (they share threads.h). The module's instance data owns one Environment, whose
// destructor closes everything still open. Everything runs on the environment's own thread, and no call runs JavaScript
// while it uses the scratch, so all calls share one scratch.
#pragma once

#include <node_api.h>

#include <cstdint>
#include <cstring>
#include <tuple>

#include "crayon/crayon.h"
#include "gathered_ids.h"
#include "handle_table.h"
#include "values.h"

namespace crayon::addon {

class Background;
struct DeviceMatrix;
struct DeviceWork;

class Environment {
public:
    // The longest string, in UTF-16 units, that one call accepts, and the most bytes or ids passed to the engine at once.
    static constexpr std::uint32_t kWindow = 64 * 1024;

    // nullptr: out of memory.
    static Environment* create();
    ~Environment();

    // Store a failure for the module's `failure()`; `fail` returns the number that signals it to JavaScript.
    napi_value fail(napi_env env, const crayon_result& result);
    napi_value fail(napi_env env, crayon_status status);
    void keep_failure(crayon_status status);

    // What the calls of bindings.cpp open. They hold what they need, so the order in which they are released does not matter.
    std::tuple<HandleTable<crayon_cartridge>, HandleTable<crayon_compiler>, HandleTable<crayon_dna>,
               HandleTable<crayon_dna_compiler>, HandleTable<crayon_document>, HandleTable<crayon_encoder>,
               HandleTable<crayon_records>, HandleTable<crayon_tokenizer>, HandleTable<crayon_trainer>>
        opened;
    template <class T>
    HandleTable<T>& table() {
        return std::get<HandleTable<T>>(opened);
    }
    HandleTable<crayon_device> devices;
    HandleTable<DeviceWork> device_jobs;
    HandleTable<DeviceMatrix> device_matrices;
    Background* background = nullptr;  // once requested; ends by itself, with the environment
    crayon_result failure = {};
    std::int64_t failed_row = -1;  // of a batch, if a row failed

    GatheredIds gathered;  // of the long text that is being encoded

    // One use of the scratch at a time.
    char16_t* units() { return static_cast<char16_t*>(scratch_); }
    std::uint8_t* bytes() { return static_cast<std::uint8_t*>(scratch_); }
    std::uint32_t* numbers() { return static_cast<std::uint32_t*>(scratch_); }

private:
    Environment() = default;
    void* scratch_ = nullptr;
};

inline void release_object(crayon_cartridge* cartridge) { crayon_cartridge_release(cartridge); }
inline void release_object(crayon_compiler* compiler) { crayon_compiler_release(compiler); }
inline void release_object(crayon_dna* dna) { crayon_dna_release(dna); }
inline void release_object(crayon_dna_compiler* compiler) { crayon_dna_compiler_release(compiler); }
inline void release_object(crayon_document* document) { crayon_document_release(document); }
inline void release_object(crayon_encoder* encoder) { crayon_encoder_release(encoder); }
inline void release_object(crayon_records* records) { crayon_records_release(records); }
inline void release_object(crayon_tokenizer* tokenizer) { crayon_tokenizer_release(tokenizer); }
inline void release_object(crayon_trainer* trainer) { crayon_trainer_release(trainer); }

// The arguments of a call (undefined if JavaScript passed fewer) and the environment's data.
template <std::size_t N>
struct Arguments {
    Arguments(napi_env env, napi_callback_info info) : env(env) {
        std::size_t count = N;
        void* data = nullptr;
        napi_get_cb_info(env, info, &count, at, nullptr, &data);
        environment = static_cast<Environment*>(data);
    }
    // 0 if the argument is not a number.
    std::int64_t handle(std::size_t index) const {
        std::int64_t value = 0;
        napi_get_value_int64(env, at[index], &value);
        return value;
    }
    std::uint32_t integer(std::size_t index) const { return addon::integer(env, at[index]); }
    bool truth(std::size_t index) const { return addon::truth(env, at[index]); }
    // Puts a string of at most one window into the scratch; false for anything else.
    bool units(std::size_t index, std::size_t& length) const {
        return napi_get_value_string_utf16(env, at[index], environment->units(), Environment::kWindow + 2, &length) == napi_ok &&
               length <= Environment::kWindow;
    }
    napi_env env;
    napi_value at[N == 0 ? 1 : N];
    Environment* environment;
};

// Undefined, for calls that do not return a number; the failure is kept for the module's `failure()`.
inline napi_value no_value(Environment& environment, crayon_status status) {
    environment.keep_failure(status);
    return nullptr;
}

// The ids as a Uint32Array that owns their memory. Hosts that do not allow that (Electron) get a copy. nullptr if memory is
// short or the ids were already taken.
napi_value owned_ids(napi_env env, std::uint32_t* ids, std::size_t count);

}  // namespace crayon::addon
