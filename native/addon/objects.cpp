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

napi_value copy_of(napi_env env, const std::uint8_t* bytes, std::size_t count) { return typed_array(env, bytes, count); }
napi_value copy_of(napi_env env, const std::uint32_t* numbers, std::size_t count) { return typed_array(env, numbers, count); }

}  // namespace crayon::addon
