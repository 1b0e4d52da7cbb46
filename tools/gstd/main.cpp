// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/version.hpp>

#include <cstdio>
#include <new>

#include <zstd.h>

#include "files.hpp"
#include "options.hpp"
#include "system.hpp"
#include "work.hpp"

namespace {

int run(std::span<const char* const> arguments) {
  using gstd_tool::Mode;
  const auto options = gstd_tool::parse_options(arguments);
  if (!options) {
    std::fprintf(stderr, "gstd: %s\n", gstd_tool::without_prefix(options.error().message).c_str());
    return 1;
  }
  gstd_tool::system::set_streams_binary();
  gstd_tool::remove_unfinished_on_signals();
  // A Vulkan driver may not survive it: with --gpu the limit is of what gstd keeps.
  if (options->memory != UINT64_MAX && !options->gpu && !gstd_tool::system::limit_memory(options->memory)) {
    std::fprintf(stderr, "gstd: -M: %s\n", gstd_tool::system_reason().c_str());
    return 1;
  }
  bool good = true;
  switch (options->mode) {
    case Mode::compress: good = gstd_tool::compress_files(*options); break;
    case Mode::decompress:
    case Mode::test: good = gstd_tool::decompress_files(*options); break;
    case Mode::list: good = gstd_tool::list_files(*options); break;
    case Mode::benchmark: good = gstd_tool::benchmark_files(*options); break;
    case Mode::pack:
    case Mode::update_pack: good = gstd_tool::write_pack(*options); break;
    case Mode::list_pack: good = gstd_tool::list_pack(*options); break;
    case Mode::unpack: good = gstd_tool::unpack_pack(*options); break;
    case Mode::verify_pack: good = gstd_tool::verify_pack(*options); break;
    case Mode::help: std::fputs(gstd_tool::kUsage, stdout); break;
    case Mode::version:
      std::printf("gstd %d.%d.%d, format %u, libzstd %s\n", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH,
                  static_cast<unsigned>(weft::gstd::kFormatVersion), ZSTD_versionString());
      break;
  }
  if (std::fflush(stdout) != 0) {
    std::fprintf(stderr, "gstd: standard output: %s\n", gstd_tool::system_reason().c_str());
    good = false;
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run({arguments + (count > 0 ? 1 : 0), arguments + count});
  } catch (const std::bad_alloc&) {
    std::fputs("gstd: more memory is needed than there is or -M allows\n", stderr);
    return 1;
  }
}
