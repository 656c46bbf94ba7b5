// JavaScript objects, arrays and new values, by node-addon-api: for calls that are not hot (values.h explains why not for
// hot ones).
//
// The thread may be terminated in the middle of any call: then Node-API calls fail, and there is nothing to throw. With the
// settings below, a failing wrapper does not end the process; it gives an empty value, or a Maybe, which does not compile
// unless it is checked. An empty value has no environment, and calling one ends the process:
// test/architecture/node-addon-api.test.ts verifies that each is checked or only passed on.
//
// Properties are set only here, by plain Node-API, since setters run JavaScript: when node:vm's time limit ends that,
// Napi::Object::Set, and any later failure, end the process (no error can be created from it).
#pragma once

#if !defined(NODE_ADDON_API_ENABLE_MAYBE) || !defined(NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS) || \
    !defined(NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS)
#error "The addon needs all three settings of node-addon-api: see CMakeLists.txt"
#endif
#include <napi.h>

#include <cstdint>

#include "values.h"

namespace crayon::addon {

// On failure the object lacks the property, or the array lacks the element.
template <class Value>
void set(const Napi::Object& object, const char* key, const Value& value) {
    napi_set_named_property(object.Env(), object, key, Napi::Value::From(object.Env(), value));
}
template <class Value>
void set(const Napi::Array& array, std::uint32_t index, const Value& value) {
    napi_set_element(array.Env(), array, index, Napi::Value::From(array.Env(), value));
}

}  // namespace crayon::addon
