// The segment being encoded: text up to the next added token or, while that is unknown, up to where one may begin. The
// pretokenizer sees each segment as a separate text. Nothing follows a segment that ends at a forbidden token.
#pragma once

#include "scan/added_search.h"

namespace crayon {

class Segments {
public:
    // A segment begins; its end is not known yet.
    void open(size_t begin) {
        end_ = begin;
        is_complete_ = is_forbidden_ = false;
        token_ = nullptr;
    }
    // `removed` bytes were dropped from the front of the text.
    void rebase(size_t removed) { end_ -= removed; }

    size_t end() const { return end_; }
    // Whether its end is final: at token(), at a forbidden token, or with the text.
    bool is_complete() const { return is_complete_; }
    bool is_forbidden() const { return is_forbidden_; }
    const layout::AddedToken* token() const { return token_; }
    // Whether it ends with the text.
    bool ends_text() const { return is_complete_ && !token_ && !is_forbidden_; }

    // Moves the end according to a search from there on. `last`: nothing follows the searched text. Returns whether there
    // is more to scan than before.
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
