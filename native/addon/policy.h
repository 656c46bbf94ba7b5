// The added tokens to find in a text, as passed from JavaScript: a constant of the engine, the ids of allowed special
// tokens, or a mask with the ids of control tokens and the ranges where they are allowed.
#pragma once

#include "crayon/crayon.h"
#include "values.h"

namespace crayon::addon {

// Points into the caller's typed arrays. Reading a mask may run JavaScript: nothing that it could close may be in use.
struct Policy {
    // Not a policy of crayon_encoder_begin, so functions that do not take a mask fail with one.
    static constexpr std::uint32_t kMasked = CRAYON_SPECIAL_LISTED + 1;

    std::uint32_t special = CRAYON_SPECIAL_LISTED;
    const std::uint32_t* allowed = nullptr;
    std::uint32_t allowed_count = 0;
    const std::uint32_t* ranges = nullptr;
    std::uint32_t range_count = 0;

    Policy() = default;
    Policy(napi_env env, napi_value value) {
        if (napi_get_value_uint32(env, value, &special) == napi_ok) return;
        napi_value control = value, mask = nullptr;
        bool is_list = false;
        if (napi_is_typedarray(env, value, &is_list) == napi_ok && !is_list) {
            special = kMasked;
            if (napi_get_named_property(env, value, "control", &control) != napi_ok ||
                napi_get_named_property(env, value, "ranges", &mask) != napi_ok) {
                return;
            }
            Elements<const std::uint32_t> numbers(env, mask);
            ranges = numbers.data;
            range_count = static_cast<std::uint32_t>(numbers.count / 2);
        }
        Elements<const std::uint32_t> ids(env, control);
        allowed = ids.data;
        allowed_count = static_cast<std::uint32_t>(ids.count);
    }

    bool begin(crayon_encoder* encoder, crayon_result& result) const {
        const crayon_status status =
            special == kMasked ? crayon_encoder_begin_masked(encoder, allowed, allowed_count, ranges, range_count, &result)
                               : crayon_encoder_begin(encoder, special, allowed, allowed_count, &result);
        return status == CRAYON_OK;
    }
};

}  // namespace crayon::addon
