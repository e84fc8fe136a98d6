# Finds what scripts/setup_deps.sh installed; a system or user-given copy wins (ORT_ROOT, CMAKE_PREFIX_PATH).
if(DEFINED ENV{PREON_CACHE})
  set(PREON_CACHE $ENV{PREON_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(PREON_CACHE $ENV{XDG_CACHE_HOME}/preon)
else()
  set(PREON_CACHE $ENV{HOME}/.cache/preon)
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebp)

find_program(CCACHE ccache)
if(CCACHE)
  # Paths below the checkout count relative to it, so that a second clone finds what the first one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

add_library(preon_highway INTERFACE)
target_link_libraries(preon_highway INTERFACE PkgConfig::HWY)
add_library(preon::highway ALIAS preon_highway)

find_path(EIGEN_INCLUDE_DIR Eigen/Core PATH_SUFFIXES eigen3 REQUIRED)  # header only
add_library(preon_eigen INTERFACE)
target_include_directories(preon_eigen SYSTEM INTERFACE ${EIGEN_INCLUDE_DIR})
add_library(preon::eigen ALIAS preon_eigen)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)  # header only: it is inlined

find_path(STB_INCLUDE_DIR stb_image.h PATH_SUFFIXES stb REQUIRED)
add_library(preon_stb INTERFACE)
target_include_directories(preon_stb SYSTEM INTERFACE ${STB_INCLUDE_DIR})
add_library(preon::stb ALIAS preon_stb)

find_path(MINIAUDIO_INCLUDE_DIR miniaudio.h HINTS ${PREON_CACHE}/miniaudio-1.71/include REQUIRED)
add_library(preon_miniaudio INTERFACE)
target_include_directories(preon_miniaudio SYSTEM INTERFACE ${MINIAUDIO_INCLUDE_DIR})
add_library(preon::miniaudio ALIAS preon_miniaudio)

# ONNX: static, so that libpreon does not clash with another copy in the same process.
set(PREON_ONNX_ROOT ${PREON_CACHE}/onnx-1.23.2)
find_library(ONNX_LIBRARY onnx HINTS ${PREON_ONNX_ROOT}/lib REQUIRED)
find_library(ONNX_PROTO_LIBRARY onnx_proto HINTS ${PREON_ONNX_ROOT}/lib REQUIRED)
find_path(ONNX_INCLUDE_DIR onnx/checker.h HINTS ${PREON_ONNX_ROOT}/include REQUIRED)
add_library(preon_onnx INTERFACE)
target_include_directories(preon_onnx SYSTEM INTERFACE ${ONNX_INCLUDE_DIR})
target_compile_definitions(preon_onnx INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx __STDC_FORMAT_MACROS)
target_link_libraries(preon_onnx INTERFACE ${ONNX_LIBRARY} ${ONNX_PROTO_LIBRARY} protobuf::libprotobuf)
add_library(preon::onnx ALIAS preon_onnx)

if(DEFINED ENV{ORT_ROOT})
  set(PREON_ORT_ROOT $ENV{ORT_ROOT})
else()
  set(PREON_ORT_ROOT ${PREON_CACHE}/onnxruntime-1.30.0)
endif()
find_library(ORT_LIBRARY onnxruntime HINTS ${PREON_ORT_ROOT}/lib REQUIRED)
find_path(ORT_INCLUDE_DIR onnxruntime_c_api.h HINTS ${PREON_ORT_ROOT}/include PATH_SUFFIXES onnxruntime REQUIRED)
add_library(preon_onnxruntime INTERFACE)
target_include_directories(preon_onnxruntime SYSTEM INTERFACE ${ORT_INCLUDE_DIR})
target_link_libraries(preon_onnxruntime INTERFACE ${ORT_LIBRARY})
add_library(preon::onnxruntime ALIAS preon_onnxruntime)

if(PREON_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  enable_testing()
endif()
if(PREON_BENCH)
  find_package(benchmark REQUIRED)
endif()
