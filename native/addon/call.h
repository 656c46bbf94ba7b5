// A call of a function of the C interface by JavaScript: bindings.cpp, which a script writes, has one for each.
//
// An argument that the function cannot have (a closed handle, an array of another type) refuses the call: the remaining arguments
// are read, the function is not called, and `refused` tells JavaScript that a failure has been stored.
#pragma once

#include <array>
#include <cstdlib>
#include <type_traits>

#include "environment.h"

namespace crayon::addon {

// The elements of an array that may not be null, as C wants it: an empty one has no memory of its own. Fewer than 2^32.
template <class T>
struct Array {
    T* data;
    std::size_t count;
    std::uint32_t length() const { return static_cast<std::uint32_t>(count); }
};

// Ids of DNA, in a typed array of integers.
struct Ids {
    void* data;
    std::size_t count;
    std::uint32_t width;  // of an id, in bytes; 0: not such an array
    std::uint32_t length() const { return static_cast<std::uint32_t>(count); }
};

template <std::size_t N>
class Call {
public:
    Call(napi_env env, napi_callback_info info) : in_(env, info) {}

    template <class T>
    T* handle(std::size_t index) {
        T* const found = in_.environment->template table<T>().find(in_.handle(index));
        if (!found && is_valid_) refuse(CRAYON_CLOSED);
        return found;
    }
    std::uint32_t u32(std::size_t index) const { return in_.integer(index); }
    std::uint64_t u64(std::size_t index) const { return static_cast<std::uint64_t>(in_.handle(index)); }
    double f64(std::size_t index) const {
        double value = 0;
        napi_get_value_double(in_.env, in_.at[index], &value);
        return value;
    }
    template <class T>
    Array<T> array(std::size_t index) {
        static std::remove_const_t<T> nothing;
        const Elements<T> elements(in_.env, in_.at[index]);
        need(elements.valid);
        length(elements.count);
        return {elements.data ? elements.data : &nothing, elements.count};
    }
    // Null if it is not an array.
    template <class T>
    Array<T> optional(std::size_t index) {
        const Elements<T> elements(in_.env, in_.at[index]);
        length(elements.count);
        return {elements.data, elements.count};
    }
    Ids ids(std::size_t index) {
        static std::uint64_t nothing;
        napi_typedarray_type type;
        Ids ids = {};
        if (napi_get_typedarray_info(in_.env, in_.at[index], &type, &ids.count, &ids.data, nullptr, nullptr) == napi_ok) {
            ids.width = type == napi_uint8_array      ? 1
                        : type == napi_uint16_array   ? 2
                        : type == napi_int32_array    ? 4
                        : type == napi_bigint64_array ? 8
                                                      : 0;
        }
        need(ids.width > 0);
        length(ids.count);
        if (!ids.data) ids.data = &nothing;
        return ids;
    }
    // A string of at most one window, in the scratch; at most one of a call.
    Array<const std::uint16_t> units(std::size_t index) {
        std::size_t length = 0;
        need(in_.units(index, length));
        return {reinterpret_cast<const std::uint16_t*>(in_.environment->units()), length};
    }
    // Room in the scratch for the units of a string.
    std::uint16_t* room_for_text(std::uint64_t length) {
        need(length <= Environment::kWindow);
        return reinterpret_cast<std::uint16_t*>(in_.environment->units());
    }
    // A string as UTF-8, until the call ends.
    struct Text : private Utf8 {
        Text(napi_env env, napi_value value) : Utf8(env, value), data(Utf8::text), count(Utf8::length) {}
        const char* data;  // null if it is no string, or memory is short
        std::size_t count;
        std::uint32_t length() const { return static_cast<std::uint32_t>(count); }
    };
    Text text(std::size_t index) const { return {in_.env, in_.at[index]}; }

    // The number of elements, as C takes it.
    std::uint32_t length(std::size_t count) {
        need(count < 0xFFFFFFFF);
        return static_cast<std::uint32_t>(count);
    }
    // The number of rows that end, or begin, at these offsets.
    std::uint32_t rows(const Array<const std::uint32_t>& offsets) {
        need(offsets.count > 0);
        return length(offsets.count - 1);
    }
    void need(bool is_so) {
        if (!is_so && is_valid_) refuse(CRAYON_INVALID_ARGUMENT);
    }
    bool is_valid() const { return is_valid_; }
    // For calls that are written by hand.
    const Arguments<N>& arguments() const { return in_; }
    crayon_result* result() const { return &in_.environment->failure; }

    // What JavaScript gets: after a failure -1 or, where it would get an object, undefined.
    napi_value refused() const { return number(in_.env, -1); }
    napi_value no_value() const { return nullptr; }
    // -2 less the count if there is more.
    napi_value count() const {
        const double count = result()->count;
        return number(in_.env, result()->more ? -2 - count : count);
    }
    template <class T>
    napi_value copy(const T* elements, std::size_t count) const {
        return copy_of(in_.env, elements, count);
    }
    napi_value copy(const char* text, std::size_t length = NAPI_AUTO_LENGTH) const {
        napi_value string = nullptr;
        napi_create_string_utf8(in_.env, text, length, &string);
        return string;
    }

    // The same for a function of C, which is only called if the arguments are valid.
    template <class Function>
    napi_value count(Function function) const {
        return succeeds(function) ? count() : refused();
    }
    template <class Function>
    napi_value answer(Function function) const {
        return is_valid_ ? number(in_.env, function()) : refused();
    }
    template <class Function>
    napi_value done(Function function) const {
        if (!is_valid_) return refused();
        function();
        return number(in_.env, 0);
    }
    template <class Function>
    auto found(Function function) const {
        return is_valid_ ? function() : nullptr;
    }
    template <class T, class Function>
    napi_value opened(T*& object, Function function) {
        if (!succeeds(function)) return refused();
        const std::int64_t handle = in_.environment->template table<T>().add(object);
        if (handle != 0) return number(in_.env, static_cast<double>(handle));
        release_object(object);
        refuse(CRAYON_OUT_OF_MEMORY);
        return refused();
    }
    template <class T, class Function>
    napi_value copied(T*& elements, Function function) const {
        return succeeds(function) ? copy(elements, result()->count) : no_value();
    }
    template <class T, class Function>
    napi_value freed(T*& elements, Function function) const {
        const napi_value array = copied(elements, function);
        std::free(elements);
        return array;
    }
    template <class Function>
    napi_value text_of(std::uint64_t length, Function function) const {
        napi_value string = nullptr;
        if (succeeds(function))
            napi_create_string_utf16(in_.env, in_.environment->units(), static_cast<std::size_t>(length), &string);
        return string;
    }

private:
    template <class Function>
    bool succeeds(Function function) const {
        return is_valid_ && function() == CRAYON_OK;
    }
    void refuse(crayon_status status) {
        is_valid_ = false;
        in_.environment->keep_failure(status);
    }

    Arguments<N> in_;
    bool is_valid_ = true;
};

// Releases what a handle stands for; nothing if it is closed.
template <class T>
napi_value release(napi_env env, napi_callback_info info) {
    const Arguments<1> in(env, info);
    if (T* const object = in.environment->template table<T>().remove(in.handle(0))) release_object(object);
    return nullptr;
}

}  // namespace crayon::addon
