#include "objects.h"

#include <cstring>

namespace crayon::addon {

namespace {

template <class Key>
Napi::Value value_at(const Napi::Value& from, Key key) {
    const Napi::Value none = from.Env().Undefined();
    return from.IsObject() ? from.As<Napi::Object>().Get(key).UnwrapOr(none) : none;
}

template <class T>
napi_value typed_array(napi_env env, const T* elements, std::size_t count) {
    Napi::TypedArrayOf<T> copy = Napi::TypedArrayOf<T>::New(env, count);
    if (!copy.IsEmpty() && count > 0) std::memcpy(copy.Data(), elements, count * sizeof(T));
    return copy;
}

}  // namespace

Napi::Value property(const Napi::Value& from, const char* key) { return value_at(from, key); }
Napi::Value property(const Napi::Value& from, std::uint32_t index) { return value_at(from, index); }

std::uint32_t length_of(const Napi::Value& list) {
    return list.IsArray() ? list.As<Napi::Array>().Length() : 0;
}

napi_value copy_of(napi_env env, const std::uint8_t* bytes, std::size_t count) { return typed_array(env, bytes, count); }
napi_value copy_of(napi_env env, const std::uint32_t* numbers, std::size_t count) { return typed_array(env, numbers, count); }

}  // namespace crayon::addon
