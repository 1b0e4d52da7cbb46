/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* weft.h as a program in C99 uses it: with a device of its own, by volk, results compared with the host's; and what the
 * header says of sizes, null and errors.
 *
 *     weft_c_test [PACK FILE KERNELS]      the pack has the file alone, the folder KERNELS those of a TransformLbs;
 *                                          without them, nothing runs on a device */
#define _POSIX_C_SOURCE 200809L
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/resource.h>
#endif

#include <weft/weft.h>

static int failures = 0;
#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

static weft_error error;
#define WORKS(call)                                                                 \
  do {                                                                              \
    if ((call) != WEFT_SUCCESS) {                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, error.message); \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

/* ---- Without a device */

static void refused(weft_status status, const weft_error* why) {
  CHECK(status == WEFT_INVALID_ARGUMENT);
  CHECK(strstr(why->message, "null") != NULL);
}
static void fails(weft_status status) {
  CHECK(status != WEFT_SUCCESS);
  CHECK(error.message[0] != 0);
}
static void named(const char* first, const char* past_the_last) {
  CHECK(first != NULL && first[0] != 0 && past_the_last == NULL);
}
static void zero(uint64_t value) { CHECK(value == 0); }

#include "null_calls.h"

/* A context that nothing looks at, as what is before it is refused. */
static const weft_context* no_context(void) { return (const weft_context*)(uintptr_t)64; }

static void structs_begin_with_their_size(void) {
  weft_scan* scan = NULL;
  weft_scan_config config;
  weft_scan_args args;
  struct {
    weft_scan_config config;
    uint32_t more[4];
  } later;

  memset(&config, 0xff, sizeof(config));
  weft_scan_config_init(&config);
  CHECK(config.struct_size == sizeof(config));
  CHECK(config.kind == WEFT_SCAN_KIND_EXCLUSIVE && config.op == WEFT_OP_ADD && config.item == WEFT_TYPE_U32);
  CHECK(config.accumulator == WEFT_TYPE_U32 && config.own_kernels == NULL);
  memset(&args, 0xff, sizeof(args));
  weft_scan_args_init(&args);
  CHECK(args.struct_size == sizeof(args) && args.input.buffer == VK_NULL_HANDLE && args.count.maximum == 0);
  CHECK(!args.count.on_device && args.initial == NULL);

  /* Defaults that are no zeros come from C++. */
  {
    weft_top_k_config top_k;
    weft_gstd_decode_config decode;
    weft_set_operation_args set_operation;
    weft_loader_config loader;
    weft_load_request request;
    weft_top_k_config_init(&top_k);
    weft_gstd_decode_config_init(&decode);
    weft_set_operation_args_init(&set_operation);
    weft_loader_config_init(&loader);
    weft_load_request_init(&request);
    CHECK(top_k.order == WEFT_SORT_ORDER_DESCENDING);
    CHECK(decode.tile_bytes == WEFT_GSTD_DEFAULT_TILE_BYTES && decode.verify);
    CHECK(set_operation.max_output == UINT64_MAX);
    CHECK(loader.queue_depth == 32 && loader.staging_bytes == 64 << 20);
    CHECK(request.level == -1 && request.count == UINT64_MAX && request.priority == WEFT_LOAD_PRIORITY_NORMAL);
  }

  /* Not set. */
  config.struct_size = 0;
  CHECK(weft_scan_create(no_context(), &config, &scan, &error) == WEFT_INVALID_ARGUMENT && scan == NULL);
  CHECK(strstr(error.message, "weft_scan_config.struct_size is 0") != NULL);
  config.struct_size = (size_t)-1;
  CHECK(weft_scan_create(no_context(), &config, &scan, &error) == WEFT_INVALID_ARGUMENT);

  /* An enumerator that there is not, in a member that counts, and in one that does not. */
  weft_scan_config_init(&config);
  config.item = (weft_type)266; /* 10 modulo 256 */
  CHECK(weft_scan_create(no_context(), &config, &scan, &error) == WEFT_INVALID_ARGUMENT);
  CHECK(strcmp(error.message, "weft_scan_config.item is 266, no enumerator") == 0);

  /* A later version's: refused unless what is unknown is 0. The wrong enumerator shows that it was read. */
  memset(&later, 0, sizeof(later));
  weft_scan_config_init_sized(&later.config, sizeof(later));
  CHECK(later.config.struct_size == sizeof(later) && later.config.item == WEFT_TYPE_U32);
  later.config.kind = (weft_scan_kind)2;
  CHECK(weft_scan_create(no_context(), &later.config, &scan, &error) == WEFT_INVALID_ARGUMENT);
  CHECK(strstr(error.message, "kind is 2") != NULL);
  later.more[3] = 1;
  CHECK(weft_scan_create(no_context(), &later.config, &scan, &error) == WEFT_INVALID_ARGUMENT);
  CHECK(strstr(error.message, "of a later version") != NULL);

  /* An earlier version's: _init writes no more than it has. */
  memset(&config, 0xff, sizeof(config));
  weft_scan_config_init_sized(&config, offsetof(weft_scan_config, accumulator));
  CHECK(config.item == WEFT_TYPE_U32 && config.struct_size == offsetof(weft_scan_config, accumulator));
  CHECK((uint32_t)config.accumulator == UINT32_MAX);
}

static void names_and_errors(void) {
  uint64_t bytes = 0;
  weft_gstd_compress_config config;
  CHECK(strcmp(weft_status_name(WEFT_OVER_LIMIT), "over_limit") == 0);
  CHECK(strcmp(weft_status_name(WEFT_SUCCESS), "success") == 0);
  CHECK(weft_status_name((weft_status)99) == NULL);
  CHECK(strcmp(weft_type_name(WEFT_TYPE_U32X2), "u32x2") == 0 && weft_type_name((weft_type)10) == NULL);
  CHECK(weft_size_of(WEFT_TYPE_F16) == 2 && weft_size_of((weft_type)256) == 0);
  CHECK(weft_version() >= 2000);
  /* The error may be left out, and is empty after success. */
  CHECK(weft_gstd_decompressed_size("nothing", 7, NULL, &bytes, NULL) == WEFT_CORRUPT_STREAM);
  CHECK(weft_gstd_decompressed_size("nothing", 7, NULL, &bytes, &error) == WEFT_CORRUPT_STREAM);
  CHECK(error.message[0] != 0);
  weft_gstd_compress_config_init(&config);
  config.level = 23;
  CHECK(weft_gstd_compress_bound(1000, &config) == 0 && weft_gstd_compress_bound(1000, NULL) > 1000);
}

typedef struct {
  unsigned char bytes[1 << 18];
  size_t size;
  size_t room;
} Store;

static weft_status store(void* user, const void* bytes, size_t size) {
  Store* to = user;
  if (size > to->room - to->size) return WEFT_OVER_LIMIT;
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
  return WEFT_SUCCESS;
}

enum { content_bytes = 200000 };
static unsigned char content[content_bytes];
static Store stream, copy;

static void codec(void) {
  weft_gstd_compressor* compressor = NULL;
  weft_gstd_decompressor* decompressor = NULL;
  weft_gstd_stream_info info;
  weft_gstd_verdict verdict;
  uint64_t declared = content_bytes, size = 0;
  size_t i, written = 0;
  for (i = 0; i < content_bytes; ++i) content[i] = (unsigned char)("weft in C99 "[i % 12] + i / 5000);

  stream.room = copy.room = sizeof(stream.bytes);
  WORKS(weft_gstd_compressor_create(NULL, &declared, &compressor, &error));
  WORKS(weft_gstd_compressor_write(compressor, content, 1000, store, &stream, &error));
  WORKS(weft_gstd_compressor_write(compressor, content + 1000, content_bytes - 1000, store, &stream, &error));
  WORKS(weft_gstd_compressor_finish(compressor, store, &stream, &error));
  CHECK(weft_gstd_compressor_finish(compressor, store, &stream, &error) == WEFT_INVALID_ARGUMENT);
  weft_gstd_compressor_destroy(compressor);
  CHECK(stream.size < content_bytes / 10);
  /* The same stream at once. */
  WORKS(weft_gstd_compress(content, content_bytes, NULL, copy.bytes, sizeof(copy.bytes), &written, &error));
  CHECK(written == stream.size && memcmp(copy.bytes, stream.bytes, written) == 0);
  CHECK(weft_gstd_compress(content, content_bytes, NULL, copy.bytes, 10, &written, &error) == WEFT_OVER_LIMIT);
  CHECK(written == stream.size);

  WORKS(weft_gstd_decompressed_size(stream.bytes, stream.size, NULL, &size, &error));
  CHECK(size == content_bytes);
  WORKS(weft_gstd_inspect(stream.bytes, stream.size, NULL, &info, NULL, &error));
  CHECK(info.streams == 1 && info.content_bytes == content_bytes && info.tile_checksums);
  CHECK(weft_gstd_inspect(stream.bytes, stream.size - 1, NULL, &info, &verdict, &error) == WEFT_CORRUPT_STREAM);
  CHECK(verdict.fault == WEFT_GSTD_FAULT_TRUNCATED);
  memset(copy.bytes, 0, sizeof(copy.bytes));
  WORKS(weft_gstd_decompress(stream.bytes, stream.size, NULL, copy.bytes, content_bytes, &written, &error));
  CHECK(written == content_bytes && memcmp(copy.bytes, content, content_bytes) == 0);
  memset(copy.bytes, 0, sizeof(copy.bytes));
  WORKS(weft_gstd_decompress_range(stream.bytes, stream.size, 70000, NULL, copy.bytes, 100, &error));
  CHECK(memcmp(copy.bytes, content + 70000, 100) == 0);

  copy.size = 0;
  WORKS(weft_gstd_decompressor_create(NULL, &decompressor, &error));
  WORKS(weft_gstd_decompressor_write(decompressor, stream.bytes, stream.size, store, &copy, &error));
  WORKS(weft_gstd_decompressor_finish(decompressor, store, &copy, &error));
  CHECK(copy.size == content_bytes && memcmp(copy.bytes, content, content_bytes) == 0);
  /* The status of a sink is the call's. */
  weft_gstd_decompressor_reset(decompressor);
  copy.size = 0;
  copy.room = 10;
  CHECK(weft_gstd_decompressor_write(decompressor, stream.bytes, stream.size, store, &copy, &error) == WEFT_OVER_LIMIT);
  copy.room = sizeof(copy.bytes);
  weft_gstd_decompressor_reset(decompressor);
  (void)weft_gstd_decompressor_write(decompressor, "no stream of Gstd", 17, store, &copy, &error);
  CHECK(weft_gstd_decompressor_finish(decompressor, store, &copy, &error) == WEFT_CORRUPT_STREAM);
  CHECK(weft_gstd_decompressor_verdict(decompressor).fault == WEFT_GSTD_FAULT_NOT_GSTD);
  weft_gstd_decompressor_destroy(decompressor);
}

/* The caller's threads: here the last task first, and of some calls a task is left out. */
typedef struct {
  uint32_t calls, tasks;
  int leaves_out;
} Threads;

static void run_tasks(void* user, uint32_t count, weft_task task, void* work) {
  Threads* threads = user;
  ++threads->calls;
  while (count > (uint32_t)threads->leaves_out) {
    task(work, --count);
    ++threads->tasks;
  }
}

static weft_status read_store(void* user, uint64_t position, void* bytes, size_t size) {
  const Store* from = user;
  if (position + size > from->size) return WEFT_SYSTEM_ERROR;
  memcpy(bytes, from->bytes + position, size);
  return WEFT_SUCCESS;
}

static void executor_and_reader(void) {
  weft_gstd_executor* executor = NULL;
  weft_gstd_compress_config config;
  weft_gstd_decompress_config decompress;
  weft_gstd_reader* reader = NULL;
  weft_gstd_stream_info info;
  Threads threads = {0, 0, 0};
  size_t written = 0;
  CHECK(weft_gstd_executor_create(NULL, NULL, &executor, &error) == WEFT_INVALID_ARGUMENT && executor == NULL);
  WORKS(weft_gstd_executor_create(run_tasks, &threads, &executor, &error));
  weft_gstd_compress_config_init(&config);
  CHECK(config.executor == NULL);
  config.executor = executor;
  config.threads = 3;
  WORKS(weft_gstd_compress(content, content_bytes, &config, copy.bytes, sizeof(copy.bytes), &written, &error));
  CHECK(threads.calls > 0 && threads.tasks > 1);
  CHECK(written == stream.size && memcmp(copy.bytes, stream.bytes, written) == 0);
  /* What is left out is done all the same. */
  threads.leaves_out = 1;
  threads.calls = 0;
  weft_gstd_decompress_config_init(&decompress);
  decompress.executor = executor;
  decompress.threads = 3;
  memset(copy.bytes, 0, sizeof(copy.bytes));
  WORKS(weft_gstd_decompress(stream.bytes, stream.size, &decompress, copy.bytes, content_bytes, &written, &error));
  CHECK(threads.calls > 0 && written == content_bytes && memcmp(copy.bytes, content, content_bytes) == 0);
  weft_gstd_executor_destroy(executor);

  CHECK(weft_gstd_reader_open(read_store, &stream, stream.size + 1, NULL, &reader, &error) == WEFT_SYSTEM_ERROR);
  CHECK(reader == NULL);
  WORKS(weft_gstd_reader_open(read_store, &stream, stream.size, NULL, &reader, &error));
  WORKS(weft_gstd_reader_info(reader, &info, &error));
  CHECK(info.content_bytes == content_bytes);
  memset(copy.bytes, 0, sizeof(copy.bytes));
  WORKS(weft_gstd_reader_read(reader, 70000, copy.bytes, 100, &error));
  CHECK(memcmp(copy.bytes, content + 70000, 100) == 0);
  CHECK(weft_gstd_reader_read(reader, content_bytes, copy.bytes, 1, &error) == WEFT_INVALID_ARGUMENT);
  weft_gstd_reader_destroy(reader);
}

/* A pack in memory, of which a payload and an end are written. */
static unsigned char packed[1 << 20];
static size_t packed_bytes = 0;

static weft_status append(void* user, const void* bytes, size_t size) {
  (void)user;
  if (size > sizeof(packed) - packed_bytes) return WEFT_OVER_LIMIT;
  memcpy(packed + packed_bytes, bytes, size);
  packed_bytes += size;
  return WEFT_SUCCESS;
}
static weft_status rewind_to(void* user, uint64_t bytes) {
  packed_bytes = *(size_t*)user + (size_t)bytes;
  return WEFT_SUCCESS;
}
static weft_status write_at(void* user, uint64_t position, const void* bytes, size_t size) {
  size_t* end = user;
  if (position + size > sizeof(packed)) return WEFT_OVER_LIMIT;
  memcpy(packed + position, bytes, size);
  if (position + size > *end) *end = (size_t)position + size;
  return WEFT_SUCCESS;
}

/* Two files, of which the loader has the content back. */
static void write_pack(const char* to) {
  static const char* const paths[2] = {"first.txt", "deep/second.txt"};
  weft_pack_encoder* encoder = NULL;
  weft_pack_asset* assets[2] = {NULL, NULL};
  weft_pack_payload payload;
  weft_loader* loader = NULL;
  weft_loader_pack* pack = NULL;
  weft_load_batch* batch = NULL;
  weft_load_request requests[2];
  weft_pack_entry entry;
  Store source;
  size_t at = 8192, end = 0;
  int i;
  FILE* file;
  memcpy(source.bytes, content, content_bytes);
  source.size = content_bytes;
  payload.write = append;
  payload.rewind = rewind_to;
  payload.user = &at;
  WORKS(weft_pack_encoder_create(NULL, &encoder, &error));
  packed_bytes = at;
  CHECK(weft_pack_encode(encoder, "../out", read_store, &source, 1, &payload, &assets[0], &error) ==
        WEFT_INVALID_ARGUMENT);
  CHECK(weft_pack_encode(encoder, "a", read_store, &source, content_bytes + 1, &payload, &assets[0], &error) ==
        WEFT_SYSTEM_ERROR);
  CHECK(assets[0] == NULL);
  for (i = 0; i < 2; ++i) {
    packed_bytes = at;
    WORKS(weft_pack_encode(encoder, paths[i], read_store, &source, content_bytes - i, &payload, &assets[i], &error));
    CHECK(weft_pack_asset_stored_bytes(assets[i]) == packed_bytes - at);
    weft_pack_asset_move_by(assets[i], at);
    at = (packed_bytes + 4095) / 4096 * 4096;
  }
  weft_pack_encoder_destroy(encoder);
  CHECK(at < 8192 + content_bytes / 2);
  CHECK(weft_pack_end((const weft_pack_asset* const*)assets, 2, 4096, 1, write_at, &end, &error) ==
        WEFT_INVALID_ARGUMENT);
  WORKS(weft_pack_end((const weft_pack_asset* const*)assets, 2, at, 1, write_at, &end, &error));
  weft_pack_asset_destroy(assets[0]);
  weft_pack_asset_destroy(assets[1]);

  file = fopen(to, "wb");
  CHECK(file != NULL && fwrite(packed, 1, end, file) == end);
  if (file != NULL) CHECK(fclose(file) == 0);
  WORKS(weft_loader_create(NULL, NULL, NULL, &loader, &error));
  WORKS(weft_loader_open_pack(loader, to, &pack, &error));
  CHECK(weft_loader_pack_size(pack) == 2);
  memset(copy.bytes, 0, sizeof(copy.bytes));
  for (i = 0; i < 2; ++i) {
    CHECK(weft_loader_pack_find(pack, paths[i], &entry) && entry.content_bytes == (uint64_t)(content_bytes - i));
    weft_load_request_init(&requests[i]);
    requests[i].pack = pack;
    requests[i].path = paths[i];
    requests[i].host = i == 0 ? copy.bytes : packed;
    requests[i].host_bytes = (size_t)(content_bytes - i);
  }
  WORKS(weft_loader_submit(loader, requests, 2, VK_NULL_HANDLE, 0, &batch, &error));
  CHECK(weft_loader_wait(loader, batch, UINT64_MAX));
  CHECK(weft_load_batch_status(batch, 0, NULL) == WEFT_REQUEST_STATUS_OK);
  CHECK(weft_load_batch_status(batch, 1, NULL) == WEFT_REQUEST_STATUS_OK);
  CHECK(memcmp(copy.bytes, content, content_bytes) == 0 && memcmp(packed, content, content_bytes - 1) == 0);
  weft_load_batch_destroy(batch);
  weft_loader_pack_destroy(pack);
  weft_loader_destroy(loader);
}

/* ---- On a device that the program created */

static void vulkan(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "%s: VkResult %d\n", what, result);
  exit(1);
}
#define VULKAN(call) vulkan(call, #call)

static VkInstance instance;
static VkPhysicalDevice physical_device;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static VkCommandBuffer commands;
static weft_context* context;

/* One mapped buffer, of which calls take ranges. */
static VkBuffer buffer;
static VkDeviceMemory of_buffer;
static unsigned char* mapped;
enum { buffer_bytes = 96 << 20 };
static VkDeviceSize used;

static weft_buffer_range take(VkDeviceSize bytes) {
  const weft_buffer_range range = weft_range_of(buffer, used, bytes);
  used += (bytes + 255) / 256 * 256;
  if (used > buffer_bytes) {
    fprintf(stderr, "the test's buffer is too small\n");
    exit(1);
  }
  memset(mapped + range.offset, 0xa5, (size_t)bytes);
  return range;
}

static weft_buffer_range take_copy(const void* items, VkDeviceSize bytes) {
  const weft_buffer_range range = take(bytes);
  memcpy(mapped + range.offset, items, (size_t)bytes);
  return range;
}

static const void* at(weft_buffer_range range) { return mapped + range.offset; }

/* The same memory, without the buffer. */
static weft_buffer_range by_address(weft_buffer_range range) {
  const VkBufferDeviceAddressInfo info = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, NULL, range.buffer};
  return weft_range_at(vkGetBufferDeviceAddress(device, &info) + range.offset, range.size);
}

static void begin(void) {
  const VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, NULL, 0, NULL};
  VULKAN(vkBeginCommandBuffer(commands, &info));
}

static void end(void) {
  VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_SHADER_WRITE_BIT,
                             VK_ACCESS_HOST_READ_BIT};
  VkSubmitInfo submit;
  memset(&submit, 0, sizeof(submit));
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                       NULL, 0, NULL);
  VULKAN(vkEndCommandBuffer(commands));
  VULKAN(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
  VULKAN(vkQueueWaitIdle(queue));
  used = 0;
}

enum { n = 10007 };
static uint32_t items[n], wanted[n];

static int ascending(const void* a, const void* b) {
  const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
  return x < y ? -1 : x > y;
}

static void pipeline_cache(const weft_context_config* config);

static void adopt_device(void) {
  VkApplicationInfo application;
  VkInstanceCreateInfo instance_info;
  VkDeviceQueueCreateInfo queue_info;
  VkDeviceCreateInfo device_info;
  VkPhysicalDeviceMemoryProperties memory;
  VkMemoryRequirements needs;
  VkBufferCreateInfo buffer_info;
  VkMemoryAllocateFlagsInfo flags;
  VkMemoryAllocateInfo allocation;
  VkCommandPoolCreateInfo pool_info;
  VkCommandBufferAllocateInfo commands_info;
  void* bytes = NULL;
  weft_device_features* features = NULL;
  weft_context_config config;
  const float priority = 1;
  uint32_t count = 1, type = 0;
  const VkMemoryPropertyFlags mappable = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

  VULKAN(volkInitialize());
  memset(&application, 0, sizeof(application));
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  memset(&instance_info, 0, sizeof(instance_info));
  instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance_info.pApplicationInfo = &application;
  VULKAN(vkCreateInstance(&instance_info, NULL, &instance));
  volkLoadInstance(instance);
  vulkan(vkEnumeratePhysicalDevices(instance, &count, &physical_device) < 0 ? VK_ERROR_UNKNOWN : VK_SUCCESS, "devices");

  WORKS(weft_device_features_query(instance, physical_device, vkGetInstanceProcAddr, VK_API_VERSION_1_2, &features,
                                   &error));
  CHECK(weft_device_features_usable(features));
  CHECK((weft_device_features_missing(features, &count), count == 0));

  memset(&queue_info, 0, sizeof(queue_info));
  queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  memset(&device_info, 0, sizeof(device_info));
  device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device_info.queueCreateInfoCount = 1;
  device_info.pQueueCreateInfos = &queue_info;
  device_info.ppEnabledExtensionNames = weft_device_features_extensions(features, &device_info.enabledExtensionCount);
  weft_device_features_extend(features, &device_info);
  VULKAN(vkCreateDevice(physical_device, &device_info, NULL, &device));
  volkLoadDevice(device);
  vkGetDeviceQueue(device, 0, 0, &queue);

  weft_context_config_init(&config);
  config.instance = instance;
  config.physical_device = physical_device;
  config.device = device;
  config.get_instance_proc_addr = vkGetInstanceProcAddr;
  config.api_version = VK_API_VERSION_1_2;
  CHECK(weft_context_create(&config, &context, &error) == WEFT_INVALID_ARGUMENT); /* no device_create_info */
  CHECK(context == NULL && strstr(error.message, "device_create_info") != NULL);
  config.device_create_info = &device_info;
  WORKS(weft_context_create(&config, &context, &error));
  CHECK(error.message[0] == 0);
  CHECK(weft_context_device(context) == device && weft_context_subgroup_size(context) >= 4);
  CHECK(weft_context_supports(context, WEFT_TYPE_U32) && !weft_context_supports(context, (weft_type)10));
  CHECK(weft_context_strategy(context) != WEFT_STRATEGY_AUTOMATIC);
  CHECK(weft_context_warning(context, 0) == NULL);
  pipeline_cache(&config);
  weft_device_features_destroy(features);

  memset(&buffer_info, 0, sizeof(buffer_info));
  buffer_info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer_info.size = buffer_bytes;
  buffer_info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                      VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VULKAN(vkCreateBuffer(device, &buffer_info, NULL, &buffer));
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
  while ((needs.memoryTypeBits >> type & 1) == 0 || (memory.memoryTypes[type].propertyFlags & mappable) != mappable)
    ++type;
  memset(&flags, 0, sizeof(flags));
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  memset(&allocation, 0, sizeof(allocation));
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &flags;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = type;
  VULKAN(vkAllocateMemory(device, &allocation, NULL, &of_buffer));
  VULKAN(vkBindBufferMemory(device, buffer, of_buffer, 0));
  VULKAN(vkMapMemory(device, of_buffer, 0, VK_WHOLE_SIZE, 0, &bytes));
  mapped = bytes;

  memset(&pool_info, 0, sizeof(pool_info));
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  VULKAN(vkCreateCommandPool(device, &pool_info, NULL, &pool));
  memset(&commands_info, 0, sizeof(commands_info));
  commands_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands_info.commandPool = pool;
  commands_info.commandBufferCount = 1;
  VULKAN(vkAllocateCommandBuffers(device, &commands_info, &commands));
}

static void scan(void) {
  weft_scan* scan = NULL;
  weft_scan_config config;
  weft_scan_args args;
  uint32_t i, sum = 7, on_device = n - 1;
  const weft_value initial = weft_value_of(&sum, sizeof(sum));

  weft_scan_config_init(&config);
  config.kind = WEFT_SCAN_KIND_INCLUSIVE;
  WORKS(weft_scan_create(context, &config, &scan, &error));
  CHECK(weft_scan_tile_items(scan) > 0 && weft_scan_strategy(scan) != WEFT_STRATEGY_AUTOMATIC);
  weft_scan_args_init(&args);
  begin();
  args.input = take_copy(items, sizeof(items));
  args.output = take(sizeof(items));
  args.scratch = take(weft_scan_scratch_size(scan, n));
  args.count = weft_count_on_device(take_copy(&on_device, sizeof(on_device)), n);
  args.initial = &initial;
  args.output.size -= 4;
  CHECK(weft_scan_record(scan, commands, &args, &error) == WEFT_INVALID_ARGUMENT);
  CHECK(strstr(error.message, "output") != NULL);
  args.output.size += 4;
  WORKS(weft_scan_record(scan, commands, &args, &error));
  end();
  for (i = 0; i < n; ++i) wanted[i] = i < on_device ? sum += items[i] : 0xa5a5a5a5u;
  CHECK(memcmp(at(args.output), wanted, sizeof(wanted)) == 0);
  weft_scan_destroy(scan);

  /* An earlier version's config: what it lacks has its default. */
  weft_scan_config_init(&config);
  config.accumulator = WEFT_TYPE_F16; /* of no use with u32 */
  CHECK(weft_scan_create(context, &config, &scan, &error) == WEFT_UNSUPPORTED && scan == NULL);
  config.struct_size = offsetof(weft_scan_config, accumulator);
  WORKS(weft_scan_create(context, &config, &scan, &error));
  weft_scan_destroy(scan);
}

static void sort(void) {
  weft_radix_sort* sort = NULL;
  weft_radix_sort_args args;
  WORKS(weft_radix_sort_create(context, NULL, &sort, &error));
  weft_radix_sort_args_init(&args);
  begin();
  args.keys = take_copy(items, sizeof(items));
  args.keys_out = take(sizeof(items));
  args.scratch = take(weft_radix_sort_scratch_size(sort, n));
  args.count = weft_count_of(n);
  WORKS(weft_radix_sort_record(sort, commands, &args, &error));
  end();
  memcpy(wanted, items, sizeof(items));
  qsort(wanted, n, sizeof(wanted[0]), ascending);
  CHECK(memcmp(at(args.keys_out), wanted, sizeof(wanted)) == 0);
  weft_radix_sort_destroy(sort);
}

static void select_items(void) {
  weft_select* select = NULL;
  weft_select_config config;
  weft_select_args args;
  uint32_t i, kept = 0;
  const uint32_t limit = 1u << 30;
  weft_select_config_init(&config);
  config.criterion = WEFT_CRITERION_LESS;
  WORKS(weft_select_create(context, &config, &select, &error));
  weft_select_args_init(&args);
  begin();
  args.input = take_copy(items, sizeof(items));
  args.output = take(sizeof(items));
  args.kept = take(sizeof(uint32_t));
  args.scratch = take(weft_select_scratch_size(select, n));
  args.count = weft_count_of(n);
  args.a = weft_value_of(&limit, sizeof(limit));
  WORKS(weft_select_record(select, commands, &args, &error));
  end();
  for (i = 0; i < n; ++i)
    if (items[i] < limit) wanted[kept++] = items[i];
  CHECK(kept > 0 && kept < n);
  CHECK(*(const uint32_t*)at(args.kept) == kept && memcmp(at(args.output), wanted, kept * sizeof(wanted[0])) == 0);
  weft_select_destroy(select);
}

static void partition(void) {
  weft_partition* partition = NULL;
  weft_partition_config config;
  weft_partition_args args;
  uint32_t i, numbers[3] = {0, 0, 0};
  const uint32_t limits[2] = {1u << 30, 3u << 30};
  weft_partition_config_init(&config);
  config.partitions = 3;
  config.criterion = WEFT_CRITERION_INSIDE;
  WORKS(weft_partition_create(context, &config, &partition, &error));
  weft_partition_args_init(&args);
  begin();
  args.input = take_copy(items, sizeof(items));
  for (i = 0; i < 3; ++i) args.outputs[i] = take(sizeof(items));
  args.counts = take(sizeof(numbers));
  args.scratch = take(weft_partition_scratch_size(partition, n));
  args.count = weft_count_of(n);
  args.a = weft_value_of(&limits[0], sizeof(uint32_t));
  args.b = weft_value_of(&limits[1], sizeof(uint32_t));
  WORKS(weft_partition_record(partition, commands, &args, &error));
  end();
  for (i = 0; i < n; ++i) {
    const int side = items[i] < limits[0] ? 0 : items[i] <= limits[1] ? 1 : 2;
    CHECK(((const uint32_t*)at(args.outputs[side]))[numbers[side]++] == items[i]);
  }
  CHECK(memcmp(at(args.counts), numbers, sizeof(numbers)) == 0);
  weft_partition_destroy(partition);
}

static void reduce(void) {
  weft_reduce* reduce = NULL;
  weft_reduce_config config;
  weft_reduce_args args;
  uint32_t i, most = 0;
  weft_reduce_config_init(&config);
  config.op = WEFT_OP_MAX;
  WORKS(weft_reduce_create(context, &config, &reduce, &error));
  weft_reduce_args_init(&args);
  begin();
  args.input = by_address(take_copy(items, sizeof(items)));
  args.output = take(sizeof(uint32_t));
  args.scratch = take(weft_reduce_scratch_size(reduce, n));
  args.count = weft_count_of(n);
  WORKS(weft_reduce_record(reduce, commands, &args, &error));
  end();
  for (i = 0; i < n; ++i) most = items[i] > most ? items[i] : most;
  CHECK(*(const uint32_t*)at(args.output) == most);
  weft_reduce_destroy(reduce);
}

static void merge(void) {
  enum { a = 4000, b = n - a };
  weft_merge* merge = NULL;
  weft_merge_args args;
  WORKS(weft_merge_create(context, NULL, &merge, &error));
  memcpy(wanted, items, sizeof(items));
  qsort(wanted, a, sizeof(wanted[0]), ascending);
  qsort(wanted + a, b, sizeof(wanted[0]), ascending);
  weft_merge_args_init(&args);
  begin();
  args.keys_a = take_copy(wanted, a * sizeof(wanted[0]));
  args.keys_b = take_copy(wanted + a, b * sizeof(wanted[0]));
  args.keys_out = take(sizeof(items));
  args.scratch = take(weft_merge_scratch_size(merge, a, b));
  args.count_a = weft_count_of(a);
  args.count_b = weft_count_of(b);
  WORKS(weft_merge_record(merge, commands, &args, &error));
  end();
  qsort(wanted, n, sizeof(wanted[0]), ascending);
  CHECK(memcmp(at(args.keys_out), wanted, sizeof(wanted)) == 0);
  weft_merge_destroy(merge);
}

/* Frames of Zstandard: one with a raw block of 5 bytes, after a skippable one. */
static void decode_zstd(void) {
  static const unsigned char frames[] = {0x50, 0x2a, 0x4d, 0x18, 1, 0, 0,   0,   9,   0x28, 0xb5, 0x2f,
                                         0xfd, 0x20, 5,    0x29, 0, 0, 'h', 'e', 'l', 'l',  'o',  0};
  weft_zstd_decode* decode = NULL;
  weft_zstd_decode_args args;
  weft_zstd_frame frame;
  weft_zstd_table table;
  CHECK(weft_zstd_frames(frames, 10, 0, 0, &frame, 1, &table, &error) == WEFT_CORRUPT_STREAM);
  WORKS(weft_zstd_frames(frames, 23, 0, 0, &frame, 1, &table, &error));
  CHECK(table.frame_count == 1 && table.output_bytes == 5 && table.bounds.blocks == 1 && frame.source == 9);
  WORKS(weft_zstd_decode_create(context, NULL, &decode, &error));
  weft_zstd_decode_args_init(&args);
  begin();
  args.frames = take_copy(&frame, sizeof(frame));
  args.frame_count = weft_count_of(1);
  args.source = take_copy(frames, sizeof(frames));
  args.output = take(5);
  args.status = take(8);
  memset(mapped + args.status.offset, 0, 4);
  args.sizes = take(4);
  args.scratch = take(weft_zstd_decode_scratch_size(decode, 1, &table.bounds));
  args.bounds = table.bounds;
  WORKS(weft_zstd_decode_record(decode, commands, &args, &error));
  end();
  CHECK(memcmp(at(args.output), "hello", 5) == 0 && *(const uint32_t*)at(args.sizes) == 5);
  CHECK(((const uint32_t*)at(args.status))[1] == WEFT_ZSTD_REFUSAL_NONE);
  weft_zstd_decode_destroy(decode);
}

#include "every_primitive.h"

/* Kernels of another primitive, and what is none. */
static void own_kernels(void) {
  static const uint32_t words[5] = {0x07230203};
  const weft_kernel_code code = {"merge.native", words, 5};
  weft_kernel_set* set = NULL;
  weft_scan* scan = NULL;
  weft_scan_config config;
  CHECK(weft_kernel_set_create("mine", "merge", NULL, 1, &set, &error) == WEFT_INVALID_ARGUMENT && set == NULL);
  WORKS(weft_kernel_set_create("mine", "merge", &code, 1, &set, &error));
  weft_scan_config_init(&config);
  config.own_kernels = set;
  CHECK(weft_scan_create(context, &config, &scan, &error) == WEFT_UNSUPPORTED && scan == NULL);
  CHECK(strstr(error.message, "mine") != NULL);
  weft_kernel_set_destroy(set);
}

static weft_status create_reduce(void* user, const weft_context* with, weft_error* why) {
  return weft_reduce_create(with, NULL, (weft_reduce**)user, why);
}
static weft_status create_nothing(void* user, const weft_context* with, weft_error* why) {
  (void)user;
  (void)with;
  strcpy(why->message, "it is not there");
  return WEFT_NOT_FOUND;
}

static void prewarm(void) {
  weft_reduce *first = NULL, *second = NULL;
  weft_prewarm work[3];
  Threads threads = {0, 0, 0};
  work[0].create = work[1].create = create_reduce;
  work[0].user = &first;
  work[1].user = &second;
  work[2].create = create_nothing;
  work[2].user = NULL;
  WORKS(weft_context_prewarm(context, work, 1, NULL, NULL, &error));
  CHECK(first != NULL);
  weft_reduce_destroy(first);
  first = NULL;
  CHECK(weft_context_prewarm(context, work, 3, run_tasks, &threads, &error) == WEFT_NOT_FOUND);
  CHECK(strcmp(error.message, "it is not there") == 0);
  CHECK(first != NULL && second != NULL && threads.calls > 0 && threads.tasks == 3);
  weft_reduce_destroy(first);
  weft_reduce_destroy(second);
  first = second = NULL;
  threads.leaves_out = 1;
  CHECK(weft_context_prewarm(context, work, 2, run_tasks, &threads, &error) == WEFT_SYSTEM_ERROR);
  weft_reduce_destroy(first);
  weft_reduce_destroy(second);
}

static void tuning(void) {
  weft_tuning_value value, before;
  uint32_t i = 0;
  before.key[0] = 0;
  while (weft_context_tuning(context, i, &value, &error) == WEFT_SUCCESS) {
    CHECK(strcmp(before.key, value.key) < 0 && value.min <= value.value && value.value <= value.max);
    before = value;
    ++i;
  }
  CHECK(i > 10 && weft_context_tuning(context, i, &value, &error) == WEFT_NOT_FOUND);
}

static void pipeline_cache(const weft_context_config* config) {
  size_t size = 0, less = 1;
  void* data;
  weft_context* again = NULL;
  weft_context_config with = *config;
  WORKS(weft_context_pipeline_cache_data(context, NULL, &size, &error));
  CHECK(size > 1);
  data = malloc(size);
  CHECK(weft_context_pipeline_cache_data(context, data, &less, &error) == WEFT_OVER_LIMIT && less == 1);
  WORKS(weft_context_pipeline_cache_data(context, data, &size, &error));
  with.pipeline_cache_data = data;
  with.pipeline_cache_size = size;
  with.tuning = "no tuning";
  CHECK(weft_context_create(&with, &again, &error) == WEFT_INVALID_ARGUMENT && again == NULL);
  with.tuning = "weft-tuning 1\ndevice=another\n";
  WORKS(weft_context_create(&with, &again, &error));
  CHECK(weft_context_warning(again, 0) != NULL && weft_context_warning(again, 1) == NULL);
  weft_context_destroy(again);
  free(data);
}

/* A primitive outlives the context that it was made with. */
static void reduce_after_context(void) {
  weft_reduce* reduce = NULL;
  weft_reduce_args args;
  uint32_t i, sum = 0;
  WORKS(weft_reduce_create(context, NULL, &reduce, &error));
  weft_context_destroy(context);
  weft_reduce_args_init(&args);
  begin();
  args.input = take_copy(items, sizeof(items));
  args.output = take(sizeof(uint32_t));
  args.scratch = take(weft_reduce_scratch_size(reduce, n));
  args.count = weft_count_of(n);
  WORKS(weft_reduce_record(reduce, commands, &args, &error));
  end();
  for (i = 0; i < n; ++i) sum += items[i];
  CHECK(*(const uint32_t*)at(args.output) == sum);
  weft_reduce_destroy(reduce);
}

/* Tiles by value, and of a range in a table. */
static void decode(void) {
  weft_gstd_decode* decode = NULL;
  weft_gstd_decode_args args;
  weft_gstd_tile tiles[8];
  size_t count = 0;
  WORKS(weft_gstd_decode_create(context, NULL, &decode, &error));
  WORKS(weft_gstd_tiles(stream.bytes, stream.size, 0, 0, NULL, tiles, 8, &count, &error));
  CHECK(count == 4);
  weft_gstd_largest_first(tiles, count);
  CHECK(tiles[0].words >= tiles[3].words);
  weft_gstd_decode_args_init(&args);
  begin();
  args.source = take_copy(stream.bytes, (stream.size + 3) / 4 * 4);
  args.output = take(content_bytes);
  args.status = take(5 * sizeof(uint32_t));
  memset(mapped + args.status.offset, 0, 4);
  args.scratch = take(weft_gstd_decode_scratch_size_by_value(decode, count));
  WORKS(weft_gstd_decode_record_tiles(decode, commands, tiles, count, &args, &error));
  end();
  CHECK(*(const uint32_t*)at(args.status) == 0);
  CHECK(memcmp(at(args.output), content, content_bytes) == 0);

  WORKS(weft_gstd_tiles_of_range(stream.bytes, stream.size, 0, 65000, 1000, 3, NULL, tiles, 8, &count, &error));
  CHECK(count == 2);
  begin();
  args.source = take_copy(stream.bytes, (stream.size + 3) / 4 * 4);
  args.output = take(1003);
  args.status = take(3 * sizeof(uint32_t));
  memset(mapped + args.status.offset, 0, 4);
  args.tiles = take_copy(tiles, count * sizeof(tiles[0]));
  args.tile_count = weft_count_of(count);
  args.scratch = take(weft_gstd_decode_scratch_size(decode, count));
  WORKS(weft_gstd_decode_record(decode, commands, &args, &error));
  end();
  CHECK(*(const uint32_t*)at(args.status) == 0);
  CHECK(memcmp((const char*)at(args.output) + 3, content + 65000, 1000) == 0);
  weft_gstd_decode_destroy(decode);
}

/* The pack's asset to host memory and to a buffer, and one that is not there. */
static void load(const char* pack_path, const char* file_path) {
  weft_loader* loader = NULL;
  weft_loader_pack* pack = NULL;
  weft_load_batch* batch = NULL;
  weft_loader_device on;
  weft_pack_entry entry, same;
  weft_load_request requests[3];
  weft_request_report report;
  weft_buffer_range range;
  static unsigned char to[1 << 18], of_file[1 << 18];
  FILE* file = fopen(file_path, "rb");
  size_t bytes = file == NULL ? 0 : fread(of_file, 1, sizeof(of_file), file);
  char name[64];
  if (file != NULL) fclose(file);
  weft_loader_device_init(&on);
  on.instance = instance;
  on.physical_device = physical_device;
  on.get_instance_proc_addr = vkGetInstanceProcAddr;
  on.queue = queue;
  CHECK(weft_loader_create(context, NULL, NULL, &loader, &error) == WEFT_INVALID_ARGUMENT && loader == NULL);
  WORKS(weft_loader_create(context, &on, NULL, &loader, &error));
  CHECK(weft_loader_backend(loader) != WEFT_READ_BACKEND_AUTOMATIC);
  CHECK(weft_loader_open_pack(loader, "no/such/file", &pack, &error) == WEFT_NOT_FOUND && pack == NULL);
  WORKS(weft_loader_open_pack(loader, pack_path, &pack, &error));
  CHECK(weft_loader_pack_size(pack) == 1 && weft_loader_pack_entry(pack, 0, &entry));
  CHECK(!weft_loader_pack_entry(pack, 1, &entry) && !weft_loader_pack_find(pack, "nothing", &entry));
  CHECK(entry.content_bytes == bytes && bytes > 0 && entry.path_bytes < sizeof(name));
  memcpy(name, entry.path, entry.path_bytes);
  name[entry.path_bytes] = 0;
  CHECK(weft_loader_pack_find(pack, name, &same) && same.path == entry.path);

  used = 0;
  range = take(bytes);
  weft_load_request_init(&requests[0]);
  requests[0].pack = pack;
  CHECK(weft_loader_submit(loader, requests, 1, VK_NULL_HANDLE, 0, &batch, &error) == WEFT_INVALID_ARGUMENT);
  CHECK(batch == NULL && strstr(error.message, "one destination") != NULL);
  requests[0].path = name;
  requests[0].host = to;
  requests[0].host_bytes = bytes;
  requests[1] = requests[0];
  requests[1].path = NULL;
  requests[1].host = NULL;
  requests[1].buffer = range;
  requests[2] = requests[0];
  requests[2].path = "nothing";
  WORKS(weft_loader_submit(loader, requests, 3, VK_NULL_HANDLE, 0, &batch, &error));
  CHECK(weft_loader_wait(loader, batch, UINT64_MAX) && weft_load_batch_done(batch));
  CHECK(weft_load_batch_size(batch) == 3);
  CHECK(weft_load_batch_status(batch, 0, &report) == WEFT_REQUEST_STATUS_OK && report.bytes == bytes);
  CHECK(report.reason[0] == 0);
  CHECK(weft_load_batch_status(batch, 1, NULL) == WEFT_REQUEST_STATUS_OK);
  CHECK(weft_load_batch_status(batch, 2, &report) == WEFT_REQUEST_STATUS_NOT_FOUND && report.reason[0] != 0);
  CHECK(weft_load_batch_status(batch, 3, NULL) == WEFT_REQUEST_STATUS_INVALID_ARGUMENT);
  CHECK(memcmp(to, of_file, bytes) == 0 && memcmp(at(range), of_file, bytes) == 0);
  CHECK(weft_loader_get_usage(loader).peak > 0);
#if defined(__linux__)
  { /* What C++ throws is a status: a terabyte for copies of requests. */
    struct rlimit limit, less;
    weft_load_batch* none = batch;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    less = limit;
    less.rlim_cur = (rlim_t)64 << 30;
    CHECK(setrlimit(RLIMIT_AS, &less) == 0);
    CHECK(weft_loader_submit(loader, requests, UINT32_MAX, VK_NULL_HANDLE, 0, &none, &error) ==
          WEFT_OUT_OF_HOST_MEMORY);
    CHECK(none == NULL && error.message[0] != 0);
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  }
#endif
  weft_load_batch_destroy(batch);
  weft_loader_pack_destroy(pack);
  weft_loader_destroy(loader);
}

/* ---- On a device of weft's own */

typedef struct {
  const weft_reduce* reduce;
  weft_reduce_args args;
} Work;

static weft_status record_work(void* user, VkCommandBuffer to, weft_error* why) {
  const Work* work = user;
  return weft_reduce_record(work->reduce, to, &work->args, why);
}

static void own_device(void) {
  weft_gpu* gpu = NULL;
  weft_gpu_info info;
  weft_gpu_config config;
  weft_buffer *input = NULL, *output = NULL, *scratch = NULL;
  weft_reduce* reduce = NULL;
  weft_run_time time;
  weft_buffer_range range;
  Work work;
  uint32_t count = 0, i, sum = 0, got = 0;
  WORKS(weft_gpu_list(&info, 1, &count, &error));
  CHECK(count >= 1 && info.usable && info.name[0] != 0 && info.index == 0);
  weft_gpu_config_init(&config);
  config.device = "no such device";
  CHECK(weft_gpu_open(&config, &gpu, &error) == WEFT_NOT_FOUND && gpu == NULL);
  CHECK(strstr(error.message, info.name) != NULL);
  WORKS(weft_gpu_open(NULL, &gpu, &error));
  WORKS(weft_gpu_get_info(gpu, &info, &error));
  CHECK(weft_gpu_instance(gpu) != VK_NULL_HANDLE && weft_gpu_queue(gpu) != VK_NULL_HANDLE);
  CHECK(weft_gpu_second_queue(gpu, NULL) == VK_NULL_HANDLE && !weft_gpu_has_extension(gpu, "VK_KHR_surface"));
  WORKS(weft_reduce_create(weft_gpu_context(gpu), NULL, &reduce, &error));
  WORKS(weft_buffer_create(gpu, sizeof(items), &input, &error));
  WORKS(weft_buffer_create(gpu, 4, &output, &error));
  WORKS(weft_buffer_create(gpu, weft_reduce_scratch_size(reduce, n), &scratch, &error));
  CHECK(weft_buffer_address(input) % 16 == 0 && weft_buffer_get_range(output).size == 16);
  range = weft_buffer_get_range(input);
  CHECK(weft_gpu_upload(gpu, &range, items, (size_t)range.size + 1, &error) == WEFT_INVALID_ARGUMENT);
  WORKS(weft_gpu_upload(gpu, &range, items, sizeof(items), &error));
  work.reduce = reduce;
  weft_reduce_args_init(&work.args);
  work.args.input = range;
  work.args.output = weft_buffer_get_range(output);
  work.args.count = weft_count_of(n);
  /* What the callback says is what the call says. */
  CHECK(weft_gpu_run(gpu, record_work, &work, &time, &error) == WEFT_INVALID_ARGUMENT);
  CHECK(strstr(error.message, "scratch") != NULL);
  work.args.scratch = weft_buffer_get_range(scratch);
  WORKS(weft_gpu_run(gpu, record_work, &work, &time, &error));
  CHECK(time.host_ms > 0);
  {
    double each[3] = {-1, -1, -1};
    WORKS(weft_gpu_time(gpu, 3, record_work, &work, each, &error));
    CHECK(each[0] > 0 && each[1] > 0 && each[2] > 0);
    work.args.scratch.size = 0;
    CHECK(weft_gpu_time(gpu, 3, record_work, &work, each, &error) == WEFT_INVALID_ARGUMENT);
    CHECK(strstr(error.message, "scratch") != NULL);
    work.args.scratch = weft_buffer_get_range(scratch);
  }
  WORKS(weft_gpu_download(gpu, &work.args.output, &got, sizeof(got), &error));
  for (i = 0; i < n; ++i) sum += items[i];
  CHECK(got == sum);
  WORKS(weft_gpu_fill(gpu, &work.args.output, 5, &error));
  WORKS(weft_gpu_download(gpu, &work.args.output, &got, sizeof(got), &error));
  CHECK(got == 5);
  weft_buffer_destroy(scratch);
  weft_buffer_destroy(output);
  weft_buffer_destroy(input);
  weft_reduce_destroy(reduce);
  weft_gpu_destroy(gpu);
}

int main(int count, char** arguments) {
  uint32_t i, state = 1;
  for (i = 0; i < n; ++i) items[i] = state = state * 1664525u + 1013904223u;
  null_calls();
  structs_begin_with_their_size();
  names_and_errors();
  codec();
  executor_and_reader();
  if (count == 4) {
    write_pack("written.wpk");
    adopt_device();
    prewarm();
    tuning();
    scan();
    sort();
    select_items();
    partition();
    reduce();
    merge();
    decode();
    decode_zstd();
    every_other_primitive(arguments[3]);
    own_kernels();
    load(arguments[1], arguments[2]);
    reduce_after_context();
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyBuffer(device, buffer, NULL);
    vkFreeMemory(device, of_buffer, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    own_device();
  }
  printf(failures == 0 ? "all is as the header says\n" : "%d failures\n", failures);
  return failures != 0;
}
