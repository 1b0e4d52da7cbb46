// SPDX-License-Identifier: MIT OR Apache-2.0
// Draws the spheres that a camera sees, of many, to a PNG file. The host does not know which these are: weft::Select
// tests each by a condition of this program's own, keeps those inside, and writes their number into the arguments of
// the draw.
//   gpu_culling picture.png
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <weft/gpu.hpp>
#include <weft/select.hpp>

#include "device_image.hpp"
#include "weft_kernels/frustum.hpp"

namespace {

constexpr uint32_t kVertex[] = {
#include "sphere_vert.h"
};
constexpr uint32_t kFragment[] = {
#include "sphere_frag.h"
};

constexpr uint32_t kSpheres = 1 << 16, kSide = 512;
constexpr float kSlope = 0.75f, kNear = 1, kFar = 96;  // x and y that are seen are up to kSlope times z
constexpr VkFormat kColour = VK_FORMAT_R8G8B8A8_UNORM, kDepth = VK_FORMAT_D16_UNORM;

struct Sphere {
  float x, y, z, radius;
};
// Inside, a x + b y + c z + d >= 0. Normals have length 5, so that every product is exact, on CPU and device.
constexpr float kPlanes[6][4] = {{4, 0, 3, 0},  {-4, 0, 3, 0},         {0, 4, 3, 0},
                                 {0, -4, 3, 0}, {0, 0, 5, -5 * kNear}, {0, 0, -5, 5 * kFar}};
// As the shader declares it.
struct DrawPush {
  VkDeviceAddress spheres;
  float slope = kSlope, near = kNear, far = kFar;
};

// All around the camera, which is at 0 and looks along z.
std::vector<Sphere> make_spheres() {
  std::mt19937 random(1);
  std::vector<Sphere> spheres(kSpheres);
  const auto within = [&](int from, int count) {
    return static_cast<float>(from + static_cast<int>(random() % static_cast<uint32_t>(count)));
  };
  for (Sphere& sphere : spheres) sphere = {within(-128, 256), within(-128, 256), within(-64, 192), within(1, 3) / 2};
  return spheres;
}

std::vector<Sphere> seen_of(const std::vector<Sphere>& spheres) {
  std::vector<Sphere> seen;
  for (const Sphere& sphere : spheres) {
    bool inside = true;
    for (const float(&plane)[4] : kPlanes)
      inside &= plane[0] * sphere.x + plane[1] * sphere.y + plane[2] * sphere.z + plane[3] >= -5 * sphere.radius;
    if (inside) seen.push_back(sphere);
  }
  return seen;
}

VkShaderModule module_of(VkDevice device, std::span<const uint32_t> code) {
  const VkShaderModuleCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code.size_bytes(), .pCode = code.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device, &info, nullptr, &module), "vkCreateShaderModule");
  return module;
}

VkPipelineShaderStageCreateInfo stage_of(VkDevice device, VkShaderStageFlagBits stage, std::span<const uint32_t> code) {
  return {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
          .stage = stage,
          .module = module_of(device, code),
          .pName = "main"};
}

VkPipelineLayout layout_of(VkDevice device, VkShaderStageFlags stages, uint32_t push_bytes) {
  const VkPushConstantRange range{stages, 0, push_bytes};
  const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                        .pushConstantRangeCount = 1,
                                        .pPushConstantRanges = &range};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  check(vkCreatePipelineLayout(device, &info, nullptr, &layout), "vkCreatePipelineLayout");
  return layout;
}

void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags read) {
  const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, written, read};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

// A picture with depth, to which spheres are drawn.
class Picture {
 public:
  explicit Picture(const weft::Gpu& gpu)
      : gpu_(gpu),
        device_(gpu.context().device()),
        layout_(layout_of(device_, VK_SHADER_STAGE_VERTEX_BIT, sizeof(DrawPush))),
        colour_(create_image(kColour, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                             VK_IMAGE_ASPECT_COLOR_BIT)),
        depth_(create_image(kDepth, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT)) {
    create_pass();
    create_pipeline();
  }
  ~Picture() {
    vkDestroyPipeline(device_, pipeline_, nullptr);
    vkDestroyPipelineLayout(device_, layout_, nullptr);
    vkDestroyFramebuffer(device_, frame_, nullptr);
    vkDestroyRenderPass(device_, pass_, nullptr);
    vkDestroyImageView(device_, colour_.view, nullptr);
    vkDestroyImageView(device_, depth_.view, nullptr);
  }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  // `draw` has the arguments: a VkDrawIndirectCommand. `pixels` gets the picture.
  void record(VkCommandBuffer commands, const weft::Buffer& spheres, const weft::Buffer& draw,
              const weft::Buffer& pixels) const {
    const std::array<VkClearValue, 2> clear{VkClearValue{.color = {{0.03f, 0.04f, 0.08f, 1}}},
                                            VkClearValue{.depthStencil = {1, 0}}};
    const VkRenderPassBeginInfo begin{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                      .renderPass = pass_,
                                      .framebuffer = frame_,
                                      .renderArea = {{}, {kSide, kSide}},
                                      .clearValueCount = clear.size(),
                                      .pClearValues = clear.data()};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
    const DrawPush push{spheres.address()};
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(push), &push);
    vkCmdDrawIndirect(commands, draw.handle(), 0, 1, sizeof(VkDrawIndirectCommand));
    vkCmdEndRenderPass(commands);
    barrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferImageCopy copy{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageExtent = {kSide, kSide, 1}};
    vkCmdCopyImageToBuffer(commands, colour_.image.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels.handle(), 1,
                           &copy);
  }

 private:
  struct Image {
    DeviceImage image;
    VkImageView view = VK_NULL_HANDLE;
  };

  Image create_image(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) const;
  void create_pass();
  void create_pipeline();

  const weft::Gpu& gpu_;
  VkDevice device_;
  VkPipelineLayout layout_;
  Image colour_, depth_;
  VkRenderPass pass_ = VK_NULL_HANDLE;
  VkFramebuffer frame_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

Picture::Image Picture::create_image(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) const {
  VkImageCreateInfo info = image_info(format, kSide, kSide, 1, 1);
  info.usage = usage;
  Image created{DeviceImage(gpu_, info)};
  const VkImageViewCreateInfo view{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                   .image = created.image.handle(),
                                   .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                   .format = format,
                                   .subresourceRange = {aspect, 0, 1, 0, 1}};
  check(vkCreateImageView(device_, &view, nullptr, &created.view), "vkCreateImageView");
  return created;
}

void Picture::create_pass() {
  const std::array<VkAttachmentDescription, 2> attachments{
      VkAttachmentDescription{.format = kColour,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                              .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                              .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
      VkAttachmentDescription{.format = kDepth,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                              .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                              .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL}};
  const VkAttachmentReference colour{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
      depth{1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  const VkSubpassDescription subpass{
      .colorAttachmentCount = 1, .pColorAttachments = &colour, .pDepthStencilAttachment = &depth};
  const VkSubpassDependency after{.srcSubpass = 0,
                                  .dstSubpass = VK_SUBPASS_EXTERNAL,
                                  .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                  .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                  .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
  const VkRenderPassCreateInfo info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                    .attachmentCount = attachments.size(),
                                    .pAttachments = attachments.data(),
                                    .subpassCount = 1,
                                    .pSubpasses = &subpass,
                                    .dependencyCount = 1,
                                    .pDependencies = &after};
  check(vkCreateRenderPass(device_, &info, nullptr, &pass_), "vkCreateRenderPass");
  const std::array views{colour_.view, depth_.view};
  const VkFramebufferCreateInfo frame{.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                      .renderPass = pass_,
                                      .attachmentCount = views.size(),
                                      .pAttachments = views.data(),
                                      .width = kSide,
                                      .height = kSide,
                                      .layers = 1};
  check(vkCreateFramebuffer(device_, &frame, nullptr, &frame_), "vkCreateFramebuffer");
}

void Picture::create_pipeline() {
  const std::array stages{stage_of(device_, VK_SHADER_STAGE_VERTEX_BIT, kVertex),
                          stage_of(device_, VK_SHADER_STAGE_FRAGMENT_BIT, kFragment)};
  const VkPipelineVertexInputStateCreateInfo vertices{.sType =
                                                          VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  const VkPipelineInputAssemblyStateCreateInfo assembly{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
  const VkViewport viewport{0, 0, kSide, kSide, 0, 1};
  const VkRect2D scissor{{}, {kSide, kSide}};
  const VkPipelineViewportStateCreateInfo view{.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                               .viewportCount = 1,
                                               .pViewports = &viewport,
                                               .scissorCount = 1,
                                               .pScissors = &scissor};
  const VkPipelineRasterizationStateCreateInfo raster{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
  const VkPipelineMultisampleStateCreateInfo samples{.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                     .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkPipelineDepthStencilStateCreateInfo depth{.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                    .depthTestEnable = VK_TRUE,
                                                    .depthWriteEnable = VK_TRUE,
                                                    .depthCompareOp = VK_COMPARE_OP_LESS};
  const VkPipelineColorBlendAttachmentState all{.colorWriteMask = 15};
  const VkPipelineColorBlendStateCreateInfo blend{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1, .pAttachments = &all};
  const VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                          .stageCount = stages.size(),
                                          .pStages = stages.data(),
                                          .pVertexInputState = &vertices,
                                          .pInputAssemblyState = &assembly,
                                          .pViewportState = &view,
                                          .pRasterizationState = &raster,
                                          .pMultisampleState = &samples,
                                          .pDepthStencilState = &depth,
                                          .pColorBlendState = &blend,
                                          .layout = layout_,
                                          .renderPass = pass_};
  check(vkCreateGraphicsPipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_), "vkCreateGraphicsPipelines");
  for (const VkPipelineShaderStageCreateInfo& stage : stages) vkDestroyShaderModule(device_, stage.module, nullptr);
}

weft::Buffer create_buffer(weft::Gpu& gpu, size_t bytes) {
  auto buffer = gpu.create_buffer(bytes);
  check(buffer.status());
  return *std::move(buffer);
}

template <class Item>
std::vector<Item> items_of(weft::Gpu& gpu, const weft::Buffer& buffer, size_t count) {
  std::vector<Item> items(count);
  check(gpu.download(buffer.range(0, count * sizeof(Item)), std::as_writable_bytes(std::span(items))));
  return items;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: gpu_culling PICTURE.png");
  auto gpu = weft::Gpu::open();
  check(gpu.status());
  volkInitializeCustom(gpu->get_instance_proc_addr());
  volkLoadInstance(gpu->instance());
  volkLoadDevice(gpu->context().device());
  weft::SelectConfig config;
  config.own_kernels = own::frustum();
  const auto select = weft::Select::create(gpu->context(), config);
  check(select.status());
  const Picture picture(*gpu);

  const std::vector<Sphere> all = make_spheres();
  const weft::Buffer spheres = create_buffer(*gpu, kSpheres * sizeof(Sphere)),
                     seen = create_buffer(*gpu, kSpheres * sizeof(Sphere)),
                     planes = create_buffer(*gpu, sizeof(kPlanes)),
                     scratch = create_buffer(*gpu, select->scratch_size(kSpheres)),
                     draw = create_buffer(*gpu, sizeof(VkDrawIndirectCommand)),
                     pixels = create_buffer(*gpu, kSide * kSide * sizeof(uint32_t));
  check(gpu->upload(spheres.range(), std::as_bytes(std::span(all))));
  check(gpu->upload(planes.range(), std::as_bytes(std::span(kPlanes))));
  const auto upload_draw = [&](uint32_t instances) {
    const VkDrawIndirectCommand command{6, instances, 0, 0};
    check(gpu->upload(draw.range(), std::as_bytes(std::span(&command, 1))));
  };

  upload_draw(0);
  weft::SelectArgs args;
  args.input = spheres.range();
  args.output = seen.range();
  args.kept = draw.range(offsetof(VkDrawIndirectCommand, instanceCount), sizeof(uint32_t));
  args.scratch = scratch.range();
  args.count = kSpheres;
  args.a = weft::Value::of(uint64_t{planes.address()});
  const auto cull_and_draw = [&](VkCommandBuffer commands) -> weft::Status {
    if (weft::Status status = select->record(commands, args); !status) return status;
    barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT,
            VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT);
    picture.record(commands, seen, draw, pixels);
    return {};
  };
  check(gpu->run(cull_and_draw).status());
  const auto culled = items_of<uint32_t>(*gpu, pixels, kSide * kSide);
  const uint32_t count = items_of<VkDrawIndirectCommand>(*gpu, draw, 1).front().instanceCount;
  const std::vector<Sphere> expected = seen_of(all);
  const std::vector<Sphere> kept = items_of<Sphere>(*gpu, seen, std::min(count, kSpheres));
  const bool same_spheres =
      kept.size() == expected.size() && std::memcmp(kept.data(), expected.data(), kept.size() * sizeof(Sphere)) == 0;

  // What is not seen changes no pixel.
  upload_draw(kSpheres);
  check(gpu->run([&](VkCommandBuffer commands) -> weft::Status {
             picture.record(commands, spheres, draw, pixels);
             return {};
           })
            .status());
  const bool same_picture = items_of<uint32_t>(*gpu, pixels, kSide * kSide) == culled;
  const bool has_content = std::ranges::any_of(culled, [&](uint32_t pixel) { return pixel != culled.front(); });
  write_png(argv[1], kSide, kSide, culled.data());
  std::printf("%u of %u spheres are drawn, %s, and the picture is %s\n", count, kSpheres,
              same_spheres ? "those that the CPU finds" : "and the CPU finds others",
              same_picture && has_content ? "that of all of them" : "another one");
  return 0;
}
