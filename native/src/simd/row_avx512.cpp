#define CRAYON_ROW row_avx512
#include "simd/bytes64_avx512.h"
#include "simd/row.h"
