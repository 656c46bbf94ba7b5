// crayon_trainer_*, crayon_counter_*: checks arguments and converts statuses to results; no logic.
#include <algorithm>
#include <new>

#include "base/c_result.h"
#include "crayon/layout/pretokenizers.h"
#include "train/trainer.h"

using crayon::Kernel;
using crayon::kInvalidArgument;
using crayon::report;
using crayon::Status;
using crayon::u32;
using crayon::u64;
using crayon::u8;
using crayon::train::Counter;
using crayon::train::Ties;
using crayon::train::Trainer;
using crayon::train::TrainerOptions;

namespace layout = crayon::layout;

namespace {

Trainer* from_c(crayon_trainer* trainer) { return reinterpret_cast<Trainer*>(trainer); }
const Trainer* from_c(const crayon_trainer* trainer) { return reinterpret_cast<const Trainer*>(trainer); }
Counter* from_c(crayon_counter* counter) { return reinterpret_cast<Counter*>(counter); }

Status read_alphabet(const u8* alphabet, u8 out[256]) {
    bool seen[256] = {};
    for (u32 i = 0; i < 256; ++i) {
        out[i] = alphabet ? alphabet[i] : static_cast<u8>(i);
        if (seen[out[i]]) return {CRAYON_INVALID_ARGUMENT, 0, i};
        seen[out[i]] = true;
    }
    return {};
}

}  // namespace

extern "C" {

crayon_status crayon_trainer_create(const crayon_trainer_options* options, const uint8_t* alphabet, const char* pretokenizer,
                                    uint32_t scanner_length, const char* kernel, uint32_t kernel_length, crayon_trainer** out,
                                    crayon_result* result) {
    if (out) *out = nullptr;
    if (!out || !options || (!pretokenizer && scanner_length > 0) || (!kernel && kernel_length > 0) ||
        options->ties > CRAYON_TIES_SMALLER || options->flags > CRAYON_TRAINER_OBSERVED_ALPHABET) {
        return report(kInvalidArgument, result);
    }
    if (options->vocabulary_size > layout::kMaxTokens) return report({CRAYON_VOCABULARY_TOO_LARGE}, result);
    const u32 found =
        scanner_length == 0 ? u32{layout::kNoPretokenizer} : layout::pretokenizer_named({pretokenizer, scanner_length});
    if (found == 0) return report({CRAYON_UNKNOWN_SCANNER}, result);
    const Kernel* const row = crayon::kernel_named(kernel, kernel_length);
    if (!row) return report({CRAYON_UNKNOWN_KERNEL}, result);
    TrainerOptions own;
    own.vocabulary_size = options->vocabulary_size;
    own.min_frequency = std::max(options->min_frequency, 1u);
    const u32 longest = layout::kMaxTokenLength;
    own.max_token_length = options->max_token_length ? std::min(options->max_token_length, longest) : longest;
    own.ties = static_cast<Ties>(options->ties);
    own.observed_alphabet = options->flags & CRAYON_TRAINER_OBSERVED_ALPHABET;
    own.pretokenizer = found;
    if (Status status = read_alphabet(alphabet, own.alphabet); !status.ok()) return report(status, result);
    Trainer* const trainer = new (std::nothrow) Trainer(own, *row);
    *out = reinterpret_cast<crayon_trainer*>(trainer);
    return report(trainer ? Status{} : Status::out_of_memory(), result);
}

crayon_status crayon_trainer_set_pattern(crayon_trainer* trainer, const uint8_t* bytes, uint32_t length, crayon_result* result) {
    if (!trainer || !bytes) return report(kInvalidArgument, result);
    return report(from_c(trainer)->set_pattern(bytes, length), result);
}

void crayon_trainer_release(crayon_trainer* trainer) { delete from_c(trainer); }

crayon_status crayon_trainer_reserve(crayon_trainer* trainer, const uint8_t* bytes, uint32_t length, crayon_result* result) {
    if (!trainer || !bytes) return report(kInvalidArgument, result);
    return report(from_c(trainer)->reserve_token(bytes, length), result);
}

crayon_status crayon_counter_create(const crayon_trainer* trainer, crayon_counter** out, crayon_result* result) {
    if (out) *out = nullptr;
    if (!trainer || !out) return report(kInvalidArgument, result);
    const Trainer& owner = *from_c(trainer);
    Counter* const counter = new (std::nothrow) Counter(owner.kernel(), owner.options().pretokenizer, owner.patterns());
    *out = reinterpret_cast<crayon_counter*>(counter);
    return report(counter ? Status{} : Status::out_of_memory(), result);
}

void crayon_counter_release(crayon_counter* counter) { delete from_c(counter); }

crayon_status crayon_counter_feed(crayon_counter* counter, const uint8_t* bytes, uint32_t length, uint32_t last,
                                  crayon_result* result) {
    if (!counter || (!bytes && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(counter)->feed_utf8(bytes, length, last != 0), result);
}

crayon_status crayon_counter_feed_utf16(crayon_counter* counter, const uint16_t* units, uint32_t length, uint32_t last,
                                        crayon_result* result) {
    if (!counter || (!units && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(counter)->feed_utf16(units, length, last != 0), result);
}

crayon_status crayon_counter_add_piece(crayon_counter* counter, const uint8_t* bytes, uint32_t length, uint32_t count,
                                       crayon_result* result) {
    if (!counter || (!bytes && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(counter)->add_piece(bytes, length, count), result);
}

crayon_status crayon_trainer_add(crayon_trainer* trainer, crayon_counter* counter, crayon_result* result) {
    if (!trainer || !counter) return report(kInvalidArgument, result);
    return report(from_c(trainer)->add(*from_c(counter)), result);
}

crayon_status crayon_trainer_start(crayon_trainer* trainer, crayon_result* result) {
    if (!trainer) return report(kInvalidArgument, result);
    const Status status = from_c(trainer)->start();
    return report(status, result, from_c(trainer)->tokens().size(), status.ok());
}

crayon_status crayon_trainer_step(crayon_trainer* trainer, uint32_t work, crayon_result* result) {
    if (!trainer) return report(kInvalidArgument, result);
    const Status status = from_c(trainer)->step(u64{work} * 1000000);
    return report(status, result, from_c(trainer)->tokens().size(), status.ok() && !from_c(trainer)->is_done());
}

crayon_status crayon_trainer_help(crayon_trainer* trainer, crayon_result* result) {
    if (!trainer) return report(kInvalidArgument, result);
    from_c(trainer)->help();
    return report({}, result);
}

void crayon_trainer_dismiss(crayon_trainer* trainer) {
    if (trainer) from_c(trainer)->dismiss();
}

void crayon_trainer_progress(const crayon_trainer* trainer, uint32_t out[10]) {
    const Trainer& from = *from_c(trainer);
    const u64 halves[] = {from.last_count(), from.pieces(), from.bytes(), from.sequences().pieces()};
    out[0] = from.tokens().size();
    out[1] = static_cast<u32>(from.merges().size());
    for (u32 i = 0; i < 4; ++i) {
        out[2 + 2 * i] = static_cast<u32>(halves[i]);
        out[3 + 2 * i] = static_cast<u32>(halves[i] >> 32);
    }
}

const uint32_t* crayon_trainer_merges(const crayon_trainer* trainer, uint32_t* count) {
    *count = static_cast<u32>(from_c(trainer)->merges().size());
    return reinterpret_cast<const u32*>(from_c(trainer)->merges().data());
}

crayon_status crayon_trainer_tokens(const crayon_trainer* trainer, const uint8_t** bytes, const uint32_t** offsets,
                                    crayon_result* result) {
    if (!trainer || !bytes || !offsets) return report(kInvalidArgument, result);
    static constexpr u32 kNoOffsets[] = {0};
    const crayon::train::TokenTable& tokens = from_c(trainer)->tokens();
    *bytes = tokens.all_bytes();
    *offsets = tokens.size() > 0 ? tokens.offsets() : kNoOffsets;
    return report({}, result, tokens.size());
}

crayon_status crayon_trainer_save(crayon_trainer* trainer, const uint8_t** bytes, crayon_result* result) {
    if (bytes) *bytes = nullptr;
    if (!trainer || !bytes) return report(kInvalidArgument, result);
    const crayon::OwnedBytes* saved = nullptr;
    const Status status = from_c(trainer)->save(&saved);
    if (!status.ok()) return report(status, result);
    *bytes = saved->data();
    return report(status, result, static_cast<u32>(saved->length()));
}

crayon_status crayon_trainer_restore(const uint8_t* bytes, uint32_t length, const char* kernel, uint32_t kernel_length,
                                     crayon_trainer** out, crayon_result* result) {
    if (out) *out = nullptr;
    if (!out || (!bytes && length > 0) || (!kernel && kernel_length > 0)) return report(kInvalidArgument, result);
    const Kernel* const row = crayon::kernel_named(kernel, kernel_length);
    if (!row) return report({CRAYON_UNKNOWN_KERNEL}, result);
    Trainer* trainer = nullptr;
    const Status status = Trainer::restore(bytes, length, *row, &trainer);
    *out = reinterpret_cast<crayon_trainer*>(trainer);
    return report(status, result);
}

}  // extern "C"
