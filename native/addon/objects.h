// JavaScript objects, arrays and new values, by node-addon-api: for calls that are not hot (values.h explains why not for
// hot ones).
//
// The thread may be terminated in the middle of any call: then Node-API calls fail, and there is nothing to throw. With the
// settings below, a failing wrapper does not end the process; it gives an empty value, or a Maybe, which does not compile
// unless it is checked. An empty value has no environment, and calling one ends the process:
// test/architecture/node-addon-api.test.ts verifies that each is checked or only passed on.
//
// Properties are read and set only here, by plain Node-API, since getters and setters run JavaScript: when node:vm's time
// limit ends that, Napi::Object::Get and Set, and any later failure, end the process (no error can be created from it).
#pragma once

#if !defined(NODE_ADDON_API_ENABLE_MAYBE) || !defined(NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS) || \
    !defined(NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS)
#error "The addon needs all three settings of node-addon-api: see CMakeLists.txt"
#endif
#include <napi.h>

#include <cstdint>

#include "values.h"

namespace crayon::addon {

// Undefined for a missing property, for a value that is not an object, and after a failure.
Napi::Value property(const Napi::Value& from, const char* key);
Napi::Value property(const Napi::Value& from, std::uint32_t index);

// On failure the object lacks the property, or the array lacks the element.
template <class Value>
void set(const Napi::Object& object, const char* key, const Value& value) {
    napi_set_named_property(object.Env(), object, key, Napi::Value::From(object.Env(), value));
}
template <class Value>
void set(const Napi::Array& array, std::uint32_t index, const Value& value) {
    napi_set_element(array.Env(), array, index, Napi::Value::From(array.Env(), value));
}

// The length of an array; 0 for anything else.
std::uint32_t length_of(const Napi::Value& list);

// Properties expected to be typed arrays, strings or numbers: see values.h for the results on other types.
inline Elements<const std::uint8_t> bytes_at(const Napi::Value& from, const char* key) {
    return {from.Env(), property(from, key)};
}
inline Elements<const std::uint32_t> numbers_at(const Napi::Value& from, const char* key) {
    return {from.Env(), property(from, key)};
}
inline Utf8 text_at(const Napi::Value& from, const char* key) { return {from.Env(), property(from, key)}; }
inline std::uint32_t integer_at(const Napi::Value& from, const char* key) { return integer(from.Env(), property(from, key)); }
inline std::uint32_t id_at(const Napi::Value& from, const char* key) { return id_or_none(from.Env(), property(from, key)); }

}  // namespace crayon::addon
