// Passes text from JavaScript to an encoder, window by window.
//
// A string is copied into the scratch as UTF-16; lib/ splits longer ones into windows, at any position. Bytes are copied to
// the scratch first, so that memory that another thread may write, or that JavaScript may detach later, is read only once
// and never kept. In all functions, false means a failure, stored in `result`.
#pragma once

#include <algorithm>
#include <cstring>

#include "environment.h"

namespace crayon::addon {

// Begins a text with the tokenizer in the first argument and the policy in the last one; nullptr: a failure, which has been
// stored.
template <std::size_t N>
crayon_encoder* begin_text(const Arguments<N>& in) {
    Environment& environment = *in.environment;
    const Policy policy(in.env, in.at[N - 1]);
    OpenTokenizer* open = environment.tokenizers.find(in.handle(0));
    if (!open) {
        environment.keep_failure(CRAYON_CLOSED);
        return nullptr;
    }
    crayon_encoder* encoder = environment.encoder_of(in.env, *open);
    if (!encoder) return nullptr;
    return policy.begin(encoder, environment.failure) ? encoder : nullptr;
}

// Puts a string of at most one window into the scratch; false for anything else.
inline bool units_of(Environment& environment, napi_env env, napi_value text, std::size_t& length) {
    return napi_get_value_string_utf16(env, text, environment.units(), Environment::kWindow + 2, &length) == napi_ok &&
           length <= Environment::kWindow;
}

inline bool feed_string(Environment& environment, napi_env env, crayon_encoder* encoder, napi_value text, bool last,
                        crayon_result& result) {
    std::size_t length = 0;
    if (!units_of(environment, env, text, length)) {
        result = {};
        result.status = CRAYON_INVALID_ARGUMENT;
        return false;
    }
    const std::uint16_t* units = reinterpret_cast<const std::uint16_t*>(environment.units());
    return crayon_encoder_feed_utf16(encoder, units, static_cast<std::uint32_t>(length), last, &result) == CRAYON_OK;
}

// Calls `ready` after each window to read the ids.
template <class Ready>
bool feed_windows(Environment& environment, crayon_encoder* encoder, const std::uint8_t* bytes, std::size_t count, bool last,
                  crayon_result& result, Ready ready) {
    std::size_t at = 0;
    do {
        std::uint32_t part = static_cast<std::uint32_t>(std::min<std::size_t>(count - at, Environment::kWindow));
        if (part) std::memcpy(environment.bytes(), bytes + at, part);
        at += part;
        std::uint32_t ends = last && at == count;
        if (crayon_encoder_feed_utf8(encoder, environment.bytes(), part, ends, &result) != CRAYON_OK) return false;
        if (!ready()) return false;
    } while (at < count);
    return true;
}

// How a text is cut into parts, from arguments 1 to 3: limit, overlap, unit and kind of cuts; the separators; their numbers.
template <std::size_t N>
crayon_part_form part_form(const Arguments<N>& in) {
    const Elements<const std::uint32_t> limits(in.env, in.at[1]), numbers(in.env, in.at[3]);
    const Elements<const std::uint8_t> separators(in.env, in.at[2]);
    if (limits.count < 4 || !separators.valid || separators.count > 0x7FFFFFFF || !numbers.valid || numbers.count > 0x7FFFFFFF)
        return {};
    return {limits.data[0],
            limits.data[1],
            limits.data[2],
            limits.data[3],
            separators.data,
            numbers.data,
            static_cast<std::uint32_t>(separators.count),
            static_cast<std::uint32_t>(numbers.count / 2)};
}

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// Counts until `most` is reached, or certain to be reached.
inline bool count_ready(crayon_encoder* encoder, std::uint64_t& total, std::uint64_t most, crayon_result& result) {
    do {
        if (total >= most) return true;
        std::uint64_t left = std::min<std::uint64_t>(most - total, 0xFFFFFFFF);
        if (crayon_encoder_count(encoder, static_cast<std::uint32_t>(left), &result) != CRAYON_OK) return false;
        total += result.count;
    } while (result.more);
    if (total + crayon_encoder_pending_tokens(encoder) >= most) total = most;
    return true;
}

}  // namespace crayon::addon
