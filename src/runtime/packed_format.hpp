// SPDX-License-Identifier: MIT OR Apache-2.0
// Kernels as cmake/embed_kernels.cpp packs them and runtime/packed_kernels.cpp reads them, in
// the byte order of the machine.
//
//   PackedKernels, PackedKernel[kernels] sorted by name, PackedBlock[blocks], names, data
//
// A block is the code of kernels, end to end, as one frame of Zstandard; or as it is where packed_bytes is bytes.
// Offsets count bytes from the PackedKernels on.
#pragma once

#include <cstdint>

namespace weft {

struct PackedKernels {
  uint32_t kernels;
  uint32_t blocks;
};

struct PackedKernel {
  uint32_t name;
  uint32_t name_bytes;
  uint32_t block;
  uint32_t first_word;  // in the block
  uint32_t words;
};

struct PackedBlock {
  uint32_t data;
  uint32_t packed_bytes;
  uint32_t bytes;
};

}  // namespace weft
