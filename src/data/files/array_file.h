// Arrays in .npy and .npz files: what is there, and reading rows of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor_pool.h"
#include "data/files/byte_reader.h"
#include "data/files/npy.h"
#include "data/files/random_access_file.h"

namespace preon {

/// One array: what its header says and where its bytes (header included) are.
struct StoredArray {
  std::string name;  ///< without ".npy"; empty in an .npy file
  NpyHeader header;
  ByteRange range;
};

/// Arrays of a file, by its ending .npy or .npz. Reads headers only.
/// Errors: kDataNotFound, kDataMalformed, kDataUnsupported, kIoRead.
Result<std::vector<StoredArray>> ListArrays(const std::shared_ptr<const RandomAccessFile>& file);

/// Elements of one array in C order and this machine's byte order. A Fortran-ordered array is held in memory as a
/// whole, since each of its samples is spread over all of its bytes. Checksums: see MakeCheckedReader.
class ArrayReader {
 public:
  ArrayReader(const std::shared_ptr<const RandomAccessFile>& file, const StoredArray& array, TensorPool pool = {});
  /// The elements [first, first + count) as a tensor of `shape` (of `count` elements).
  Result<Tensor> Read(int64_t first, const Shape& shape);

 private:
  Result<Tensor> ReadStored(int64_t first, const Shape& shape);

  NpyHeader header_;
  std::unique_ptr<ByteReader> bytes_;
  TensorPool pool_;
  Tensor in_c_order_;  // of a Fortran-ordered array, once read
};

}  // namespace preon
