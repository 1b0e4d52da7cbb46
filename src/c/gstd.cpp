// SPDX-License-Identifier: MIT OR Apache-2.0
// The codec on the CPU, what writes packs, and the tables that the codec's decoders on the device take.
#include <optional>
#include <span>
#include <vector>

#include "c/calls.hpp"
#include "structs.hpp"

using namespace weft::c;

struct weft_gstd_compressor {
  weft::gstd::Compressor value;
};

struct weft_gstd_decompressor {
  // Written by the decompressor, which must not see it move.
  std::unique_ptr<weft::gstd::Verdict> verdict;
  weft::gstd::Decompressor value;
};

struct weft_gstd_reader {
  weft::gstd::Reader value;
};

struct weft_pack_encoder {
  weft::pack::AssetEncoder value;
};

struct weft_pack_asset {
  weft::pack::Asset value;
};

namespace {

class CallersPayload final : public weft::pack::Payload {
 public:
  explicit CallersPayload(const weft_pack_payload& calls) : calls_(calls) {}
  weft::Status write(std::span<const std::byte> bytes) override {
    return returned(calls_.write(calls_.user, bytes.data(), bytes.size()), "write");
  }
  weft::Status rewind(uint64_t bytes) override { return returned(calls_.rewind(calls_.user, bytes), "rewind"); }

 private:
  weft_pack_payload calls_;
};

std::span<const std::byte> span_of(const void* bytes, size_t size) {
  return {static_cast<const std::byte*>(bytes), size};
}

std::span<std::byte> span_of(void* bytes, size_t size) { return {static_cast<std::byte*>(bytes), size}; }

std::optional<uint64_t> value_of(const uint64_t* value) {
  return value == nullptr ? std::nullopt : std::optional<uint64_t>(*value);
}

weft::gstd::Sink sink_of(weft_sink sink, void* user) {
  return [sink, user](std::span<const std::byte> bytes) {
    return returned(sink(user, bytes.data(), bytes.size()), "the sink");
  };
}

weft::gstd::ReadAt read_of(weft_read_at read, void* user) {
  return [read, user](uint64_t position, std::span<std::byte> to) {
    return returned(read(user, position, to.data(), to.size()), "read");
  };
}

/// Calls `call(config)`, which returns a Status.
template <class C, class Call>
weft_status with(const C* config, weft_error* error, const Call& call) try {
  typename Tagged<C>::Cpp cpp;
  if (weft::Status status = read(config, cpp); !status) return failed(error, status.error());
  return ended(error, call(cpp));
} catch (...) {
  return failed(error, weft::runtime::caught());
}

template <class T, class To>
weft::Status stored(const weft::Result<T>& result, To* to) {
  if (!result) return result.error();
  *to = static_cast<To>(*result);
  return {};
}

/// As many entries of a table as there is room for, and how many there are.
template <class Cpp, class C, class Number>
void copy_table(const std::vector<Cpp>& table, C* to, size_t capacity, Number* count) {
  static_assert(sizeof(C) == sizeof(Cpp) && std::is_trivially_copyable_v<Cpp>);
  const size_t copied = std::min(capacity, table.size());
  if (copied > 0) std::memcpy(static_cast<void*>(to), table.data(), copied * sizeof(C));
  *count = static_cast<Number>(table.size());
}

/// A call's null pointers, of which none may be.
struct Required {
  const void* pointer;
  size_t size;
  const char* name;
};

const char* null_among(std::initializer_list<Required> required) {
  for (const Required& one : required)
    if (one.pointer == nullptr && one.size > 0) return one.name;
  return nullptr;
}

}  // namespace

#define WEFT_REQUIRE(...) \
  if (const char* name = null_among({__VA_ARGS__}); name != nullptr) return null_argument(error, name)

uint64_t weft_gstd_compress_bound(uint64_t content_bytes, const weft_gstd_compress_config* config) {
  uint64_t bound = 0;
  with(config, nullptr, [&](const weft::gstd::CompressConfig& cpp) {
    return stored(weft::gstd::compress_bound(content_bytes, cpp), &bound);
  });
  return bound;
}

weft_status weft_gstd_compress(const void* content, size_t content_bytes, const weft_gstd_compress_config* config,
                               void* output, size_t output_bytes, size_t* written, weft_error* error) {
  WEFT_REQUIRE({content, content_bytes, "content"}, {output, output_bytes, "output"}, {written, 1, "written"});
  return with(config, error, [&](const weft::gstd::CompressConfig& cpp) {
    return stored(weft::gstd::compress_to(span_of(content, content_bytes), span_of(output, output_bytes), cpp),
                  written);
  });
}

weft_status weft_gstd_decompressed_size(const void* stream, size_t stream_bytes,
                                        const weft_gstd_decompress_config* config, uint64_t* content_bytes,
                                        weft_error* error) {
  WEFT_REQUIRE({stream, stream_bytes, "stream"}, {content_bytes, 1, "content_bytes"});
  return with(config, error, [&](const weft::gstd::DecompressConfig& cpp) {
    return stored(weft::gstd::decompressed_size(span_of(stream, stream_bytes), cpp), content_bytes);
  });
}

weft_status weft_gstd_decompress(const void* stream, size_t stream_bytes, const weft_gstd_decompress_config* config,
                                 void* output, size_t output_bytes, size_t* written, weft_error* error) {
  WEFT_REQUIRE({stream, stream_bytes, "stream"}, {output, output_bytes, "output"}, {written, 1, "written"});
  return with(config, error, [&](const weft::gstd::DecompressConfig& cpp) {
    return stored(weft::gstd::decompress_to(span_of(stream, stream_bytes), span_of(output, output_bytes), cpp),
                  written);
  });
}

weft_status weft_gstd_decompress_range(const void* stream, size_t stream_bytes, uint64_t first,
                                       const weft_gstd_decompress_config* config, void* output, size_t output_bytes,
                                       weft_error* error) {
  WEFT_REQUIRE({stream, stream_bytes, "stream"}, {output, output_bytes, "output"});
  return with(config, error, [&](const weft::gstd::DecompressConfig& cpp) {
    return weft::gstd::decompress_range(span_of(stream, stream_bytes), first, span_of(output, output_bytes), cpp);
  });
}

weft_status weft_gstd_inspect(const void* stream, size_t stream_bytes, const weft_gstd_decompress_config* config,
                              weft_gstd_stream_info* info, weft_gstd_verdict* verdict, weft_error* error) {
  WEFT_REQUIRE({stream, stream_bytes, "stream"}, {info, 1, "info"});
  weft::gstd::Verdict seen;
  return with(config, error, [&](weft::gstd::DecompressConfig& cpp) -> weft::Status {
    cpp.verdict = &seen;
    const auto result = weft::gstd::inspect(span_of(stream, stream_bytes), cpp);
    if (verdict != nullptr) *verdict = std::bit_cast<weft_gstd_verdict>(seen);
    if (!result) return result.error();
    *info = std::bit_cast<weft_gstd_stream_info>(*result);
    return {};
  });
}

weft_status weft_gstd_compressor_create(const weft_gstd_compress_config* config, const uint64_t* content_bytes,
                                        weft_gstd_compressor** compressor, weft_error* error) {
  WEFT_REQUIRE({compressor, 1, "compressor"});
  *compressor = nullptr;
  return with(config, error, [&](const weft::gstd::CompressConfig& cpp) -> weft::Status {
    auto made = weft::gstd::Compressor::create(cpp, value_of(content_bytes));
    if (!made) return made.error();
    *compressor = new weft_gstd_compressor{*std::move(made)};
    return {};
  });
}

void weft_gstd_compressor_destroy(weft_gstd_compressor* compressor) { delete compressor; }

weft_status weft_gstd_compressor_write(weft_gstd_compressor* compressor, const void* content, size_t size,
                                       weft_sink sink, void* user, weft_error* error) try {
  WEFT_REQUIRE({compressor, 1, "compressor"}, {content, size, "content"});
  if (sink == nullptr) return null_argument(error, "sink");
  return ended(error, compressor->value.write(span_of(content, size), sink_of(sink, user)));
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_gstd_compressor_flush(weft_gstd_compressor* compressor, weft_sink sink, void* user,
                                       weft_error* error) try {
  WEFT_REQUIRE({compressor, 1, "compressor"});
  if (sink == nullptr) return null_argument(error, "sink");
  return ended(error, compressor->value.flush(sink_of(sink, user)));
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_gstd_compressor_finish(weft_gstd_compressor* compressor, weft_sink sink, void* user,
                                        weft_error* error) try {
  WEFT_REQUIRE({compressor, 1, "compressor"});
  if (sink == nullptr) return null_argument(error, "sink");
  return ended(error, compressor->value.finish(sink_of(sink, user)));
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_gstd_compressor_reset(weft_gstd_compressor* compressor, const uint64_t* content_bytes,
                                       weft_error* error) {
  WEFT_REQUIRE({compressor, 1, "compressor"});
  return ended(error, compressor->value.reset(value_of(content_bytes)));
}

weft_status weft_gstd_decompressor_create(const weft_gstd_decompress_config* config,
                                          weft_gstd_decompressor** decompressor, weft_error* error) {
  WEFT_REQUIRE({decompressor, 1, "decompressor"});
  *decompressor = nullptr;
  return with(config, error, [&](weft::gstd::DecompressConfig& cpp) -> weft::Status {
    auto verdict = std::make_unique<weft::gstd::Verdict>();
    cpp.verdict = verdict.get();
    auto made = weft::gstd::Decompressor::create(cpp);
    if (!made) return made.error();
    *decompressor = new weft_gstd_decompressor{std::move(verdict), *std::move(made)};
    return {};
  });
}

void weft_gstd_decompressor_destroy(weft_gstd_decompressor* decompressor) { delete decompressor; }

weft_status weft_gstd_decompressor_write(weft_gstd_decompressor* decompressor, const void* stream, size_t size,
                                         weft_sink sink, void* user, weft_error* error) try {
  WEFT_REQUIRE({decompressor, 1, "decompressor"}, {stream, size, "stream"});
  if (sink == nullptr) return null_argument(error, "sink");
  return ended(error, decompressor->value.write(span_of(stream, size), sink_of(sink, user)));
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_gstd_decompressor_finish(weft_gstd_decompressor* decompressor, weft_sink sink, void* user,
                                          weft_error* error) try {
  WEFT_REQUIRE({decompressor, 1, "decompressor"});
  if (sink == nullptr) return null_argument(error, "sink");
  return ended(error, decompressor->value.finish(sink_of(sink, user)));
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_gstd_decompressor_reset(weft_gstd_decompressor* decompressor) {
  if (decompressor != nullptr) decompressor->value.reset();
}

weft_gstd_verdict weft_gstd_decompressor_verdict(const weft_gstd_decompressor* decompressor) {
  return decompressor == nullptr ? weft_gstd_verdict{} : std::bit_cast<weft_gstd_verdict>(*decompressor->verdict);
}

weft_status weft_gstd_reader_open(weft_read_at read, void* user, uint64_t stream_bytes,
                                  const weft_gstd_decompress_config* config, weft_gstd_reader** reader,
                                  weft_error* error) {
  WEFT_REQUIRE({reader, 1, "reader"});
  *reader = nullptr;
  if (read == nullptr) return null_argument(error, "read");
  return with(config, error, [&](const weft::gstd::DecompressConfig& cpp) -> weft::Status {
    auto opened = weft::gstd::Reader::open(read_of(read, user), stream_bytes, cpp);
    if (!opened) return opened.error();
    *reader = new weft_gstd_reader{*std::move(opened)};
    return {};
  });
}

void weft_gstd_reader_destroy(weft_gstd_reader* reader) { delete reader; }

weft_status weft_gstd_reader_info(const weft_gstd_reader* reader, weft_gstd_stream_info* info, weft_error* error) {
  WEFT_REQUIRE({reader, 1, "reader"}, {info, 1, "info"});
  *info = std::bit_cast<weft_gstd_stream_info>(reader->value.info());
  return succeeded(error);
}

weft_status weft_gstd_reader_read(weft_gstd_reader* reader, uint64_t first, void* output, size_t output_bytes,
                                  weft_error* error) {
  WEFT_REQUIRE({reader, 1, "reader"}, {output, output_bytes, "output"});
  return ended(error, reader->value.read(first, span_of(output, output_bytes)));
}

weft_status weft_gstd_executor_create(weft_run_tasks run, void* user, weft_gstd_executor** executor,
                                      weft_error* error) try {
  WEFT_REQUIRE({executor, 1, "executor"});
  *executor = nullptr;
  if (run == nullptr) return null_argument(error, "run");
  *executor = new weft_gstd_executor(run, user);
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_gstd_executor_destroy(weft_gstd_executor* executor) { delete executor; }

void weft_gstd_executor::run(uint32_t count, const std::function<void(uint32_t)>& task) {
  run_on(call, user, count, task);
}

weft_status weft_pack_encoder_create(const weft_gstd_compress_config* config, weft_pack_encoder** encoder,
                                     weft_error* error) {
  WEFT_REQUIRE({encoder, 1, "encoder"});
  *encoder = nullptr;
  return with(config, error, [&](const weft::gstd::CompressConfig& cpp) -> weft::Status {
    auto made = weft::pack::AssetEncoder::create(cpp);
    if (!made) return made.error();
    *encoder = new weft_pack_encoder{*std::move(made)};
    return {};
  });
}

void weft_pack_encoder_destroy(weft_pack_encoder* encoder) { delete encoder; }

weft_status weft_pack_encode(weft_pack_encoder* encoder, const char* path, weft_read_at read, void* read_user,
                             uint64_t content_bytes, const weft_pack_payload* to, weft_pack_asset** asset,
                             weft_error* error) try {
  WEFT_REQUIRE({encoder, 1, "encoder"}, {path, 1, "path"}, {to, 1, "to"}, {asset, 1, "asset"});
  *asset = nullptr;
  if (read == nullptr || to->write == nullptr || to->rewind == nullptr) return null_argument(error, "a callback");
  CallersPayload payload(*to);
  return handed(encoder->value.encode(path, read_of(read, read_user), content_bytes, payload), asset, error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_pack_asset_destroy(weft_pack_asset* asset) { delete asset; }

uint64_t weft_pack_asset_stored_bytes(const weft_pack_asset* asset) {
  return asset == nullptr ? 0 : asset->value.stored_bytes();
}

void weft_pack_asset_move_by(weft_pack_asset* asset, uint64_t bytes) {
  if (asset != nullptr) asset->value.move_by(bytes);
}

weft_status weft_pack_end(const weft_pack_asset* const* assets, uint32_t count, uint64_t payload_end,
                          uint64_t generation, weft_write_at write, void* user, weft_error* error) try {
  WEFT_REQUIRE({assets, count, "assets"});
  if (write == nullptr) return null_argument(error, "write");
  std::vector<weft::pack::Asset> all;
  for (uint32_t i = 0; i < count; ++i) {
    WEFT_REQUIRE({assets[i], 1, "an asset"});
    all.push_back(assets[i]->value);
  }
  const auto end = weft::pack::end_pack(all, payload_end, generation);
  if (!end) return failed(error, end.error());
  weft::Status written =
      returned(write(user, end->directory_position, end->directory.data(), end->directory.size()), "write");
  if (written) written = returned(write(user, end->slot_position, end->slot.data(), end->slot.size()), "write");
  return ended(error, written);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_gdeflate_decompress(const void* stream, size_t stream_bytes, void* output, size_t output_bytes,
                                     weft_error* error) {
  WEFT_REQUIRE({stream, stream_bytes, "stream"}, {output, output_bytes, "output"});
  return ended(error, weft::gdeflate::decompress(span_of(stream, stream_bytes), span_of(output, output_bytes)));
}

weft_status weft_gstd_tiles(const void* stream, size_t stream_bytes, uint64_t source, uint64_t output,
                            const weft_gstd_decompress_config* config, weft_gstd_tile* tiles, size_t capacity,
                            size_t* count, weft_error* error) {
  WEFT_REQUIRE({stream, stream_bytes, "stream"}, {tiles, capacity, "tiles"}, {count, 1, "count"});
  return with(config, error, [&](const weft::gstd::DecompressConfig& cpp) -> weft::Status {
    const auto table = weft::gstd_tiles(span_of(stream, stream_bytes), source, output, cpp);
    if (!table) return table.error();
    copy_table(*table, tiles, capacity, count);
    return {};
  });
}

weft_status weft_gstd_tiles_of_range(const void* stream, size_t stream_bytes, uint64_t source, uint64_t first,
                                     uint64_t bytes, uint64_t output, const weft_gstd_decompress_config* config,
                                     weft_gstd_tile* tiles, size_t capacity, size_t* count, weft_error* error) {
  WEFT_REQUIRE({stream, stream_bytes, "stream"}, {tiles, capacity, "tiles"}, {count, 1, "count"});
  return with(config, error, [&](const weft::gstd::DecompressConfig& cpp) -> weft::Status {
    const auto table = weft::gstd_tiles_of_range(span_of(stream, stream_bytes), source, first, bytes, output, cpp);
    if (!table) return table.error();
    copy_table(*table, tiles, capacity, count);
    return {};
  });
}

void weft_gstd_largest_first(weft_gstd_tile* tiles, size_t count) {
  if (tiles != nullptr) weft::gstd_largest_first({reinterpret_cast<weft::GstdTile*>(tiles), count});
}

weft_status weft_gdeflate_pages(const void* stream, size_t stream_bytes, uint64_t source, uint64_t output,
                                weft_gdeflate_page* pages, size_t capacity, size_t* count, weft_error* error) {
  WEFT_REQUIRE({stream, stream_bytes, "stream"}, {pages, capacity, "pages"}, {count, 1, "count"});
  const auto table = weft::gdeflate_pages(span_of(stream, stream_bytes), source, output);
  if (!table) return failed(error, table.error());
  copy_table(*table, pages, capacity, count);
  return succeeded(error);
}

weft_status weft_zstd_frames(const void* stream, size_t stream_bytes, uint64_t source, uint64_t output,
                             weft_zstd_frame* frames, size_t capacity, weft_zstd_table* table, weft_error* error) {
  WEFT_REQUIRE({stream, stream_bytes, "stream"}, {frames, capacity, "frames"}, {table, 1, "table"});
  const auto found = weft::zstd_frames(span_of(stream, stream_bytes), source, output);
  if (!found) return failed(error, found.error());
  copy_table(found->frames, frames, capacity, &table->frame_count);
  table->bounds = std::bit_cast<weft_zstd_bounds>(found->bounds);
  table->output_bytes = found->output_bytes;
  return succeeded(error);
}
