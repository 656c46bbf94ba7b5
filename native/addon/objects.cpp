#include "objects.h"

#include <cstring>

namespace crayon::addon {

namespace {

template <class T>
napi_value typed_array(napi_env env, const T* elements, std::size_t count) {
    if (Napi::Env(env).IsExceptionPending()) return nullptr;  // a getter has thrown
    Napi::TypedArrayOf<T> copy = Napi::TypedArrayOf<T>::New(env, count);
    if (!copy.IsEmpty() && count > 0) std::memcpy(copy.Data(), elements, count * sizeof(T));
    return copy;
}

}  // namespace

Napi::Value property(const Napi::Value& from, const char* key) {
    napi_value value = nullptr;
    if (!from.IsObject() || napi_get_named_property(from.Env(), from, key, &value) != napi_ok) return from.Env().Undefined();
    return {from.Env(), value};
}

Napi::Value property(const Napi::Value& from, std::uint32_t index) {
    napi_value value = nullptr;
    if (!from.IsObject() || napi_get_element(from.Env(), from, index, &value) != napi_ok) return from.Env().Undefined();
    return {from.Env(), value};
}

std::uint32_t length_of(const Napi::Value& list) {
    std::uint32_t length = 0;
    if (list.IsArray()) napi_get_array_length(list.Env(), list, &length);
    return length;
}

napi_value copy_of(napi_env env, const std::uint8_t* bytes, std::size_t count) { return typed_array(env, bytes, count); }
napi_value copy_of(napi_env env, const std::uint32_t* numbers, std::size_t count) { return typed_array(env, numbers, count); }

}  // namespace crayon::addon
