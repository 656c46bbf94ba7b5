// A module that does not rewrite text does not open tokenizers that do (view_features.cpp).
#include "encode/normalizing.h"

namespace crayon {

Status Normalizing::create(const Tokenizer&, const AddedPolicy&, Normalizing**) { return {CRAYON_FEATURE_MISSING}; }
void Normalizing::destroy(Normalizing*) {}
void Normalizing::use_policy() {}
void Normalizing::restart(u64, bool) {}
Status Normalizing::make_ready(FedText&) { return {CRAYON_FEATURE_MISSING}; }
Status Normalizing::find_added(const FedText&, size_t, AddedSearch::Found*) { return {CRAYON_FEATURE_MISSING}; }
void Normalizing::settle(const FedText&, bool, u64) {}
u64 Normalizing::position() const { return 0; }
u64 Normalizing::raw_position(u64 position) const { return position; }
u64 Normalizing::ready_position(u64 raw) const { return raw; }
u32 Normalizing::up_to_safe_split(const FedText&, const u32*, u32 count) const { return count; }
void Normalizing::drop_settled() {}
bool Normalizing::has_rewritten() const { return false; }
Status Normalizing::locate(const FedText&, bool, const TokenOffsets&, const u32*, u32, u32*) { return {CRAYON_FEATURE_MISSING}; }

void Rewrites::restart() {}
void Rewrites::drop_before(u64) {}

}  // namespace crayon
