# Tests that cross layers: every tests/<kind>/*_test.cc builds into preon_<kind>_test, linked with all layers.
get_property(layers GLOBAL PROPERTY PREON_LAYERS)
file(GLOB kinds CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR}/tests/*)
foreach(kind IN LISTS kinds)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/${kind}/*_test.cc)
  if(sources)
    preon_test(preon_${kind}_test ${sources})
    target_link_libraries(preon_${kind}_test PRIVATE ${layers})
    target_include_directories(preon_${kind}_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/tests)
  endif()
endforeach()

# Fuzz targets: tests/fuzz/NAME_fuzz.cc with the driver beside it. Every test run replays the seeds and breaks them for a
# second; ./dev fuzz NAME goes on for longer, with sanitizers.
file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/*_fuzz.cc)
foreach(source IN LISTS fuzzers)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name ${name})
  add_executable(fuzz_${name} ${source} tests/fuzz/driver.cc)
  target_link_libraries(fuzz_${name} PRIVATE ${layers})
  preon_compile_options(fuzz_${name})
  add_test(NAME fuzz.${name} COMMAND fuzz_${name} --seconds 1 tests/fuzz/corpus/${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endforeach()

# Not a test of its own: tests/differential/test_golden_graphs.py feeds it.
add_executable(preon_op_list_runner tests/differential/op_list_runner.cc)
target_link_libraries(preon_op_list_runner PRIVATE ${layers} nlohmann_json::nlohmann_json)
preon_compile_options(preon_op_list_runner)

# What tests/python/test_custom_ops.py gives to --custom-op-library: a good library, and one with each mistake.
foreach(kind IN ITEMS GOOD NEWER_API REFUSES ADDS_TWICE NO_REGISTRATION)
  string(TOLOWER ${kind} name)
  add_library(preon_test_ops_${name} MODULE tests/python/custom_op_library.cc)
  target_compile_definitions(preon_test_ops_${name} PRIVATE ${kind})
  target_include_directories(preon_test_ops_${name} SYSTEM PRIVATE ${ORT_INCLUDE_DIR})
  set_target_properties(preon_test_ops_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
                                                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test_operators)
endforeach()
