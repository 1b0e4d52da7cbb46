# SPDX-License-Identifier: MIT OR Apache-2.0
weft_family(look_back SOURCES core/prefix_pass.cpp)
weft_kernel(core/look_back_reset.comp)

weft_family(dispatch_arguments)
weft_kernel(core/dispatch_arguments.comp)
