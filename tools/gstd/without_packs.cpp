// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Where weft::pack is not built: the work on packs is refused.
#include "work.hpp"

namespace gstd_tool {
namespace {

bool refuse(const Options& options) {
  const std::string name = options.inputs.empty() ? options.output : options.inputs.front();
  tell_error(options, name, "this gstd was built without packs");
  return false;
}

}  // namespace

bool write_pack(const Options& options) { return refuse(options); }
bool list_pack(const Options& options) { return refuse(options); }
bool unpack_pack(const Options& options) { return refuse(options); }
bool verify_pack(const Options& options) { return refuse(options); }

}  // namespace gstd_tool
