// Text from JavaScript to an encoder, a window at a time.
//
// A string crosses as UTF-16 into the scratch; one that is longer than a window is cut by lib/, anywhere. Bytes are
// copied to the scratch before the engine sees them, so memory that another thread writes, or that JavaScript detaches
// later, is read once and never kept. Each function: false means a failure that `result` explains.
#pragma once

#include <algorithm>
#include <cstring>

#include "environment.h"

namespace crayon::addon {

// Puts a string of at most a window into the scratch; false for anything else.
inline bool units_of(Environment& home, napi_env env, napi_value text, std::size_t& length) {
    return napi_get_value_string_utf16(env, text, home.units(), Environment::kWindow + 2, &length) == napi_ok &&
           length <= Environment::kWindow;
}

inline bool feed_string(Environment& home, napi_env env, crayon_encoder* encoder, napi_value text, bool last,
                        crayon_result& result) {
    std::size_t length = 0;
    if (!units_of(home, env, text, length)) {
        result = {};
        result.status = CRAYON_INVALID_ARGUMENT;
        return false;
    }
    const std::uint16_t* units = reinterpret_cast<const std::uint16_t*>(home.units());
    return crayon_encoder_feed_utf16(encoder, units, static_cast<std::uint32_t>(length), last, &result) == CRAYON_OK;
}

// `ready` takes what the encoder has after each window.
template <class Ready>
bool feed_windows(Environment& home, crayon_encoder* encoder, const std::uint8_t* bytes, std::size_t count, bool last,
                  crayon_result& result, Ready ready) {
    std::size_t at = 0;
    do {
        std::uint32_t part = static_cast<std::uint32_t>(std::min<std::size_t>(count - at, Environment::kWindow));
        if (part) std::memcpy(home.bytes(), bytes + at, part);
        at += part;
        std::uint32_t ends = last && at == count;
        if (crayon_encoder_feed_utf8(encoder, home.bytes(), part, ends, &result) != CRAYON_OK) return false;
        if (!ready()) return false;
    } while (at < count);
    return true;
}

inline bool count_ready(crayon_encoder* encoder, std::uint64_t& total, crayon_result& result) {
    do {
        if (crayon_encoder_count(encoder, 0xFFFFFFFF, &result) != CRAYON_OK) return false;
        total += result.count;
    } while (result.more);
    return true;
}

}  // namespace crayon::addon
