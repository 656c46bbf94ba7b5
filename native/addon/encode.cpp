// Encodes a whole text in one call: the hot path. A string is copied into the scratch as UTF-16. Bytes are copied there, too, so
// that memory that another thread may write is read only once. Of either, a window at most.

#include <algorithm>
#include <cstring>

#include "environment.h"
#include "functions.h"
#include "policy.h"

namespace crayon::addon {

namespace {

// The encoder of the first argument, after it has begun a text under the policy in the last one and has been fed the whole text
// in the second; nullptr: a failure, which has been stored.
template <std::size_t N>
crayon_encoder* fed(const Arguments<N>& in) {
    Environment& environment = *in.environment;
    const Policy policy(in.env, in.at[N - 1]);
    crayon_encoder* const encoder = environment.table<crayon_encoder>().find(in.handle(0));
    crayon_result* const result = &environment.failure;
    if (!encoder) environment.keep_failure(CRAYON_CLOSED);
    if (!encoder || !policy.begin(encoder, *result)) return nullptr;
    std::size_t length = 0;
    if (in.units(1, length)) {
        const auto* const units = reinterpret_cast<const std::uint16_t*>(environment.units());
        const crayon_status status = crayon_encoder_feed_utf16(encoder, units, static_cast<std::uint32_t>(length), 1, result);
        return status == CRAYON_OK ? encoder : nullptr;
    }
    const Elements<const std::uint8_t> bytes(in.env, in.at[1]);
    if (!bytes.valid || bytes.count > Environment::kWindow) {
        environment.keep_failure(CRAYON_INVALID_ARGUMENT);
        return nullptr;
    }
    if (bytes.count) std::memcpy(environment.bytes(), bytes.data, bytes.count);
    const auto count = static_cast<std::uint32_t>(bytes.count);
    return crayon_encoder_feed_utf8(encoder, environment.bytes(), count, 1, result) == CRAYON_OK ? encoder : nullptr;
}

// The words of the slab in an argument, from the offset in the next one on. The pointer is fetched on every call: a slab detached
// by JavaScript has none.
template <std::size_t N>
std::uint32_t* slab_of(const Arguments<N>& in, std::size_t index, std::uint32_t& capacity) {
    void* data = nullptr;
    std::size_t bytes = 0;
    const std::size_t at = in.integer(index + 1);
    napi_get_arraybuffer_info(in.env, in.at[index], &data, &bytes);
    const std::size_t words = data ? bytes / sizeof(std::uint32_t) : 0;
    capacity = words > at ? static_cast<std::uint32_t>(std::min<std::size_t>(words - at, 0xFFFFFFFF)) : 0;
    return capacity ? static_cast<std::uint32_t*>(data) + at : nullptr;
}

// How many ids have been written; -2 less that number if there are more, as in call.h.
napi_value written(napi_env env, const crayon_result& result) {
    const double count = result.count;
    return number(env, result.more ? -2 - count : count);
}

}  // namespace

napi_value encode(napi_env env, napi_callback_info info) {
    const Arguments<5> in(env, info);
    crayon_encoder* const encoder = fed(in);
    if (!encoder) return number(env, -1);
    std::uint32_t capacity;
    std::uint32_t* const ids = slab_of(in, 2, capacity);
    crayon_result& result = in.environment->failure;
    if (crayon_encoder_read(encoder, ids, capacity, &result) != CRAYON_OK) return number(env, -1);
    return written(env, result);
}

// First ids, then their offsets: nothing is in the slab if they do not fit.
napi_value encode_with_offsets(napi_env env, napi_callback_info info) {
    const Arguments<6> in(env, info);
    crayon_encoder* const encoder = fed(in);
    if (!encoder) return number(env, -1);
    std::uint32_t capacity;
    std::uint32_t* const ids = slab_of(in, 2, capacity);
    std::uint32_t* const offsets = in.environment->numbers();
    // An id takes three words of the slab; its offsets take two of the scratch.
    capacity = std::min(capacity / 3, Environment::kWindow / 2);
    crayon_result& result = in.environment->failure;
    if (crayon_encoder_read_with_offsets(encoder, ids, offsets, capacity, in.integer(4), &result) != CRAYON_OK) {
        return number(env, -1);
    }
    if (!result.more && result.count) std::memcpy(ids + result.count, offsets, 2 * sizeof(std::uint32_t) * result.count);
    return written(env, result);
}

// Counts until the number in the third argument is reached, or certain to be reached.
napi_value count(napi_env env, napi_callback_info info) {
    const Arguments<4> in(env, info);
    crayon_encoder* const encoder = fed(in);
    if (!encoder) return number(env, -1);
    const auto most = static_cast<std::uint64_t>(in.handle(2));
    std::uint64_t total = 0;
    crayon_result& result = in.environment->failure;
    do {
        if (total >= most) return number(env, static_cast<double>(total));
        const auto left = static_cast<std::uint32_t>(std::min<std::uint64_t>(most - total, 0xFFFFFFFF));
        if (crayon_encoder_count(encoder, left, &result) != CRAYON_OK) return number(env, -1);
        total += result.count;
    } while (result.more);
    if (total + crayon_encoder_pending_tokens(encoder) >= most) total = most;
    return number(env, static_cast<double>(total));
}

}  // namespace crayon::addon
