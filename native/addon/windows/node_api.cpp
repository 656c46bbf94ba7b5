// Node-API on Windows, where an import names the program it comes from: node.exe. Electron, Bun and renamed programs have
// other names, so nothing is imported; the functions are looked up in the process when the addon is loaded. The compiler
// calls another module's function through a pointer, __imp_NAME, defined here. The linker reports functions missing from
// the list.
#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#define NODE_API_FUNCTIONS(X)            \
    X(napi_add_env_cleanup_hook)         \
    X(napi_adjust_external_memory)       \
    X(napi_call_function)                \
    X(napi_call_threadsafe_function)     \
    X(napi_close_handle_scope)           \
    X(napi_create_array)                 \
    X(napi_create_arraybuffer)           \
    X(napi_create_async_work)            \
    X(napi_create_bigint_uint64)         \
    X(napi_create_double)                \
    X(napi_create_error)                 \
    X(napi_create_external_arraybuffer)  \
    X(napi_create_int32)                 \
    X(napi_create_object)                \
    X(napi_create_promise)               \
    X(napi_create_reference)             \
    X(napi_create_string_latin1)         \
    X(napi_create_string_utf16)          \
    X(napi_create_string_utf8)           \
    X(napi_create_threadsafe_function)   \
    X(napi_create_type_error)            \
    X(napi_create_typedarray)            \
    X(napi_define_properties)            \
    X(napi_delete_async_work)            \
    X(napi_delete_reference)             \
    X(napi_fatal_error)                  \
    X(napi_get_and_clear_last_exception) \
    X(napi_get_array_length)             \
    X(napi_get_arraybuffer_info)         \
    X(napi_get_boolean)                  \
    X(napi_get_cb_info)                  \
    X(napi_get_element)                  \
    X(napi_get_last_error_info)          \
    X(napi_get_named_property)           \
    X(napi_get_property)                 \
    X(napi_get_reference_value)          \
    X(napi_get_typedarray_info)          \
    X(napi_get_undefined)                \
    X(napi_get_value_bool)               \
    X(napi_get_value_double)             \
    X(napi_get_value_int64)              \
    X(napi_get_value_string_utf16)       \
    X(napi_get_value_string_utf8)        \
    X(napi_get_value_uint32)             \
    X(napi_has_property)                 \
    X(napi_is_array)                     \
    X(napi_is_exception_pending)         \
    X(napi_is_typedarray)                \
    X(napi_open_handle_scope)            \
    X(napi_queue_async_work)             \
    X(napi_ref_threadsafe_function)      \
    X(napi_release_threadsafe_function)  \
    X(napi_resolve_deferred)             \
    X(napi_set_element)                  \
    X(napi_set_instance_data)            \
    X(napi_set_named_property)           \
    X(napi_throw)                        \
    X(napi_throw_error)                  \
    X(napi_typeof)                       \
    X(napi_unref_threadsafe_function)

// NOLINTBEGIN(bugprone-reserved-identifier): these are linker names.
#define DEFINE(name)               \
    extern "C" void* __imp_##name; \
    void* __imp_##name = nullptr;
NODE_API_FUNCTIONS(DEFINE)

namespace {

struct Function {
    const char* name;
    void** pointer;
};

const Function kFunctions[] = {
#define ENTRY(name) {#name, &__imp_##name},
    NODE_API_FUNCTIONS(ENTRY)};
// NOLINTEND(bugprone-reserved-identifier)

// The program itself, or Node as one of its libraries.
HMODULE host() {
    const HMODULE program = ::GetModuleHandleW(nullptr);
    if (::GetProcAddress(program, kFunctions[0].name)) return program;
    return ::GetModuleHandleW(L"libnode.dll");
}

}  // namespace

// False refuses to load: if the host lacked a function, the process would crash in the middle of a call.
extern "C" BOOL WINAPI DllMain(HINSTANCE, DWORD reason, LPVOID) {
    if (reason != DLL_PROCESS_ATTACH) return TRUE;
    const HMODULE module = host();
    if (!module) return FALSE;
    for (const Function& function : kFunctions) {
        *function.pointer = reinterpret_cast<void*>(::GetProcAddress(module, function.name));
        if (!*function.pointer) return FALSE;
    }
    return TRUE;
}

#endif
