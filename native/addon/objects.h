// Objects, arrays and new values of JavaScript, by node-addon-api: for calls that are not hot (values.h says why not for those).
//
// The thread may be terminated in the middle of any call: then calls of Node-API fail, with nothing that could be thrown. By
// the settings below that ends no process, and what a failed `Get` would give cannot be used unchecked: it does not compile. An
// empty value must not be used for calls of its own, as it has no environment: test/architecture/node-addon-api.test.ts sees to it
// that what each `New` gives is checked or only handed on, and that nothing unwraps without an alternative.
#pragma once

#if !defined(NODE_ADDON_API_ENABLE_MAYBE) || !defined(NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS) || \
    !defined(NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS)
#error "The addon needs all three settings of node-addon-api: see CMakeLists.txt"
#endif
#include <napi.h>

#include <cstdint>

#include "values.h"

namespace crayon::addon {

// Undefined where there is no such property, and of what is no object.
Napi::Value property(const Napi::Value& from, const char* key);
Napi::Value property(const Napi::Value& from, std::uint32_t index);

// Of an array; 0 for anything else.
std::uint32_t length_of(const Napi::Value& list);

// Properties that are expected to be typed arrays, strings or numbers: values.h has what others give.
inline Elements<const std::uint8_t> bytes_at(const Napi::Value& from, const char* key) { return {from.Env(), property(from, key)}; }
inline Elements<const std::uint32_t> numbers_at(const Napi::Value& from, const char* key) { return {from.Env(), property(from, key)}; }
inline Utf8 text_at(const Napi::Value& from, const char* key) { return {from.Env(), property(from, key)}; }
inline std::uint32_t integer_at(const Napi::Value& from, const char* key) { return integer(from.Env(), property(from, key)); }
inline std::uint32_t id_at(const Napi::Value& from, const char* key) { return id_or_none(from.Env(), property(from, key)); }

}  // namespace crayon::addon
