// The entry point of the module: creates the environment's data and exports the functions.

#include "environment.h"
#include "functions.h"
#include "objects.h"

namespace {

using crayon::addon::Environment;

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
    Environment* const environment = Environment::create();
    if (!environment) {
        napi_throw_error(env, nullptr, "crayon: out of memory");
        return exports;
    }
    env.SetInstanceData(environment);  // deletes it with the environment
    // Each function carries the environment's data, so that calls need no lookup.
#define CRAYON_FUNCTION(name, function) \
    {#name, nullptr, crayon::addon::function, nullptr, nullptr, nullptr, napi_default_jsproperty, environment},
    const napi_property_descriptor functions[] = {
#include "functions.def"
    };
#undef CRAYON_FUNCTION
    napi_define_properties(env, exports, std::size(functions), functions);
    napi_set_named_property(env, exports, "window", crayon::addon::number(env, Environment::kWindow));
    return exports;
}

}  // namespace

NODE_API_MODULE(crayon, initialise)
