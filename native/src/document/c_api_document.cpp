// The C interface of documents.

#include "base/status.h"
#include "document/document.h"
#include "limits/splitter.h"

using namespace crayon;

namespace {

Document* from_c(crayon_document* document) { return reinterpret_cast<Document*>(document); }
const Document* from_c(const crayon_document* document) { return reinterpret_cast<const Document*>(document); }

void give(const TextChange& change, const Document& document, uint32_t out[5]) {
    out[0] = change.from;
    out[1] = change.removed;
    out[2] = change.inserted;
    out[3] = document.length();
    out[4] = document.count();
}

}  // namespace

extern "C" {

crayon_status crayon_document_create(crayon_tokenizer* tokenizer, uint32_t special, const uint32_t* allowed,
                                     uint32_t allowed_count, uint32_t unit, crayon_document** out, crayon_result* result) {
    if (!tokenizer || !out || (!allowed && allowed_count)) return report(kInvalidArgument, result);
    *out = nullptr;
    return report(Document::create(*reinterpret_cast<Tokenizer*>(tokenizer), special, {allowed, allowed_count}, unit,
                                   reinterpret_cast<Document**>(out)),
                  result);
}

crayon_status crayon_document_fork(const crayon_document* document, crayon_document** out, crayon_result* result) {
    if (!document || !out) return report(kInvalidArgument, result);
    *out = nullptr;
    return report(from_c(document)->copy(reinterpret_cast<Document**>(out)), result);
}

void crayon_document_release(crayon_document* document) { delete from_c(document); }

crayon_status crayon_document_keep_utf16(crayon_document* document, const uint16_t* units, uint32_t length,
                                         crayon_result* result) {
    if (!document || (!units && length)) return report(kInvalidArgument, result);
    return report(from_c(document)->keep_units({units, length}), result);
}

crayon_status crayon_document_keep_utf8(crayon_document* document, const uint8_t* bytes, uint32_t length, crayon_result* result) {
    if (!document || (!bytes && length)) return report(kInvalidArgument, result);
    return report(from_c(document)->keep_bytes({bytes, length}), result);
}

crayon_status crayon_document_keep_ranges(crayon_document* document, const uint32_t* ranges, uint32_t count,
                                          crayon_result* result) {
    if (!document || (!ranges && count) || count > 0x7FFFFFFF) return report(kInvalidArgument, result);
    return report(from_c(document)->keep_ranges({ranges, size_t{count} * 2}), result);
}

crayon_status crayon_document_replace_utf16(crayon_document* document, crayon_encoder* encoder, uint32_t start, uint32_t end,
                                            const uint16_t* units, uint32_t length, uint32_t out[5], crayon_result* result) {
    if (!document || !encoder || (!units && length) || !out) return report(kInvalidArgument, result);
    TextChange change = {};
    const Status status = from_c(document)->replace_units(encoder->encoder, start, end, {units, length}, &change);
    give(change, *from_c(document), out);
    return report(status, result);
}

crayon_status crayon_document_replace_utf8(crayon_document* document, crayon_encoder* encoder, uint32_t start, uint32_t end,
                                           const uint8_t* bytes, uint32_t length, uint32_t out[5], crayon_result* result) {
    if (!document || !encoder || (!bytes && length) || !out) return report(kInvalidArgument, result);
    TextChange change = {};
    const Status status = from_c(document)->replace_bytes(encoder->encoder, start, end, {bytes, length}, &change);
    give(change, *from_c(document), out);
    return report(status, result);
}

uint32_t crayon_document_length(const crayon_document* document) { return from_c(document)->length(); }

uint32_t crayon_document_count(const crayon_document* document) { return from_c(document)->count(); }

crayon_status crayon_document_ids(const crayon_document* document, uint32_t from, uint32_t to, uint32_t* ids,
                                  crayon_result* result) {
    if (!document || (!ids && from < to)) return report(kInvalidArgument, result);
    return report(from_c(document)->copy_ids(from, to, ids), result);
}

crayon_status crayon_document_token_at(const crayon_document* document, crayon_encoder* encoder, uint32_t position,
                                       crayon_result* result) {
    if (!document || !encoder) return report(kInvalidArgument, result);
    uint32_t token = 0;
    const Status status = from_c(document)->token_at(encoder->encoder, position, &token);
    return report(status, result, token);
}

crayon_status crayon_document_text_utf16(const crayon_document* document, uint32_t from, uint32_t to, uint16_t* units,
                                         crayon_result* result) {
    if (!document || (!units && from < to)) return report(kInvalidArgument, result);
    return report(from_c(document)->copy_units(from, to, units), result);
}

crayon_status crayon_document_text_utf8(const crayon_document* document, uint32_t from, uint32_t to, uint8_t* bytes,
                                        crayon_result* result) {
    if (!document || !from_c(document)->is_of_bytes() || (!bytes && from < to)) return report(kInvalidArgument, result);
    return report(from_c(document)->copy_bytes(from, to, bytes), result);
}

}  // extern "C"
