// Encodes a text in one call: the hot path.

#include "functions.h"
#include "text_input.h"

namespace crayon::addon {

namespace {

// The output of a one-shot call: the ids go to the slab if they fit; otherwise all of them go to the overflow.
class Output {
public:
    // The pointer is fetched on every call: a slab detached by JavaScript has no capacity and is not used.
    Output(Environment& environment, napi_env env, napi_value slab, std::uint32_t offset) : environment_(environment) {
        environment.overflow.clear();
        void* data = nullptr;
        std::size_t bytes = 0;
        if (napi_get_arraybuffer_info(env, slab, &data, &bytes) != napi_ok || !data) return;
        std::size_t slots = bytes / sizeof(std::uint32_t);
        if (slots <= offset) return;
        ids_ = static_cast<std::uint32_t*>(data) + offset;
        capacity_left_ = static_cast<std::uint32_t>(std::min<std::size_t>(slots - offset, 0xFFFFFFFF));
    }

    // Reads the ids that the encoder has ready.
    bool read(crayon_encoder* encoder, crayon_result& result) {
        if (capacity_left_) {
            if (crayon_encoder_read(encoder, ids_ + count_, capacity_left_, &result) != CRAYON_OK) return false;
            count_ += result.count;
            capacity_left_ -= result.count;
            if (!result.more) return true;
            capacity_left_ = 0;
        }
        if (count_) {
            if (!environment_.overflow.append(ids_, count_)) {
                result = {};
                result.status = CRAYON_OUT_OF_MEMORY;
                return false;
            }
            count_ = 0;
        }
        return environment_.overflow.read(encoder, result);
    }

    // The count if the ids are in the slab; otherwise -2 - the count in the overflow.
    double answer() const {
        std::size_t overflowed = environment_.overflow.count();
        return overflowed ? -2.0 - static_cast<double>(overflowed) : count_;
    }

private:
    Environment& environment_;
    std::uint32_t* ids_ = nullptr;
    std::uint32_t count_ = 0;
    std::uint32_t capacity_left_ = 0;
};

}  // namespace

napi_value encode(napi_env env, napi_callback_info info) {
    Arguments<5> in(env, info);
    crayon_encoder* encoder = begin_text(in);
    if (!encoder) return number(env, -1);
    Output output(*in.environment, env, in.at[2], in.integer(3));
    crayon_result result = {};
    if (!feed_string(*in.environment, env, encoder, in.at[1], true, result) || !output.read(encoder, result)) {
        return in.environment->fail(env, result);
    }
    return number(env, output.answer());
}

napi_value encode_bytes(napi_env env, napi_callback_info info) {
    Arguments<5> in(env, info);
    crayon_encoder* encoder = begin_text(in);
    if (!encoder) return number(env, -1);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!bytes.valid) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    Output output(*in.environment, env, in.at[2], in.integer(3));
    crayon_result result = {};
    auto read = [&] { return output.read(encoder, result); };
    if (!feed_windows(*in.environment, encoder, bytes.data, bytes.count, true, result, read))
        return in.environment->fail(env, result);
    return number(env, output.answer());
}

namespace {

// Reads the encoder's ready ids and their offsets into the slab: first ids, then offsets; -2 if they do not fit.
napi_value read_with_offsets(const Arguments<6>& in, crayon_encoder* encoder, crayon_result& result) {
    void* data = nullptr;
    std::size_t bytes = 0;
    std::uint32_t at = in.integer(3);
    napi_get_arraybuffer_info(in.env, in.at[2], &data, &bytes);
    std::size_t slots = data ? bytes / sizeof(std::uint32_t) : 0;
    if (slots <= at) return number(in.env, -2);
    std::uint32_t* ids = static_cast<std::uint32_t*>(data) + at;
    std::uint32_t* offsets = in.environment->numbers();
    // An id takes three elements of the slab; its offsets take two of the scratch.
    std::uint32_t capacity = static_cast<std::uint32_t>(std::min<std::size_t>((slots - at) / 3, Environment::kWindow / 2));
    if (crayon_encoder_read_with_offsets(encoder, ids, offsets, capacity, in.integer(4), &result) != CRAYON_OK)
        return in.environment->fail(in.env, result);
    if (result.more) return number(in.env, -2);
    std::memcpy(ids + result.count, offsets, 2 * sizeof(std::uint32_t) * result.count);
    return number(in.env, result.count);
}

}  // namespace

napi_value encode_with_offsets(napi_env env, napi_callback_info info) {
    Arguments<6> in(env, info);
    crayon_encoder* encoder = begin_text(in);
    if (!encoder) return number(env, -1);
    crayon_result result = {};
    if (!feed_string(*in.environment, env, encoder, in.at[1], true, result)) return in.environment->fail(env, result);
    return read_with_offsets(in, encoder, result);
}

napi_value encode_bytes_with_offsets(napi_env env, napi_callback_info info) {
    Arguments<6> in(env, info);
    crayon_encoder* encoder = begin_text(in);
    if (!encoder) return number(env, -1);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!bytes.valid || bytes.count > Environment::kWindow) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    auto once = [] { return true; };
    if (!feed_windows(*in.environment, encoder, bytes.data, bytes.count, true, result, once))
        return in.environment->fail(env, result);
    return read_with_offsets(in, encoder, result);
}

napi_value take_overflow(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    Elements<std::uint32_t> target(env, in.at[0]);
    IdChunks& ids = in.environment->overflow;
    if (!target.valid || target.count < ids.count()) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    ids.take(target.data);
    return number(env, 0);
}

napi_value count(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    crayon_encoder* encoder = begin_text(in);
    if (!encoder) return number(env, -1);
    std::uint64_t total = 0, most = in.handle(2);
    crayon_result result = {};
    if (!feed_string(*in.environment, env, encoder, in.at[1], true, result) || !count_ready(encoder, total, most, result)) {
        return in.environment->fail(env, result);
    }
    return number(env, static_cast<double>(total));
}

napi_value count_bytes(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    crayon_encoder* encoder = begin_text(in);
    if (!encoder) return number(env, -1);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!bytes.valid) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    std::uint64_t total = 0, most = in.handle(2);
    crayon_result result = {};
    auto ready = [&] { return count_ready(encoder, total, most, result) && total < most; };
    if (!feed_windows(*in.environment, encoder, bytes.data, bytes.count, true, result, ready) && result.status != CRAYON_OK)
        return in.environment->fail(env, result);
    return number(env, static_cast<double>(total));
}

// The length of the beginning or end of a text that is within a limit; -2: more of the text is needed.
napi_value fit(napi_env env, napi_callback_info info) {
    Arguments<7> in(env, info);
    std::size_t length = 0;
    const bool is_string = units_of(*in.environment, env, in.at[1], length);
    Elements<const std::uint8_t> bytes(env, in.at[1]);
    if (!is_string && !bytes.valid) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    if (bytes.count > 0x7FFFFFFF) return in.environment->fail(env, CRAYON_TEXT_TOO_LONG);
    crayon_encoder* encoder = begin_text(in);
    if (!encoder) return number(env, -1);
    const std::uint32_t whole = in.truth(2), limit = in.integer(3), side = in.integer(4);
    crayon_result result = {};
    if (is_string) {
        crayon_encoder_fit_utf16(encoder, reinterpret_cast<const std::uint16_t*>(in.environment->units()),
                                 static_cast<std::uint32_t>(length), whole, limit, side, &result);
    } else {
        crayon_encoder_fit(encoder, bytes.data, static_cast<std::uint32_t>(bytes.count), whole, limit, side, in.integer(5),
                           &result);
    }
    if (result.status != CRAYON_OK) return in.environment->fail(env, result);
    return number(env, result.more ? -2 : static_cast<double>(result.count));
}

}  // namespace crayon::addon
