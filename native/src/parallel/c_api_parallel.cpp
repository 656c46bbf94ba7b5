// Implements crayon.h's pool and job functions on top of the classes: checks arguments, no logic.
#include <cstdlib>
#include <new>

#include "base/status.h"
#include "parallel/pool.h"
#include "platform/free_memory.h"
#include "platform/large_pages.h"
#include "platform/mapped_text.h"

using namespace crayon;

namespace {

Pool* from_c(crayon_pool* pool) { return reinterpret_cast<Pool*>(pool); }
PoolJob* from_c(crayon_job* job) { return reinterpret_cast<PoolJob*>(job); }
const PoolJob* from_c(const crayon_job* job) { return reinterpret_cast<const PoolJob*>(job); }
// A job of texts, or nullptr.
EncodeJob* texts_of(crayon_job* job) { return job ? from_c(job)->texts() : nullptr; }
const EncodeJob* texts_of(const crayon_job* job) { return texts_of(const_cast<crayon_job*>(job)); }

crayon_status report_job(const PoolJob& job, crayon_result* result) {
    if (!job.is_done()) return report(kInvalidArgument, result);
    u64 row = 0;
    const Status status = job.result(&row);
    return report(status, result, static_cast<u32>(row));
}

// In bytes. Chains that meet at all mostly do so within 30; the maximum in ordinary text was 77.
constexpr u64 kOverlap = 512, kMostOverlap = 1 << 20;
constexpr u32 kLeastPart = 256;

Mutex* mutex_of(const EncodeJob& job) { return job.pool ? &job.pool->mutex() : nullptr; }

// Called after text was appended.
crayon_status report_text(EncodeJob& job, const Status& status, crayon_result* result) {
    if (status.ok() && job.pool) job.pool->continue_with(job);
    return report(status, result);
}

}  // namespace

extern "C" {

crayon_status crayon_pool_create(uint32_t threads, crayon_pool** out, crayon_result* result) {
    if (!out) return report(kInvalidArgument, result);
    Pool* const pool = new (std::nothrow) Pool(threads);
    *out = reinterpret_cast<crayon_pool*>(pool);
    return report(pool ? Status{} : Status::out_of_memory(), result);
}

void crayon_pool_release(crayon_pool* pool) { delete from_c(pool); }

crayon_status crayon_pool_work(crayon_pool* pool, crayon_job** done, uint32_t capacity, crayon_result* result) {
    if (!pool || !done || capacity == 0) return report(kInvalidArgument, result);
    u32 count = 0;
    const Status status = from_c(pool)->work(reinterpret_cast<PoolJob**>(done), capacity, &count);
    return report(status, result, count);
}

void crayon_pool_close(crayon_pool* pool) { from_c(pool)->close(); }
void crayon_pool_dispose(crayon_pool* pool, crayon_job* job) { from_c(pool)->dispose(*from_c(job)); }
void crayon_memory_prepare(void* memory, uint64_t size, uint32_t all) {
    prefer_large_pages(memory, static_cast<size_t>(size));
    if (all) make_present(memory, static_cast<size_t>(size));
}

void crayon_memory_trim(void) { give_back_free_memory(); }
void crayon_pool_trim(crayon_pool* pool) { from_c(pool)->trim(); }
void crayon_tokenizer_trim(const crayon_tokenizer* tokenizer, crayon_pool* pool, uint64_t max_bytes) {
    from_c(pool)->trim(*reinterpret_cast<const Tokenizer*>(tokenizer), max_bytes);
}

crayon_status crayon_job_create(crayon_tokenizer* tokenizer, uint32_t special, const uint32_t* allowed, uint32_t allowed_count,
                                uint32_t flags, crayon_job** out, crayon_result* result) {
    if (!tokenizer || !out || (!allowed && allowed_count)) return report(kInvalidArgument, result);
    EncodeJob* job = nullptr;
    const Status status = EncodeJob::create(*reinterpret_cast<Tokenizer*>(tokenizer), special, allowed, allowed_count,
                                            (flags & CRAYON_JOB_COUNT) != 0, &job);
    if (status.ok() && (flags & CRAYON_JOB_OVERLAP)) job->set_overlap(kOverlap);
    if (status.ok() && (flags & CRAYON_JOB_APART)) job->gathered_from = ~u64{0};
    *out = reinterpret_cast<crayon_job*>(static_cast<PoolJob*>(job));
    return report(status, result);
}

crayon_status crayon_job_set_overlap(crayon_job* job, uint32_t part_length, uint32_t overlap_length, uint32_t threshold,
                                     crayon_result* result) {
    const bool is_valid = (part_length == 0 || part_length >= kLeastPart) && overlap_length <= kMostOverlap;
    if (!texts_of(job) || !is_valid) return report(kInvalidArgument, result);
    texts_of(job)->set_overlap(overlap_length > 0 ? overlap_length : kOverlap, part_length, threshold > 0 ? threshold : 1);
    return report({}, result);
}

crayon_status crayon_job_set_parts(crayon_job* job, const crayon_part_form* form, crayon_result* result) {
    if (!texts_of(job) || !form) return report(kInvalidArgument, result);
    return report(texts_of(job)->set_parts(*form), result);
}

void crayon_job_release(crayon_job* job) { delete from_c(job); }

crayon_status crayon_job_set_text(crayon_job* job, const uint8_t* bytes, uint64_t length, uint32_t last, crayon_result* result) {
    if (!texts_of(job) || (!bytes && length)) return report(kInvalidArgument, result);
    return report(texts_of(job)->set_text(bytes, length, last != 0), result);
}

crayon_status crayon_job_map_text(crayon_job* job, int32_t descriptor, uint64_t begin, uint32_t length, uint32_t last,
                                  crayon_result* result) {
    if (!texts_of(job) || length == 0 || begin > (uint64_t{1} << 62)) return report(kInvalidArgument, result);
    return report(texts_of(job)->map_text(descriptor, begin, length, last != 0), result);
}

uint32_t crayon_job_can_map(int32_t descriptor) {
    OwnedBytes page;
    u32 offset = 0;
    if (!map_text(descriptor, 0, 1, &page, &offset).ok()) return 0;
    return cannot_shrink(descriptor) ? 2 : 1;
}

crayon_status crayon_job_set_rows(crayon_job* job, const uint8_t* bytes, const uint32_t* offsets, uint32_t row_count,
                                  crayon_result* result) {
    if (!texts_of(job) || !offsets || (!bytes && offsets[row_count])) return report(kInvalidArgument, result);
    return report(texts_of(job)->set_rows(bytes, offsets, row_count), result);
}

crayon_status crayon_job_reserve(crayon_job* job, uint64_t bytes, crayon_result* result) {
    if (!texts_of(job)) return report(kInvalidArgument, result);
    return report(texts_of(job)->reserve(bytes), result);
}

crayon_status crayon_job_append_utf8(crayon_job* job, const uint8_t* bytes, uint32_t length, uint32_t last,
                                     crayon_result* result) {
    if (!texts_of(job) || (!bytes && length)) return report(kInvalidArgument, result);
    EncodeJob& to = *texts_of(job);
    return report_text(to, to.append_utf8(bytes, length, last != 0, mutex_of(to)), result);
}

crayon_status crayon_job_append_utf16(crayon_job* job, const uint16_t* units, uint32_t length, uint32_t last,
                                      crayon_result* result) {
    if (!texts_of(job) || (!units && length)) return report(kInvalidArgument, result);
    EncodeJob& to = *texts_of(job);
    return report_text(to, to.append_utf16(units, length, last != 0, mutex_of(to)), result);
}

crayon_status crayon_job_append_rows(crayon_job* job, const uint8_t* bytes, const uint32_t* offsets, uint32_t row_count,
                                     crayon_result* result) {
    if (!texts_of(job) || !offsets || (!bytes && offsets[row_count])) return report(kInvalidArgument, result);
    EncodeJob& to = *texts_of(job);
    return report_text(to, to.append_rows(bytes, offsets, row_count, mutex_of(to)), result);
}

crayon_status crayon_job_append_rows_utf16(crayon_job* job, const uint16_t* units, const uint32_t* lengths, uint32_t row_count,
                                           crayon_result* result) {
    if (!texts_of(job) || (row_count && (!units || !lengths))) return report(kInvalidArgument, result);
    EncodeJob& to = *texts_of(job);
    return report_text(to, to.append_rows_utf16(units, lengths, row_count, mutex_of(to)), result);
}

crayon_status crayon_job_end(crayon_job* job, crayon_result* result) {
    if (!texts_of(job)) return report(kInvalidArgument, result);
    EncodeJob& to = *texts_of(job);
    return report_text(to, to.end_text(mutex_of(to)), result);
}

void crayon_job_set_tag(crayon_job* job, void* tag) { from_c(job)->tag = tag; }
void* crayon_job_tag(const crayon_job* job) { return from_c(job)->tag; }
void crayon_job_set_threads(crayon_job* job, uint32_t threads) { from_c(job)->most_threads = threads; }
void crayon_job_cache_limit(crayon_job* job, uint64_t bytes) { from_c(job)->cache_limit = bytes; }

crayon_status crayon_pool_submit(crayon_pool* pool, crayon_job* job, crayon_result* result) {
    if (!pool || !job) return report(kInvalidArgument, result);
    return report(from_c(pool)->submit(*from_c(job)), result);
}

void crayon_job_cancel(crayon_job* job) {
    if (Pool* const pool = from_c(job)->pool) pool->cancel(*from_c(job));
}

crayon_status crayon_job_start(crayon_pool* pool, crayon_job* job, crayon_result* result) {
    if (!pool || !job) return report(kInvalidArgument, result);
    return report(from_c(pool)->start(*from_c(job)), result);
}

crayon_status crayon_job_run_for(crayon_pool* pool, crayon_job* job, uint64_t microseconds, crayon_result* result) {
    if (!pool || !job) return report(kInvalidArgument, result);
    bool done = false;
    const Status status = from_c(pool)->run_for(*from_c(job), microseconds, &done);
    return report(status, result, done);
}

crayon_status crayon_job_run(crayon_pool* pool, crayon_job* job, crayon_result* result) {
    if (!job) return report(kInvalidArgument, result);
    Pool alone(1);
    PoolJob& to = *from_c(job);
    const Status status = (pool ? from_c(pool) : &alone)->run(to);
    if (to.pool == &alone) to.leave_pool();
    return status.ok() ? report_job(to, result) : report(status, result);
}

crayon_status crayon_job_result(const crayon_job* job, crayon_result* result) {
    if (!job) return report(kInvalidArgument, result);
    return report_job(*from_c(job), result);
}

uint64_t crayon_job_token_count(const crayon_job* job) { return texts_of(job) ? texts_of(job)->token_count() : 0; }
uint64_t crayon_job_row_count(const crayon_job* job) { return texts_of(job) ? texts_of(job)->row_count() : 0; }

crayon_status crayon_job_row_offsets(const crayon_job* job, uint32_t* offsets, crayon_result* result) {
    if (!texts_of(job) || !offsets) return report(kInvalidArgument, result);
    return report(texts_of(job)->row_offsets(offsets), result);
}

crayon_status crayon_job_copy(crayon_job* job, uint32_t* ids, crayon_result* result) {
    if (!texts_of(job) || (!ids && texts_of(job)->token_count())) return report(kInvalidArgument, result);
    return report(texts_of(job)->copy(ids), result);
}

uint32_t* crayon_job_detach_ids(crayon_job* job) { return texts_of(job) ? texts_of(job)->detach_ids() : nullptr; }
void crayon_ids_release(uint32_t* ids) { std::free(ids); }

crayon_status crayon_job_write_rows(crayon_job* job, const crayon_row_form* form, void* out, uint64_t capacity, uint32_t* lengths,
                                    crayon_result* result) {
    const bool is_form = form && (form->width == 2 || form->width == 4) && (form->before || form->before_count == 0) &&
                         (form->after || form->after_count == 0);
    if (!texts_of(job) || !is_form || (!out && capacity > 0)) return report(kInvalidArgument, result);
    EncodeJob& from = *texts_of(job);
    if (!lengths && from.row_count() > 0) return report(kInvalidArgument, result);
    const Status status = from.write_rows(*form, out, capacity, lengths);
    if (status.ok() && from.pool) {
        const Lock lock(from.pool->mutex());
        from.reuse_buffers();
    }
    return report(status, result);
}

}  // extern "C"
