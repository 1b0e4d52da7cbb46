// SPDX-License-Identifier: MIT OR Apache-2.0
// nvCOMP's decoder of zstd, on frames and in rows as weft-bench decode --zstd has them. See README.md here.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <nvcomp/version.h>
#include <nvcomp/zstd.h>
#include <zstd.h>
#include <nlohmann/json.hpp>

#include "peers/cuda_peer.hpp"
#include "support/item_source.hpp"
#include "support/parallel.hpp"
#include "support/report.hpp"
#include "support/sampling.hpp"

namespace weft::bench {
namespace {

#define NVCOMP_CHECK(call)                                                                         \
  do {                                                                                             \
    if (const nvcompStatus_t nvcomp_check_status = (call); nvcomp_check_status != nvcompSuccess) { \
      std::fprintf(stderr, "nvcomp-bench: %s: status %d\n", #call, int(nvcomp_check_status));      \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

using Bytes = std::vector<std::byte>;

struct Options {
  std::vector<std::string> files;
  std::vector<int> levels{3, 19};
  std::vector<uint64_t> tile_bytes{65536};
  uint32_t copies = 8;
  uint32_t repeats = 15;
  bool single_tile = false;
  std::string json;
};

/// Memory of the device.
class Buffer {
 public:
  explicit Buffer(uint64_t bytes) { CUDA_CHECK(cudaMalloc(&memory_, std::max<uint64_t>(bytes, 1))); }
  template <class T>
  explicit Buffer(const std::vector<T>& items) : Buffer(items.size() * sizeof(T)) {
    CUDA_CHECK(cudaMemcpy(memory_, items.data(), items.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cudaFree(memory_); }
  template <class T = void>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
};

std::vector<Bytes> frames_of(const Bytes& content, uint64_t piece_bytes, int level) {
  std::vector<Bytes> frames((content.size() + piece_bytes - 1) / piece_bytes);
  for_each_block(frames.size(), [&](uint64_t piece) {
    const uint64_t at = piece * piece_bytes, size = std::min<uint64_t>(piece_bytes, content.size() - at);
    Bytes& frame = frames[piece];
    frame.resize(ZSTD_compressBound(size));
    frame.resize(ZSTD_compress(frame.data(), frame.size(), content.data() + at, size, level));
  });
  return frames;
}

/// Frames on the device, each decoded `copies` times to places of its own.
class Decode {
 public:
  Decode(const Bytes& content, const std::vector<Bytes>& frames, uint64_t piece_bytes, uint32_t copies,
         cudaStream_t stream)
      : content_(content), copies_(copies), count_(frames.size() * copies), output_(content.size() * copies) {
    constexpr uint64_t kAlignment = 16;
    Bytes source;
    std::vector<uint64_t> places;
    for (const Bytes& frame : frames) {
      places.push_back(source.size());
      source.insert(source.end(), frame.begin(), frame.end());
      source.resize((source.size() + kAlignment - 1) / kAlignment * kAlignment);
      compressed_ += frame.size();
    }
    source_.emplace(source.size() * copies);
    std::vector<const void*> from;
    std::vector<void*> to;
    std::vector<size_t> bytes, room;
    for (uint32_t copy = 0; copy < copies; ++copy) {
      std::byte* base = source_->as<std::byte>() + copy * source.size();
      CUDA_CHECK(cudaMemcpy(base, source.data(), source.size(), cudaMemcpyHostToDevice));
      for (size_t i = 0; i < frames.size(); ++i) {
        from.push_back(base + places[i]);
        to.push_back(output_.as<std::byte>() + copy * content.size() + i * piece_bytes);
        bytes.push_back(frames[i].size());
        room.push_back(std::min<uint64_t>(piece_bytes, content.size() - i * piece_bytes));
      }
    }
    from_.emplace(from);
    to_.emplace(to);
    bytes_.emplace(bytes);
    room_.emplace(room);
    sizes_.emplace(count_ * sizeof(size_t));
    statuses_.emplace(count_ * sizeof(nvcompStatus_t));
    NVCOMP_CHECK(nvcompBatchedZstdDecompressGetTempSize(count_, piece_bytes, nvcompBatchedZstdDecompressDefaultOpts,
                                                        &scratch_bytes_, content.size() * copies, stream));
    scratch_.emplace(scratch_bytes_);
  }

  void run(cudaStream_t stream) const {
    NVCOMP_CHECK(nvcompBatchedZstdDecompressAsync(from_->as<const void*>(), bytes_->as<size_t>(), room_->as<size_t>(),
                                                  sizes_->as<size_t>(), count_, scratch_->as(), scratch_bytes_,
                                                  to_->as<void*>(), nvcompBatchedZstdDecompressDefaultOpts,
                                                  statuses_->as<nvcompStatus_t>(), stream));
  }

  bool is_right() const {
    CUDA_CHECK(cudaDeviceSynchronize());
    Bytes got(content_.size());
    for (uint32_t copy = 0; copy < copies_; ++copy) {
      CUDA_CHECK(
          cudaMemcpy(got.data(), output_.as<std::byte>() + copy * got.size(), got.size(), cudaMemcpyDeviceToHost));
      if (got != content_) return false;
    }
    return true;
  }

  uint64_t compressed() const { return compressed_; }

 private:
  const Bytes& content_;
  uint32_t copies_;
  uint64_t count_;
  uint64_t compressed_ = 0;
  size_t scratch_bytes_ = 0;
  Buffer output_;
  std::optional<Buffer> source_, from_, to_, bytes_, room_, sizes_, statuses_, scratch_;
};

class Measurement {
 public:
  explicit Measurement(const Options& options) : options_(options) {
    CUDA_CHECK(cudaStreamCreate(&stream_));
    CUDA_CHECK(cudaEventCreate(&begin_));
    CUDA_CHECK(cudaEventCreate(&end_));
  }

  bool run(const std::string& data, const Bytes& content, uint64_t tile_bytes, uint32_t copies, const char* note) {
    bool good = true;
    for (const int level : options_.levels) {
      const Decode decode(content, frames_of(content, tile_bytes, level), tile_bytes, copies, stream_);
      Row row{.primitive = "zstd_decode",
              .variant = "data=" + data + " copies=" + std::to_string(copies) + " level=" + std::to_string(level) +
                         " tile=" + std::to_string(tile_bytes) + note,
              .type = "u8",
              .n = content.size() * copies,
              .data = data,
              .strategy = "nvcomp"};
      decode.run(stream_);
      row.verified = decode.is_right();
      row.verification = Verification::full;
      row.failed = !row.verified;
      if (row.verified) {
        const auto samples = take_samples(
            {.repeats = options_.repeats, .warm_up_ms = 200, .largest_batch = 8}, 5,
            [&](uint32_t count) { return std::optional(times(decode, count)); }, [] { return true; });
        row.ms = summarize(*samples);
        row.gbps = gbps_of(row.n, row.ms->median);
      } else {
        row.problem = "WRONG";
      }
      good = good && row.verified;
      std::printf("%-60s %9.4f ms %7.1f GB/s  ratio %.3f%s\n", row.variant.c_str(), row.ms ? row.ms->median : 0,
                  row.gbps, double(content.size()) / double(decode.compressed()), row.failed ? "  WRONG" : "");
      std::fflush(stdout);
      compressed_.push_back(decode.compressed());
      rows_.push_back(std::move(row));
    }
    return good;
  }

  nlohmann::ordered_json report() const {
    nlohmann::ordered_json head{{"schema", 1}, {"weft_version", nullptr}, {"commit", nullptr}};
    head["peer"] = "nvCOMP " + std::to_string(NVCOMP_VER_MAJOR) + '.' + std::to_string(NVCOMP_VER_MINOR);
    head["device"] = cuda_device_json();
    auto report = report_json(std::move(head), "device", rows_);
    for (size_t i = 0; i < report["results"].size(); ++i) report["results"][i]["compressed_bytes"] = compressed_[i];
    return report;
  }

 private:
  std::vector<double> times(const Decode& decode, uint32_t count) const {
    std::vector<double> ms;
    for (uint32_t i = 0; i < count; ++i) {
      CUDA_CHECK(cudaEventRecord(begin_, stream_));
      decode.run(stream_);
      CUDA_CHECK(cudaEventRecord(end_, stream_));
      CUDA_CHECK(cudaEventSynchronize(end_));
      float one = 0;
      CUDA_CHECK(cudaEventElapsedTime(&one, begin_, end_));
      ms.push_back(one);
    }
    return ms;
  }

  const Options& options_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::vector<Row> rows_;
  std::vector<uint64_t> compressed_;
};

[[noreturn]] void usage(int status) {
  std::fputs(
      "nvcomp-bench FILE... [--zstd LEVEL,...] [--tile-bytes N,...] [--copies N] [--single-tile] [--repeats N]\n"
      "             [--json FILE|-]\n"
      "nvCOMP's zstd in the rows of weft-bench decode, of the content of files.\n",
      status == 0 ? stdout : stderr);
  std::exit(status);
}

template <class T>
std::vector<T> numbers(const std::string& text) {
  std::vector<T> list;
  for (size_t at = 0; at <= text.size();) {
    const size_t next = std::min(text.find(',', at), text.size());
    list.push_back(static_cast<T>(std::strtoull(text.substr(at, next - at).c_str(), nullptr, 10)));
    if (list.back() == 0) usage(2);
    at = next + 1;
  }
  return list;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) usage(2);
      return argv[++i];
    };
    if (name == "--zstd")
      options.levels = numbers<int>(value());
    else if (name == "--tile-bytes")
      options.tile_bytes = numbers<uint64_t>(value());
    else if (name == "--copies")
      options.copies = numbers<uint32_t>(value())[0];
    else if (name == "--repeats")
      options.repeats = numbers<uint32_t>(value())[0];
    else if (name == "--single-tile")
      options.single_tile = true;
    else if (name == "--json")
      options.json = value();
    else if (name.starts_with("-"))
      usage(name == "--help" ? 0 : 2);
    else
      options.files.push_back(name);
  }
  if (options.files.empty()) usage(2);
  return options;
}

int run(const Options& options) {
  Measurement measurement(options);
  bool good = true;
  for (const std::string& file : options.files) {
    auto content = read_file(file, UINT64_MAX);
    if (!content || content->empty()) {
      std::fprintf(stderr, "nvcomp-bench: %s cannot be read, or is empty\n", file.c_str());
      return 1;
    }
    const std::string data = std::filesystem::path(file).stem().string();
    for (const uint64_t tile : options.tile_bytes) {
      good = measurement.run(data, *content, tile, options.copies, "") && good;
      if (!options.single_tile) continue;
      const uint64_t at = content->size() / tile / 2 * tile;
      const Bytes one(content->begin() + at, content->begin() + std::min<uint64_t>(at + tile, content->size()));
      good = measurement.run(data, one, tile, 1, " slice=tile") && good;
    }
  }
  if (options.json.empty()) return good ? 0 : 1;
  const Status status = write_text(options.json, measurement.report().dump(1) + '\n');
  if (!status) std::fprintf(stderr, "nvcomp-bench: %s\n", status.error().message.c_str());
  return good && status ? 0 : 1;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) { return weft::bench::run(weft::bench::parse(argc, argv)); }
