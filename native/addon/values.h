// Values of JavaScript by plain Node-API. The thread may be terminated in the middle of any call of the addon: from then on
// every call of Node-API fails, and the wrappers of node-addon-api would end the process. Here a failed call gives an empty
// value, on which all others fail, too.
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

// An object or an array, to read.
struct Reader {
    napi_env env;
    napi_value it;

    Reader(napi_env env, napi_value value) : env(env), it(value) {}
    bool is_object() const {
        napi_valuetype type = napi_undefined;
        return napi_typeof(env, it, &type) == napi_ok && type == napi_object;
    }
    Reader operator[](const char* key) const {
        napi_value value = nullptr;
        napi_get_named_property(env, it, key, &value);
        return {env, value};
    }
    Reader operator[](std::uint32_t index) const {
        napi_value value = nullptr;
        napi_get_element(env, it, index, &value);
        return {env, value};
    }
    // 0 if it is no array.
    std::uint32_t length() const {
        std::uint32_t length = 0;
        bool is_array = false;
        if (napi_is_array(env, it, &is_array) == napi_ok && is_array) napi_get_array_length(env, it, &length);
        return length;
    }
    std::uint32_t integer() const {
        std::uint32_t value = 0;
        napi_get_value_uint32(env, it, &value);
        return value;
    }
    bool truth() const {
        bool value = false;
        napi_get_value_bool(env, it, &value);
        return value;
    }
};

inline napi_value number(napi_env env, double value) {
    napi_value out = nullptr;
    if (value >= -2147483648.0 && value <= 2147483647.0) {
        napi_create_int32(env, static_cast<std::int32_t>(value), &out);
    } else {
        napi_create_double(env, value, &out);
    }
    return out;
}

inline napi_value string_of(napi_env env, const void* bytes, std::size_t length) {
    napi_value out = nullptr;
    napi_create_string_utf8(env, bytes ? static_cast<const char*>(bytes) : "", length, &out);
    return out;
}

// `text` ends with a NUL.
inline napi_value string_of(napi_env env, const char* text) { return string_of(env, text, NAPI_AUTO_LENGTH); }

// A new object.
struct Object {
    napi_env env;
    napi_value it = nullptr;

    explicit Object(napi_env env) : env(env) { napi_create_object(env, &it); }
    void set(const char* key, napi_value value) { napi_set_named_property(env, it, key, value); }
    void set(const char* key, const char* text) { set(key, string_of(env, text)); }
    void set(const char* key, double value) { set(key, number(env, value)); }
    void set(const char* key, std::uint32_t value) { set(key, number(env, value)); }
    void set(const char* key, bool value) {
        napi_value boolean = nullptr;
        napi_get_boolean(env, value, &boolean);
        set(key, boolean);
    }
};

// A new array.
struct Array {
    napi_env env;
    napi_value it = nullptr;
    std::uint32_t length = 0;

    explicit Array(napi_env env) : env(env) { napi_create_array(env, &it); }
    void push(napi_value value) { napi_set_element(env, it, length++, value); }
};

}  // namespace crayon::addon
