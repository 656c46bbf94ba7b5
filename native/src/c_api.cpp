// Implements crayon.h on top of the classes: checks arguments, no logic. (Cartridges and the compiler have their own files,
// in their folders.)
#include <cstring>
#include <new>

#include "base/status.h"
#include "general/regex.h"
#include "limits/splitter.h"

using namespace crayon;

namespace {

Tokenizer* from_c(crayon_tokenizer* tokenizer) { return reinterpret_cast<Tokenizer*>(tokenizer); }
const Tokenizer* from_c(const crayon_tokenizer* tokenizer) { return reinterpret_cast<const Tokenizer*>(tokenizer); }

const char* const kNames[] = {
#define CRAYON_STATUS(name, number, sentence) #name,
#include "crayon/status.def"
#undef CRAYON_STATUS
};
const char* const kSentences[] = {
#define CRAYON_STATUS(name, number, sentence) sentence,
#include "crayon/status.def"
#undef CRAYON_STATUS
};

// Encodes whole texts, in bytes or in units. Each offset is read once: another thread may be changing them.
crayon_status encode_rows(crayon_encoder* of, const u8* bytes, const u16* units, u32 length, const u32* offsets, u32 row_count,
                          bool counting, u32 before, u32* ids, u32 capacity, u32* totals, crayon_result* result) {
    const bool takes_rows = of && !of->splits && !of->encoder.policy().is_masked();
    if (!takes_rows || (!bytes && !units && length) || (!ids && capacity) || !offsets || (row_count && !totals)) {
        return report(kInvalidArgument, result);
    }
    Encoder& encoder = of->encoder;
    const u32 origin = offsets[0];
    u32 begin = 0, done = 0;
    for (u32 row = 0; row < row_count; ++row) {
        const u32 end = offsets[row + 1] - origin;
        encoder.resume(0);
        Encoder::Read read{};
        u32 count = done;
        Status status = kInvalidArgument;
        if (begin <= end && end <= length) {
            status = units ? encoder.feed_utf16(units + begin, end - begin, true)
                           : encoder.feed_utf8(bytes + begin, end - begin, true);
        }
        do {
            if (!status.ok()) return report(status, result, row);
            status = counting ? encoder.count(~u32{0}, &read) : encoder.read(ids + count, capacity - count, &read);
            if (read.count > ~u32{0} - before - count) status = {CRAYON_TEXT_TOO_LONG};
            count += read.count;
        } while (!status.ok() || (read.more && (counting || count < capacity)));
        if (read.more) return report({CRAYON_OK, 0, row}, result, done, true);
        done = count;
        totals[row] = before + done;
        begin = end;
    }
    return report({}, result, done);
}

}  // namespace

extern "C" {

const char* crayon_status_name(crayon_status status) { return status < CRAYON_STATUS_COUNT ? kNames[status] : nullptr; }
const char* crayon_status_sentence(crayon_status status) { return status < CRAYON_STATUS_COUNT ? kSentences[status] : nullptr; }

const char* crayon_kernel_name(uint32_t index) {
    const Kernel* kernel = kernel_at(index);
    return kernel ? kernel->name : nullptr;
}

crayon_status crayon_tokenizer_create(crayon_cartridge* cartridge, uint32_t view_index, const char* kernel,
                                      uint32_t kernel_length, crayon_tokenizer** out, crayon_result* result) {
    if (!cartridge || !out || (!kernel && kernel_length)) return report(kInvalidArgument, result);
    Tokenizer* tokenizer = nullptr;
    const Status status = Tokenizer::create(*crayon::from_c(cartridge), view_index, {kernel, kernel_length}, &tokenizer);
    *out = reinterpret_cast<crayon_tokenizer*>(tokenizer);
    return report(status, result);
}

void crayon_tokenizer_retain(crayon_tokenizer* tokenizer) {
    from_c(tokenizer)->retain();
    from_c(tokenizer)->add_owner();
}

void crayon_tokenizer_release(crayon_tokenizer* tokenizer) {
    if (!tokenizer) return;
    from_c(tokenizer)->remove_owner();
    from_c(tokenizer)->release();
}

uint32_t crayon_tokenizer_vocabulary_size(const crayon_tokenizer* tokenizer) { return from_c(tokenizer)->view().vocabulary_size; }

const char* crayon_tokenizer_model(const crayon_tokenizer* tokenizer) {
    const Cartridge& cartridge = from_c(tokenizer)->cartridge();
    const layout::WordPieceRules* words = cartridge.trie_rules().word_piece;
    if (words && (words->flags & layout::kWholeWords) != 0) return "wordlevel";
    static constexpr const char* kNames[] = {"bpe", "longest-match", "dna", "wordpiece", "unigram"};
    static constexpr const char* kGeneralNames[] = {"bpe", "wordpiece", "unigram", "wordlevel"};
    if (cartridge.general()) return kGeneralNames[cartridge.general()->model - layout::kGeneralBpe];
    return kNames[cartridge.model_kind() - layout::kBpe];
}
const char* crayon_tokenizer_scanner(const crayon_tokenizer* tokenizer) { return from_c(tokenizer)->pretokenizer_name(); }
const char* crayon_tokenizer_normalizer(const crayon_tokenizer* tokenizer) { return from_c(tokenizer)->normalizer_name(); }
uint32_t crayon_tokenizer_unknown_id(const crayon_tokenizer* tokenizer) { return from_c(tokenizer)->unknown_id(); }

uint32_t crayon_tokenizer_unknown_bytes(const crayon_tokenizer* tokenizer) {
    return from_c(tokenizer)->longest_match_view().unknown_bytes ? 1 : 0;
}
const char* crayon_tokenizer_kernel(const crayon_tokenizer* tokenizer) { return from_c(tokenizer)->kernel().name; }

void crayon_tokenizer_cache_limit(crayon_tokenizer* tokenizer, uint64_t bytes) { from_c(tokenizer)->set_cache_limit(bytes); }

void crayon_tokenizer_memory(const crayon_tokenizer* tokenizer, uint32_t out[6]) {
    const Cartridge& cartridge = from_c(tokenizer)->cartridge();
    const u64 length = cartridge.length();
    const u64 bytes[] = {cartridge.is_private() ? 0 : length, cartridge.is_private() ? length : 0,
                         from_c(tokenizer)->cache_bytes()};
    for (const u64 each : bytes) {
        *out++ = static_cast<u32>(each);
        *out++ = static_cast<u32>(each >> 32);
    }
}

const uint8_t* crayon_tokenizer_added_token(const crayon_tokenizer* tokenizer, uint32_t index, uint32_t out[3]) {
    const TokenizerView& view = from_c(tokenizer)->view();
    if (index >= view.added.size()) return nullptr;
    const layout::AddedToken& token = view.added[index];
    out[0] = token.length;
    out[1] = token.id;
    out[2] = token.flags;
    return reinterpret_cast<const u8*>(view.bytes(token).data());
}

const uint32_t* crayon_tokenizer_template(const crayon_tokenizer* tokenizer, uint32_t out[2]) {
    const TokenizerView& view = from_c(tokenizer)->view();
    out[0] = static_cast<u32>(view.prefix.size());
    out[1] = static_cast<u32>(view.suffix.size());
    return view.prefix.data();
}

const uint8_t* crayon_tokenizer_token_bytes(const crayon_tokenizer* tokenizer, uint32_t id, uint32_t* length) {
    const std::string_view bytes = from_c(tokenizer)->token_bytes(id);
    *length = static_cast<u32>(bytes.size());
    return reinterpret_cast<const u8*>(bytes.data());
}

uint32_t crayon_tokenizer_id_of(const crayon_tokenizer* tokenizer, const uint8_t* bytes, uint32_t length) {
    if (!bytes) return layout::kNone;
    return from_c(tokenizer)->id_of({reinterpret_cast<const char*>(bytes), length});
}

crayon_status crayon_regex_matches(const uint32_t* program, uint32_t word_count, const uint8_t* text, uint32_t text_length,
                                   uint32_t** matches, crayon_result* result) {
    if (matches) *matches = nullptr;
    if (!program || !matches || (!text && text_length > 0)) return report(kInvalidArgument, result);
    Buffer<u32> out;
    const Status status = general::find_matches(program, word_count, text, text_length, &out);
    const u32 count = status.ok() ? static_cast<u32>(out.size()) : 0;
    if (count > 0) *matches = out.detach();
    return report(status, result, count);
}

crayon_status crayon_decode_length(const crayon_tokenizer* tokenizer, const uint32_t* ids, uint32_t id_count, uint32_t flags,
                                   crayon_result* result) {
    if (!tokenizer || (!ids && id_count)) return report(kInvalidArgument, result);
    u64 length = 0;
    Status status = from_c(tokenizer)->decoded_length(ids, id_count, flags & CRAYON_DECODE_SKIP_SPECIAL, &length);
    if (status.ok() && length > 0xFFFFFFFF) status = {CRAYON_TEXT_TOO_LONG};
    return report(status, result, status.ok() ? static_cast<u32>(length) : 0);
}

crayon_status crayon_decode(const crayon_tokenizer* tokenizer, const uint32_t* ids, uint32_t id_count, uint32_t flags,
                            uint8_t* bytes, uint32_t capacity, crayon_result* result) {
    if (!tokenizer || (!ids && id_count) || (!bytes && capacity)) return report(kInvalidArgument, result);
    Tokenizer::Decoded done{};
    Status status = from_c(tokenizer)->decode(ids, id_count, flags & CRAYON_DECODE_SKIP_SPECIAL, bytes, capacity, &done);
    status.position = done.ids;
    return report(status, result, done.bytes, status.ok() && done.ids < id_count);
}

crayon_status crayon_encoder_create(crayon_tokenizer* tokenizer, crayon_encoder** out, crayon_result* result) {
    if (!tokenizer || !out) return report(kInvalidArgument, result);
    *out = nullptr;
    crayon_encoder* const encoder = new (std::nothrow) crayon_encoder(*from_c(tokenizer));
    if (!encoder) return report(Status::out_of_memory(), result);
    const Status status = encoder->encoder.start();
    if (status.ok()) {
        *out = encoder;
    } else {
        delete encoder;
    }
    return report(status, result);
}

void crayon_encoder_release(crayon_encoder* encoder) { delete encoder; }

crayon_status crayon_encoder_cache_limit(crayon_encoder* encoder, uint64_t bytes, crayon_result* result) {
    if (!encoder) return report(kInvalidArgument, result);
    encoder->encoder.set_cache_limit(bytes);
    return report(Status{}, result);
}

uint64_t crayon_encoder_cache_bytes(const crayon_encoder* encoder) { return encoder->encoder.cache_bytes(); }

crayon_status crayon_encoder_begin(crayon_encoder* encoder, uint32_t special, const uint32_t* allowed, uint32_t allowed_count,
                                   crayon_result* result) {
    if (!encoder || (!allowed && allowed_count)) return report(kInvalidArgument, result);
    encoder->splits = false;
    return report(encoder->encoder.begin(special, allowed, allowed_count), result);
}

crayon_status crayon_encoder_begin_masked(crayon_encoder* encoder, const uint32_t* control, uint32_t control_count,
                                          const uint32_t* ranges, uint32_t range_count, crayon_result* result) {
    if (!encoder || (!control && control_count) || (!ranges && range_count)) return report(kInvalidArgument, result);
    encoder->splits = false;
    return report(encoder->encoder.begin_masked({control, control_count}, {ranges, 2 * size_t{range_count}}), result);
}

crayon_status crayon_encoder_feed_utf8(crayon_encoder* encoder, const uint8_t* bytes, uint32_t length, uint32_t last,
                                       crayon_result* result) {
    if (!encoder || (!bytes && length)) return report(kInvalidArgument, result);
    if (encoder->splits) return report(encoder->splitter.feed_utf8(bytes, length, last != 0), result);
    return report(encoder->encoder.feed_utf8(bytes, length, last != 0), result);
}

crayon_status crayon_encoder_feed_utf16(crayon_encoder* encoder, const uint16_t* units, uint32_t length, uint32_t last,
                                        crayon_result* result) {
    if (!encoder || (!units && length)) return report(kInvalidArgument, result);
    if (encoder->splits) {
        const Kernel& kernel = encoder->encoder.tokenizer().kernel();
        return report(encoder->splitter.feed_utf16(kernel, units, length, last != 0), result);
    }
    return report(encoder->encoder.feed_utf16(units, length, last != 0), result);
}

crayon_status crayon_encoder_read(crayon_encoder* encoder, uint32_t* ids, uint32_t capacity, crayon_result* result) {
    if (!encoder || (!ids && capacity)) return report(kInvalidArgument, result);
    Encoder::Read read{};
    const Status status = encoder->splits ? encoder->splitter.read(encoder->encoder, ids, capacity, &read)
                                          : encoder->encoder.read(ids, capacity, &read);
    return report(status, result, read.count, read.more);
}

crayon_status crayon_encoder_append_utf16(crayon_encoder* encoder, const uint16_t* units, uint32_t length, uint32_t last,
                                          uint32_t* ids, uint32_t capacity, crayon_result* result) {
    const crayon_status status = crayon_encoder_feed_utf16(encoder, units, length, last, result);
    return status == CRAYON_OK ? crayon_encoder_read(encoder, ids, capacity, result) : status;
}

crayon_status crayon_encoder_read_with_offsets(crayon_encoder* encoder, uint32_t* ids, uint32_t* offsets, uint32_t capacity,
                                               uint32_t unit, crayon_result* result) {
    if (!encoder || ((!ids || !offsets) && capacity)) return report(kInvalidArgument, result);
    Encoder::Read read{};
    const Status status = encoder->encoder.read_with_offsets(ids, offsets, capacity, unit, &read);
    return report(status, result, read.count, read.more);
}

crayon_status crayon_encoder_count(crayon_encoder* encoder, uint32_t limit, crayon_result* result) {
    if (!encoder) return report(kInvalidArgument, result);
    Encoder::Read read{};
    const Status status = encoder->encoder.count(limit, &read);
    return report(status, result, read.count, read.more);
}

crayon_status crayon_encoder_rows_utf8(crayon_encoder* encoder, const uint8_t* bytes, uint32_t length, const uint32_t* offsets,
                                       uint32_t row_count, uint32_t counting, uint32_t before, uint32_t* ids, uint32_t capacity,
                                       uint32_t* totals, crayon_result* result) {
    return encode_rows(encoder, bytes, nullptr, length, offsets, row_count, counting != 0, before, ids, capacity, totals, result);
}

crayon_status crayon_encoder_rows_utf16(crayon_encoder* encoder, const uint16_t* units, uint32_t length, const uint32_t* offsets,
                                        uint32_t row_count, uint32_t counting, uint32_t before, uint32_t* ids, uint32_t capacity,
                                        uint32_t* totals, crayon_result* result) {
    return encode_rows(encoder, nullptr, units, length, offsets, row_count, counting != 0, before, ids, capacity, totals, result);
}

crayon_status crayon_encoder_position(const crayon_encoder* encoder, crayon_result* result) {
    if (!encoder) return report(kInvalidArgument, result);
    if (encoder->splits) return report({CRAYON_OK, 0, encoder->splitter.work()}, result);
    return report({CRAYON_OK, 0, encoder->encoder.position()}, result, static_cast<u32>(encoder->encoder.ids_beyond_position()));
}

uint32_t crayon_encoder_bytes_beyond(const crayon_encoder* encoder) {
    return static_cast<u32>(encoder->encoder.bytes_beyond_position());
}

crayon_status crayon_encoder_resume(crayon_encoder* encoder, uint32_t position, uint32_t position_high, crayon_result* result) {
    if (!encoder) return report(kInvalidArgument, result);
    encoder->encoder.resume(u64{position_high} << 32 | position);
    return report(Status{}, result);
}

uint32_t crayon_encoder_pending_tokens(const crayon_encoder* encoder) { return encoder->encoder.pending_tokens(); }

}  // extern "C"
