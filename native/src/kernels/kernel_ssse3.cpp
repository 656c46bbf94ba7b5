#define CRAYON_KERNEL kernel_ssse3
#include "simd/bases_ssse3.h"
#include "simd/bytes64_ssse3.h"

#include "kernels/kernel_impl.h"
