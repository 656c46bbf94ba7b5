// Texts that are edited. A document closes with its tokenizer.

#include <algorithm>
#include <cstring>

#include "functions.h"
#include "text_input.h"

namespace crayon::addon {

namespace {

// The part of a text that a call passes: a string of at most one window, in the scratch, or bytes.
struct Part {
    const std::uint16_t* units = nullptr;
    const std::uint8_t* bytes = nullptr;
    std::uint32_t length = 0;
    bool valid = false;

    Part(Environment& environment, napi_env env, napi_value value) {
        std::size_t count = 0;
        if (units_of(environment, env, value, count)) {
            units = reinterpret_cast<const std::uint16_t*>(environment.units());
            length = static_cast<std::uint32_t>(count);
            valid = true;
            return;
        }
        const Elements<const std::uint8_t> all(env, value);
        valid = all.valid && all.count <= 0x7FFFFFFF;
        bytes = all.data;
        length = valid ? static_cast<std::uint32_t>(all.count) : 0;
    }
};

// Writes what a caller wants to know after an edit: from, removed, inserted, and the new length and count.
bool tell(napi_env env, napi_value target, const crayon_document* document, const std::uint32_t change[3]) {
    const Elements<std::uint32_t> out(env, target);
    if (!out.valid || out.count < 5) return false;
    std::memcpy(out.data, change, 3 * sizeof(std::uint32_t));
    out.data[3] = crayon_document_length(document);
    out.data[4] = crayon_document_count(document);
    return true;
}

}  // namespace

napi_value document_open(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    const Policy policy(env, in.at[1]);
    OpenTokenizer* open = in.environment->tokenizers.find(in.handle(0));
    if (!open) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_document* document = nullptr;
    crayon_result result = {};
    if (crayon_document_create(open->tokenizer, policy.special, policy.allowed, policy.allowed_count, in.integer(2), &document,
                               &result) != CRAYON_OK) {
        return in.environment->fail(env, result);
    }
    const std::int64_t handle = in.environment->add_document(*open, document);
    return number(env, handle ? static_cast<double>(handle) : -1);
}

napi_value document_fork(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    const EditedText* text = in.environment->documents.find(in.handle(0));
    if (!text) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_document* document = nullptr;
    crayon_result result = {};
    if (crayon_document_fork(text->document, &document, &result) != CRAYON_OK) return in.environment->fail(env, result);
    const std::int64_t handle = in.environment->add_document(*text->owner, document);
    return number(env, handle ? static_cast<double>(handle) : -1);
}

napi_value document_keep(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const EditedText* text = in.environment->documents.find(in.handle(0));
    if (!text) return in.environment->fail(env, CRAYON_CLOSED);
    const Part part(*in.environment, env, in.at[1]);
    if (!part.valid) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    if (part.units) {
        crayon_document_keep_utf16(text->document, part.units, part.length, &result);
    } else {
        crayon_document_keep_utf8(text->document, part.bytes, part.length, &result);
    }
    return result.status == CRAYON_OK ? number(env, 0) : in.environment->fail(env, result);
}

napi_value document_replace(napi_env env, napi_callback_info info) {
    Arguments<6> in(env, info);
    Environment& environment = *in.environment;
    EditedText* text = environment.documents.find(in.handle(0));
    if (!text) return environment.fail(env, CRAYON_CLOSED);
    crayon_encoder* encoder = environment.encoder_of(env, *text->owner);
    if (!encoder) return number(env, -1);
    const Part part(environment, env, in.at[3]);
    if (!part.valid) return environment.fail(env, CRAYON_INVALID_ARGUMENT);
    const std::uint32_t start = in.integer(1), end = in.integer(2);
    std::uint32_t change[3];
    crayon_result result = {};
    const Elements<const std::uint32_t> ranges(env, in.at[5]);
    const std::uint32_t range_count = static_cast<std::uint32_t>(ranges.count / 2);
    if (ranges.valid && crayon_document_keep_ranges(text->document, ranges.data, range_count, &result) != CRAYON_OK)
        return environment.fail(env, result);
    if (part.units) {
        crayon_document_replace_utf16(text->document, encoder, start, end, part.units, part.length, change, &result);
    } else {
        crayon_document_replace_utf8(text->document, encoder, start, end, part.bytes, part.length, change, &result);
    }
    if (result.status != CRAYON_OK) return environment.fail(env, result);
    environment.weigh_document(env, text);
    return tell(env, in.at[4], text->document, change) ? number(env, 0) : environment.fail(env, CRAYON_INVALID_ARGUMENT);
}

napi_value document_ids(napi_env env, napi_callback_info info) {
    Arguments<3> in(env, info);
    const EditedText* text = in.environment->documents.find(in.handle(0));
    if (!text) return in.environment->fail(env, CRAYON_CLOSED);
    const Elements<std::uint32_t> target(env, in.at[2]);
    const std::uint32_t from = in.integer(1), left = crayon_document_count(text->document);
    if (!target.valid || from > left || target.count > left - from) return in.environment->fail(env, CRAYON_INVALID_ARGUMENT);
    crayon_result result = {};
    const std::uint32_t to = from + static_cast<std::uint32_t>(target.count);
    if (crayon_document_ids(text->document, from, to, target.data, &result) != CRAYON_OK)
        return in.environment->fail(env, result);
    return number(env, 0);
}

napi_value document_token_at(napi_env env, napi_callback_info info) {
    Arguments<2> in(env, info);
    const EditedText* text = in.environment->documents.find(in.handle(0));
    if (!text) return in.environment->fail(env, CRAYON_CLOSED);
    crayon_encoder* encoder = in.environment->encoder_of(env, *text->owner);
    if (!encoder) return number(env, -1);
    crayon_result result = {};
    if (crayon_document_token_at(text->document, encoder, in.integer(1), &result) != CRAYON_OK)
        return in.environment->fail(env, result);
    return number(env, result.count);
}

// A window of text: as a string, or written to `target` as bytes.
napi_value document_text(napi_env env, napi_callback_info info) {
    Arguments<4> in(env, info);
    const EditedText* text = in.environment->documents.find(in.handle(0));
    if (!text) return no_value(*in.environment, CRAYON_CLOSED);
    const std::uint32_t from = in.integer(1), to = in.integer(2);
    const Elements<std::uint8_t> target(env, in.at[3]);
    crayon_result result = {};
    if (target.valid) {
        if (from > to || target.count != to - from) return no_value(*in.environment, CRAYON_INVALID_ARGUMENT);
        crayon_document_text_utf8(text->document, from, to, target.data, &result);
        return result.status == CRAYON_OK ? in.at[3] : no_value(*in.environment, result.status);
    }
    if (from > to || to - from > Environment::kWindow) return no_value(*in.environment, CRAYON_INVALID_ARGUMENT);
    std::uint16_t* const units = reinterpret_cast<std::uint16_t*>(in.environment->units());
    if (crayon_document_text_utf16(text->document, from, to, units, &result) != CRAYON_OK)
        return no_value(*in.environment, result.status);
    napi_value string = nullptr;
    napi_create_string_utf16(env, in.environment->units(), to - from, &string);
    return string;
}

napi_value document_close(napi_env env, napi_callback_info info) {
    Arguments<1> in(env, info);
    if (EditedText* text = in.environment->documents.find(in.handle(0))) in.environment->close_document(env, text);
    return number(env, 0);
}

}  // namespace crayon::addon
