// The ids of a finished job, as the addon takes them: many are in one buffer, which is only handed over.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>

#include "clock.h"
#include "parallel/encode_job.h"

namespace crayon::lopt {

class JobIds {
public:
    // The work that the host waits for: few ids are written to `ids`, which has room for them.
    JobIds(EncodeJob& job, u32* ids) : ids_(ids), count_(job.token_count()), gathered_(job.detach_ids()) {
        if (!gathered_ && !job.copy(ids).ok()) fail("copying");
    }
    // Writes them in any case.
    void write() const {
        if (gathered_) std::memcpy(ids_, gathered_.get(), count_ * sizeof(u32));
    }
    u64 count() const { return count_; }

private:
    struct Free {
        void operator()(u32* ids) const { std::free(ids); }
    };

    u32* const ids_;
    const u64 count_;
    const std::unique_ptr<u32, Free> gathered_;
};

}  // namespace crayon::lopt
