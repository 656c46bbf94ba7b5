// Grapheme clusters: what a reader takes for one character (close to Unicode Standard Annex #29). Whether one ends at a
// position is decided from the characters beside it, so that a text of one endless cluster costs no more than another.
#pragma once

#include "limits/text_view.h"

namespace crayon {

// Whether a position, which is between characters, is between two clusters: not before a mark, a vowel sign, a variation
// selector, a skin tone or a joiner, not after a joiner or a virama, not in the middle of CR LF or of a flag.
bool is_between_clusters(const TextView& text, size_t at);
// How many bytes before the position that depends on, at most.
constexpr size_t kClusterReach = 256;

// The end of the cluster that begins at `begin`, and the beginning of the one that ends at `end`, or the `stop` before it.
size_t cluster_end(const TextView& text, size_t begin, size_t stop);
size_t cluster_begin(const TextView& text, size_t stop, size_t end);

}  // namespace crayon
