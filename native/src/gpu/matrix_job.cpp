#include "gpu/matrix_job.h"

#include <cstring>
#include <new>

#include "platform/large_pages.h"

namespace crayon {

using layout::DnaUnit;
using layout::kNone;

Status MatrixJob::create(Device& device, const Dna& dna, const Dna::Matrix& matrix, u64 size, MatrixJob** out) {
    if (matrix.rows == 0 || matrix.columns == 0) return {CRAYON_DEVICE_UNSUPPORTED};
    MatrixJob* const job = new (std::nothrow) MatrixJob(device, dna, matrix);
    if (!job) return Status::out_of_memory();
    Status status;
    if (job->around() > matrix.columns) {
        status = {CRAYON_DEVICE_UNSUPPORTED};
    } else if (!job->offsets_.append(matrix.offsets, size_t{matrix.rows} + 1)) {
        status = Status::out_of_memory();
    } else if (!ascends(job->offsets_, size)) {
        status = {CRAYON_INVALID_ARGUMENT};
    }
    if (status.ok()) {
        *out = job;
    } else {
        delete job;
    }
    return status;
}

Status MatrixJob::upload(crayon_gpu_model** model) {
    const layout::DnaRules& rules = dna_.rules();
    const DnaView& view = dna_.view();
    crayon_gpu_tables tables = {};
    tables.size = sizeof tables;
    tables.kind = CRAYON_GPU_DNA;
    tables.unit = static_cast<u32>(rules.unit);
    tables.k = rules.k;
    tables.digit_count = rules.digit_count;
    tables.first_kmer_id = rules.first_kmer_id;
    tables.kmer_count = static_cast<u32>(view.kmer_ids.size());
    tables.kmer_ids = view.kmer_ids.data();
    tables.tail = static_cast<u32>(rules.tail);
    tables.pad_id = rules.pad_id;
    tables.base_ids = dna_.byte_ids();
    tables.digits = dna_.byte_digits();
    tables.unknown_kmer_id = tables.unknown_id = view.unknown_id;
    if (rules.unit == DnaUnit::kBytes && !view.start_ids.empty()) {
        for (u32 byte = 0; byte < layout::kByteValues; ++byte) starts_[byte] = dna_.start_id(static_cast<u8>(byte));
        tables.start_ids = starts_;
    }
    return device_.model(&dna_, tables, nullptr, &dna_, model);
}

Status MatrixJob::prepare() {
    if (kept_.is_wanted()) return kept_.begin(device_, matrix_.rows, matrix_.columns, matrix_.width);
    if (!matrix_.ids) return {CRAYON_INVALID_ARGUMENT};
    prefer_large_pages(matrix_.ids, matrix_.size());  // the pages may be new
    return {};
}

Status MatrixJob::plan(Lane& lane, u64 limit, bool* planned) {
    *planned = row_ < matrix_.rows;
    if (!*planned) return {};
    lane.first_row = row_;
    lane.offsets.clear();
    if (!lane.offsets.push_back(0)) return Status::out_of_memory();
    const u64 begin = offsets_[row_];
    u64 end = begin, bytes = 0;
    while (row_ < matrix_.rows) {
        const u64 next = offsets_[row_ + 1];
        bytes += next - end + row_bytes();
        if (bytes > limit && row_ > lane.first_row) break;
        end = next;
        ++row_;
        if (!lane.offsets.push_back(end - begin)) return Status::out_of_memory();
    }
    if (!lane.text.reserve(device_.api(), device_.context(), end - begin)) return Status::out_of_memory();
    if (end > begin) std::memcpy(lane.text.data(), matrix_.bytes + begin, end - begin);
    if (matrix_.unknown) count_unknown(lane);
    lane.batch = {};
    lane.batch.size = sizeof lane.batch;
    lane.batch.output = CRAYON_GPU_MATRIX;
    lane.batch.bytes = lane.text.data();
    lane.batch.offsets = lane.offsets.data();
    lane.batch.document_count = row_ - lane.first_row;
    lane.batch.id_width = matrix_.width;
    if (matrix_.padding == Dna::Padding::kLeft) lane.batch.flags |= CRAYON_GPU_PAD_LEFT;
    if (matrix_.flags & CRAYON_DNA_TRUNCATE) lane.batch.flags |= CRAYON_GPU_TRUNCATE;
    lane.batch.columns = matrix_.columns;
    lane.batch.pad_id = dna_.rules().pad_id == kNone ? 0 : dna_.rules().pad_id;
    if (matrix_.flags & CRAYON_DNA_TEMPLATE) {
        lane.batch.before = dna_.view().before.data();
        lane.batch.before_count = static_cast<u32>(dna_.view().before.size());
        lane.batch.after = dna_.view().after.data();
        lane.batch.after_count = static_cast<u32>(dna_.view().after.size());
    }
    return {};
}

// On the CPU, while the bytes are in its cache: the device does not have a counter.
void MatrixJob::count_unknown(Lane& lane) {
    for (u64 row = lane.first_row; row < row_; ++row) {
        const u64 begin = lane.offsets[row - lane.first_row], end = lane.offsets[row - lane.first_row + 1];
        matrix_.unknown[row] =
            dna_.count_unknown(lane.text.data() + begin, static_cast<u32>(end - begin), matrix_.flags, matrix_.columns);
    }
}

Status MatrixJob::allocate_output(Lane& lane, crayon_gpu_destination* to) {
    if (kept_.is_wanted()) return kept_.keep(device_, lane.job, lane.first_row);
    const u64 count = lane.batch.document_count * matrix_.columns;
    if (!lane.ids.reserve(device_.api(), device_.context(), count * matrix_.width)) return Status::out_of_memory();
    to->ids = lane.ids.data();
    if (!matrix_.mask) return {};
    if (!lane.mask.reserve(device_.api(), device_.context(), count)) return Status::out_of_memory();
    to->mask = lane.mask.data();
    return {};
}

Status MatrixJob::accept(Lane& lane) {
    const u64 rows = lane.batch.document_count, columns = matrix_.columns;
    if (dna_.rules().pad_id == kNone) {
        for (u64 i = 0; i < rows; ++i) {
            if (lane.row_offsets[i + 1] - lane.row_offsets[i] + around() < columns) return refuse_row(lane.first_row + i);
        }
    }
    if (kept_.is_wanted()) return {};
    std::memcpy(matrix_.ids + lane.first_row * columns * matrix_.width, lane.ids.data(), rows * columns * matrix_.width);
    if (matrix_.mask) std::memcpy(matrix_.mask + lane.first_row * columns, lane.mask.data(), rows * columns);
    return {};
}

}  // namespace crayon
