# SPDX-License-Identifier: MIT OR Apache-2.0
# Kernels of the bench's own; weft_kernel() is defined in third_party/glsl.cmake.
weft_kernel(copy.comp)
