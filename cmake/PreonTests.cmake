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
