// The C interface: crayon/api/limits.h.
#include "base/status.h"
#include "crayon/crayon.h"
#include "limits/splitter.h"

using namespace crayon;

extern "C" {

crayon_status crayon_encoder_begin_parts(crayon_encoder* encoder, uint32_t limit, uint32_t overlap, uint32_t unit, uint32_t cuts,
                                         const uint8_t* separators, uint32_t length, const uint32_t* numbers, uint32_t count,
                                         crayon_result* result) {
    if (!encoder || encoder->encoder.policy().is_masked()) return report(kInvalidArgument, result);
    const Status status = encoder->splitter.begin({limit, overlap, unit, cuts, separators, numbers, length, count});
    encoder->splits = status.ok();
    return report(status, result);
}

crayon_status crayon_encoder_fit(crayon_encoder* handle, const uint8_t* bytes, uint32_t length, uint32_t whole, uint32_t limit,
                                 uint32_t side, uint32_t unit, crayon_result* result) {
    if (!handle || (!bytes && length) || side > CRAYON_KEEP_END || unit > CRAYON_UNIT_UTF16 ||
        handle->encoder.policy().is_masked()) {
        return report(kInvalidArgument, result);
    }
    Encoder& encoder = handle->encoder;
    const PartCutter::Text text = {{bytes, length}, 0, whole != 0};
    PartCutter::Part part = {0, 0, 0};
    bool more = false;
    Status status;
    if (side == CRAYON_KEEP_BEGIN) {
        status = handle->cutter.cut_end(encoder, text, 0, limit, nullptr, &part, &more);
    } else {
        // A forbidden token matters only in the part.
        const bool forbids = encoder.policy().forbids_special();
        if (forbids) status = encoder.begin(CRAYON_SPECIAL_ALLOW, nullptr, 0);
        if (status.ok()) status = handle->cutter.cut_begin(encoder, text, 0, length, limit, &part, whole ? nullptr : &more);
        if (forbids) {
            const Status again = encoder.begin(CRAYON_SPECIAL_FORBID, nullptr, 0);
            if (status.ok()) status = again;
        }
        if (forbids && status.ok() && !more) {
            bool fits;
            status = handle->cutter.count(encoder, text, part.begin, part.end, limit, &part.tokens, &fits);
        }
    }
    const u32 fitting = status.ok() && !more ? Splitter::length_in(unit, bytes + part.begin, bytes + part.end) : 0;
    return report(status, result, fitting, more);
}

crayon_status crayon_encoder_fit_utf16(crayon_encoder* encoder, const uint16_t* units, uint32_t length, uint32_t whole,
                                       uint32_t limit, uint32_t side, crayon_result* result) {
    if (!encoder || (!units && length)) return report(kInvalidArgument, result);
    FedText& text = encoder->converted;
    text.restart(0);
    const Status status = text.feed_utf16(encoder->encoder.tokenizer().kernel(), units, length, true);
    if (!status.ok()) return report(status, result);
    const u32 bytes = static_cast<u32>(text.raw());
    // Of ASCII, bytes are units.
    const u32 unit = bytes == length ? u32{CRAYON_UNIT_BYTES} : u32{CRAYON_UNIT_UTF16};
    return crayon_encoder_fit(encoder, text.bytes(), bytes, whole, limit, side, unit, result);
}

}  // extern "C"
