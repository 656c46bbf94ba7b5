// The segment that is encoded: text up to the next added token, or, while that is not known, up to where one may begin.
// The pretokenizer sees each as a text of its own. A segment that a forbidden token ends has nothing after it.
#pragma once

#include "scan/added_search.h"

namespace crayon {

class Segments {
public:
    // A segment begins, whose end is not known yet.
    void open(size_t begin) {
        end_ = begin;
        is_complete_ = is_forbidden_ = false;
        token_ = nullptr;
    }
    // `removed` bytes have been dropped from the front of the text.
    void rebase(size_t removed) { end_ -= removed; }

    size_t end() const { return end_; }
    // Whether it ends there: at token(), at a forbidden token, or with the text.
    bool is_complete() const { return is_complete_; }
    bool is_forbidden() const { return is_forbidden_; }
    const layout::AddedToken* token() const { return token_; }
    // Whether it ends with the text.
    bool ends_text() const { return is_complete_ && !token_ && !is_forbidden_; }

    // Moves the end to what has been found from there on. `last`: nothing follows the text that has been searched.
    // Whether there is more to scan than before.
    bool grow(const AddedSearch::Found& found, bool is_forbidden, bool last) {
        const size_t before = end_;
        end_ = found.position;
        is_forbidden_ = is_forbidden;
        token_ = is_forbidden ? nullptr : found.token;
        is_complete_ = found.token || last;
        return end_ > before || is_complete_;
    }

private:
    size_t end_ = 0;
    bool is_complete_ = false, is_forbidden_ = false;
    const layout::AddedToken* token_ = nullptr;
};

}  // namespace crayon
