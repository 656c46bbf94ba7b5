// JavaScript values by plain Node-API, for hot calls. The arguments and result of `encode`, for two and for 60 characters,
// cost 40 and 42 ns; with node-addon-api's wrappers 51 and 60 (Node 20, x86-64, November 2026). So the wrappers are for
// code that makes and reads objects: objects.h.
//
// The thread may be terminated in the middle of any call: then every Node-API call fails. Here a failed call gives an empty
// value, on which all further calls fail, too.
#pragma once

#include <node_api.h>

#include <cstdint>
#include <cstdlib>

namespace crayon::addon {

// A string as UTF-8 in allocated memory; `text` is nullptr if the value is not a string or memory is short.
struct Utf8 {
    char* text = nullptr;
    std::uint32_t length = 0;

    Utf8(napi_env env, napi_value value) {
        std::size_t bytes = 0;
        if (napi_get_value_string_utf8(env, value, nullptr, 0, &bytes) != napi_ok || bytes >= 0xFFFFFFFF) return;
        text = static_cast<char*>(std::malloc(bytes + 1));
        if (!text) return;
        text[0] = '\0';
        if (napi_get_value_string_utf8(env, value, text, bytes + 1, &bytes) != napi_ok) bytes = 0;
        length = static_cast<std::uint32_t>(bytes);
    }
    Utf8(const Utf8&) = delete;
    Utf8& operator=(const Utf8&) = delete;
    ~Utf8() { std::free(text); }
};

// The elements of a typed array; `data` is nullptr for other types, and may be for an empty array.
template <class T>
struct Elements {
    T* data = nullptr;
    std::size_t count = 0;
    bool valid = false;

    Elements() = default;
    Elements(napi_env env, napi_value value) {
        napi_typedarray_type type;
        void* start = nullptr;
        if (napi_get_typedarray_info(env, value, &type, &count, &start, nullptr, nullptr) != napi_ok) return;
        valid = type == (sizeof(T) == 1 ? napi_uint8_array : sizeof(T) == 8 ? napi_float64_array : napi_uint32_array);
        if (valid) data = static_cast<T*>(start);
        if (!data) count = 0;
    }
};

// 0 if the value is not a number.
inline std::uint32_t integer(napi_env env, napi_value value) {
    std::uint32_t integer = 0;
    napi_get_value_uint32(env, value, &integer);
    return integer;
}

inline bool truth(napi_env env, napi_value value) {
    bool truth = false;
    napi_get_value_bool(env, value, &truth);
    return truth;
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

// A new typed array with these bytes or numbers; nullptr on failure, which JavaScript then sees as an exception.
napi_value copy_of(napi_env env, const std::uint8_t* bytes, std::size_t count);
napi_value copy_of(napi_env env, const std::uint32_t* numbers, std::size_t count);

}  // namespace crayon::addon
