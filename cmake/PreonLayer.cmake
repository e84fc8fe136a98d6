# preon_layer(NAME [DEPS layer...] [LIBS target...]): the folder src/NAME as the static library preon_NAME.
# Sources are found by their ending, so a new method, pass or format needs no edit here:
#   x.cc -> the library · x_test.cc -> preon_NAME_test (ctest) · x_bench.cc -> preon_NAME_bench
function(preon_layer name)
  cmake_parse_arguments(LAYER "" "" "DEPS;LIBS" ${ARGN})
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cc)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${dir}/*_test.cc)
  file(GLOB_RECURSE benches CONFIGURE_DEPENDS ${dir}/*_bench.cc)
  list(REMOVE_ITEM sources ${tests} ${benches})
  if(NOT sources)
    return()
  endif()

  set(libraries ${LAYER_LIBS})
  foreach(dep IN LISTS LAYER_DEPS)
    if(TARGET preon_${dep})
      list(APPEND libraries preon_${dep})
    endif()
  endforeach()

  add_library(preon_${name} STATIC ${sources})
  target_include_directories(preon_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(preon_${name} PUBLIC ${libraries})
  preon_compile_options(preon_${name})
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

function(preon_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wno-unused-parameter -Wno-missing-field-initializers)
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
function(preon_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gmock)
  preon_compile_options(${name})
  gtest_discover_tests(${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT 300)
endfunction()
