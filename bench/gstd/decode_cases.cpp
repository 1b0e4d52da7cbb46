// SPDX-License-Identifier: MIT OR Apache-2.0
#include "decode_cases.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

// Push constants of the decoder, and the codec's own filters.
#include "decode/decode_table.h"
#include "filters.hpp"
#include "format.hpp"

namespace weft::bench {
namespace {

// Arrays of different cases are never taken for one another's.
uint64_t next_array_id() {
  static uint64_t id = uint64_t{1} << 63;
  return id++;
}

// Distinguishes a call's arrays of equal bytes, one for each copy, that are to lie a stride apart.
Status check_stride(std::span<const BufferRange> ranges, uint64_t stride) {
  for (size_t copy = 0; copy < ranges.size(); ++copy)
    if (ranges[copy].offset != ranges[0].offset + copy * stride)
      return Error{ErrorCode::invalid_argument, "the copies do not lie one after the other"};
  return {};
}

class CopyOfOutputCase final : public DecodeCase {
 public:
  CopyOfOutputCase(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies, const std::string& note)
      : DecodeCase("copy", input, slice, copies, fmt::format("copies={}{}", copies, note)) {}

  Status prepare(Gpu& gpu) override { return assign(kernel_, create_copy(gpu)); }
  void release() override { kernel_.reset(); }
  Arrays inputs(ItemSource&, uint64_t) const override { return {copies(), HostArray{content(), id_}}; }
  Sizes outputs(uint64_t) const override { return {output_bytes()}; }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    if (Status status = check_stride(buffers.inputs, output_stride()); !status) return status;
    record_copy(*kernel_, commands, buffers.inputs[0], buffers.outputs[0], n < sizes().back() ? n : output_bytes());
    return {};
  }
  Verdict verify(GpuOutputs& found, ItemSource&, uint64_t) const override {
    return verify_copies(found.gpu(), found.range(0), content());
  }

 private:
  uint64_t id_ = next_array_id();
  std::optional<Kernel> kernel_;
};

std::string order_note(const DecodeOptions& options) { return options.largest_first ? "" : " order=content"; }

// Decodes by a table of entries, whose source is the words of each copy. The second output has 1 + entries verdicts.
template <class Decoder, class Entry>
class TableDecodeCase : public DecodeCase {
 public:
  TableDecodeCase(const char* primitive, const DecodeInput& input, const DecodeSlice& slice, uint32_t copies,
                  const DecodeOptions& options, const std::string& variant, const std::string& note)
      : DecodeCase(primitive, input, slice, copies,
                   fmt::format("copies={}{}{}{}{}", copies, variant,
                               options.in_flight[0] == 0 ? "" : fmt::format(" in_flight={}", options.in_flight[0]),
                               order_note(options), note)),
        options_(options) {}

  void release() override {
    decoder_.reset();
    table_ = {};
  }
  Arrays inputs(ItemSource&, uint64_t) const override {
    Arrays arrays(copies(), HostArray{source(), source_id_});
    arrays.push_back({std::as_bytes(std::span(table_)), table_id_});
    return arrays;
  }
  Sizes outputs(uint64_t) const override { return {output_bytes(), sizeof(uint32_t) * (1 + table_.size())}; }
  uint64_t scratch_size(uint64_t) const override {
    if constexpr (requires { decoder_->scratch_size(table_.size()); }) return decoder_->scratch_size(table_.size());
    return 0;
  }
  Verdict verify(GpuOutputs& found, ItemSource&, uint64_t) const override {
    std::vector<uint32_t> status(1 + table_.size());
    const Status read = found.gpu().download(found.range(1), std::as_writable_bytes(std::span(status)));
    if (!read) return read.error();
    for (size_t entry = 0; entry < table_.size(); ++entry)
      if (status[1 + entry] != 0) return wrong(entry, "content that is decoded", refusal(status[1 + entry]));
    return verify_output(found.gpu(), found.range(0));
  }

 protected:
  virtual std::span<const std::byte> source() const = 0;
  virtual std::string refusal(uint32_t status) const = 0;
  virtual Verdict verify_output(Gpu& gpu, const BufferRange& range) const {
    return verify_copies(gpu, range, content());
  }

  // The words of all copies.
  Result<BufferRange> source_range(const CaseBuffers& buffers) const {
    const auto sources = std::span(buffers.inputs).first(copies());
    const uint64_t bytes = source().size();
    if (Status status = check_stride(sources, stride_of(bytes)); !status) return status.error();
    return BufferRange{sources[0].buffer, sources[0].offset, stride_of(bytes) * (copies() - 1) + bytes};
  }

  DecodeOptions options_;
  std::optional<Decoder> decoder_;
  std::vector<Entry> table_;

 private:
  uint64_t source_id_ = next_array_id(), table_id_ = next_array_id();
};

// The tiles of a slice, of all copies.
template <class Decoder>
class GstdTilesCase : public TableDecodeCase<Decoder, GstdTile> {
  using Base = TableDecodeCase<Decoder, GstdTile>;

 public:
  GstdTilesCase(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies, const DecodeOptions& options,
                const std::string& stage, const std::string& note)
      : Base("gstd_decode", input, slice, copies, options,
             fmt::format("{} level={} tile={} filters={}{}", stage, input.level, input.tile_bytes,
                         input.level == "given" ? "given" : options.filters,
                         options.checksums && input.checksums ? "" : " checksums=off"),
             note) {}

  uint64_t compressed_bytes() const override { return bench::compressed_bytes(this->input(), this->slice()); }

 protected:
  std::span<const GstdTile> tiles() const {
    return std::span(this->input().tiles).subspan(this->slice().first_tile, this->slice().tiles());
  }

  void make_table() {
    for (uint64_t copy = 0; copy < this->copies(); ++copy)
      for (GstdTile tile : tiles()) {
        tile.source += copy * Base::stride_of(source().size()) - tiles()[0].source;
        tile.output += copy * this->output_stride() - this->slice().begin;
        this->table_.push_back(tile);
      }
    if (this->options_.largest_first) gstd_largest_first(this->table_);
  }

  // As many tiles as make so many bytes, and one at least.
  uint64_t tiles_in(uint64_t n) const {
    uint64_t count = 0;
    for (uint64_t bytes = 0; count < this->table_.size(); ++count) {
      bytes += this->table_[count].bytes;
      if (bytes > n) break;
    }
    return std::max<uint64_t>(count, 1);
  }

 protected:
  // The slice's words, with whatever headers lie between them.
  std::span<const std::byte> source() const override {
    const GstdTile& last = tiles().back();
    const uint64_t bytes = last.source + 4 * uint64_t{last.words} - tiles()[0].source;
    return std::span(this->input().stream).subspan(tiles()[0].source, bytes);
  }

 private:
  std::string refusal(uint32_t status) const override {
    return fmt::format("{} at word {}", name_of(GstdRefusal{status & 0xff}), status >> 8);
  }
};

class GstdDecodeCase final : public GstdTilesCase<GstdDecode> {
 public:
  GstdDecodeCase(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies, const DecodeOptions& options,
                 const std::string& note)
      : GstdTilesCase(input, slice, copies, options, "", note) {}

  Status prepare(Gpu& gpu) override {
    GstdDecodeConfig config;
    config.tile_bytes = input().tile_bytes;
    config.verify = options_.checksums && input().checksums;
    config.tiles_in_flight = options_.in_flight[0];
    make_table();
    return assign(decoder_, GstdDecode::create(gpu.context(), config));
  }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    const auto source = source_range(buffers);
    if (!source) return source.error();
    return decoder_->record(commands, {.tiles = buffers.inputs.back(),
                                       .tile_count = tiles_in(n),
                                       .source = *source,
                                       .output = buffers.outputs[0],
                                       .status = buffers.outputs[1],
                                       .scratch = buffers.scratch,
                                       .only_whole = std::ranges::all_of(table_, [](const GstdTile& tile) {
                                         return (tile.output | tile.bytes) % 4 == 0;
                                       })});
  }
};

// The kernels of shaders/gstd_stage.comp, for all tiles at once.
struct GstdStages {
  Kernel entropy, copy;
  uint32_t workgroup = 0, slot_bytes = 0;

  uint64_t scratch_size(uint64_t tiles) const { return tiles * slot_bytes; }

  static Result<GstdStages> create(const Gpu& gpu, uint32_t tile_bytes) {
    constexpr uint32_t kNvidia = 0x10de;
    const uint32_t subgroup = gpu.context().subgroup_size();
    const bool packs = gpu.context().subgroup_backend() == SubgroupBackend::native && subgroup == 32;
    const uint32_t workgroup = packs ? 128 : std::max(32u, subgroup);
    const auto kernel = [&](uint32_t stage) {
      return Kernel::create(gpu, "gstd_stage", sizeof(shader::DecodePush),
                            KernelShape{workgroup, {gpu.info().vendor_id == kNvidia ? 1u : 0u, stage}});
    };
    auto entropy = kernel(0), copy = kernel(1);
    if (!entropy) return entropy.error();
    if (!copy) return copy.error();
    // Of up to 1,024 blocks 32 bytes, and 16 KiB for tables.
    return GstdStages{*std::move(entropy), *std::move(copy), workgroup, 3 * tile_bytes + 32 * 1024 + 16384};
  }
};

// A stage of the decoder's first dispatch by itself, without the second. The first call of a copy makes what it copies.
class GstdStageCase final : public GstdTilesCase<GstdStages> {
 public:
  GstdStageCase(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies, const DecodeOptions& options,
                const std::string& stage, const std::string& note)
      : GstdTilesCase(input, slice, copies, options, " stage=" + stage, note), copies_bytes_(stage == "copy") {}

  Status prepare(Gpu& gpu) override {
    make_table();
    is_made_ = false;
    return assign(decoder_, GstdStages::create(gpu, input().tile_bytes));
  }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    const auto source = source_range(buffers);
    if (!source) return source.error();
    shader::DecodePush push{};
    push.entries = decoder_->entropy.address_of(buffers.inputs.back());
    push.source = decoder_->entropy.address_of(*source);
    push.source_bytes = source->size;
    push.outputs = decoder_->entropy.address_of(buffers.outputs[0]);
    push.output_bytes = buffers.outputs[0].size;
    push.status = decoder_->entropy.address_of(buffers.outputs[1]);
    push.scratch = decoder_->entropy.address_of(buffers.scratch);
    push.maximum = push.slots = static_cast<uint32_t>(is_made_ ? tiles_in(n) : table_.size());
    push.max_bytes = input().tile_bytes;
    push.region_bytes = decoder_->slot_bytes;
    const uint64_t workgroups = (uint64_t{push.slots} * 32 + decoder_->workgroup - 1) / decoder_->workgroup;
    if (!copies_bytes_ || !is_made_) decoder_->entropy.record(commands, push, workgroups);
    if (copies_bytes_ && !is_made_) decoder_->entropy.barrier(commands);
    if (copies_bytes_) decoder_->copy.record(commands, push, workgroups);
    is_made_ = true;
    return {};
  }

 private:
  // Of the copy stage, compares the bytes of tiles that are coded with the content before filters are inverted.
  Verdict verify_output(Gpu& gpu, const BufferRange& range) const override {
    std::vector<std::byte> found(output_bytes()), filtered(input().tile_bytes), scratch(input().tile_bytes);
    if (!copies_bytes_) return right();
    if (const Status read = gpu.download(range, found); !read) return read.error();
    for (const GstdTile& tile : table_) {
      if (tile.kind != GstdTileKind::compressed) continue;
      std::array<uint32_t, 2> words;
      std::memcpy(words.data(), source().data() + tile.source % stride_of(source().size()), sizeof words);
      const gstd::TileHeader header = gstd::TileHeader::unpack(words[0], words[1]);
      const auto expected = std::span(filtered).first(tile.bytes);
      gstd::apply_filter({gstd::Filter{header.filter}, header.stride, header.row_words},
                         content().subspan(tile.output % output_stride(), tile.bytes), expected,
                         std::span(scratch).first(tile.bytes));
      if (Verdict verdict = compare(std::span(found).subspan(tile.output, tile.bytes), expected, tile.output);
          !verdict || *verdict)
        return verdict;
    }
    return right();
  }

  bool copies_bytes_;
  mutable bool is_made_ = false;
};

// A file of zstd as it is, or a slice compressed to a frame a tile.
class ZstdDecodeCase final : public TableDecodeCase<ZstdDecode, ZstdFrame> {
 public:
  ZstdDecodeCase(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies, std::optional<int> level,
                 const DecodeOptions& options, const std::string& note)
      : TableDecodeCase("zstd_decode", input, slice, copies, options,
                        level ? fmt::format(" level={} tile={}", *level, input.tile_bytes) : " given", note),
        level_(level) {}

  uint64_t compressed_bytes() const override { return stream_.bytes.size(); }
  uint64_t scratch_size(uint64_t) const override { return decoder_->scratch_size(table_.size(), bounds_); }
  uint64_t items_of_call(uint64_t n) const override {
    uint64_t bytes = 0;
    for (const ZstdFrame& frame : std::span(table_).first(frames_of(n))) bytes += frame.capacity;
    return std::max(bytes, n);
  }

  Status prepare(Gpu& gpu) override {
    if (stream_.bytes.empty()) {
      if (level_) {
        auto made = zstd_stream(zstd_pieces(content(), input().tile_bytes, *level_));
        if (!made) return made.error();
        stream_ = *std::move(made);
      } else {
        stream_ = *input().given;
      }
    }
    bounds_ = stream_.table.bounds;
    for (uint64_t* sum : {&bounds_.blocks, &bounds_.literals, &bounds_.sequences}) *sum *= copies();
    for (uint64_t copy = 0; copy < copies(); ++copy)
      for (ZstdFrame frame : stream_.table.frames) {
        frame.source += copy * stride_of(stream_.bytes.size());
        frame.output += copy * output_stride();
        table_.push_back(frame);
      }
    if (options_.largest_first) std::ranges::stable_sort(table_, std::ranges::greater(), &ZstdFrame::bytes);
    return assign(decoder_, ZstdDecode::create(gpu.context(), {.verify = options_.checksums}));
  }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    const auto source = source_range(buffers);
    if (!source) return source.error();
    return decoder_->record(commands, {.frames = buffers.inputs.back(),
                                       .frame_count = frames_of(n),
                                       .source = *source,
                                       .output = buffers.outputs[0],
                                       .status = buffers.outputs[1],
                                       .sizes = {},
                                       .scratch = buffers.scratch,
                                       .bounds = bounds_,
                                       .dictionary = {}});
  }

 private:
  std::span<const std::byte> source() const override { return stream_.bytes; }
  std::string refusal(uint32_t status) const override { return name_of(static_cast<ZstdRefusal>(status)); }
  uint64_t frames_of(uint64_t n) const {
    const uint64_t wanted = n < sizes().back() ? n / input().tile_bytes : table_.size();
    return std::clamp<uint64_t>(wanted, 1, table_.size());
  }

  std::optional<int> level_;
  ZstdStream stream_;
  ZstdBounds bounds_;
};

// Pages of a slice, of all copies: by GdeflateDecode or, with a `driver`, by Decompress.
template <class Decoder>
class GdeflatePagesCase final : public TableDecodeCase<Decoder, GdeflatePage> {
  using Base = TableDecodeCase<Decoder, GdeflatePage>;
  static constexpr bool kByDriver = std::is_same_v<Decoder, Decompress>;

 public:
  GdeflatePagesCase(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies, const GdFile& gd,
                    const DriverDecompression* driver, const DecodeOptions& options, const std::string& note)
      : Base(kByDriver ? "gdeflate_driver" : "gdeflate_decode", input, slice, copies, options,
             kByDriver ? " indirect" : "", note),
        gd_(gd),
        driver_(driver),
        first_(slice.begin / GdFile::kTileBytes),
        end_((slice.end + GdFile::kTileBytes - 1) / GdFile::kTileBytes) {}

  /// With the sizes of the file's table.
  uint64_t compressed_bytes() const override {
    uint64_t bytes = 0;
    for (uint64_t tile = first_; tile < end_; ++tile) bytes += gd_.tiles[tile].bytes + 4;
    return bytes;
  }

  Status prepare(Gpu& gpu) override {
    make_table();
    if constexpr (kByDriver) {
      DecompressConfig config;
      config.trusted = true;
      config.driver = driver_;
      Status status = assign(this->decoder_, Decompress::create(gpu.context(), config));
      if (status && this->decoder_->path() == DecompressPath::weft)
        return Error{ErrorCode::unsupported, "the driver decodes no GDeflate 1.0"};
      return status;
    } else {
      return assign(this->decoder_,
                    GdeflateDecode::create(gpu.context(), {.pages_in_flight = this->options_.in_flight[0]}));
    }
  }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    const auto source = this->source_range(buffers);
    if (!source) return source.error();
    const uint64_t pages = this->table_.size();
    const uint64_t wanted = n < this->sizes().back() ? n / GdFile::kTileBytes : pages;
    return this->decoder_->record(commands, {.pages = buffers.inputs.back(),
                                             .page_count = std::clamp<uint64_t>(wanted, 1, pages),
                                             .source = *source,
                                             .output = buffers.outputs[0],
                                             .status = buffers.outputs[1],
                                             .scratch = buffers.scratch});
  }

 private:
  std::span<const std::byte> source() const override {
    const GdFile::Tile& last = gd_.tiles[end_ - 1];
    const uint64_t begin = gd_.tiles[first_].at;
    return std::span(gd_.bytes).subspan(begin, last.at + (uint64_t{last.bytes} + 3) / 4 * 4 - begin);
  }
  std::string refusal(uint32_t status) const override { return name_of(static_cast<gdeflate::Refusal>(status)); }

  void make_table() {
    for (uint64_t copy = 0; copy < this->copies(); ++copy)
      for (uint64_t tile = first_; tile < end_; ++tile) {
        const GdFile::Tile& one = gd_.tiles[tile];
        const uint64_t at = (tile - first_) * GdFile::kTileBytes;
        this->table_.push_back(
            {copy * Base::stride_of(source().size()) + one.at - gd_.tiles[first_].at, copy * this->output_stride() + at,
             (one.bytes + 3) / 4,
             static_cast<uint32_t>(std::min<uint64_t>(GdFile::kTileBytes, this->copy_bytes() - at))});
      }
    if (this->options_.largest_first)
      std::ranges::stable_sort(this->table_, std::ranges::greater(), &GdeflatePage::words);
  }

  const GdFile& gd_;
  const DriverDecompression* driver_;
  uint64_t first_, end_;  // tiles
};

}  // namespace

DecodeCase::DecodeCase(std::string primitive, const DecodeInput& input, const DecodeSlice& slice, uint32_t copies,
                       const std::string& variant)
    : BenchCase({std::move(primitive),
                 fmt::format("data={} {}", input.name, variant),
                 Type::u8,
                 reads({}),
                 writes({}),
                 moves(1),
                 {},
                 input.name},
                {slice.bytes() * copies}),
      input_(input),
      slice_(slice),
      copies_(copies) {}

Verdict DecodeCase::compare(std::span<const std::byte> found, std::span<const std::byte> expected, uint64_t at) {
  if (std::memcmp(found.data(), expected.data(), expected.size()) == 0) return right();
  const auto differs = std::mismatch(expected.begin(), expected.end(), found.begin());
  return wrong(at + static_cast<uint64_t>(differs.first - expected.begin()),
               fmt::format("byte {}", std::to_integer<int>(*differs.first)),
               fmt::format("byte {}", std::to_integer<int>(*differs.second)));
}

Verdict DecodeCase::verify_copies(Gpu& gpu, const BufferRange& range, std::span<const std::byte> expected) const {
  std::vector<std::byte> found(slice_.bytes());
  Verdict verdict = right();
  for (uint64_t at = 0; at < output_bytes() && verdict && !*verdict; at += output_stride()) {
    if (const Status read = gpu.download({range.buffer, range.offset + at, found.size()}, found); !read)
      return read.error();
    verdict = compare(found, expected, at);
  }
  return verdict;
}

void add_device_cases(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies, const DecodeOptions& options,
                      const std::string& note, const GdFile* gd, const DriverDecompression* driver,
                      DecodeCases& cases) {
  cases.push_back(std::make_unique<CopyOfOutputCase>(input, slice, copies, note));
  for (const uint32_t in_flight : options.in_flight) {
    DecodeOptions one = options;
    one.in_flight = {in_flight};
    cases.push_back(std::make_unique<GstdDecodeCase>(input, slice, copies, one, note));
  }
  for (const std::string& stage : options.stages)
    cases.push_back(std::make_unique<GstdStageCase>(input, slice, copies, options, stage, note));
  for (const int level : options.zstd)
    cases.push_back(std::make_unique<ZstdDecodeCase>(input, slice, copies, level, options, note));
  if (input.given && slice.bytes() == input.content.size())
    cases.push_back(std::make_unique<ZstdDecodeCase>(input, slice, copies, std::nullopt, options, note));
  // The slice has to begin where a tile of GDeflate does.
  if (!gd || slice.begin % GdFile::kTileBytes != 0) return;
  cases.push_back(
      std::make_unique<GdeflatePagesCase<GdeflateDecode>>(input, slice, copies, *gd, nullptr, options, note));
  if (!driver) return;
  // The driver decides how many pages are in flight.
  DecodeOptions plain = options;
  plain.in_flight = {0};
  cases.push_back(std::make_unique<GdeflatePagesCase<Decompress>>(input, slice, copies, *gd, driver, plain, note));
}

}  // namespace weft::bench
