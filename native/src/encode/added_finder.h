// Added tokens of a text that no encoder is fed, by the policy of one: those that are in it whatever is around them,
// without whitespace.
#pragma once

#include "encode/added_policy.h"

namespace crayon {

class AddedFinder {
public:
    // The first token of text[from, size), no more of which follows if it is `last`; see AddedSearch. `is_new`: the
    // text is not that of the last call.
    AddedSearch::Found find(const Tokenizer& tokenizer, const AddedPolicy& policy, const u8* text, size_t from, size_t size,
                            bool last, bool is_new);

private:
    u64 version_ = 0;  // of the policy
    AddedSearch early_, late_;
    AddedSearch::Found found_ = {};  // by the first of these
};

}  // namespace crayon
