# Compiles the addon for any platform with zig, which includes each platform's C library (or stubs) and libc++. CRAYON_ZIG
# is the path of zig, CRAYON_TARGET a target in zig's notation (scripts/cross.mjs).
string(REGEX MATCH "^[a-z0-9_]+" CMAKE_SYSTEM_PROCESSOR "${CRAYON_TARGET}")
if(CRAYON_TARGET MATCHES "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
elseif(CRAYON_TARGET MATCHES "windows")
  set(CMAKE_SYSTEM_NAME Windows)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()

set(CMAKE_CXX_COMPILER "${CRAYON_ZIG}" c++)
set(CMAKE_CXX_COMPILER_TARGET "${CRAYON_TARGET}")
set(CMAKE_CXX_ARCHIVE_CREATE "\"${CRAYON_ZIG}\" ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "")
# CMake tests the compiler in separate projects, which need these, too.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CRAYON_ZIG CRAYON_TARGET)
