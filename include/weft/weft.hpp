// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/gpu.hpp>
#include <weft/kernels.hpp>
#include <weft/reduce.hpp>
#include <weft/scan.hpp>
#include <weft/select.hpp>
#include <weft/status.hpp>
#include <weft/types.hpp>
#include <weft/version.hpp>
