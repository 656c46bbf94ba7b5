// crayon_compiler_*: checks arguments and turns statuses into results; no logic.
#include <new>

#include "base/c_result.h"
#include "compile/compiler.h"

using crayon::Compiler;
using crayon::kInvalidArgument;
using crayon::report;
using crayon::Status;

namespace {

Compiler* from_c(crayon_compiler* compiler) { return reinterpret_cast<Compiler*>(compiler); }

}  // namespace

extern "C" {

crayon_status crayon_compiler_create(crayon_compiler** out, crayon_result* result) {
    if (!out) return report(kInvalidArgument, result);
    Compiler* compiler = new (std::nothrow) Compiler;
    *out = reinterpret_cast<crayon_compiler*>(compiler);
    return report(compiler ? Status{} : Status::out_of_memory(), result);
}

void crayon_compiler_release(crayon_compiler* compiler) { delete from_c(compiler); }

crayon_status crayon_compiler_set_bpe(crayon_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                      const uint32_t* offsets, uint32_t token_count, crayon_result* result) {
    if (!compiler || (!bytes && byte_count > 0) || !offsets) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_bpe(bytes, byte_count, offsets, token_count), result);
}

crayon_status crayon_compiler_set_metadata(crayon_compiler* compiler, const char* json, uint32_t length,
                                           crayon_result* result) {
    if (!compiler || (!json && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_metadata({json, length}), result);
}

crayon_status crayon_compiler_add_view(crayon_compiler* compiler, const char* name, uint32_t name_length,
                                       const char* scanner, uint32_t scanner_length, crayon_result* result) {
    if (!compiler || (!name && name_length > 0) || (!scanner && scanner_length > 0)) {
        return report(kInvalidArgument, result);
    }
    return report(from_c(compiler)->add_view({name, name_length}, {scanner, scanner_length}), result);
}

crayon_status crayon_compiler_add_token(crayon_compiler* compiler, const uint8_t* bytes, uint32_t length, uint32_t id,
                                        uint32_t flags, crayon_result* result) {
    if (!compiler || (!bytes && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->add_token({reinterpret_cast<const char*>(bytes), length}, id, flags), result);
}

crayon_status crayon_compiler_finish(crayon_compiler* compiler, const uint8_t** bytes, crayon_result* result) {
    if (!compiler || !bytes) return report(kInvalidArgument, result);
    *bytes = nullptr;
    const crayon::Buffer<crayon::u8>* file = nullptr;
    const Status status = from_c(compiler)->finish(&file);
    if (!status.ok()) return report(status, result);
    *bytes = file->data();
    return report(status, result, static_cast<uint32_t>(file->size()));
}

}  // extern "C"
