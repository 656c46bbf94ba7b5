#include "encode/added_finder.h"

namespace crayon {

AddedSearch::Found AddedFinder::find(const Tokenizer& tokenizer, const AddedPolicy& policy, const u8* text, size_t from,
                                     size_t size, bool last, bool is_new) {
    if (!policy.finds_any()) return {size, nullptr};
    if (version_ != policy.version()) {
        early_.set(tokenizer.added(), policy.early_uses(), policy.allowance());
        late_.set(tokenizer.added(), policy.late_uses(), policy.allowance());
        version_ = policy.version();
        is_new = true;
    }
    if (is_new) {
        early_.restart();
        late_.restart();
    }
    if (is_new || found_.position < from || !(found_.token || last)) found_ = early_.find({text, 0, from, size, last});
    if (!policy.has_stages()) return found_;
    const size_t end = found_.position;
    const AddedSearch::Found found = late_.find({text, 0, from, end, last || found_.token});
    return found.token || found.position < end ? found : found_;
}

}  // namespace crayon
