#define CRAYON_KERNEL kernel_neon
#include "kernels/kernel_impl.h"
#include "simd/bases_neon.h"
#include "simd/bytes64_neon.h"
