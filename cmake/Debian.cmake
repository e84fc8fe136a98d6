# What scripts/package.py packs, with `cpack --config` and -D for the version and the tree, as it is, as a Debian package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME preon)
set(CPACK_PACKAGE_FILE_NAME preon)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Quantizer for ONNX models")
set(CPACK_PACKAGE_DESCRIPTION "Turns a float ONNX model and samples into a quantized model that was verified: command line, library, manual pages.")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the preon developers")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_SET_DESTDIR OFF)
# What it needs of the system comes out of its binaries; the runtime is its own.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
