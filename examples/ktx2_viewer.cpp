// SPDX-License-Identifier: MIT OR Apache-2.0
// Decodes all levels of a KTX2 file with Zstandard's supercompression on the device, copies them to an image, and draws
// them side by side to a PNG file: one submission. Then compares the image's levels with what libzstd decodes.
//   ktx2_viewer PICTURE.png [FILE.ktx2]        without a file, of one that it makes
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/gpu.hpp>
#include <weft/ktx2.hpp>
#include <weft/zstd_decode.hpp>

#include "device_image.hpp"

namespace {

using Bytes = std::vector<std::byte>;

constexpr uint32_t kGap = 2;  // between pictures of levels

void store(Bytes& bytes, size_t at, uint64_t value, size_t size = 4) { std::memcpy(&bytes[at], &value, size); }

// RGBA: rings around a point, in few colours, of another order in each layer.
Bytes rings(uint32_t side, uint32_t layer) {
  Bytes pixels(size_t{4} * side * side);
  for (uint32_t y = 0; y < side; ++y)
    for (uint32_t x = 0; x < side; ++x) {
      const double dx = x / double(side) - 0.35, dy = y / double(side) - 0.4;
      const double wave = 0.5 + 0.5 * std::cos(60 * std::sqrt(dx * dx + dy * dy)), slope = (x + y) / (2.0 * side);
      const double channels[] = {wave, slope, 1 - wave * slope};
      for (uint32_t c = 0; c < 3; ++c)
        pixels[4 * (y * side + x) + c] = static_cast<std::byte>(17 * std::lround(15 * channels[(c + layer) % 3]));
      pixels[4 * (y * side + x) + 3] = std::byte{255};
    }
  return pixels;
}

// Each pixel is the mean of four.
Bytes half_of(const Bytes& pixels, uint32_t side) {
  Bytes half(pixels.size() / 4);
  for (uint32_t i = 0; i < half.size(); ++i) {
    const uint32_t c = i % 4, x = i / 4 % (side / 2), y = i / 4 / (side / 2);
    uint32_t sum = 2;
    for (const uint32_t at : {2 * y * side + 2 * x, 2 * y * side + 2 * x + 1})
      sum += std::to_integer<uint32_t>(pixels[4 * at + c]) + std::to_integer<uint32_t>(pixels[4 * (at + side) + c]);
    half[i] = static_cast<std::byte>(sum / 4);
  }
  return half;
}

Bytes compressed(const Bytes& content) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 19);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  Bytes frame(ZSTD_compressBound(content.size()));
  frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), content.data(), content.size()));
  ZSTD_freeCCtx(context);
  return frame;
}

// A KTX2 file of R8G8B8A8_UNORM with two layers and all levels, each a frame of Zstandard. The numbers are those of the
// specification: header, index of levels, data format descriptor, levels from the smallest on.
Bytes make_file() {
  constexpr uint32_t kSide = 256, kLevels = 9, kLayers = 2, kIndex = 80, kDescriptor = 92;
  std::vector<Bytes> layers;
  for (uint32_t layer = 0; layer < kLayers; ++layer) layers.push_back(rings(kSide, layer));
  std::vector<Bytes> levels;
  for (uint32_t level = 0; level < kLevels; ++level) {
    Bytes& content = levels.emplace_back();
    for (Bytes& layer : layers) {
      content.insert(content.end(), layer.begin(), layer.end());
      if (level + 1 < kLevels) layer = half_of(layer, kSide >> level);
    }
  }
  const size_t descriptor = kIndex + 24 * kLevels;
  Bytes file(descriptor + kDescriptor);
  std::memcpy(file.data(), "\xabKTX 20\xbb\r\n\x1a\n", 12);
  const uint32_t header[] = {VK_FORMAT_R8G8B8A8_UNORM, 1, kSide, kSide, 0, kLayers, 1, kLevels, 2};
  for (size_t i = 0; i < std::size(header); ++i) store(file, 12 + 4 * i, header[i]);
  store(file, 48, descriptor);
  store(file, 52, kDescriptor);
  store(file, descriptor, kDescriptor);
  store(file, descriptor + 8, 2 | (kDescriptor - 4) << 16);
  store(file, descriptor + 12, 1 | 1 << 8 | 1 << 16);  // RGBSDA, BT.709, linear
  store(file, descriptor + 20, 4);                     // bytes of a texel
  constexpr uint32_t kChannels[] = {0, 1, 2, 15};
  for (uint32_t c = 0; c < 4; ++c) {
    store(file, descriptor + 28 + 16 * c, 8 * c | 7 << 16 | kChannels[c] << 24);
    store(file, descriptor + 40 + 16 * c, 255);
  }
  for (uint32_t level = kLevels; level-- > 0;) {
    const Bytes frame = compressed(levels[level]);
    const uint64_t entry[] = {file.size(), frame.size(), levels[level].size()};
    for (size_t i = 0; i < 3; ++i) store(file, kIndex + 24 * level + 8 * i, entry[i], 8);
    file.insert(file.end(), frame.begin(), frame.end());
  }
  return file;
}

Bytes read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) fail(std::string(path) + " cannot be read");
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

weft::Buffer create_buffer(weft::Gpu& gpu, uint64_t bytes) {
  auto buffer = gpu.create_buffer(bytes);
  check(buffer.status());
  return *std::move(buffer);
}

// A texture's levels as frames, and where their contents go: to positions that copies to images take.
struct Plan {
  weft::ZstdTable table;
  std::vector<uint64_t> outputs, sizes;
};

Plan plan_of(const Bytes& file, const weft::ktx2::Texture& texture) {
  Plan plan;
  const uint64_t alignment = std::lcm<uint64_t>(16, texture.header.block_bytes);
  for (const weft::ktx2::Level& level : texture.levels) {
    const uint64_t content = level.slice_bytes * texture.header.layers * texture.header.faces;
    if (content > weft::kMaxZstdContent) fail("a level is too large");
    const uint64_t output = (plan.table.output_bytes + alignment - 1) / alignment * alignment;
    const auto stream = std::span(file).subspan(level.position, level.stored_bytes);
    auto frames = weft::zstd_frames(stream, level.position, output);
    check(frames.status());
    // The file says how much content a frame has that does not say it.
    if (frames->frames.size() == 1)
      frames->frames[0].capacity = static_cast<uint32_t>(content);
    else if (frames->output_bytes != content)
      fail("a level's frames have another size than the level");
    plan.table.frames.insert(plan.table.frames.end(), frames->frames.begin(), frames->frames.end());
    plan.table.bounds.blocks += frames->bounds.blocks;
    plan.table.bounds.literals += frames->bounds.literals;
    plan.table.bounds.sequences += frames->bounds.sequences;
    plan.table.output_bytes = output + content;
    plan.outputs.push_back(output);
    plan.sizes.push_back(content);
  }
  return plan;
}

// The image, or a message why this device has none such.
DeviceImage image_for(const weft::Gpu& gpu, const weft::ktx2::Header& header) {
  if (header.dimensions != 2 || header.vk_format == 0) fail("only two dimensions and formats of Vulkan are shown");
  const auto format = static_cast<VkFormat>(header.vk_format);
  const uint32_t layers = header.layers * header.faces;
  const VkImageCreateInfo info = image_info(format, header.extent.width, header.extent.height, header.levels, layers);
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(gpu.physical_device(), format, &properties);
  VkImageFormatProperties limits{};
  const VkResult result = vkGetPhysicalDeviceImageFormatProperties(gpu.physical_device(), format, info.imageType,
                                                                   info.tiling, info.usage, 0, &limits);
  if (result != VK_SUCCESS || (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_SRC_BIT) == 0 ||
      header.extent.width > limits.maxExtent.width || header.extent.height > limits.maxExtent.height ||
      header.levels > limits.maxMipLevels || layers > limits.maxArrayLayers)
    fail("the device has no image of VkFormat " + std::to_string(header.vk_format) + " and this size to draw from");
  return {gpu, info};
}

// Levels side by side, a row for each layer or face.
struct Sheet {
  uint32_t width = kGap, height = kGap, rows = 1;

  explicit Sheet(const weft::ktx2::Header& header) : rows(std::min(header.layers * header.faces, 6u)) {
    for (uint32_t level = 0; level < header.levels; ++level) width += extent_of(header, level).width + kGap;
    height += rows * (header.extent.height + kGap);
    if (std::max(width, height) > 16384) fail("the picture would be too large");
  }
  VkOffset3D place_of(const weft::ktx2::Header& header, uint32_t level, uint32_t row) const {
    uint32_t x = kGap;
    for (uint32_t i = 0; i < level; ++i) x += extent_of(header, i).width + kGap;
    return {static_cast<int32_t>(x), static_cast<int32_t>(kGap + row * (header.extent.height + kGap)), 0};
  }
};

// What is recorded, and what it works on.
class Viewer {
 public:
  Viewer(weft::Gpu& gpu, Bytes file, const weft::ktx2::Header& header, const Plan& plan, const Sheet& sheet)
      : header_(header),
        sheet_(sheet),
        bounds_(plan.table.bounds),
        frames_(plan.table.frames.size()),
        decoder_(weft::ZstdDecode::create(gpu.context())),
        image_(image_for(gpu, header)),
        canvas_(gpu, image_info(VK_FORMAT_R8G8B8A8_UNORM, sheet.width, sheet.height, 1, 1)),
        source_(create_buffer(gpu, (file.size() + 3) / 4 * 4)),
        table_(create_buffer(gpu, frames_ * sizeof(weft::ZstdFrame))),
        output_(create_buffer(gpu, plan.table.output_bytes)),
        status_(create_buffer(gpu, 4 * (1 + frames_))),
        back_(create_buffer(gpu, plan.table.output_bytes)),
        pixels_(create_buffer(gpu, uint64_t{4} * sheet.width * sheet.height)) {
    check(decoder_.status());
    scratch_.emplace(create_buffer(gpu, decoder_->scratch_size(frames_, bounds_)));
    file.resize(source_.size());
    check(gpu.upload(source_.range(), file));
    check(gpu.upload(table_.range(), std::as_bytes(std::span(plan.table.frames))));
    check(gpu.fill(status_.range(), 0));
    for (uint32_t level = 0; level < header.levels; ++level) {
      const auto extent = extent_of(header, level);
      VkBufferImageCopy& copy = copies_.emplace_back();
      copy.bufferOffset = plan.outputs[level];
      copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, header.layers * header.faces};
      copy.imageExtent = {extent.width, extent.height, 1};
    }
  }

  weft::Status record(VkCommandBuffer commands) const {
    if (weft::Status status = decode(commands); !status) return status;
    copy_levels(commands);
    draw(commands);
    return {};
  }

  const weft::Buffer& status() const { return status_; }
  /// What lies in the image, at the positions of the plan.
  const weft::Buffer& levels() const { return back_; }
  const weft::Buffer& pixels() const { return pixels_; }

 private:
  // All frames of all levels.
  weft::Status decode(VkCommandBuffer commands) const {
    weft::ZstdDecodeArgs args;
    args.frames = table_.range();
    args.frame_count = frames_;
    args.source = source_.range();  // the file as it is
    args.output = output_.range();
    args.status = status_.range();
    args.scratch = scratch_->range();
    args.bounds = bounds_;
    return decoder_->record(commands, args);
  }

  // To the image, and from there to a buffer, for the comparison.
  void copy_levels(VkCommandBuffer commands) const {
    const VkMemoryBarrier decoded{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                  VK_ACCESS_TRANSFER_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &decoded,
                         0, nullptr, 0, nullptr);
    change_layout(commands, image_.handle(), VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, output_.handle(), image_.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                           header_.levels, copies_.data());
    change_layout(commands, image_.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, image_.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, back_.handle(),
                           header_.levels, copies_.data());
  }

  void draw(VkCommandBuffer commands) const {
    clear_sheet(commands, canvas_.handle());
    for (uint32_t level = 0; level < header_.levels; ++level)
      for (uint32_t row = 0; row < sheet_.rows; ++row) {
        const auto extent = extent_of(header_, level);
        draw_level(commands, image_.handle(), level, row,
                   {static_cast<int32_t>(extent.width), static_cast<int32_t>(extent.height), 1}, canvas_.handle(),
                   sheet_.place_of(header_, level, row));
      }
    change_layout(commands, canvas_.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {sheet_.width, sheet_.height, 1};
    vkCmdCopyImageToBuffer(commands, canvas_.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels_.handle(), 1,
                           &copy);
  }

  weft::ktx2::Header header_;
  Sheet sheet_;
  weft::ZstdBounds bounds_;
  size_t frames_;
  weft::Result<weft::ZstdDecode> decoder_;
  DeviceImage image_, canvas_;
  weft::Buffer source_, table_, output_, status_, back_, pixels_;
  std::optional<weft::Buffer> scratch_;
  std::vector<VkBufferImageCopy> copies_;
};

Bytes download(weft::Gpu& gpu, const weft::Buffer& buffer) {
  Bytes bytes(buffer.size());
  check(gpu.download(buffer.range(), bytes));
  return bytes;
}

// Whether each level of the image has the content that libzstd decodes.
bool is_right(const Bytes& file, const weft::ktx2::Texture& texture, const Plan& plan, const Bytes& levels) {
  for (size_t level = 0; level < texture.levels.size(); ++level) {
    const weft::ktx2::Level& one = texture.levels[level];
    Bytes content(plan.sizes[level]);
    if (ZSTD_decompress(content.data(), content.size(), &file[one.position], one.stored_bytes) != content.size() ||
        std::memcmp(content.data(), &levels[plan.outputs[level]], content.size()) != 0)
      return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) fail("usage: ktx2_viewer PICTURE.png [FILE.ktx2]");
  const Bytes file = argc == 3 ? read_file(argv[2]) : make_file();
  const auto texture =
      weft::ktx2::read(std::span(file).first(std::min(file.size(), weft::ktx2::kHeadBytes)), file.size());
  check(texture.status());
  const weft::ktx2::Header& header = texture->header;
  if (header.supercompression != weft::ktx2::Supercompression::zstd) fail("the file is not compressed by Zstandard");
  const Plan plan = plan_of(file, *texture);
  const Sheet sheet(header);

  auto gpu = weft::Gpu::open();
  check(gpu.status());
  volkInitializeCustom(gpu->get_instance_proc_addr());
  volkLoadInstance(gpu->instance());
  volkLoadDevice(gpu->context().device());
  const Viewer viewer(*gpu, file, header, plan, sheet);
  check(gpu->run([&](VkCommandBuffer commands) { return viewer.record(commands); }).status());
  write_png(argv[1], sheet.width, sheet.height, download(*gpu, viewer.pixels()).data());

  uint32_t refused = 0;
  check(gpu->download({viewer.status().handle(), 0, 4}, std::as_writable_bytes(std::span(&refused, 1))));
  const bool right = refused == 0 && is_right(file, *texture, plan, download(*gpu, viewer.levels()));
  std::printf("%s: VkFormat %u, %u x %u, %u levels, %u slices, %llu bytes of %zu\n",
              right ? "as libzstd decodes it" : "otherwise", header.vk_format, header.extent.width,
              header.extent.height, header.levels, header.layers * header.faces,
              static_cast<unsigned long long>(plan.table.output_bytes), file.size());
  return right ? 0 : 1;
}
