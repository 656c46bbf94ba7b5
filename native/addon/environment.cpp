#include "environment.h"

#include <new>

#include "background.h"
#include "devices.h"
#include "training.h"

namespace crayon::addon {

namespace {

// The external memory reported to the garbage collector per encoder, so that unreachable tokenizers are collected in time.
// It is the size after megabytes of one language, mostly piece caches. (It is 0.2 MB after one short text, and at most 16
// MB.)
constexpr std::int64_t kEncoderWeight = 4 * 1024 * 1024;

void weigh(napi_env env, std::int64_t change) {
    std::int64_t total;
    if (env) napi_adjust_external_memory(env, change, &total);
}

template <class T>
void release_all(HandleTable<T>& table) {
    while (T* const object = table.remove_any()) release_object(object);
}

void release_ids(napi_env, void* ids, void*) { crayon_ids_release(static_cast<std::uint32_t*>(ids)); }

}  // namespace

napi_value owned_ids(napi_env env, std::uint32_t* ids, std::size_t count) {
    const std::size_t bytes = count * sizeof(std::uint32_t);
    napi_value buffer = nullptr, array = nullptr;
    void* data = nullptr;
    if (!ids && count > 0) return nullptr;
    if (!ids || napi_create_external_arraybuffer(env, ids, bytes, release_ids, nullptr, &buffer) != napi_ok) {
        if (napi_create_arraybuffer(env, bytes, &data, &buffer) != napi_ok) buffer = nullptr;
        if (buffer && bytes > 0) std::memcpy(data, ids, bytes);
        crayon_ids_release(ids);
    }
    const bool ok = buffer && napi_create_typedarray(env, napi_uint32_array, count, buffer, 0, &array) == napi_ok;
    return ok ? array : nullptr;
}

Environment* Environment::create() {
    Environment* environment = new (std::nothrow) Environment;
    if (!environment) return nullptr;
    // Two more units: one to detect that a string is longer than a window, one for the terminator that Node-API writes.
    environment->scratch_ = std::malloc((kWindow + 2) * sizeof(std::uint32_t));
    if (!environment->scratch_) {
        delete environment;
        return nullptr;
    }
    return environment;
}

Environment::~Environment() {
    while (OpenTokenizer* open = tokenizers.remove_any()) close(nullptr, open);
    while (Training* training = trainings.remove_any()) delete training;
    while (crayon_dna* dna = dnas.remove_any()) crayon_dna_release(dna);
    std::apply([](auto&... table) { (release_all(table), ...); }, opened);
    while (DeviceWork* work = device_jobs.remove_any()) drop(nullptr, work);
    while (DeviceMatrix* matrix = device_matrices.remove_any()) drop(nullptr, matrix);
    while (crayon_device* device = devices.remove_any()) crayon_device_release(device);
    std::free(scratch_);
}

crayon_encoder* Environment::make_encoder(napi_env env, OpenTokenizer& open) {
    crayon_encoder* encoder = nullptr;
    if (crayon_encoder_create(open.tokenizer, &encoder, &failure) != CRAYON_OK) return nullptr;
    weigh(env, kEncoderWeight);
    return open.idle = encoder;
}

void Environment::release_encoder(napi_env env, crayon_encoder* encoder) {
    if (!encoder) return;
    crayon_encoder_release(encoder);
    weigh(env, -kEncoderWeight);
}

Session* Environment::begin_session(napi_env env, OpenTokenizer& open) {
    crayon_encoder* encoder = encoder_of(env, open);
    if (!encoder) return nullptr;
    open.idle = nullptr;
    Session* session = new (std::nothrow) Session(spare);
    if (session) session->handle = sessions.add(session);
    if (!session || session->handle == 0) {
        delete session;
        open.idle = encoder;
        keep_failure(CRAYON_OUT_OF_MEMORY);
        return nullptr;
    }
    session->owner = &open;
    session->encoder = encoder;
    session->next = open.sessions;
    open.sessions = session;
    return session;
}

void Environment::end_session(napi_env env, Session* session) {
    OpenTokenizer& open = *session->owner;
    Session** link = &open.sessions;
    while (*link != session) link = &(*link)->next;
    *link = session->next;
    sessions.remove(session->handle);
    if (open.idle) {
        release_encoder(env, session->encoder);
    } else {
        open.idle = session->encoder;
    }
    std::free(session->lists);
    delete session;
    if (open.retired) retire(env, &open);
}

void Environment::retire(napi_env env, OpenTokenizer* open) {
    open->retired = true;
    if (open->sessions) return;
    tokenizers.remove(open->handle);
    close(env, open);
}

void Environment::close(napi_env env, OpenTokenizer* open) {
    open->retired = false;
    while (open->sessions) end_session(env, open->sessions);
    release_encoder(env, open->idle);
    crayon_tokenizer_release(open->tokenizer);
    crayon_cartridge_release(open->cartridge);
    if (env && background) crayon_pool_trim(background->pool());
    delete open;
}

void Environment::trim(napi_env env, OpenTokenizer& open, std::uint64_t most) {
    if (open.idle && crayon_encoder_cache_bytes(open.idle) > most) {
        release_encoder(env, open.idle);
        open.idle = nullptr;
    }
    if (background) crayon_tokenizer_trim(open.tokenizer, background->pool(), most);
}

void Environment::keep_failure(crayon_status status) {
    failure = {};
    failure.status = status;
}

napi_value Environment::fail(napi_env env, const crayon_result& result) {
    failure = result;
    return number(env, -1);
}

napi_value Environment::fail(napi_env env, crayon_status status) {
    keep_failure(status);
    return number(env, -1);
}

}  // namespace crayon::addon
