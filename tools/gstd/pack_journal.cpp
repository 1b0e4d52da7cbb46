// SPDX-License-Identifier: MIT OR Apache-2.0
#include "pack_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

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

// Or one of an asset that is not finished: then the key's bits are inverted.
struct PartChunk {
  uint64_t key = 0, path_hash = 0, position = 0, content_bytes = 0;
  uint64_t coding = 0, done_bytes = 0, done_hash = 0, stored_bytes = 0, stored_hash = 0;
  uint64_t hash = 0;  // of what precedes it
};

uint64_t hash_of(const PartChunk& chunk) {
  return pack::hash_of(std::as_bytes(std::span(&chunk, 1)).first(offsetof(PartChunk, hash)));
}

PackPart part_of(const PartChunk& chunk) {
  return {chunk.path_hash,
          chunk.position,
          chunk.content_bytes,
          {static_cast<pack::Coding>(chunk.coding), chunk.done_bytes, chunk.done_hash, chunk.stored_bytes,
           chunk.stored_hash}};
}

}  // namespace

Result<PackJournal> PackJournal::open(const std::string& path, uint64_t key) {
  Result<PackFile> file = PackFile::open(path, true);
  if (!file) return file.error();
  const Result<uint64_t> size = file->size();
  if (!size) return size.error();
  PackJournal journal(*std::move(file), key);
  Status status;
  while (journal.read_assets(*size, status) || journal.read_part(*size, status)) continue;
  if (!status) return status.error();
  std::ranges::sort(journal.assets_, {}, &pack::Asset::path);
  return journal;
}

// Reads the next chunk, if it is one of assets.
bool PackJournal::read_assets(uint64_t file_bytes, Status& status) {
  ChunkHead head;
  if (!status || file_bytes - end_ < sizeof head + pack::kBlockBytes) return false;
  uint64_t at = end_;
  if (status = file_.read_at(at, std::as_writable_bytes(std::span(&head, 1))); !status) return false;
  at += sizeof head;
  if (head.key != key_ || head.directory_bytes > file_bytes - at - pack::kBlockBytes) return false;
  pack::PackEnd end;
  end.slot.resize(pack::kBlockBytes);
  end.directory.resize(head.directory_bytes);
  if (status = file_.read_at(at, end.slot); !status) return false;
  at += pack::kBlockBytes;
  if (status = file_.read_at(at, end.directory); !status) return false;
  if (hash_of(head, end) != head.hash) return false;
  const auto reader = pack::PackReader::open(end.slot, end.directory, head.directory_position + head.directory_bytes);
  if (!reader) return false;
  for (uint32_t i = 0; i < reader->size(); ++i) assets_.push_back(pack::asset_of(*reader, reader->entry(i)));
  end_ = at + head.directory_bytes;
  part_.reset();
  return true;
}

bool PackJournal::read_part(uint64_t file_bytes, Status& status) {
  PartChunk chunk;
  if (!status || file_bytes - end_ < sizeof chunk) return false;
  if (status = file_.read_at(end_, std::as_writable_bytes(std::span(&chunk, 1))); !status) return false;
  if (chunk.key != ~key_ || chunk.hash != hash_of(chunk)) return false;
  part_ = part_of(chunk);
  end_ += sizeof chunk;
  return true;
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

Status PackJournal::append(const PackPart& part) {
  const pack::Checkpoint& done = part.done;
  PartChunk chunk{~key_,
                  part.path_hash,
                  part.position,
                  part.content_bytes,
                  static_cast<uint64_t>(done.coding),
                  done.content_bytes,
                  done.content_hash,
                  done.stored_bytes,
                  done.stored_hash,
                  0};
  chunk.hash = hash_of(chunk);
  const auto bytes = std::as_bytes(std::span(&chunk, 1));
  if (Status status = file_.write_at(end_, bytes); !status) return status;
  end_ += bytes.size();
  return file_.sync();
}

}  // namespace gstd_tool
