# preon_layer(NAME [COLD|ONCE] [ROOMS folder...] [PLUGIN source...] [DEPS layer...] [LIBS target...]): the folder src/NAME as the static
# library preon_NAME. PLUGIN: sources (without .cc) that the plugins link; in batches of their own, so that plugins do not
# also get ONNX, protobuf and decoders from what lies beside them in a batch (tests/install checks what plugins need).
# COLD: no code of it runs once per value of a tensor, so it is compiled in a third less time, and the standard library checks
# what it is asked (an empty optional, an index). ONCE: the same, and searches with many trials do not run it again and again: a fifth less time than COLD.
# Sources are found by their ending, so a new method, pass or format needs no edit here:
#   x.cc -> the library · x_test.cc -> preon_NAME_test (ctest) · x_bench.cc -> preon_NAME_bench · main.cc -> left out
function(preon_layer name)
  cmake_parse_arguments(LAYER "COLD;ONCE" "" "ROOMS;PLUGIN;DEPS;LIBS" ${ARGN})
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cc)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${dir}/*_test.cc)
  file(GLOB_RECURSE benches CONFIGURE_DEPENDS ${dir}/*_bench.cc)
  list(REMOVE_ITEM sources ${tests} ${benches} ${dir}/main.cc)
  if(NOT sources)
    return()
  endif()

  set(libraries ${LAYER_LIBS})
  foreach(dep IN LISTS LAYER_DEPS)
    if(TARGET preon_${dep})
      list(APPEND libraries preon_${dep})
    endif()
  endforeach()

  list(TRANSFORM LAYER_PLUGIN REPLACE "(.+)" "${dir}/\\1.cc" OUTPUT_VARIABLE of_plugins)
  list(REMOVE_ITEM sources ${of_plugins})
  preon_batches(of_plugins preon_${name}_plugin ${of_plugins})
  preon_batches(sources preon_${name} ${sources})
  list(APPEND sources ${of_plugins})
  add_library(preon_${name} STATIC ${sources})
  target_include_directories(preon_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(preon_${name} PUBLIC ${libraries})
  preon_compile_options(preon_${name})
  if(LAYER_COLD)
    preon_cold(preon_${name} -O1)
  elseif(LAYER_ONCE)
    preon_cold(preon_${name} -Og)
  endif()
  set_property(GLOBAL APPEND PROPERTY PREON_LAYERS preon_${name})

  if(PREON_TESTS AND tests)
    preon_test(preon_${name}_test ${tests})
    target_link_libraries(preon_${name}_test PRIVATE preon_${name})
  endif()
  if(PREON_BENCH AND benches)
    add_executable(preon_${name}_bench ${benches})
    target_link_libraries(preon_${name}_bench PRIVATE preon_${name} benchmark::benchmark_main)
    preon_compile_options(preon_${name}_bench)
  endif()
endfunction()

# preon_embed(TARGET file template): the text of a file in place of @EMBEDDED_TEXT@ of a source made of a template.
function(preon_embed target file template)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  file(READ ${file} EMBEDDED_TEXT)
  cmake_path(GET template STEM LAST_ONLY source)
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/embedded/${source} @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded/${source})
endfunction()

# preon_batches(OUT TARGET sources...): the sources of TARGET, up to 60 of them in each generated file, so that
# headers are read once per batch. A layer's names in anonymous namespaces must therefore differ. Relative paths: ccache
# finds a batch again in another checkout.
function(preon_batches out target)
  set(most 60)
  set(alone)
  set(vectorized)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} per_instruction_set REGEX "foreach_target|dense-inl" LIMIT_COUNT 1)
    if(NOT PREON_UNITY OR per_instruction_set MATCHES "dense-inl")
      list(APPEND alone ${source})
    elseif(per_instruction_set)
      list(APPEND vectorized ${source})
    endif()
  endforeach()
  list(REMOVE_ITEM ARGN ${alone} ${vectorized})
  preon_vectorized_batch(alone ${target} ${vectorized})
  list(LENGTH ARGN count)
  if(count GREATER 0)
    # As even as they can be: 61 sources are 31 and 30, not 60 and 1.
    math(EXPR size "(${count} - 1) / ((${count} + ${most} - 1) / ${most}) + 1")
    math(EXPR last "${count} - 1")
    foreach(begin RANGE 0 ${last} ${size})
      list(SUBLIST ARGN ${begin} ${size} sources)
      list(TRANSFORM sources REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/(src|tests)/(.*)" "#include \"\\2\"\n")
      string(JOIN "" content ${sources})
      set(batch ${CMAKE_CURRENT_BINARY_DIR}/batches/${target}_${begin}.cc)
      file(CONFIGURE OUTPUT ${batch} CONTENT "${content}" @ONLY)
      list(APPEND alone ${batch})
    endforeach()
  endif()
  set(${out} ${alone} PARENT_SCOPE)
endfunction()

# preon_vectorized_batch(LIST TARGET sources...): sources with loops of Highway as one file, added to LIST. Highway's
# foreach_target.h includes HWY_TARGET_INCLUDE once per instruction set: here the batch, so each source ends up in every
# pass of the batch and its own request to be included comes too late.
function(preon_vectorized_batch list target)
  if(NOT ARGN)
    return()
  endif()
  set(name ${target}_vectorized.cc)
  set(itself "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"batches/${name}\"\n")
  list(TRANSFORM ARGN REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/src/(.*)" "#include \"\\1\"\n")
  string(JOIN "" sources ${ARGN})
  set(batch ${CMAKE_CURRENT_BINARY_DIR}/batches/${name})
  file(CONFIGURE OUTPUT ${batch} @ONLY CONTENT
       "${itself}#include \"kernels/highway_targets.h\"\n#include \"hwy/foreach_target.h\"\n${sources}${itself}")
  set_source_files_properties(${batch} PROPERTIES INCLUDE_DIRECTORIES ${CMAKE_CURRENT_BINARY_DIR})
  set(${list} ${${list}} ${batch} PARENT_SCOPE)
endfunction()

function(preon_cold target level)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${level}>)
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
endfunction()

function(preon_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wno-unused-parameter -Wno-missing-field-initializers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC 12 takes the maps inside of initialized structs for uninitialized; the sanitizers find true ones. It also spends
    # a tenth of its time on collecting garbage, unless it may use a gigabyte.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized --param=ggc-min-heapsize=1048576)
  endif()
  if(PREON_UNITY)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # a batch's sources look like headers to the compiler
  endif()
  # x86-64-v1 baseline for everything; faster instruction sets only behind Highway's run-time dispatch.
  # No contraction: a*b+c rounds the same on every target, so files are the same bytes everywhere.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(PREON_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(PREON_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PREON_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${PREON_SANITIZE})
  endif()
endfunction()

# preon_test(NAME sources...): one gtest binary, one ctest entry per test. Tests run in the source folder's root.
# A test whose name ends in "TakesLong" is labelled slow and left to `./dev test --all`.
function(preon_test name)
  preon_batches(sources ${name} ${ARGN})
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gmock)
  preon_compile_options(${name})
  preon_cold(${name} -Og)
  foreach(speed fast slow)
    if(speed STREQUAL "slow")
      set(filter *TakesLong)
      set(properties LABELS slow TIMEOUT 1800)
    else()
      set(filter -*TakesLong)
      set(properties TIMEOUT 300)
    endif()
    gtest_discover_tests(${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DISCOVERY_MODE PRE_TEST
                         TEST_FILTER ${filter} TEST_LIST ${name}_${speed} PROPERTIES ${properties})
  endforeach()
endfunction()
