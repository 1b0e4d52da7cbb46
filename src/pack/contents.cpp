// SPDX-License-Identifier: MIT OR Apache-2.0
// What a PackReader reads of assets.
#include <algorithm>
#include <memory>
#include <utility>

#include "gstd/guarded.hpp"
#include "pack/hash.hpp"
#include "pack/reader_state.hpp"

namespace weft::pack {
namespace {

constexpr size_t kReadBytes = 1u << 20;

// Reads the content of a range, at any position.
class RangeReader {
 public:
  static Result<RangeReader> open(const ReadAt& read, const Entry& entry, const Range& range,
                                  const ReadConfig& config) {
    RangeReader reader;
    reader.read_ = [&read, at = range.position](uint64_t position, std::span<std::byte> to) {
      return read(at + position, to);
    };
    reader.range_ = range;
    reader.path_ = entry.path;
    reader.verdict_ = config.verdict;
    if (range.coding == Coding::raw) return reader;
    gstd::DecompressConfig decompress;
    decompress.threads = config.threads;
    reader.stream_verdict_ = std::make_unique<gstd::Verdict>();
    decompress.verdict = reader.stream_verdict_.get();
    decompress.max_content = content_of(entry, range);
    auto stream = gstd::Reader::open(reader.read_, range.stored_bytes, decompress);
    if (!stream) return reader.refuse(stream.error());
    if (stream->info().content_bytes != content_of(entry, range))
      return error_of({Fault::bad_stream, range.position, reader.path_ + ": its stream has another size"},
                      config.verdict);
    reader.stream_ = *std::move(stream);
    return reader;
  }

  Status read(uint64_t first, std::span<std::byte> to) {
    if (!stream_) return read_(first, to);
    const Status status = stream_->read(first, to);
    return status ? status : Status(refuse(status.error()));
  }

 private:
  // The stream's faults, with their position in the pack.
  Error refuse(const Error& error) const {
    if (stream_verdict_->fault == gstd::Fault::none) return error;
    return error_of(
        {Fault::bad_stream, range_.position + stream_verdict_->position, path_ + ": its stream, " + error.message},
        verdict_);
  }

  ReadAt read_;
  Range range_;
  std::string path_;
  Verdict* verdict_ = nullptr;
  std::unique_ptr<gstd::Verdict> stream_verdict_;
  std::optional<gstd::Reader> stream_;
};

}  // namespace

Status PackReader::State::read_whole(const Entry& entry, const Sink& sink, const ReadConfig& config) const {
  if (entry.range_count == 0) return {};
  const Range first = directory.range(entry.first_range);
  std::vector<std::pair<Range, RangeReader>> parts;
  for (uint32_t i = 0; i < entry.range_count; ++i) {
    const Range range = directory.range(entry.first_range + i);
    auto reader = RangeReader::open(read, entry, range, config);
    if (!reader) return reader.status();
    parts.emplace_back(range, *std::move(reader));
  }
  std::ranges::sort(parts, {}, [](const auto& part) { return part.first.content_offset; });

  RunningHash hash;
  std::vector<std::byte> room(std::min<uint64_t>(entry.content_bytes, kReadBytes * std::max(config.threads, 1u)));
  const auto pass = [&](std::pair<Range, RangeReader>& part, uint64_t from) -> Status {
    for (uint64_t at = 0; at < part.first.slice_bytes;) {
      const auto piece = std::span(room).first(std::min<uint64_t>(room.size(), part.first.slice_bytes - at));
      if (Status status = part.second.read(from + at, piece); !status) return status;
      hash.add(piece);
      if (Status status = sink(piece); !status) return status;
      at += piece.size();
    }
    return {};
  };
  if (Status status = pass(parts.front(), 0); !status) return status;
  for (uint32_t slice = 0; slice < entry.slices; ++slice)
    for (size_t i = 1; i < parts.size(); ++i)
      if (Status status = pass(parts[i], slice * parts[i].first.slice_bytes); !status) return status;
  if (hash.value() != entry.content_hash)
    return error_of({Fault::content_hash, first.position, std::string(entry.path) + ": its content is damaged"},
                    config.verdict);
  return {};
}

Status PackReader::extract(const Entry& entry, const Sink& sink, const ReadConfig& config) const noexcept {
  if (config.verdict != nullptr) *config.verdict = {};
  return gstd::guarded([&] { return state_->read_whole(entry, sink, config); });
}

Status PackReader::extract(const Entry& entry, const Range& range, std::span<std::byte> output,
                           const ReadConfig& config) const noexcept {
  if (config.verdict != nullptr) *config.verdict = {};
  return gstd::guarded([&]() -> Status {
    if (output.size() != content_of(entry, range))
      return Error{ErrorCode::invalid_argument, "pack: the output has not the size of the range's content"};
    auto reader = RangeReader::open(state_->read, entry, range, config);
    if (!reader) return reader.status();
    return reader->read(0, output);
  });
}

Status PackReader::read_stored(const Entry& entry, const Sink& sink, const ReadConfig& config) const noexcept {
  if (config.verdict != nullptr) *config.verdict = {};
  return gstd::guarded([&]() -> Status {
    std::vector<std::byte> room(std::max<uint64_t>(kBlockBytes, std::min<uint64_t>(entry.stored_bytes, kReadBytes)));
    uint64_t end = entry.position;
    for (uint32_t i = 0; i < entry.range_count; ++i) {
      const Range stored = range(entry, i);
      for (uint64_t gap = stored.position - end; gap > 0;) {
        const auto zeros = std::span(room).first(std::min<uint64_t>(room.size(), gap));
        std::ranges::fill(zeros, std::byte{0});
        if (Status status = sink(zeros); !status) return status;
        gap -= zeros.size();
      }
      RunningHash hash;
      for (uint64_t at = 0; at < stored.stored_bytes;) {
        const auto piece = std::span(room).first(std::min<uint64_t>(room.size(), stored.stored_bytes - at));
        if (Status status = state_->read(stored.position + at, piece); !status) return status;
        hash.add(piece);
        if (Status status = sink(piece); !status) return status;
        at += piece.size();
      }
      if (hash.value() != stored.stored_hash)
        return error_of({Fault::stored_hash, stored.position, std::string(entry.path) + ": stored bytes are damaged"},
                        config.verdict);
      end = stored.position + stored.stored_bytes;
    }
    return {};
  });
}

}  // namespace weft::pack
