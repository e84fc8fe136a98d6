# What users get, the binary `preon` and the library `libpreon` with its CMake package, and what developers check.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_custom_target(products)

# An ONNX Runtime that is no part of the system travels with us, under the name that programs look for.
get_filename_component(runtime ${ORT_LIBRARY} REALPATH)
if(NOT runtime MATCHES "^/usr/(local/)?lib")
  file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  file(CREATE_LINK ${runtime} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libonnxruntime.so.1 SYMBOLIC)
  install(PROGRAMS ${runtime} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libonnxruntime.so.1)
endif()

if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/main.cc)
  add_executable(preon src/cli/main.cc)
  target_link_libraries(preon PRIVATE preon_cli)
  preon_compile_options(preon)
  file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set(run_path $ORIGIN/../lib $ORIGIN/${lib_from_bin})
  list(REMOVE_DUPLICATES run_path)
  set_target_properties(preon PROPERTIES INSTALL_RPATH "${run_path}")
  install(TARGETS preon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  add_dependencies(products preon)

  # Manual pages and completions, out of the option table.
  set(shell_files ${CMAKE_CURRENT_BINARY_DIR}/share)
  set(writer ${CMAKE_CURRENT_SOURCE_DIR}/cmake/WriteShellFiles.cmake)
  add_custom_command(OUTPUT ${shell_files}/written DEPENDS preon ${writer}
                     COMMAND ${CMAKE_COMMAND} -DPREON=$<TARGET_FILE:preon> -DDIR=${shell_files} -P ${writer}
                     COMMAND ${CMAKE_COMMAND} -E touch ${shell_files}/written
                     COMMENT "Writing manual pages and completions" VERBATIM)
  add_custom_target(shell_files ALL DEPENDS ${shell_files}/written)
  install(DIRECTORY ${shell_files}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT shell)
  install(DIRECTORY ${shell_files}/bash-completion ${shell_files}/zsh ${shell_files}/fish
          DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT shell)
  add_dependencies(products shell_files)
endif()

# All layers in one shared library: consumers link one file and see one header, and need none of our dependencies'
# headers or CMake packages. The API's objects go in whole, since nothing inside refers to them.
if(TARGET preon_api)
  add_library(libpreon SHARED $<TARGET_OBJECTS:preon_api>)
  target_link_libraries(libpreon PRIVATE preon_api)
  target_link_options(libpreon PRIVATE LINKER:--exclude-libs,libonnx.a:libonnx_proto.a LINKER:--no-undefined)
  preon_compile_options(libpreon)
  target_include_directories(libpreon INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(libpreon INTERFACE cxx_std_17)
  set_target_properties(libpreon PROPERTIES OUTPUT_NAME preon EXPORT_NAME preon INSTALL_RPATH $ORIGIN
                                            VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  add_dependencies(products libpreon)

  install(TARGETS libpreon EXPORT preonTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/preon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/preon)
  install(EXPORT preonTargets NAMESPACE preon:: FILE preonConfig.cmake DESTINATION ${package_dir})
  write_basic_package_version_file(preonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/preonConfigVersion.cmake DESTINATION ${package_dir})
  install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

# What programs with an ONNX Runtime of their own load: not linked with ours (RegisterCustomOps gets theirs), its
# registration the only symbol, never unloaded (handlers for exit and fork, operators that sessions hold).
function(preon_plugin name layer)
  add_library(${name} SHARED src/${layer}/main.cc)
  set(exports ${CMAKE_CURRENT_SOURCE_DIR}/cmake/plugin.map)
  target_link_libraries(${name} PRIVATE preon_${layer})
  target_link_options(${name} PRIVATE LINKER:--as-needed LINKER:--no-undefined LINKER:-z,nodelete
                                      LINKER:--version-script=${exports})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports} INSTALL_RPATH $ORIGIN)
  preon_compile_options(${name})
  # A second copy of ONNX's protobuf messages ends the program that loads it, or hangs it later.
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM COMMENT "" COMMAND sh -c
    "if readelf -d '$<TARGET_FILE:${name}>' | grep -q protobuf; then echo '${name}: links protobuf; a source that it needs is missing in the PLUGIN list of its layer' >&2; exit 1; fi")
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  add_dependencies(products ${name})
endfunction()
if(TARGET preon_instrument)
  preon_plugin(preon_observers instrument)
endif()
if(TARGET preon_ops)
  preon_plugin(preon_ops_library ops)
  set_target_properties(preon_ops_library PROPERTIES OUTPUT_NAME preon_ops)
endif()

# ./dev check: every header compiles alone.
if(PROJECT_IS_TOP_LEVEL)
  get_property(layers GLOBAL PROPERTY PREON_LAYERS)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} src/*.h include/*.h)
  list(FILTER headers EXCLUDE REGEX "-inl\\.h$")  # parts of a source, which prepares what they need
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "^(src|include)/" "" include ${header})
    set(lone ${CMAKE_CURRENT_BINARY_DIR}/headers/${include}.cc)
    file(CONFIGURE OUTPUT ${lone} CONTENT "#include \"${include}\"\n")
    list(APPEND lone_sources ${lone})
  endforeach()
  add_library(headers OBJECT EXCLUDE_FROM_ALL ${lone_sources})
  target_link_libraries(headers PRIVATE ${layers})
  if(PREON_TESTS)
    target_link_libraries(headers PRIVATE GTest::gtest)
  endif()
endif()
