// crayon_trainer_*: checks arguments and converts statuses to results; no logic.
#include <algorithm>
#include <new>

#include "base/status.h"
#include "crayon/layout/pretokenizers.h"
#include "train/training.h"

using namespace crayon;
using namespace crayon::train;

namespace {

Training* from_c(crayon_trainer* trainer) { return reinterpret_cast<Training*>(trainer); }
const Trainer& from_c(const crayon_trainer* trainer) { return reinterpret_cast<const Training*>(trainer)->trainer(); }

// `status`: what made the trainer.
crayon_status open(Trainer* trainer, Status status, u32 threads, crayon_trainer** out, crayon_result* result) {
    if (!status.ok()) return report(status, result);
    Training* const training = trainer ? Training::create(trainer, threads) : nullptr;
    *out = reinterpret_cast<crayon_trainer*>(training);
    return report(training ? Status{} : Status::out_of_memory(), result);
}

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
                                    uint32_t scanner_length, const char* kernel, uint32_t kernel_length, uint32_t threads,
                                    crayon_trainer** out, crayon_result* result) {
    if (out) *out = nullptr;
    if (!out || !options || (!pretokenizer && scanner_length > 0) || (!kernel && kernel_length > 0) ||
        options->ties > CRAYON_TIES_SMALLER || options->flags > CRAYON_TRAINER_OBSERVED_ALPHABET) {
        return report(kInvalidArgument, result);
    }
    if (options->vocabulary_size > layout::kMaxTokens) return report({CRAYON_VOCABULARY_TOO_LARGE}, result);
    const u32 found =
        scanner_length == 0 ? u32{layout::kNoPretokenizer} : layout::pretokenizer_named({pretokenizer, scanner_length});
    if (found == 0) return report({CRAYON_UNKNOWN_SCANNER}, result);
    const Kernel* const row = kernel_named(kernel, kernel_length);
    if (!row) return report({CRAYON_UNKNOWN_KERNEL}, result);
    TrainerOptions settings;
    settings.vocabulary_size = options->vocabulary_size;
    settings.min_frequency = std::max(options->min_frequency, 1u);
    const u32 longest = layout::kMaxTokenLength;
    settings.max_token_length = options->max_token_length ? std::min(options->max_token_length, longest) : longest;
    settings.ties = static_cast<Ties>(options->ties);
    settings.observed_alphabet = options->flags & CRAYON_TRAINER_OBSERVED_ALPHABET;
    settings.pretokenizer = found;
    if (Status status = read_alphabet(alphabet, settings.alphabet); !status.ok()) return report(status, result);
    return open(new (std::nothrow) Trainer(settings, *row), {}, threads, out, result);
}

crayon_status crayon_trainer_set_pattern(crayon_trainer* trainer, const uint8_t* bytes, uint32_t length, crayon_result* result) {
    if (!trainer || !bytes) return report(kInvalidArgument, result);
    return report(from_c(trainer)->set_pattern(bytes, length), result);
}

void crayon_trainer_release(crayon_trainer* trainer) { delete from_c(trainer); }

crayon_status crayon_trainer_reserve(crayon_trainer* trainer, const uint8_t* bytes, uint32_t length, crayon_result* result) {
    if (!trainer || !bytes) return report(kInvalidArgument, result);
    return report(from_c(trainer)->trainer().reserve_token(bytes, length), result);
}

crayon_status crayon_trainer_feed(crayon_trainer* trainer, const uint8_t* bytes, uint32_t length, uint32_t last,
                                  crayon_result* result) {
    if (!trainer || (!bytes && length > 0)) return report(kInvalidArgument, result);
    return report(from_c(trainer)->feed(bytes, length, last != 0), result);
}

crayon_status crayon_trainer_start(crayon_trainer* trainer, crayon_result* result) {
    if (!trainer) return report(kInvalidArgument, result);
    const Status status = from_c(trainer)->start();
    return report(status, result, from_c(trainer)->trainer().tokens().size(), status.ok());
}

crayon_status crayon_trainer_step(crayon_trainer* handle, uint32_t work, uint32_t progress[10], crayon_result* result) {
    if (!handle || !progress) return report(kInvalidArgument, result);
    Trainer& trainer = from_c(handle)->trainer();
    const Status status = trainer.step(u64{work} * 1000000);
    const u64 halves[] = {trainer.last_count(), trainer.pieces(), trainer.bytes(), trainer.sequences().pieces()};
    progress[0] = trainer.tokens().size();
    progress[1] = static_cast<u32>(trainer.merges().size());
    for (u32 i = 0; i < 4; ++i) {
        progress[2 + 2 * i] = static_cast<u32>(halves[i]);
        progress[3 + 2 * i] = static_cast<u32>(halves[i] >> 32);
    }
    return report(status, result, progress[0], status.ok() && !trainer.is_done());
}

crayon_status crayon_trainer_merges(const crayon_trainer* trainer, const uint32_t** merges, crayon_result* result) {
    if (!trainer || !merges) return report(kInvalidArgument, result);
    const auto& learned = from_c(trainer).merges();
    *merges = reinterpret_cast<const u32*>(learned.data());
    return report({}, result, static_cast<u32>(3 * learned.size()));
}

crayon_status crayon_trainer_token_bytes(const crayon_trainer* trainer, const uint8_t** bytes, crayon_result* result) {
    if (!trainer || !bytes) return report(kInvalidArgument, result);
    const TokenTable& tokens = from_c(trainer).tokens();
    *bytes = tokens.all_bytes();
    return report({}, result, tokens.size() > 0 ? tokens.offsets()[tokens.size()] : 0);
}

crayon_status crayon_trainer_token_offsets(const crayon_trainer* trainer, const uint32_t** offsets, crayon_result* result) {
    if (!trainer || !offsets) return report(kInvalidArgument, result);
    static constexpr u32 kNoOffsets[] = {0};
    const TokenTable& tokens = from_c(trainer).tokens();
    *offsets = tokens.size() > 0 ? tokens.offsets() : kNoOffsets;
    return report({}, result, tokens.size() + 1);
}

crayon_status crayon_trainer_save(crayon_trainer* trainer, const uint8_t** bytes, crayon_result* result) {
    if (bytes) *bytes = nullptr;
    if (!trainer || !bytes) return report(kInvalidArgument, result);
    const OwnedBytes* saved = nullptr;
    const Status status = from_c(trainer)->trainer().save(&saved);
    if (!status.ok()) return report(status, result);
    *bytes = saved->data();
    return report(status, result, static_cast<u32>(saved->length()));
}

crayon_status crayon_trainer_restore(const uint8_t* bytes, uint32_t length, const char* kernel, uint32_t kernel_length,
                                     uint32_t threads, crayon_trainer** out, crayon_result* result) {
    if (out) *out = nullptr;
    if (!out || (!bytes && length > 0) || (!kernel && kernel_length > 0)) return report(kInvalidArgument, result);
    const Kernel* const row = kernel_named(kernel, kernel_length);
    if (!row) return report({CRAYON_UNKNOWN_KERNEL}, result);
    Trainer* trainer = nullptr;
    const Status status = Trainer::restore(bytes, length, *row, &trainer);
    return open(trainer, status, threads, out, result);
}

}  // extern "C"
