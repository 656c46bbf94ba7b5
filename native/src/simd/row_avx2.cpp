#define CRAYON_ROW row_avx2
#include "simd/bytes64_avx2.h"
#include "simd/row.h"
