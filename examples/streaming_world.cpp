// SPDX-License-Identifier: MIT OR Apache-2.0
// A camera flies over a world of cells, which are assets of a pack. Cells come into device memory as it comes near, by
// priorities that change with the distance, and are cancelled when it turns away. Prints how long they took, and draws
// that as a figure.
//   streaming_world latencies.svg
#include <weft/gpu.hpp>
#include <weft/loader.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory_pack.hpp"

namespace {

using Bytes = std::vector<std::byte>;

constexpr int kSide = 24;          // cells of the world
constexpr int kCellSamples = 128;  // heights a side, of 2 bytes
constexpr uint64_t kCellBytes = 2 * kCellSamples * kCellSamples;
constexpr double kNear = 1.5, kMiddle = 3, kFar = 5;  // distances, in cells
constexpr size_t kSlots = 128;                        // cells that device memory holds
constexpr int kSteps = 150;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}
void check(const weft::Status& status) {
  if (!status) fail(status.error().message);
}

// Hills, the same on every machine but for the last bits of sin().
Bytes heights_of(int cell) {
  Bytes bytes(kCellBytes);
  for (int y = 0; y < kCellSamples; ++y)
    for (int x = 0; x < kCellSamples; ++x) {
      const double u = cell % kSide + x / double(kCellSamples), v = cell / kSide + y / double(kCellSamples);
      const double height = std::sin(u * 1.7) * std::cos(v * 1.3) + 0.2 * std::sin(u * 9 + v * 7);
      const auto sample = static_cast<uint16_t>(std::lround((height + 1.3) * 4096));
      std::memcpy(&bytes[2 * static_cast<size_t>(y * kCellSamples + x)], &sample, 2);
    }
  return bytes;
}

std::string path_of(int cell) { return "cell/" + std::to_string(cell); }

void write_world(const std::string& path) {
  MemoryPack pack(3);
  for (int cell = 0; cell < kSide * kSide; ++cell) check(pack.add(path_of(cell), heights_of(cell)));
  check(pack.write(path));
}

// A cell that is in device memory, or on its way.
struct Cell {
  size_t slot = 0;
  weft::LoadPriority priority{};
  weft::LoadBatch batch;
  bool counted = false;
};

class World {
 public:
  World(weft::Gpu& gpu, const std::string& path) : gpu_(gpu) {
    weft::LoaderDevice device;
    device.instance = gpu.instance();
    device.physical_device = gpu.physical_device();
    device.get_instance_proc_addr = gpu.get_instance_proc_addr();
    device.queue = gpu.queue();
    device.queue_family = gpu.queue_family();
    weft::LoaderConfig config;
    config.staging_bytes = 8u << 20;
    config.device_bytes = 48u << 20;
    config.budget_bytes = 128u << 20;
    auto loader = weft::Loader::create(gpu.context(), device, config);
    check(loader.status());
    loader_ = *std::move(loader);
    auto pack = loader_->open_pack(path);
    check(pack.status());
    pack_ = *std::move(pack);
    auto memory = gpu.create_buffer(kSlots * kCellBytes);
    check(memory.status());
    memory_ = *std::move(memory);
    for (size_t slot = 0; slot < kSlots; ++slot) free_.push_back(slot);
  }

  // Asks for what is near, gives up what is not, and works for a while.
  void step(double x, double y) {
    for (auto item = cells_.begin(); item != cells_.end();) {
      const double distance = distance_to(item->first, x, y);
      const bool pending = !item->second.batch.done();
      if (distance > kFar || (pending && priority_at(distance) < item->second.priority))
        item = drop(item);
      else
        ++item;
    }
    std::vector<std::pair<double, int>> wanted;
    for (int cell = 0; cell < kSide * kSide; ++cell)
      if (const double distance = distance_to(cell, x, y); distance <= kFar && !cells_.contains(cell))
        wanted.emplace_back(distance, cell);
    std::sort(wanted.begin(), wanted.end());
    for (const auto& [distance, cell] : wanted) ask(cell, priority_at(distance));
    for (int i = 0; i < 16; ++i) loader_->pump();
    // What the camera is over must be there.
    for (auto& [cell, state] : cells_)
      if (distance_to(cell, x, y) <= kNear) loader_->wait(state.batch);
    for (auto& [cell, state] : cells_) count(state);
  }

  // Whether all that is near has the right bytes.
  bool is_right(double x, double y) {
    for (const auto& [cell, state] : cells_) {
      if (distance_to(cell, x, y) > kNear) continue;
      Bytes loaded(kCellBytes);
      check(gpu_.download(memory_->range(state.slot * kCellBytes, kCellBytes), loaded));
      if (!state.batch.done() || state.batch.status(0) != weft::RequestStatus::ok || loaded != heights_of(cell))
        return false;
    }
    return true;
  }

  void report(const std::string& figure) const;

 private:
  static double distance_to(int cell, double x, double y) {
    return std::hypot(cell % kSide + 0.5 - x, cell / kSide + 0.5 - y);
  }
  static weft::LoadPriority priority_at(double distance) {
    return distance <= kNear     ? weft::LoadPriority::high
           : distance <= kMiddle ? weft::LoadPriority::normal
                                 : weft::LoadPriority::low;
  }

  void ask(int cell, weft::LoadPriority priority) {
    if (free_.empty()) return;
    Cell state{free_.back(), priority, {}, false};
    free_.pop_back();
    const std::string path = path_of(cell);
    weft::LoadRequest request;
    request.pack = pack_;
    request.path = path;
    request.to = memory_->range(state.slot * kCellBytes, kCellBytes);
    request.priority = priority;
    request.tag = static_cast<uint64_t>(cell) + 1;
    auto batch = loader_->submit({&request, 1});
    check(batch.status());
    state.batch = *std::move(batch);
    cells_.emplace(cell, std::move(state));
  }

  // A slot is free again when nothing writes to it.
  std::map<int, Cell>::iterator drop(std::map<int, Cell>::iterator item) {
    if (!item->second.batch.done()) {
      cancelled_ += loader_->cancel(static_cast<uint64_t>(item->first) + 1);
      loader_->wait(item->second.batch);
    }
    count(item->second);
    free_.push_back(item->second.slot);
    return cells_.erase(item);
  }

  void count(Cell& cell) {
    if (cell.counted || !cell.batch.done()) return;
    cell.counted = true;
    if (cell.batch.status(0) == weft::RequestStatus::cancelled) return;
    if (cell.batch.status(0) != weft::RequestStatus::ok) fail(weft::name_of(cell.batch.status(0)));
    const weft::RequestReport& report = cell.batch.report(0);
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(report.done - report.submitted);
    const auto bucket = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(time.count())));
    ++counts_[static_cast<size_t>(cell.priority)][std::min(bucket, kBuckets - 1)];
    ++loaded_;
  }

  static constexpr size_t kBuckets = 24;  // powers of two, in microseconds

  weft::Gpu& gpu_;
  std::optional<weft::Buffer> memory_;
  std::optional<weft::Loader> loader_;  // before the memory, to which it writes, is freed
  weft::LoaderPack pack_;
  std::map<int, Cell> cells_;
  std::vector<size_t> free_;
  std::array<std::array<uint32_t, kBuckets>, 3> counts_{};
  uint32_t loaded_ = 0, cancelled_ = 0;
};

// A column of boxes for each power of two, by priority.
void World::report(const std::string& figure) const {
  constexpr const char* kNames[] = {"high", "normal", "low"};
  constexpr const char* kColours[] = {"#b2182b", "#f4a582", "#92c5de"};
  uint32_t most = 1;
  for (size_t b = 0; b < kBuckets; ++b) most = std::max(most, counts_[0][b] + counts_[1][b] + counts_[2][b]);
  std::ofstream svg(figure);
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"620\" height=\"260\" font-family=\"sans-serif\" "
         "font-size=\"11\"><rect width=\"620\" height=\"260\" fill=\"white\"/>\n";
  std::printf("%u cells loaded, %u cancelled\n%10s %7s %7s %7s\n", loaded_, cancelled_, "up to ms", kNames[0],
              kNames[1], kNames[2]);
  for (size_t b = 0; b < kBuckets; ++b) {
    const double ms = static_cast<double>(uint64_t{1} << b) / 1000;
    if (counts_[0][b] + counts_[1][b] + counts_[2][b] > 0)
      std::printf("%10.3f %7u %7u %7u\n", ms, counts_[0][b], counts_[1][b], counts_[2][b]);
    double y = 220;
    for (size_t p = 0; p < 3; ++p) {
      const double height = 200.0 * counts_[p][b] / most;
      y -= height;
      svg << "<rect x=\"" << 20 + 24 * b << "\" y=\"" << y << "\" width=\"22\" height=\"" << height << "\" fill=\""
          << kColours[p] << "\"/>\n";
    }
    if (b % 4 == 0) svg << "<text x=\"" << 20 + 24 * b << "\" y=\"236\">" << ms << " ms</text>\n";
  }
  for (size_t p = 0; p < 3; ++p)
    svg << "<text x=\"" << 20 + 70 * p << "\" y=\"254\" fill=\"" << kColours[p] << "\">" << kNames[p] << "</text>\n";
  svg << "<text x=\"250\" y=\"254\">time from request to device memory, cells by priority</text>\n</svg>\n";
  if (!svg) fail(figure + " cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: streaming_world LATENCIES.svg");
  const std::string path = std::string(argv[1]) + ".wpk";
  write_world(path);
  auto gpu = weft::Gpu::open();
  check(gpu.status());
  bool right = true;
  {
    World world(*gpu, path);
    for (int step = 0; step < kSteps; ++step) {
      // A curve that crosses itself, and comes back to where it was.
      const double t = 2 * 3.14159265358979 * step / kSteps;
      const double x = kSide / 2.0 + 10 * std::sin(t), y = kSide / 2.0 + 10 * std::sin(2 * t);
      world.step(x, y);
      if (step % 30 == 0) right = right && world.is_right(x, y);
    }
    std::printf("what was near was %s\n", right ? "there, and right" : "wrong");
    world.report(argv[1]);
  }
  std::remove(path.c_str());
  return 0;
}
