// The kernel without the pretokenizers that few vocabularies need.
#define CRAYON_KERNEL kernel_simd128
#define CRAYON_MOST_PRETOKENIZERS
#include "simd/bytes64_simd128.h"
#include "simd/kernel_impl.h"
