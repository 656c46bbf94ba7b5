// Statuses and kernels, how the last call ended, and arrays that are copied.

#include <cstring>

#include "environment.h"
#include "functions.h"
#include "objects.h"

namespace crayon::addon {

namespace {

template <class T>
napi_value typed_array(napi_env env, const T* elements, std::size_t count) {
    if (Napi::Env(env).IsExceptionPending()) return nullptr;  // a getter has thrown
    Napi::TypedArrayOf<T> copy = Napi::TypedArrayOf<T>::New(env, count);
    if (!copy.IsEmpty() && count > 0) std::memcpy(copy.Data(), elements, count * sizeof(T));
    return copy;
}

}  // namespace

napi_value copy_of(napi_env env, const std::uint8_t* bytes, std::size_t count) { return typed_array(env, bytes, count); }
napi_value copy_of(napi_env env, const std::uint32_t* numbers, std::size_t count) { return typed_array(env, numbers, count); }

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
napi_value result_count(napi_env env, napi_callback_info info) {
    return number(env, Arguments<1>(env, info).environment->failure.count);
}

napi_value result_position(napi_env env, napi_callback_info info) {
    const crayon_result& result = Arguments<1>(env, info).environment->failure;
    return number(env, result.position_high * 4294967296.0 + result.position);
}

// Tells the garbage collector by how many bytes the memory of an object has grown or shrunk.
napi_value weigh(napi_env env, napi_callback_info info) {
    const Arguments<1> in(env, info);
    std::int64_t total;
    napi_adjust_external_memory(env, in.handle(0), &total);
    return nullptr;
}

}  // namespace crayon::addon
