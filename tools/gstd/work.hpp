// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "options.hpp"

namespace gstd_tool {

constexpr const char* kSuffix = ".gst";
constexpr const char* kZstSuffix = ".zst";
constexpr const char* kSuffixes[] = {kSuffix, kZstSuffix};  ///< of what is decompressed

/// Says on standard error why something failed, unless errors are silenced.
void tell_error(const Options& options, const std::string& name, const std::string& reason);
/// A message of the library without its prefix "gstd: ", which is the command's too.
std::string without_prefix(const std::string& message);

/// Does what the options say to one input after the other. False: one of them failed, which was reported.
bool compress_files(const Options& options);
bool decompress_files(const Options& options);  ///< tests too
bool list_files(const Options& options);
bool benchmark_files(const Options& options);

/// The works on packs.
bool write_pack(const Options& options);  ///< pack and update
bool list_pack(const Options& options);
bool unpack_pack(const Options& options);
bool verify_pack(const Options& options);

/// The options' inputs and those of their lists, or standard input if there are neither; with --recursive, directories'
/// files in place of them; with --exclude-compressed, without files of compressed formats.
/// `suffixes`: which files of a directory count: those that end in one, or, with `without`, all others. False: some
/// were not available, which was reported.
bool collect_inputs(const Options& options, std::span<const char* const> suffixes, bool without,
                    std::vector<std::string>& names);

}  // namespace gstd_tool
