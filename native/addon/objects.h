// Objects, arrays and new values of JavaScript, by node-addon-api: for calls that are not hot (values.h says why not for those).
//
// The thread may be terminated in the middle of any call: then calls of Node-API fail, with nothing that could be thrown. With
// the settings below a wrapper that fails does not end the process, and gives an empty value or a Maybe, which cannot be used
// unchecked: that does not compile. An empty value has no environment, and to call one ends the process:
// test/architecture/node-addon-api.test.ts sees to it that each is checked or only handed on.
//
// Properties are read and set here alone, by plain Node-API, since getters and setters run JavaScript: where the time limit of
// node:vm ends that, Napi::Object::Get and Set, and whatever fails after them, end the process (no error can be made of it).
#pragma once

#if !defined(NODE_ADDON_API_ENABLE_MAYBE) || !defined(NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS) || \
    !defined(NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS)
#error "The addon needs all three settings of node-addon-api: see CMakeLists.txt"
#endif
#include <napi.h>

#include <cstdint>

#include "values.h"

namespace crayon::addon {

// Undefined where there is no such property, of what is no object, and after a failure.
Napi::Value property(const Napi::Value& from, const char* key);
Napi::Value property(const Napi::Value& from, std::uint32_t index);

// After a failure the object lacks the property, or the array the element.
template <class Value>
void set(const Napi::Object& object, const char* key, const Value& value) {
    napi_set_named_property(object.Env(), object, key, Napi::Value::From(object.Env(), value));
}
template <class Value>
void set(const Napi::Array& array, std::uint32_t index, const Value& value) {
    napi_set_element(array.Env(), array, index, Napi::Value::From(array.Env(), value));
}

// Of an array; 0 for anything else.
std::uint32_t length_of(const Napi::Value& list);

// Properties that are expected to be typed arrays, strings or numbers: values.h has what others give.
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
