// SPDX-License-Identifier: MIT OR Apache-2.0
#include "pack_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gstd_tool {
namespace {

namespace pack = weft::pack;
using weft::Result;
using weft::Status;

// A chunk is the end of a pack with its assets, a header slot and a directory, after these numbers of its own. The
// machine that wrote them reads them.
struct ChunkHead {
  uint64_t key = 0, directory_position = 0, directory_bytes = 0, hash = 0;
};

uint64_t hash_of(const ChunkHead& head, const pack::PackEnd& end) {
  const std::array<uint64_t, 5> parts{head.key, head.directory_position, head.directory_bytes, pack::hash_of(end.slot),
                                      pack::hash_of(end.directory)};
  return pack::hash_of(std::as_bytes(std::span(parts)));
}

}  // namespace

Result<PackJournal> PackJournal::open(const std::string& path, uint64_t key) {
  Result<PackFile> file = PackFile::open(path, true);
  if (!file) return file.error();
  const Result<uint64_t> size = file->size();
  if (!size) return size.error();
  PackJournal journal(*std::move(file), key);
  for (ChunkHead head; *size - journal.end_ >= sizeof head + pack::kBlockBytes;) {
    uint64_t at = journal.end_;
    if (Status status = journal.file_.read_at(at, std::as_writable_bytes(std::span(&head, 1))); !status)
      return status.error();
    at += sizeof head;
    if (head.key != key || head.directory_bytes > *size - at - pack::kBlockBytes) break;
    pack::PackEnd end;
    end.slot.resize(pack::kBlockBytes);
    end.directory.resize(head.directory_bytes);
    if (Status status = journal.file_.read_at(at, end.slot); !status) return status.error();
    at += pack::kBlockBytes;
    if (Status status = journal.file_.read_at(at, end.directory); !status) return status.error();
    if (hash_of(head, end) != head.hash) break;
    const auto reader = pack::PackReader::open(end.slot, end.directory, head.directory_position + head.directory_bytes);
    if (!reader) break;
    for (uint32_t i = 0; i < reader->size(); ++i) journal.assets_.push_back(pack::asset_of(*reader, reader->entry(i)));
    journal.end_ = at + head.directory_bytes;
  }
  std::ranges::sort(journal.assets_, {}, &pack::Asset::path);
  return journal;
}

Status PackJournal::begin(std::span<const pack::Asset> assets) {
  end_ = 0;
  if (Status status = file_.truncate(0); !status) return status;
  return append(assets);
}

Status PackJournal::append(std::span<const pack::Asset> assets) {
  if (assets.empty()) return {};
  uint64_t payload_end = 0;
  for (const pack::Asset& asset : assets)
    if (!asset.ranges.empty())
      payload_end = std::max(payload_end, asset.ranges.front().position + asset.stored_bytes());
  const Result<pack::PackEnd> end = pack::end_pack(assets, payload_end);
  if (!end) return end.status();
  ChunkHead head{key_, end->directory_position, end->directory.size(), 0};
  head.hash = hash_of(head, *end);
  const auto head_bytes = std::as_bytes(std::span(&head, 1));
  for (const std::span<const std::byte> part :
       {head_bytes, std::span<const std::byte>(end->slot), std::span<const std::byte>(end->directory)}) {
    if (Status status = file_.write_at(end_, part); !status) return status;
    end_ += part.size();
  }
  return file_.sync();
}

}  // namespace gstd_tool
