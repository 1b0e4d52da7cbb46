// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <weft/kernels.hpp>

namespace weft::jit {

/// The set that write_code_file() left there; none where the file is missing, damaged or not one of weft's. `name` and
/// `primitive` are the set's.
std::optional<KernelSet> read_code_file(const std::filesystem::path& file, const std::string& name,
                                        const std::string& primitive);

/// Replaces the file, so that no reader sees half of one. A failure is harmless: the code is compiled again.
void write_code_file(const std::filesystem::path& file, const KernelSet& set) noexcept;

}  // namespace weft::jit
