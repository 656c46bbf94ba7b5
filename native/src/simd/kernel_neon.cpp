#define CRAYON_KERNEL kernel_neon
#include "simd/bases_neon.h"
#include "simd/bytes64_neon.h"
#include "simd/kernel_impl.h"
