# What `pip install .` packs beside python/preon: the module, and in preon/lib and preon/bin what it runs. A wheel has no
# symbolic links and may land anywhere: one file per library, under the name that others ask for, found next to each other.
set_target_properties(preon_python PROPERTIES INSTALL_RPATH $ORIGIN/lib)
set_target_properties(libpreon PROPERTIES VERSION ${PROJECT_VERSION_MAJOR})
set_target_properties(preon PROPERTIES INSTALL_RPATH $ORIGIN/../lib)
install(TARGETS preon_python LIBRARY DESTINATION preon COMPONENT wheel)
install(TARGETS libpreon preon_ops_library preon_observers LIBRARY DESTINATION preon/lib COMPONENT wheel NAMELINK_SKIP)
install(TARGETS preon RUNTIME DESTINATION preon/bin COMPONENT wheel)
get_filename_component(runtime ${ORT_LIBRARY} REALPATH)
install(PROGRAMS ${runtime} DESTINATION preon/lib RENAME libonnxruntime.so.1 COMPONENT wheel)

# Libraries that not every machine has.
install(CODE "set(libraries \"$<TARGET_FILE:libpreon>;$<TARGET_FILE:preon_ops_library>;$<TARGET_FILE:preon_observers>\")" COMPONENT wheel)
install(CODE [[
  file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${libraries} RESOLVED_DEPENDENCIES_VAR found
       PRE_INCLUDE_REGEXES "^lib(protobuf|crypto|hwy|jpeg|webp|sharpyuv|yaml-cpp)" PRE_EXCLUDE_REGEXES "")
  foreach(library IN LISTS found)
    get_filename_component(name ${library} NAME)
    get_filename_component(file ${library} REALPATH)
    message(STATUS "Packing: ${name}")
    file(COPY_FILE ${file} ${CMAKE_INSTALL_PREFIX}/preon/lib/${name})
  endforeach()
]] COMPONENT wheel)
