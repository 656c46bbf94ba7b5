// Ids to text, and single tokens. Ids are copied window by window before use, and the capacity is checked on every
// write: ids that another thread changes meanwhile give a wrong text, never a write outside of it.

#include <algorithm>
#include <cstring>

#include "environment.h"
#include "functions.h"
#include "utf16.h"

namespace crayon::addon {

namespace {

// The scratch holds a window of ids, a short text and the same text as UTF-16.
constexpr std::size_t kIdWindow = 16 * 1024;
constexpr std::size_t kShortText = 64 * 1024;
constexpr std::size_t kTextAt = kIdWindow * sizeof(std::uint32_t);
constexpr std::size_t kUnitsAt = kTextAt + kShortText;
static_assert(kUnitsAt + kShortText * sizeof(char16_t) <= Environment::kWindow * sizeof(std::uint32_t));

using Ids = Elements<const std::uint32_t>;

// Calls `use(ids, count)` for one window after the other; positions of failures become indices of the whole.
template <class Use>
bool each_window(Environment& home, const Ids& ids, crayon_result& result, Use use) {
    std::uint32_t* window = reinterpret_cast<std::uint32_t*>(home.bytes());
    for (std::size_t at = 0; at < ids.count; at += kIdWindow) {
        std::size_t part = std::min(ids.count - at, kIdWindow);
        std::memcpy(window, ids.data + at, part * sizeof(std::uint32_t));
        if (use(window, static_cast<std::uint32_t>(part))) continue;
        if (result.status == CRAYON_INVALID_ID) {
            std::uint64_t index = at + result.position;
            result.position = static_cast<std::uint32_t>(index);
            result.position_high = static_cast<std::uint32_t>(index >> 32);
        }
        return false;
    }
    return true;
}

bool measure(Environment& home, const OpenTokenizer& open, const Ids& ids, std::uint32_t flags, std::uint64_t& total,
             crayon_result& result) {
    total = 0;
    return each_window(home, ids, result, [&](const std::uint32_t* window, std::uint32_t count) {
        if (crayon_decode_length(open.tokenizer, window, count, flags, &result) != CRAYON_OK) return false;
        total += result.count;
        return true;
    });
}

// `total`: the bytes written.
bool write(Environment& home, const OpenTokenizer& open, const Ids& ids, std::uint32_t flags, std::uint8_t* bytes,
           std::uint64_t capacity, std::uint64_t& total, crayon_result& result) {
    total = 0;
    return each_window(home, ids, result, [&](const std::uint32_t* window, std::uint32_t count) {
        std::uint32_t room = static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity - total, 0xFFFFFFFF));
        if (crayon_decode(open.tokenizer, window, count, flags, bytes + total, room, &result) != CRAYON_OK)
            return false;
        total += result.count;
        return true;
    });
}

bool is_ascii(const std::uint8_t* bytes, std::size_t count) {
    std::uint64_t high = 0, word;
    for (; count >= sizeof(word); bytes += sizeof(word), count -= sizeof(word)) {
        std::memcpy(&word, bytes, sizeof(word));
        high |= word;
    }
    while (count--) high |= *bytes++;
    return (high & 0x8080808080808080) == 0;
}

// `units` has room for `count`.
napi_value to_string(Environment& home, napi_env env, const std::uint8_t* bytes, std::size_t count, char16_t* units) {
    napi_value string = nullptr;
    napi_status status = is_ascii(bytes, count)
                             ? napi_create_string_latin1(env, reinterpret_cast<const char*>(bytes), count, &string)
                             : napi_create_string_utf16(env, units, to_utf16(bytes, count, units), &string);
    if (status == napi_ok) return string;
    home.keep_failure(CRAYON_TEXT_TOO_LONG);
    return nullptr;
}

napi_value no_value(Environment& home, crayon_status status) {
    home.keep_failure(status);
    return nullptr;
}

}  // namespace

napi_value decode(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& home = *in.home;
    OpenTokenizer* open = home.tokenizers.find(in.handle(0));
    if (!open) return no_value(home, CRAYON_CLOSED);
    Ids ids(env, in.at[1]);
    if (!ids.valid) return no_value(home, CRAYON_INVALID_ARGUMENT);
    std::uint32_t flags = in.integer(2);
    std::uint64_t total = 0;
    crayon_result result = {};
    // Most texts are short: no measuring, one pass.
    std::uint8_t* text = home.bytes() + kTextAt;
    if (ids.count <= kShortText / 8 && write(home, *open, ids, flags, text, kShortText, total, result)) {
        return to_string(home, env, text, total, reinterpret_cast<char16_t*>(home.bytes() + kUnitsAt));
    }
    napi_value string = nullptr;
    void* memory = nullptr;
    if (!measure(home, *open, ids, flags, total, result)) {
        home.failure = result;
    } else if (!(memory = std::malloc(total * 3 + 1))) {
        home.keep_failure(CRAYON_OUT_OF_MEMORY);
    } else {
        char16_t* units = static_cast<char16_t*>(memory);
        std::uint8_t* bytes = static_cast<std::uint8_t*>(memory) + total * 2;
        if (write(home, *open, ids, flags, bytes, total, total, result)) {
            string = to_string(home, env, bytes, total, units);
        } else {
            home.failure = result;
        }
    }
    std::free(memory);
    return string;
}

napi_value decode_length(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& home = *in.home;
    OpenTokenizer* open = home.tokenizers.find(in.handle(0));
    if (!open) return home.fail(env, CRAYON_CLOSED);
    Ids ids(env, in.at[1]);
    if (!ids.valid) return home.fail(env, CRAYON_INVALID_ARGUMENT);
    std::uint64_t total = 0;
    crayon_result result = {};
    if (!measure(home, *open, ids, in.integer(2), total, result)) return home.fail(env, result);
    return number(env, static_cast<double>(total));
}

napi_value decode_into(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    Environment& home = *in.home;
    OpenTokenizer* open = home.tokenizers.find(in.handle(0));
    if (!open) return home.fail(env, CRAYON_CLOSED);
    Ids ids(env, in.at[1]);
    Elements<std::uint8_t> target(env, in.at[2]);
    if (!ids.valid || !target.valid) return home.fail(env, CRAYON_INVALID_ARGUMENT);
    std::uint64_t total = 0;
    crayon_result result = {};
    if (!write(home, *open, ids, in.integer(3), target.data, target.count, total, result)) {
        return home.fail(env, result);
    }
    return number(env, static_cast<double>(total));
}

napi_value token_bytes(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Environment& home = *in.home;
    OpenTokenizer* open = home.tokenizers.find(in.handle(0));
    if (!open) return no_value(home, CRAYON_CLOSED);
    std::uint32_t length = 0;
    const std::uint8_t* bytes = crayon_tokenizer_token_bytes(open->tokenizer, in.integer(1), &length);
    if (!bytes) return no_value(home, CRAYON_INVALID_ID);
    void* data = nullptr;
    napi_value buffer = nullptr, array = nullptr;
    if (napi_create_arraybuffer(env, length, &data, &buffer) != napi_ok) return no_value(home, CRAYON_OUT_OF_MEMORY);
    if (length) std::memcpy(data, bytes, length);
    if (napi_create_typedarray(env, napi_uint8_array, length, buffer, 0, &array) != napi_ok) {
        return no_value(home, CRAYON_OUT_OF_MEMORY);
    }
    return array;
}

napi_value id_of(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    Environment& home = *in.home;
    OpenTokenizer* open = home.tokenizers.find(in.handle(0));
    if (!open) return home.fail(env, CRAYON_CLOSED);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!bytes.valid) return home.fail(env, CRAYON_INVALID_ARGUMENT);
    // A token is short; the copy keeps the engine away from memory that others can change.
    if (bytes.count > Environment::kWindow) return number(env, -2);
    if (bytes.count) std::memcpy(home.bytes(), bytes.data, bytes.count);
    std::uint32_t id = crayon_tokenizer_id_of(open->tokenizer, home.bytes(), static_cast<std::uint32_t>(bytes.count));
    return number(env, id == 0xFFFFFFFF ? -2.0 : static_cast<double>(id));
}

}  // namespace crayon::addon
