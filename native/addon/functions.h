// The functions of the module. lib/hosts/addon/addon.ts declares and documents them. On failure, described by `failure`, they
// return -1, or undefined if the result is not a number. They do not throw: lib/ creates the error, on the caller's line.
#pragma once

#include <node_api.h>

namespace crayon::addon {

#define CRAYON_FUNCTION(name, function) napi_value function(napi_env env, napi_callback_info info);
#include "functions.def"
#undef CRAYON_FUNCTION

}  // namespace crayon::addon
