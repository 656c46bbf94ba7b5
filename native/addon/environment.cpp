#include "environment.h"

#include <new>

#include "background.h"
#include "devices.h"

namespace crayon::addon {

namespace {

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
    std::apply([](auto&... table) { (release_all(table), ...); }, opened);
    while (DeviceWork* work = device_jobs.remove_any()) drop(nullptr, work);
    while (DeviceMatrix* matrix = device_matrices.remove_any()) drop(nullptr, matrix);
    while (crayon_device* device = devices.remove_any()) crayon_device_release(device);
    std::free(scratch_);
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
