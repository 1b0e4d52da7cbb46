// SPDX-License-Identifier: MIT OR Apache-2.0
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "decode_cases.hpp"
#include "support/parallel.hpp"

namespace weft::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<std::byte>;

// A call on the CPU into memory that is kept, and what it left there.
class HostCase : public DecodeCase {
 public:
  HostCase(const char* primitive, const DecodeInput& input, const DecodeSlice& slice, const std::string& variant)
      : DecodeCase(primitive, input, slice, 1, variant) {}

  bool is_on_host() const final { return true; }
  double run_on_host(ItemSource&, uint64_t) final {
    const auto start = Clock::now();
    good_ = decode(output_) && good_;
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  Status prepare(Gpu&) final {
    output_.resize(copy_bytes());
    good_ = encode();
    return {};
  }
  void release() final { output_ = {}; }
  Status record(VkCommandBuffer, const CaseBuffers&, uint64_t) const final { return {}; }
  Verdict verify(GpuOutputs&, ItemSource&, uint64_t) const final {
    return good_ ? compare(output_, content(), 0) : wrong(0, "content", "an error");
  }

 private:
  virtual bool encode() = 0;
  virtual bool decode(Bytes& output) = 0;

  Bytes output_;
  bool good_ = false;
};

class CpuGstdCase final : public HostCase {
 public:
  CpuGstdCase(const DecodeInput& input, const DecodeSlice& slice, uint32_t threads)
      : HostCase("cpu_gstd", input, slice,
                 fmt::format("threads={} level={} tile={}", threads, input.level, input.tile_bytes)) {
    config_.threads = threads;
  }
  uint64_t compressed_bytes() const override { return bench::compressed_bytes(input(), slice()); }

 private:
  bool encode() override { return true; }
  bool decode(Bytes& output) override {
    return gstd::decompress_range(input().stream, slice().begin, output, config_).ok();
  }

  gstd::DecompressConfig config_;
};

class CpuZstdCase final : public HostCase {
 public:
  CpuZstdCase(const DecodeInput& input, const DecodeSlice& slice, uint32_t threads, int level)
      : HostCase("cpu_zstd", input, slice,
                 fmt::format("threads={} level={} tile={}", threads, level, input.tile_bytes)),
        threads_(threads),
        level_(level) {}
  uint64_t compressed_bytes() const override {
    uint64_t bytes = 0;
    for (const Bytes& chunk : chunks_) bytes += chunk.size() + 4;
    return bytes;
  }

 private:
  struct Part {
    uint64_t at, bytes;
  };
  Part part(uint64_t chunk) const {
    const uint64_t at = chunk * input().tile_bytes;
    return {at, std::min<uint64_t>(input().tile_bytes, copy_bytes() - at)};
  }

  bool encode() override {
    if (chunks_.empty()) chunks_ = zstd_pieces(content(), input().tile_bytes, level_);
    return !chunks_.empty();
  }
  // Each thread its part of the chunks, with a context of its own.
  bool decode(Bytes& output) override {
    std::atomic<bool> good = true;
    for_each_block(threads_, [&](uint64_t thread) {
      const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> decoder(ZSTD_createDCtx(), ZSTD_freeDCtx);
      for (uint64_t chunk = chunks_.size() * thread / threads_; chunk < chunks_.size() * (thread + 1) / threads_;
           ++chunk) {
        const Part to = part(chunk);
        const size_t size =
            ZSTD_decompressDCtx(decoder.get(), &output[to.at], to.bytes, chunks_[chunk].data(), chunks_[chunk].size());
        if (size != to.bytes) good = false;
      }
    });
    return good;
  }

  uint32_t threads_;
  int level_;
  std::vector<Bytes> chunks_;
};

}  // namespace

void add_host_cases(const DecodeInput& input, int level, DecodeCases& cases) {
  const DecodeSlice all = slice_of(input, 0, input.content.size());
  const uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
  for (const uint32_t threads : {1u, cores}) cases.push_back(std::make_unique<CpuGstdCase>(input, all, threads));
  for (const uint32_t threads : {1u, cores}) cases.push_back(std::make_unique<CpuZstdCase>(input, all, threads, level));
}

}  // namespace weft::bench
