#define CRAYON_KERNEL kernel_scalar
#include "simd/bytes64_scalar.h"
#include "simd/kernel_impl.h"
