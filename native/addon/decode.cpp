// Decodes ids to text. The engine reads each id once and checks the capacity on every write: if another
// thread changes ids meanwhile, the text is wrong, but no write is out of bounds.

#include <algorithm>
#include <cstring>

#include "environment.h"
#include "functions.h"
#include "utf16.h"

namespace crayon::addon {

namespace {

// The scratch has space for a short text, followed by the same text as UTF-16.
constexpr std::size_t kShortText = 80 * 1024;
static_assert(kShortText * (1 + sizeof(char16_t)) <= Environment::kWindow * sizeof(std::uint32_t));
// The number of ids measured at once: their length fits 32 bits if no token is longer than 256 KiB.
constexpr std::size_t kMeasuredIds = 16 * 1024;
// Longer than any V8 string.
constexpr std::size_t kLongestText = std::size_t{3} << 29;

using TokenIds = Elements<const std::uint32_t>;

// Converts the position of a failure, counted from `at`, to an index in the whole.
void set_position(crayon_result& result, std::size_t at) {
    if (result.status != CRAYON_INVALID_ID) return;
    std::uint64_t index = at + result.position;
    result.position = static_cast<std::uint32_t>(index);
    result.position_high = static_cast<std::uint32_t>(index >> 32);
}

std::uint32_t up_to_u32(std::size_t count) { return static_cast<std::uint32_t>(std::min<std::size_t>(count, 0xFFFFFFFF)); }

// Decodes ids from `at` on into bytes[total, capacity), until the next one does not fit. False: a failure, stored in `result`.
bool decode_some(const crayon_tokenizer* tokenizer, const TokenIds& ids, std::uint32_t flags, std::uint8_t* bytes,
                 std::size_t capacity, std::size_t& at, std::size_t& total, crayon_result& result) {
    while (at < ids.count) {
        if (crayon_decode(tokenizer, ids.data + at, up_to_u32(ids.count - at), flags, bytes + total, up_to_u32(capacity - total),
                          &result) != CRAYON_OK) {
            set_position(result, at);
            return false;
        }
        at += result.position;
        total += result.count;
        if (result.position == 0) break;
    }
    return true;
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

// A text being decoded: in the scratch, or in allocated memory once it outgrows that.
class Text {
public:
    explicit Text(Environment& environment) : bytes(environment.bytes()), environment_(environment) {}
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    ~Text() { std::free(memory_); }

    // Allocates more memory: enough for the whole text if the remaining ids are like the first `done`.
    crayon_status grow(std::size_t done, std::size_t ids) {
        if (capacity > kLongestText) return CRAYON_TEXT_TOO_LONG;
        double whole = done ? 1.05 * static_cast<double>(length) / static_cast<double>(done) * static_cast<double>(ids) : 0;
        std::size_t wanted = static_cast<std::size_t>(std::min(whole, static_cast<double>(kLongestText)));
        wanted = std::max(wanted, 2 * capacity);
        void* grown = std::realloc(memory_, wanted);
        if (!grown) return CRAYON_OUT_OF_MEMORY;
        if (!memory_) std::memcpy(grown, bytes, length);
        memory_ = grown;
        bytes = static_cast<std::uint8_t*>(grown);
        capacity = wanted;
        return CRAYON_OK;
    }

    // nullptr: a failure, which is stored.
    napi_value to_string(napi_env env) const {
        napi_value string = nullptr;
        if (is_ascii(bytes, length)) {
            keep(napi_create_string_latin1(env, reinterpret_cast<const char*>(bytes), length, &string));
            return string;
        }
        void* memory = memory_ ? std::malloc(length * sizeof(char16_t)) : environment_.bytes() + kShortText;
        if (!memory) {
            environment_.keep_failure(CRAYON_OUT_OF_MEMORY);
            return nullptr;
        }
        char16_t* units = static_cast<char16_t*>(memory);
        keep(napi_create_string_utf16(env, units, to_utf16(bytes, length, units), &string));
        if (memory_) std::free(memory);
        return string;
    }

    std::uint8_t* bytes;
    std::size_t capacity = kShortText;
    std::size_t length = 0;

private:
    void keep(napi_status status) const {
        if (status != napi_ok) environment_.keep_failure(CRAYON_TEXT_TOO_LONG);
    }

    Environment& environment_;
    void* memory_ = nullptr;
};

}  // namespace

napi_value decode(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& environment = *in.environment;
    const crayon_tokenizer* const tokenizer = environment.table<crayon_tokenizer>().find(in.handle(0));
    if (!tokenizer) return no_value(environment, CRAYON_CLOSED);
    TokenIds ids(env, in.at[1]);
    if (!ids.valid) return no_value(environment, CRAYON_INVALID_ARGUMENT);
    std::uint32_t flags = in.integer(2);
    Text text(environment);
    std::size_t at = 0;
    for (;;) {
        crayon_result result = {};
        if (!decode_some(tokenizer, ids, flags, text.bytes, text.capacity, at, text.length, result)) {
            environment.failure = result;
            return nullptr;
        }
        if (at == ids.count) return text.to_string(env);
        if (crayon_status status = text.grow(at, ids.count); status != CRAYON_OK) return no_value(environment, status);
    }
}

napi_value decode_length(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    Environment& environment = *in.environment;
    const crayon_tokenizer* const tokenizer = environment.table<crayon_tokenizer>().find(in.handle(0));
    if (!tokenizer) return environment.fail(env, CRAYON_CLOSED);
    TokenIds ids(env, in.at[1]);
    if (!ids.valid) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    std::uint32_t flags = in.integer(2);
    std::uint64_t total = 0;
    for (std::size_t at = 0; at < ids.count; at += kMeasuredIds) {
        std::uint32_t part = static_cast<std::uint32_t>(std::min(ids.count - at, kMeasuredIds));
        crayon_result result = {};
        if (crayon_decode_length(tokenizer, ids.data + at, part, flags, &result) != CRAYON_OK) {
            set_position(result, at);
            return environment.fail(env, result);
        }
        total += result.count;
    }
    return number(env, static_cast<double>(total));
}

napi_value decode_into(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    Environment& environment = *in.environment;
    const crayon_tokenizer* const tokenizer = environment.table<crayon_tokenizer>().find(in.handle(0));
    if (!tokenizer) return environment.fail(env, CRAYON_CLOSED);
    TokenIds ids(env, in.at[1]);
    Elements<std::uint8_t> target(env, in.at[2]);
    if (!ids.valid || !target.valid) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    std::size_t at = 0, total = 0;
    crayon_result result = {};
    if (!decode_some(tokenizer, ids, in.integer(3), target.data, target.count, at, total, result)) {
        return environment.fail(env, result);
    }
    // Otherwise the ids were changed after they were measured.
    if (at < ids.count || total < target.count) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    return number(env, static_cast<double>(total));
}

}  // namespace crayon::addon
