// A module without the added-token automaton does not open tokenizers that need it (view_features.cpp).
#include "scan/added_search.h"

namespace crayon {

void AddedSearch::start_dense() { lost_ = 0; }
bool AddedSearch::find_dense(const Text&, Found*) { return is_dense_ = false; }

}  // namespace crayon
