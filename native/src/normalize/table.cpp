#include "normalize/table.h"

#include <new>

#include "crayon/layout/cartridge.h"
#include "normalize/nfc.h"

namespace crayon {

namespace {

template <class Type>
Status make(PassNormal pass, const Normalizer** out) {
    Type* const normalizer = new (std::nothrow) Type;
    if (!normalizer) return Status::out_of_memory();
    const Status status = normalizer->create(pass);
    if (status.ok()) {
        *out = normalizer;
    } else {
        delete normalizer;
    }
    return status;
}

struct Row {
    u32 number;
    const char* name;
    Status (*make)(PassNormal pass, const Normalizer** out);  // nullptr: the encoder does it
};

constexpr Row kRows[] = {
    {layout::kNfc, "NFC", make<Nfc>},
    {layout::kPrefixSpace, "prefix space", nullptr},
};

}  // namespace

Status make_normalizer(u32 number, PassNormal pass, const Normalizer** out) {
    for (const Row& row : kRows) {
        if (row.number == number && row.make) return row.make(pass, out);
    }
    return {};
}

const char* normalizer_name(u32 number) {
    for (const Row& row : kRows) {
        if (row.number == number) return row.name;
    }
    return "";
}

}  // namespace crayon
