// Parts of files in memory, as arrays without a copy.

#include "environment.h"
#include "functions.h"
#include "values.h"

namespace crayon::addon {

napi_value cannot_shrink(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    return number(env, crayon_text_cannot_shrink(static_cast<std::int32_t>(in.integer(0))));
}

// The mapping ends when the array is collected, or with the environment. Hosts that do not allow external memory (Electron)
// do not have this.
napi_value map_text(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& environment = *in.environment;
    double begin = -1;
    if (napi_get_value_double(env, in.at[1], &begin) != napi_ok || !(begin >= 0 && begin <= 9007199254740991.0)) {
        return no_value(environment, CRAYON_INVALID_ARGUMENT);
    }
    const std::uint32_t length = in.integer(2);
    crayon_result result = {};
    const std::uint8_t* bytes = nullptr;
    crayon_mapped_text* text = nullptr;
    const auto descriptor = static_cast<std::int32_t>(in.integer(0));
    if (crayon_text_map(descriptor, static_cast<std::uint64_t>(begin), length, &bytes, &text, &result) != CRAYON_OK) {
        return no_value(environment, static_cast<crayon_status>(result.status));
    }
    const napi_finalize unmap = [](napi_env, void*, void* mapped) {
        crayon_text_unmap(static_cast<crayon_mapped_text*>(mapped));
    };
    napi_value buffer = nullptr, array = nullptr;
    if (napi_create_external_arraybuffer(env, const_cast<std::uint8_t*>(bytes), length, unmap, text, &buffer) != napi_ok) {
        crayon_text_unmap(text);
        return no_value(environment, CRAYON_FILE_UNREADABLE);
    }
    if (napi_create_typedarray(env, napi_uint8_array, length, buffer, 0, &array) != napi_ok) return nullptr;
    return array;
}

}  // namespace crayon::addon
