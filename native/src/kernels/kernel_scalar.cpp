#define CRAYON_KERNEL kernel_scalar
#include "simd/bases_scalar.h"
#include "simd/bytes64_scalar.h"

#include "kernels/kernel_impl.h"
