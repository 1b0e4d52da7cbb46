# SPDX-License-Identifier: MIT OR Apache-2.0
# The codec's, of the library weft_decode.
weft_family(gstd_decode)
weft_kernel(decode/gstd_decode.comp)
weft_kernel(decode/gstd_finish.comp)

weft_family(gdeflate_decode)
weft_kernel(decode/gdeflate_decode.comp)
weft_kernel(decode/gdeflate_copy.comp)
weft_kernel(decode/gdeflate_pair.comp)
weft_kernel(decode/decompress.comp)

weft_family(zstd_decode)
weft_kernel(decode/zstd_decode_lanes.comp)
weft_kernel(decode/zstd_decode_tables.comp)
weft_kernel(decode/zstd_decode_records.comp)
weft_kernel(decode/zstd_decode_copy.comp)
