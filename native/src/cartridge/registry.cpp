#include "cartridge/registry.h"

#include <mutex>
#include <new>

#include "platform/mapped_file.h"

namespace crayon {

struct Registry::Entry {
    FileIdentity identity;
    bool copied;
    bool verified;
    Cartridge* cartridge;
    Entry* next;
};

Registry::Entry* Registry::entries_ = nullptr;

namespace {

std::mutex entries_lock;

}  // namespace

Cartridge* Registry::find(const Entry& wanted, const DatList* list) {
    for (const Entry* entry = entries_; entry; entry = entry->next) {
        Cartridge* const cartridge = entry->cartridge;
        const bool serves = entry->identity == wanted.identity && entry->copied == wanted.copied &&
                            (entry->verified || !wanted.verified) && cartridge->is_dat() == (list != nullptr) &&
                            (!list || cartridge->is_of(list->tokens, list->unknown));
        if (serves && cartridge->retain_unless_dying()) return cartridge;
    }
    return nullptr;
}

void Registry::forget(Cartridge* cartridge) {
    Entry* forgotten;
    {
        std::lock_guard<std::mutex> guard(entries_lock);
        Entry** link = &entries_;
        while ((*link)->cartridge != cartridge) link = &(*link)->next;
        forgotten = *link;
        *link = forgotten->next;
    }
    delete forgotten;
}

Status Registry::open_file(std::string_view path, u32 flags, Cartridge** out) { return open(path, flags, nullptr, out); }

Status Registry::open_dat_file(std::string_view path, u32 flags, const DatList& list, Cartridge** out) {
    return open(path, flags, &list, out);
}

Status Registry::open(std::string_view path, u32 flags, const DatList* list, Cartridge** out) {
    const bool copied = (flags & CRAYON_OPEN_COPY) != 0, verified = (flags & CRAYON_OPEN_NO_CHECKSUM) == 0;
    // Checking a file takes a third of the time of opening and closing it.
    FileState state;
    if (look_at_file(path, &state) && state.is_settled) {
        std::lock_guard<std::mutex> guard(entries_lock);
        *out = find({state.identity, copied, verified, nullptr, nullptr}, list);
        if (*out) return {};
    }

    OpenFile file;
    Status status = file.open(path);
    if (!status.ok()) return status;
    const Entry wanted{file.identity(), copied, verified, nullptr, nullptr};

    OwnedBytes bytes;
    status = copied ? file.copy(&bytes) : file.map(&bytes);
    Cartridge* opened = nullptr;
    if (status.ok()) {
        status = list ? Cartridge::open_dat(std::move(bytes), list->tokens, list->unknown, &opened)
                      : Cartridge::open(std::move(bytes), flags, &opened);
    }
    if (!status.ok()) return status;
    if (!file.is_settled()) {  // it may soon have different bytes under the same identity
        *out = opened;
        return {};
    }
    Entry* entry = new (std::nothrow) Entry(wanted);
    if (!entry) {
        opened->release();
        return Status::out_of_memory();
    }
    {
        std::lock_guard<std::mutex> guard(entries_lock);
        *out = find(wanted, list);  // another thread may have opened it in the meantime
        if (!*out) {
            opened->on_last_release_ = forget;
            entry->cartridge = opened;
            entry->next = entries_;
            entries_ = entry;
            *out = opened;
            return {};
        }
    }
    delete entry;
    opened->release();
    return {};
}

}  // namespace crayon
