// SPDX-License-Identifier: MIT OR Apache-2.0
// Packs the floor and ceiling textures of a Doom WAD (Debian's freedoom has one) as images with mip levels, streams
// them by weft::Loader to images of the device, and draws a contact sheet of all of them to a PNG file. With `window`
// it shows the sheet too, if it is built with GLFW: until Escape, or for so many frames.
//   asset_viewer freedoom2.wad sheet.png [window [FRAMES]]
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/gpu.hpp>
#include <weft/loader.hpp>

#include "device_image.hpp"
#include "memory_pack.hpp"
#ifdef WEFT_EXAMPLE_WINDOW
#include "window.hpp"
#endif

namespace {

using Bytes = std::vector<std::byte>;

constexpr uint32_t kSide = 64, kLevels = 7;  // of a texture
constexpr uint32_t kCell = 68, kColumns = 16;
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;

uint32_t load_u32(const Bytes& bytes, size_t at) {
  if (at + 4 > bytes.size()) fail("the WAD ends early");
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, 4);
  return word;
}
void store_u32(Bytes& bytes, size_t at, uint32_t word) { std::memcpy(bytes.data() + at, &word, 4); }

struct Texture {
  std::string name;
  Bytes pixels;  // RGBA
};

// Lumps of 64 x 64 bytes between F_START and F_END are textures, by numbers of the colours in PLAYPAL.
std::vector<Texture> textures_of(const Bytes& wad) {
  const uint32_t lumps = load_u32(wad, 4), directory = load_u32(wad, 8);
  const std::byte* palette = nullptr;
  std::vector<Texture> textures;
  bool inside = false;
  for (uint64_t i = 0; i < lumps; ++i) {
    const uint64_t entry = directory + 16 * i;
    const uint64_t position = load_u32(wad, entry), size = load_u32(wad, entry + 4);
    if (entry + 16 > wad.size() || position + size > wad.size()) fail("the WAD ends early");
    std::string name(reinterpret_cast<const char*>(wad.data() + entry + 8), 8);
    name.resize(std::strlen(name.c_str()));
    if (name == "PLAYPAL" && size >= 768) palette = wad.data() + position;
    if (name == "F_START" || name == "FF_START") inside = true;
    if (name == "F_END" || name == "FF_END") inside = false;
    if (!inside || size != kSide * kSide || palette == nullptr) continue;
    Texture texture{name, Bytes(4 * size)};
    for (uint64_t pixel = 0; pixel < size; ++pixel) {
      const auto colour = std::to_integer<size_t>(wad[position + pixel]);
      std::memcpy(&texture.pixels[4 * pixel], palette + 3 * colour, 3);
      texture.pixels[4 * pixel + 3] = std::byte{255};
    }
    textures.push_back(std::move(texture));
  }
  return textures;
}

// Each pixel is the mean of four.
Bytes half_of(const Bytes& pixels, uint32_t side) {
  Bytes half(pixels.size() / 4);
  for (uint32_t y = 0; y < side / 2; ++y)
    for (uint32_t x = 0; x < side / 2; ++x)
      for (uint32_t c = 0; c < 4; ++c) {
        const auto at = [&](uint32_t dx, uint32_t dy) {
          return std::to_integer<uint32_t>(pixels[4 * ((2 * y + dy) * side + 2 * x + dx) + c]);
        };
        half[4 * (y * side / 2 + x) + c] = static_cast<std::byte>((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4);
      }
  return half;
}

// A DDS file with all levels.
Bytes dds_of(const Texture& texture) {
  Bytes file(148);
  const std::pair<size_t, uint32_t> fields[] = {
      {0, 0x20534444}, {4, 124},         {8, 0x21007},    {12, kSide}, {16, kSide}, {28, kLevels}, {76, 32},
      {80, 4},         {84, 0x30315844}, {108, 0x401008}, {128, 28},   {132, 3},    {140, 1}};
  for (const auto& [at, word] : fields) store_u32(file, at, word);
  Bytes level = texture.pixels;
  for (uint32_t side = kSide;; side /= 2) {
    file.insert(file.end(), level.begin(), level.end());
    if (side == 1) return file;
    level = half_of(level, side);
  }
}

void write_pack(const std::string& path, const std::vector<Texture>& textures) {
  MemoryPack pack(12);
  uint64_t content = 0;
  for (const Texture& texture : textures) {
    const Bytes file = dds_of(texture);
    check(pack.add(texture.name + ".dds", file));
    content += file.size();
  }
  check(pack.write(path));
  std::fprintf(stderr, "%zu textures, %llu bytes, packed in %zu\n", textures.size(),
               static_cast<unsigned long long>(content), static_cast<size_t>(std::filesystem::file_size(path)));
}

weft::Loader loader_on(weft::Gpu& gpu) {
  weft::LoaderDevice device;
  device.instance = gpu.instance();
  device.physical_device = gpu.physical_device();
  device.get_instance_proc_addr = gpu.get_instance_proc_addr();
  device.queue = gpu.queue();
  device.queue_family = gpu.queue_family();
  weft::LoaderConfig config;
  config.staging_bytes = 16u << 20;
  config.device_bytes = 64u << 20;
  auto loader = weft::Loader::create(gpu.context(), device, config);
  check(loader.status());
  return *std::move(loader);
}

// Every level of every texture, as one batch: the smallest levels first, by their priority.
std::vector<DeviceImage> load(weft::Gpu& gpu, const std::string& path, const std::vector<Texture>& textures) {
  weft::Loader loader = loader_on(gpu);
  auto pack = loader.open_pack(path);
  check(pack.status());
  std::vector<DeviceImage> images;
  std::vector<std::string> paths;
  for (const Texture& texture : textures) {
    images.emplace_back(gpu, image_info(kFormat, kSide, kSide, kLevels, 1));
    paths.push_back(texture.name + ".dds");
  }
  std::vector<weft::LoadRequest> requests;
  for (size_t i = 0; i < images.size(); ++i)
    for (uint32_t level = 0; level < kLevels; ++level) {
      weft::ImageDestination to;
      to.image = images[i].handle();
      to.format = kFormat;
      to.level = level;
      to.extent = {kSide >> level, kSide >> level, 1};
      to.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
      weft::LoadRequest request;
      request.pack = *pack;
      request.path = paths[i];
      request.level = level;
      request.to = to;
      request.priority = level == 0 ? weft::LoadPriority::normal : weft::LoadPriority::high;
      requests.push_back(request);
    }
  const auto batch = loader.submit(requests);
  check(batch.status());
  loader.wait(*batch);
  for (uint32_t i = 0; i < batch->size(); ++i)
    if (batch->status(i) != weft::RequestStatus::ok)
      fail(std::string(requests[i].path) + ": " + weft::name_of(batch->status(i)) + ", " +
           std::string(batch->report(i).reason));
  return images;
}

// Textures in rows; in the corner of each its level of 16 x 16, which shows that levels came too.
Bytes draw(weft::Gpu& gpu, const std::vector<DeviceImage>& images, const DeviceImage& sheet, uint32_t width,
           uint32_t height) {
  auto pixels = gpu.create_buffer(uint64_t{4} * width * height);
  check(pixels.status());
  const auto record = [&](VkCommandBuffer commands) -> weft::Status {
    clear_sheet(commands, sheet.handle());
    for (size_t i = 0; i < images.size(); ++i)
      for (const uint32_t level : {0u, 2u}) {
        const auto side = static_cast<int32_t>(kSide >> level);
        const auto x = static_cast<int32_t>(i % kColumns * kCell + 2),
                   y = static_cast<int32_t>(i / kColumns * kCell + 2);
        if (level != 0)
          change_layout(commands, sheet.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        draw_level(commands, images[i].handle(), level, 0, {side, side, 1}, sheet.handle(), {x, y, 0});
      }
    change_layout(commands, sheet.handle(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {width, height, 1};
    vkCmdCopyImageToBuffer(commands, sheet.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels->handle(), 1, &copy);
    return {};
  };
  check(gpu.run(record).status());
  Bytes result(uint64_t{4} * width * height);
  check(gpu.download(pixels->range(), result));
  return result;
}

// Whether each cell has its texture, and the small level in its corner.
bool is_right(const std::vector<Texture>& textures, const Bytes& sheet, uint32_t width) {
  for (size_t i = 0; i < textures.size(); ++i) {
    const Bytes small = half_of(half_of(textures[i].pixels, kSide), kSide / 2);
    for (uint32_t y = 0; y < kSide; ++y)
      for (uint32_t x = 0; x < kSide; ++x) {
        const bool in_corner = x < kSide / 4 && y < kSide / 4;
        const std::byte* const expected =
            in_corner ? &small[4 * (y * kSide / 4 + x)] : &textures[i].pixels[4 * (y * kSide + x)];
        const size_t at = (i / kColumns * kCell + 2 + y) * width + i % kColumns * kCell + 2 + x;
        if (std::memcmp(&sheet[4 * at], expected, 4) != 0) return false;
      }
  }
  return true;
}

// The sheet is in layout TRANSFER_SRC_OPTIMAL.
void show([[maybe_unused]] weft::Gpu& gpu, [[maybe_unused]] const DeviceImage& sheet, [[maybe_unused]] VkExtent2D size,
          [[maybe_unused]] uint64_t frames) {
#ifdef WEFT_EXAMPLE_WINDOW
  Window window(gpu, "asset_viewer", size);
  std::fprintf(stderr, "%llu frames shown\n",
               static_cast<unsigned long long>(window.show(sheet.handle(), size, frames)));
#endif
}

weft::GpuConfig config_of(bool has_window) {
  weft::GpuConfig config;
#ifdef WEFT_EXAMPLE_WINDOW
  if (has_window) config.extensions = Window::extensions();
#else
  if (has_window) fail("asset_viewer is built without GLFW");
#endif
  return config;
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_window = argc > 3 && std::string_view(argv[3]) == "window";
  if (argc < 3 || argc > 5 || (argc > 3 && !has_window))
    fail("usage: asset_viewer FILE.wad SHEET.png [window [FRAMES]]");
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto raw = std::as_bytes(std::span(text));
  const std::vector<Texture> textures = textures_of(Bytes(raw.begin(), raw.end()));
  if (textures.empty()) fail(std::string(argv[1]) + " has no textures");
  const std::string pack = std::string(argv[2]) + ".wpk";
  write_pack(pack, textures);

  auto gpu = weft::Gpu::open(config_of(has_window));
  check(gpu.status());
  volkInitializeCustom(gpu->get_instance_proc_addr());
  volkLoadInstance(gpu->instance());
  volkLoadDevice(gpu->context().device());
  const std::vector<DeviceImage> images = load(*gpu, pack, textures);
  const uint32_t width = kColumns * kCell;
  const uint32_t height = static_cast<uint32_t>((textures.size() + kColumns - 1) / kColumns) * kCell;
  const DeviceImage sheet(*gpu, image_info(kFormat, width, height, 1, 1));
  const Bytes pixels = draw(*gpu, images, sheet, width, height);
  std::remove(pack.c_str());

  write_png(argv[2], width, height, pixels.data());
  std::printf("drawn %s: %zu textures\n", is_right(textures, pixels, width) ? "as packed" : "otherwise",
              textures.size());
  if (has_window) show(*gpu, sheet, {width, height}, argc > 4 ? std::strtoull(argv[4], nullptr, 10) : UINT64_MAX);
  return 0;
}
