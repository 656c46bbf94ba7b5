#define CRAYON_KERNEL kernel_neon
#include "simd/bases_neon.h"
#include "simd/bytes64_neon.h"

#include "kernels/kernel_impl.h"
