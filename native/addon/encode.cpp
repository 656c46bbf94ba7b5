// Encodes whole texts: the hot path. A string is copied into the scratch as UTF-16, a window of it at most. So are the bytes of
// short texts, so that memory that another thread may write is read only once.

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

// Feeds a part of a text in windows, and gathers the ids that are settled then.
crayon_status feed(crayon_encoder* encoder, const std::uint16_t* units, const std::uint8_t* bytes, std::size_t length, bool last,
                   GatheredIds& ids, crayon_result& result) {
    for (std::size_t at = 0;;) {
        const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(length - at, Environment::kWindow));
        const bool is_end = at + count == length;
        const crayon_status status = units ? crayon_encoder_feed_utf16(encoder, units, count, last, &result)
                                           : crayon_encoder_feed_utf8(encoder, bytes + at, count, last && is_end, &result);
        if (status != CRAYON_OK) return status;
        do {
            std::uint32_t capacity;
            std::uint32_t* const room = ids.room(Environment::kWindow, capacity);
            if (!room) return CRAYON_OUT_OF_MEMORY;
            if (const crayon_status status = crayon_encoder_read(encoder, room, capacity, &result); status != CRAYON_OK)
                return status;
            ids.add(result.count);
        } while (result.more);
        if (is_end) return CRAYON_OK;
        at += count;
    }
}

}  // namespace

// The encoder has begun the text of which this is a part, a string of at most a window or bytes; `last`: no part follows. Returns
// how many ids there are by now, which `gathered` hands out.
napi_value gather(napi_env env, napi_callback_info info) {
    const Arguments<4> in(env, info);
    Environment& environment = *in.environment;
    crayon_encoder* const encoder = environment.table<crayon_encoder>().find(in.handle(0));
    environment.gathered.begin(in.integer(3));
    std::size_t length = 0;
    const std::uint16_t* units = nullptr;
    Elements<const std::uint8_t> bytes;
    if (in.units(1, length)) {
        units = reinterpret_cast<const std::uint16_t*>(environment.units());
    } else {
        bytes = {env, in.at[1]};
        length = bytes.count;
    }
    crayon_result& result = environment.failure;
    result.status = CRAYON_OK;
    crayon_status status = !encoder ? CRAYON_CLOSED : units || bytes.valid ? CRAYON_OK : CRAYON_INVALID_ARGUMENT;
    if (status == CRAYON_OK) status = feed(encoder, units, bytes.data, length, in.truth(2), environment.gathered, result);
    if (status == CRAYON_OK) return number(env, static_cast<double>(environment.gathered.count()));
    if (result.status != status) environment.keep_failure(status);
    environment.gathered.clear();
    return number(env, -1);
}

// Moves the ids to new memory for all of them.
napi_value gathered(napi_env env, napi_callback_info info) {
    const Arguments<1> in(env, info);
    GatheredIds& ids = in.environment->gathered;
    const Elements<std::uint32_t> out(env, in.at[0]);
    const bool fits = out.count == ids.count();
    if (fits && out.count) {
        crayon_memory_prepare(out.data, out.count * sizeof(std::uint32_t), 1);
        std::memcpy(out.data, ids.data(), out.count * sizeof(std::uint32_t));
    }
    ids.clear();
    return fits ? number(env, 0) : in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
}

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
    const auto limit = static_cast<std::uint64_t>(in.handle(2));
    std::uint64_t total = 0;
    crayon_result& result = in.environment->failure;
    do {
        if (total >= limit) return number(env, static_cast<double>(total));
        const auto left = static_cast<std::uint32_t>(std::min<std::uint64_t>(limit - total, 0xFFFFFFFF));
        if (crayon_encoder_count(encoder, left, &result) != CRAYON_OK) return number(env, -1);
        total += result.count;
    } while (result.more);
    if (total + crayon_encoder_pending_tokens(encoder) >= limit) total = limit;
    return number(env, static_cast<double>(total));
}

}  // namespace crayon::addon
