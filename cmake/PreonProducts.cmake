# What users get: the binary.
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/main.cc)
  file(GLOB cli_sources CONFIGURE_DEPENDS src/cli/*.cc)
  add_executable(preon ${cli_sources})
  target_link_libraries(preon PRIVATE preon_api CLI11::CLI11)
  preon_compile_options(preon)
endif()
