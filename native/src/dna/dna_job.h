// A matrix of DNA for a thread pool; each thread takes some rows. The result is the same as encoding row after row: the
// same ids, or the failure of the first row that fails. Rows are handed out in order, so when one has failed, the rows
// before it are done or in progress.
#pragma once

#include "dna/dna.h"
#include "parallel/pool_job.h"

namespace crayon {

class DnaJob final : public PoolJob {
public:
    // Retains `dna`. Everything the matrix points to must stay valid until the job is done.
    DnaJob(const Dna& dna, const Dna::Matrix& matrix) : dna_(dna), matrix_(matrix) { dna.retain(); }
    ~DnaJob() override { dna_.release(); }

    Status start(u32 threads, u64 slice_bytes = 0) override;
    bool has_task(bool is_host = false) const override;
    bool take(Task* task, bool is_host = false) override;
    void run(Task& task, Encoder*) override;
    void complete(const Task& task) override;
    void cancel() override;
    Tokenizer* encoder_for(const Task&) override { return nullptr; }
    bool is_done() const override { return started_ && running_ == 0 && (has_failed() || next_row_ == matrix_.rows); }
    bool has_all_text() const override { return true; }
    bool has_failed() const override { return !status_.ok(); }
    bool is_small() const override { return bytes_to(matrix_.rows) <= slice_bytes_; }
    Status result(u64* row) const override;

private:
    u64 bytes_to(u32 row) const;

    const Dna& dna_;
    const Dna::Matrix matrix_;
    bool started_ = false;
    u64 slice_bytes_ = 0;
    u32 next_row_ = 0;
    Status status_;
    u32 failed_row_ = 0;
};

}  // namespace crayon
