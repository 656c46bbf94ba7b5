#include "encode/general_path.h"

#include <new>

namespace crayon {

Status GeneralPath::create(const Tokenizer& tokenizer, const AddedPolicy& policy, GeneralPath** out) {
    GeneralPath* const path = new (std::nothrow) GeneralPath(tokenizer, policy);
    if (!path) return Status::out_of_memory();
    const Status status = path->encoding_.create();
    if (status.ok())
        *out = path;
    else
        delete path;
    return status;
}

size_t GeneralPath::memory() const { return encoding_.memory(); }

Status GeneralPath::encode(const u8* text, size_t length, bool keeps_spaces) {
    if (is_encoded_) return status_;
    const auto counts = [](const void* context, u32 added, general::Range at) {
        const GeneralPath& path = *static_cast<const GeneralPath*>(context);
        return path.counts(added, path.encoding_.raw(at));
    };
    const auto forbids = [](const void* context, u32 added) { return static_cast<const GeneralPath*>(context)->forbids(added); };
    status_ = encoding_.encode(text, length, {this, counts, forbids}, keeps_spaces);
    status_.position += status_.ok() ? 0 : origin_;
    is_encoded_ = true;
    return status_;
}

void GeneralPath::take(u32 count, u32* ids, u32* offsets, u32 unit) {
    for (u32 i = 0; i < count; ++i) {
        const general::Token& token = encoding_.tokens()[read_++];
        if (ids) ids[i] = token.id;
        if (!offsets) continue;
        general::Range range;
        switch (unit) {
            case CRAYON_UNIT_BYTES:
                range = encoding_.raw(token.original);
                break;
            case CRAYON_UNIT_UTF16:
                range = encoding_.units(token.original);
                break;
            case CRAYON_UNIT_PIECES:
                range = encoding_.split_at(token.number());
                break;
            case CRAYON_UNIT_SPACES:
                range = encoding_.spaces_of(read_ - 1);
                break;
            default:
                range = {token.number(), token.is_added()};
        }
        offsets[2 * i] = range.begin;
        offsets[2 * i + 1] = range.end;
    }
}

}  // namespace crayon
