# The Python package as a folder that PYTHONPATH can name: build/python/preon, the module beside the plain files.
find_package(Python 3.9 COMPONENTS Interpreter Development.Module QUIET)
if(NOT Python_FOUND)
  return()
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE
                OUTPUT_VARIABLE nanobind_ROOT ERROR_QUIET)
find_package(nanobind CONFIG QUIET)
if(NOT nanobind_FOUND OR NOT TARGET libpreon)
  return()
endif()

nanobind_add_module(preon_python NB_STATIC src/python/main.cc)
target_include_directories(preon_python PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/include)
target_link_libraries(preon_python PRIVATE libpreon)
set(package ${CMAKE_BINARY_DIR}/python/preon)
set_target_properties(preon_python PROPERTIES OUTPUT_NAME _preon LIBRARY_OUTPUT_DIRECTORY ${package}
                                              INSTALL_RPATH $ORIGIN/../../lib)
preon_compile_options(preon_python)
target_compile_options(preon_python PRIVATE -Wno-shadow)  # in headers of nanobind
file(GLOB_RECURSE python_files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/python/preon CONFIGURE_DEPENDS python/preon/*.py python/preon/*.pyi python/preon/py.typed)
foreach(file IN LISTS python_files)
  add_custom_command(OUTPUT ${package}/${file} DEPENDS python/preon/${file}
                     COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/python/preon/${file} ${package}/${file})
  list(APPEND copied ${package}/${file})
endforeach()
add_custom_target(preon_python_files ALL DEPENDS ${copied})
add_dependencies(products preon_python preon_python_files)
if(SKBUILD)
  include(PreonWheel)
endif()
