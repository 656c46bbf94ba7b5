// A plugin of another time: it has no version of the interface that this package knows.
#include "crayon_gpu.h"

extern "C" CRAYON_GPU_EXPORT const crayon_gpu_api* crayon_gpu_plugin(uint32_t) { return nullptr; }
