// Fits text into a token limit: its beginning, or all of it in parts. The text is UTF-8 in memory of lib/: the user's
// bytes, or converted from a string. Offsets are in bytes, or in UTF-16 units if the text is well-formed.

#include "functions.h"
#include "text_input.h"
#include "utf16.h"

namespace crayon::addon {

namespace {

constexpr std::uint32_t kMost = 0xFFFFFFFF;

std::uint32_t clamped(std::int64_t number) { return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, kMost)); }

// Converts byte offsets in a text, from front to back, to the requested unit.
class OffsetConverter {
public:
    OffsetConverter(const std::uint8_t* text, std::uint32_t unit) : text_(text), in_units_(unit == CRAYON_UNIT_UTF16) {}

    // `at` must not be before the last call's.
    std::uint32_t move_to(std::uint32_t at) {
        units_ += static_cast<std::uint32_t>(length(at_, at));
        at_ = at;
        return units_;
    }

private:
    std::size_t length(std::uint32_t from, std::uint32_t to) const {
        return in_units_ ? utf16_length(text_ + from, to - from) : to - from;
    }

    const std::uint8_t* text_;
    bool in_units_;
    std::uint32_t at_ = 0, units_ = 0;
};

napi_value to_array(Environment& environment, napi_env env, IdChunks& numbers) {
    void* data = nullptr;
    napi_value buffer = nullptr, array = nullptr;
    std::size_t count = numbers.count();
    if (napi_create_arraybuffer(env, count * sizeof(std::uint32_t), &data, &buffer) != napi_ok ||
        napi_create_typedarray(env, napi_uint32_array, count, buffer, 0, &array) != napi_ok) {
        environment.keep_failure(CRAYON_OUT_OF_MEMORY);
        return nullptr;
    }
    numbers.take(static_cast<std::uint32_t*>(data));
    return array;
}

// Appends the start and end of each part; if the text continues (`last` is false), only of final parts. If a character does
// not fit, appends its number of tokens as a single last number.
bool split_all(crayon_encoder* encoder, const std::uint8_t* text, std::uint32_t length, bool last, std::uint32_t limit,
               std::uint32_t overlap, std::uint32_t unit, IdChunks& parts, crayon_result& result) {
    OffsetConverter part_start(text, unit), part_end(text, unit);  // parts overlap, but starts and ends only move forward
    std::uint32_t start = 0, end = 0;
    for (bool fits = true; fits && end < length;) {
        std::uint32_t out[3];
        if (crayon_encoder_fit(encoder, text, length, start, last, limit, overlap, out, &result) != CRAYON_OK) return false;
        if (result.more) break;
        if (out[0] <= end && start < end) {  // with the overlap, nothing more fits
            start = end;
            continue;
        }
        fits = out[0] > end;
        std::uint32_t part[2] = {out[1]};
        if (fits) {
            part[0] = part_start.move_to(start);
            part[1] = part_end.move_to(end = out[0]);
            start = out[2];
        }
        if (!parts.append(part, fits ? 2 : 1)) {
            result = {};
            result.status = CRAYON_OUT_OF_MEMORY;
            return false;
        }
    }
    return true;
}

}  // namespace

napi_value fit(napi_env env, napi_callback_info info) {
    Arguments<6> in(env, info);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!bytes.valid) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    if (bytes.count > kMost) return in.environment->fail(env, CRAYON_TEXT_TOO_LONG);
    crayon_encoder* encoder = begin_text(in);
    if (!encoder) return number(env, -1);
    crayon_result result = {};
    std::uint32_t out[3];
    if (crayon_encoder_fit(encoder, bytes.data, static_cast<std::uint32_t>(bytes.count), 0, in.truth(2), clamped(in.handle(3)), 0,
                           out, &result) != CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    if (result.more) return number(env, -2);
    return number(env, OffsetConverter(bytes.data, in.integer(4)).move_to(out[0]));
}

napi_value split(napi_env env, napi_callback_info info) {
    Arguments<7> in(env, info);
    Environment& environment = *in.environment;
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!bytes.valid || bytes.count > kMost) {
        environment.keep_failure(bytes.valid ? CRAYON_TEXT_TOO_LONG : CRAYON_INVALID_ARGUMENT);
        return nullptr;
    }
    crayon_encoder* encoder = begin_text(in);
    if (!encoder) return nullptr;
    IdChunks parts(environment.spare);
    crayon_result result = {};
    if (split_all(encoder, bytes.data, static_cast<std::uint32_t>(bytes.count), in.truth(2), clamped(in.handle(3)),
                  clamped(in.handle(4)), in.integer(5), parts, result)) {
        return to_array(environment, env, parts);
    }
    environment.failure = result;
    return nullptr;
}

}  // namespace crayon::addon
