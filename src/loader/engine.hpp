// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "gstd/stored_tile.hpp"
#include "loader/device.hpp"
#include "loader/request.hpp"
#include "loader/space.hpp"

struct ZSTD_DCtx_s;

namespace weft::loader {

struct Outcome {
  RequestStatus status = RequestStatus::ok;
  std::string_view reason{};
  int system_error = 0;

  bool ok() const noexcept { return status == RequestStatus::ok; }
};

/// Of a result that is not positive.
Outcome outcome_of_read(int64_t result);

/// Memory of a thread that decodes.
struct Decoder {
  ~Decoder();
  gstd::TileUnpacker tiles;
  ZSTD_DCtx_s* zstd = nullptr;
  bool is_soon = false;  // its task counts in Engine::soon_
};
/// Upper bound of it: words and room of the largest tile, gstd's tables, libzstd's context.
constexpr uint64_t kDecoderBytes = uint64_t{5} << 19;
/// What a budget leaves at least for tables: those of a plan, twice, and of the longest piece.
constexpr uint64_t kLeastFree = uint64_t{32} << 20;

/// Moves requests through their pieces: queued, read, processed on the CPU, on the device, ended. What it does is done
/// by whichever threads call step(): workers of its own, or the host's.
///
/// Locks, in this order: device_mutex_ or io_mutex_, then mutex_. Nothing is read, decoded or submitted under mutex_.
class Engine {
 public:
  Engine(const LoaderConfig& config, std::unique_ptr<Device> device);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Allocates, and starts threads.
  Status open();
  void submit(std::vector<std::shared_ptr<Request>> requests);
  uint32_t cancel(uint64_t tag);
  bool step();
  bool wait(const LoadBatch::State& batch, std::chrono::nanoseconds timeout);
  Result<uint64_t> record(VkCommandBuffer commands);
  void retire(uint64_t number);
  LoaderUsage usage() const;

  const LoaderConfig& config() const noexcept { return config_; }
  const Device* device() const noexcept { return device_.get(); }
  ReadBackend backend() const noexcept { return async_ != nullptr ? async_->backend() : ReadBackend::threads; }
  Status attach(LoaderPack::State& pack) const;
  /// Ends a request that has not begun. Its batch's last end signals.
  void end_at_once(const std::shared_ptr<Request>& request, RequestStatus status, std::string_view reason);

 private:
  using Order = std::tuple<LoadPriority, Clock::time_point, uint64_t>;

  // cut.cpp
  bool is_decoded_to_staging(const Request& request, const Part& part) const noexcept;
  bool is_for_host(const Request& request) const noexcept;
  void add_part(Piece& piece, Part part);
  void set_read(Piece& piece, uint64_t position, uint64_t bytes);
  PiecePtr cut_short(const std::shared_ptr<Request>& request);
  PiecePtr cut_raw(const std::shared_ptr<Request>& request, const pack::Range& range);
  PiecePtr cut_tiles(const std::shared_ptr<Request>& request, const pack::Range& range);
  PiecePtr cut(const std::shared_ptr<Request>& request, bool& needs_plan);
  void leave_range(Request& request);

  // reading.cpp
  bool admit();
  bool admit_next(const std::shared_ptr<Request>& request, bool& stop);
  bool start_piece(const std::shared_ptr<Request>& request, bool& stop);
  static bool is_for_device_alone(const Piece& piece) noexcept;
  bool is_for_window(const Piece& piece) const noexcept;
  std::optional<uint64_t> take_room(const Piece& piece);
  Piece* neighbour_of(const Piece& piece) const noexcept;
  bool take_room_behind(const Piece& head, Piece& piece);
  static void join(Piece& head, PiecePtr piece) noexcept;
  void give_room(uint64_t staging) noexcept;
  bool start_plan(const std::shared_ptr<Request>& request, bool& stop);
  void plan(const std::shared_ptr<Request>& request);
  Outcome plan_segment(Request& request, const pack::Range& range, const Interval& interval);
  int64_t read_now(const Request& request, uint64_t position, std::span<std::byte> to) const;
  void prepare_read(Piece& piece) const noexcept;
  int64_t read_cached(const Piece& piece) const;
  /// Whether reading has ended: with the bytes, or with an outcome that is not ok.
  bool take_result(Piece& piece, int64_t result, Outcome& outcome) const noexcept;
  bool run_reads();
  void read(PiecePtr piece, Decoder& decoder);
  bool take_results(Piece& piece, int64_t result, Outcome& outcome);
  /// Returns the piece, if it is to be processed.
  PiecePtr end_read(PiecePtr piece, const Outcome& outcome);

  // process.cpp
  void process(PiecePtr piece, Decoder& decoder);
  bool hash_in_turn(PiecePtr& piece, Outcome& outcome);
  Outcome work_on(Piece& piece, Decoder& decoder);
  Outcome take_raw(Piece& piece, const Part& part);
  Outcome find_tiles(const Piece& piece, Part& part);
  Outcome decode_on_host(Piece& piece, const Part& part, Decoder& decoder);
  Outcome decode_tile(const Piece& piece, const Part& part, const GstdTile& tile, std::byte* output, Decoder& decoder);
  Outcome decode_file(Piece& piece, Decoder& decoder);
  bool list_file(Piece& piece, const Part& part, std::span<const std::byte> file, uint64_t content);
  bool list_frames(Piece& piece, std::span<const std::byte> file, uint64_t source, uint64_t content);
  bool list_pages(Piece& piece, std::span<const std::byte> file, uint64_t source);
  bool take_table(Piece& piece, uint64_t entries, uint64_t entry_bytes);
  Outcome find_level(const Request& request, const Part& part, std::span<const std::byte>& stored,
                     uint64_t& content) const;
  Outcome deliver(Piece& piece, const Part& part, uint64_t staging);
  void give_tiles(Piece& piece, const Part& part);

  // engine.cpp
  bool run_task();
  bool run_device();
  bool is_worth_a_submission() const;
  double load_of(const Piece& piece) const;
  void give_device(PiecePtr piece);
  void take_for_device(PieceList& pieces) noexcept;
  void finish(PiecePtr piece, const Outcome& outcome);
  StagingMemory staging_of(const Piece& piece) const noexcept;
  void take_back(PieceList& pieces);
  void finish_all(PieceList& ended);
  void decode_on_host_after_all(PiecePtr piece);
  void wake();
  void log(std::string_view message) const;
  void work();
  // With mutex_.
  void fail(Request& request, const Outcome& outcome);
  template <class Which>
  uint32_t fail_all(const Outcome& outcome, const Which& which);
  void end_if_done(const std::shared_ptr<Request>& request);
  void publish(Request& request);
  void dequeue(Request& request);
  bool take_budget(uint64_t bytes) noexcept;
  void give_budget(uint64_t bytes) noexcept;
  void wake_one();

  std::byte* at(uint64_t staging) const noexcept {
    return is_in_window(staging) ? window_.data() + (staging - staging_.size()) : staging_.data() + staging;
  }
  bool is_in_window(uint64_t staging) const noexcept { return staging >= staging_.size(); }
  /// Where in staging a byte of the pack is.
  static uint64_t staged(const Piece& piece, uint64_t position) noexcept {
    return piece.staging + (position - piece.read_from);
  }

  LoaderConfig config_;
  std::unique_ptr<Device> device_;
  void* allocated_ = nullptr;
  std::span<std::byte> staging_, window_;  // positions in the second one follow those of the first one
  uint64_t piece_bytes_ = 0, piece_content_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable work_, ended_;             // of workers; of wait()
  std::map<Order, std::shared_ptr<Request>> queue_;  // those with pieces to cut
  PieceList to_read_, to_process_, for_device_;
  double device_load_ = 0;  // of those for the device: 1 is worth a submission while it is busy
  PieceList to_start_;      // asynchronous reads: the page cache does not have these
  std::deque<std::shared_ptr<Request>> to_plan_;
  std::map<uint64_t, std::shared_ptr<Request>> live_;  // by sequence; not ended
  std::vector<std::unique_ptr<Decoder>> decoders_;
  Space space_, window_space_;
  uint64_t used_ = 0, peak_ = 0, plans_ = 0;
  uint64_t events_ = 0;
  uint32_t pieces_ = 0, reads_ = 0, idle_ = 0;
  uint32_t soon_ = 0;       // reads from the page cache that threads are at, of what goes to the device as it is
  bool is_polled_ = false;  // by an idle worker
  bool stopping_ = false;

  std::atomic<uint64_t> sequence_{0};
  mutable std::atomic<uint64_t> system_reads_{0};
  std::mutex io_mutex_;
  std::unique_ptr<AsyncReads> async_;

  std::mutex device_mutex_;
  std::vector<std::thread> workers_;
};

}  // namespace weft::loader
