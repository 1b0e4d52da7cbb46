// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/pack.hpp>

namespace weft::pack {

const char* name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::raw: return "raw";
    case Kind::gstd: return "gstd";
    case Kind::zst: return "zst";
    case Kind::gdeflate: return "gdeflate";
    case Kind::ktx2: return "ktx2";
  }
  return nullptr;
}

const char* name_of(ImageFile file) noexcept {
  switch (file) {
    case ImageFile::none: return "none";
    case ImageFile::dds: return "dds";
    case ImageFile::ktx2: return "ktx2";
  }
  return nullptr;
}

const char* name_of(Fault fault) noexcept {
  switch (fault) {
    case Fault::none: return "none";
    case Fault::truncated: return "truncated";
    case Fault::not_pack: return "not_pack";
    case Fault::unknown_version: return "unknown_version";
    case Fault::header_checksum: return "header_checksum";
    case Fault::bad_header: return "bad_header";
    case Fault::directory_checksum: return "directory_checksum";
    case Fault::bad_entry: return "bad_entry";
    case Fault::bad_path: return "bad_path";
    case Fault::bad_range: return "bad_range";
    case Fault::overlap: return "overlap";
    case Fault::stored_hash: return "stored_hash";
    case Fault::bad_stream: return "bad_stream";
    case Fault::content_hash: return "content_hash";
  }
  return "unknown";
}

}  // namespace weft::pack
