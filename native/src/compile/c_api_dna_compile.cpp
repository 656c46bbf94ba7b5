// crayon_dna_compiler_*: checks arguments and converts statuses to results; no logic.
#include <new>

#include "base/status.h"
#include "compile/dna_compiler.h"

using namespace crayon;

namespace {

DnaCompiler* from_c(crayon_dna_compiler* compiler) { return reinterpret_cast<DnaCompiler*>(compiler); }

}  // namespace

extern "C" {

crayon_status crayon_dna_compiler_create(crayon_dna_compiler** out, crayon_result* result) {
    if (!out) return report(kInvalidArgument, result);
    DnaCompiler* compiler = new (std::nothrow) DnaCompiler;
    *out = reinterpret_cast<crayon_dna_compiler*>(compiler);
    return report(compiler ? Status{} : Status::out_of_memory(), result);
}

void crayon_dna_compiler_release(crayon_dna_compiler* compiler) { delete from_c(compiler); }

crayon_status crayon_dna_compiler_set_rules(crayon_dna_compiler* compiler, const crayon_dna_rules* rules, crayon_result* result) {
    if (!compiler || !rules) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_rules(*rules), result);
}

crayon_status crayon_dna_compiler_set_tokens(crayon_dna_compiler* compiler, const uint8_t* bytes, uint32_t byte_count,
                                             const uint32_t* offsets, uint32_t token_count, crayon_result* result) {
    if (!compiler || (!bytes && byte_count > 0) || !offsets) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_tokens(bytes, byte_count, offsets, token_count), result);
}

crayon_status crayon_dna_compiler_set_bases(crayon_dna_compiler* compiler, const uint32_t ids[256], const uint32_t* start_ids,
                                            crayon_result* result) {
    if (!compiler || !ids) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_bases(ids, start_ids), result);
}

crayon_status crayon_dna_compiler_set_kmers(crayon_dna_compiler* compiler, const uint8_t* digits, uint32_t digit_count,
                                            const uint32_t* ids, uint32_t count, crayon_result* result) {
    if (!compiler || !digits || (!ids && count > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_kmers({digits, digit_count}, {ids, count}), result);
}

crayon_status crayon_dna_compiler_set_template(crayon_dna_compiler* compiler, const uint32_t* before, uint32_t before_count,
                                               const uint32_t* after, uint32_t after_count, crayon_result* result) {
    if (!compiler || (!before && before_count > 0) || (!after && after_count > 0)) {
        return report(kInvalidArgument, result);
    }
    return report(from_c(compiler)->set_template({before, before_count}, {after, after_count}), result);
}

crayon_status crayon_dna_compiler_set_metadata(crayon_dna_compiler* compiler, const char* json, uint32_t length,
                                               crayon_result* result) {
    if (!compiler || (!json && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_metadata({json, length}), result);
}

crayon_status crayon_dna_compiler_set_name(crayon_dna_compiler* compiler, const char* name, uint32_t length,
                                           crayon_result* result) {
    if (!compiler || (!name && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->set_name({name, length}), result);
}

crayon_status crayon_dna_compiler_add_special(crayon_dna_compiler* compiler, const uint8_t* bytes, uint32_t length, uint32_t id,
                                              uint32_t flags, crayon_result* result) {
    if (!compiler || (!bytes && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(compiler)->add_special({reinterpret_cast<const char*>(bytes), length}, id, flags), result);
}

crayon_status crayon_dna_compiler_finish(crayon_dna_compiler* compiler, const uint8_t** bytes, crayon_result* result) {
    if (bytes) *bytes = nullptr;
    if (!compiler || !bytes) return report(kInvalidArgument, result);
    const OwnedBytes* file = nullptr;
    const Status status = from_c(compiler)->finish(&file);
    if (!status.ok()) return report(status, result);
    *bytes = file->data();
    return report(status, result, static_cast<uint32_t>(file->length()));
}

}  // extern "C"
