# SPDX-License-Identifier: MIT OR Apache-2.0
# Kernels of the bench's own; weft_kernel() is defined in cmake/glsl.cmake.
weft_kernel(compare.comp)
weft_kernel(copy.comp)
weft_kernel(fill.comp)
weft_kernel(flags.comp)
weft_kernel(fse_table.comp)
weft_kernel(gstd_stage.comp)
weft_kernel(rans_table.comp)
