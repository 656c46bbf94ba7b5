// Finds added tokens in a text not fed to an encoder, under an encoder's policy: only tokens that match regardless of
// context, without whitespace.
#pragma once

#include "encode/added_policy.h"

namespace crayon {

class AddedFinder {
public:
    // The first token of text[from, size), which is the end of the text if `last`; see AddedSearch. `is_new`: this is not
    // the text of the last call.
    AddedSearch::Found find(const Tokenizer& tokenizer, const AddedPolicy& policy, const u8* text, size_t from, size_t size,
                            bool last, bool is_new);

private:
    u64 version_ = 0;  // of the policy
    AddedSearch early_, late_;
    AddedSearch::Found found_ = {};  // by the first search
};

}  // namespace crayon
