// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/pack.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "files.hpp"
#include "meter.hpp"
#include "pack_file.hpp"
#include "system.hpp"
#include "work.hpp"

namespace gstd_tool {
namespace {

namespace pack = weft::pack;
using pack::Asset;
using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

// Files up to this size are encoded side by side, each by one thread; larger ones one by one, by all threads.
constexpr uint64_t kSmallBytes = 8u << 20;
constexpr uint64_t kBatchBytes = 4u << 20;  // of a batch, for each thread
constexpr size_t kMaxBatch = 4096;
// What an interruption may cost.
constexpr uint64_t kFlushBytes = 256u << 20;
constexpr auto kFlushTime = std::chrono::seconds(1);

constexpr uint64_t block_end(uint64_t position) {
  return (position + pack::kBlockBytes - 1) / pack::kBlockBytes * pack::kBlockBytes;
}

Error of_file(const std::string& name, const Error& error) {
  return {error.code, shown_name(name) + ": " + without_prefix(error.message)};
}

}  // namespace

uint64_t key_of(const weft::gstd::CompressConfig& config) {
  const std::array<uint64_t, 9> parts{pack::kFormatVersion,
                                      static_cast<uint64_t>(config.level),
                                      config.decode_weight,
                                      config.tile_bytes,
                                      config.segment_bytes,
                                      static_cast<uint64_t>(config.filter),
                                      config.stride,
                                      config.contexts,
                                      config.tile_checksums + 2u * config.stream_checksum};
  return pack::hash_of(std::as_bytes(std::span(parts)));
}

Status with_source(const PackSource& source, const std::function<Status(const pack::ReadAt&)>& use) {
  Result<Input> input = Input::open(source.file);
  if (!input) return of_file(source.file, input.error());
  const pack::ReadAt read = [&](uint64_t at, std::span<std::byte> to) { return input->read_at(at, to); };
  if (static_cast<uint64_t>(input->facts().st_size) != source.bytes)
    return Error{ErrorCode::driver_error, shown_name(source.file) + ": changed while it was packed"};
  if (const Status status = use(read); !status) return of_file(source.file, status.error());
  if (system::has_changed(source.file, input->facts()))
    return Error{ErrorCode::driver_error, shown_name(source.file) + ": changed while it was packed"};
  return {};
}

std::optional<OldPacks::Found> OldPacks::find(const std::string& path) const {
  const auto after = std::ranges::upper_bound(packs_, path, {}, &Old::first_path);
  if (after == packs_.begin()) return std::nullopt;
  const auto entry = std::prev(after)->pack.find(path);
  if (!entry) return std::nullopt;
  return Found{&std::prev(after)->pack, *entry};
}

namespace {

Result<bool> is_unchanged(const PackSource& source, uint64_t content_bytes, uint64_t content_hash) {
  if (source.bytes != content_bytes) return false;
  bool same = false;
  const Status status = with_source(source, [&](const pack::ReadAt& read) -> Status {
    const Result<uint64_t> hash = pack::hash_of(read, content_bytes);
    if (hash) same = *hash == content_hash;
    return hash.status();
  });
  if (!status) return status.error();
  return same;
}

// Writes assets to a file, one after the other in the order of their paths.
class PackWriting {
 public:
  PackWriting(const Options& options, PackFile& file, uint64_t end, PackJournal* journal, uint64_t total)
      : options_(options),
        file_(file),
        journal_(journal),
        end_(end),
        meter_(options.progress.value_or(::isatty(STDERR_FILENO) != 0), options.output, total),
        threads_(thread_count(options)),
        encoders_(threads_) {}

  static uint32_t thread_count(const Options& options) {
    const uint32_t asked = options.compress.threads;
    return asked != 0 ? asked : std::max(std::thread::hardware_concurrency(), 1u);
  }

  // Assets that are in the file already: they count as done.
  void keep(Asset asset) {
    done_bytes_ += asset.content_bytes;
    assets_.push_back(std::move(asset));
    journaled_ = assets_.size();
  }

  // `old`: where unchanged assets are taken from. `part`: what is done of the first source.
  Status write(std::span<const PackSource> sources, const OldPacks& old, const std::optional<PackPart>& part = {});

  std::span<const Asset> assets() const { return assets_; }
  uint64_t end() const { return end_; }

 private:
  Status write_small(std::span<const PackSource> batch, const OldPacks& old);
  Status write_large(const PackSource& source, const OldPacks& old, const std::optional<PackPart>& part);
  Result<Asset> encode(const PackSource& source, uint32_t worker, uint32_t threads, pack::Payload& to,
                       const OldPacks& old, const pack::Resume& resume = {});
  Status reach(const PackSource& source, const pack::Checkpoint& done);
  Status place(Asset asset);
  bool is_due(uint64_t end) const;
  Status flush(bool now);

  using Clock = std::chrono::steady_clock;
  const Options& options_;
  PackFile& file_;
  PackJournal* journal_;
  uint64_t end_;
  Meter meter_;
  uint32_t threads_;
  std::vector<std::optional<pack::AssetEncoder>> encoders_;  // each of a thread
  std::optional<pack::AssetEncoder> large_encoder_;
  std::vector<Asset> assets_;
  size_t journaled_ = 0;  // how many of them
  uint64_t flushed_end_ = end_, done_bytes_ = 0, stored_bytes_ = 0;
  Clock::time_point flushed_ = Clock::now();
};

Result<Asset> PackWriting::encode(const PackSource& source, uint32_t worker, uint32_t threads, pack::Payload& to,
                                  const OldPacks& old, const pack::Resume& resume) {
  if (const auto found = old.find(source.path)) {
    const pack::Entry& entry = found->entry;
    const Result<bool> same = is_unchanged(source, entry.content_bytes, entry.content_hash);
    if (!same) return same.error();
    if (*same) {
      if (const Status status = to.rewind(0); !status) return status.error();
      Asset asset = pack::asset_of(*found->pack, entry);
      const pack::Sink sink = [&](std::span<const std::byte> piece) { return to.write(piece); };
      if (const Status status = found->pack->read_stored(entry, sink); !status) return status.error();
      asset.move_by(0 - entry.position);
      return asset;
    }
  }
  std::optional<pack::AssetEncoder>& encoder = threads == 1 ? encoders_[worker] : large_encoder_;
  if (!encoder) {
    weft::gstd::CompressConfig config = options_.compress;
    config.threads = threads;
    auto created = pack::AssetEncoder::create(config);
    if (!created) return created.error();
    encoder = *std::move(created);
  }
  std::optional<Asset> asset;
  const Status status = with_source(source, [&](const pack::ReadAt& read) -> Status {
    Result<Asset> encoded = encoder->encode(source.path, read, source.bytes, to, resume);
    if (!encoded) return encoded.status();
    asset = *std::move(encoded);
    return {};
  });
  if (!status) return status.error();
  if (source.content_hash && asset->content_hash != *source.content_hash)
    return Error{ErrorCode::driver_error, shown_name(source.file) + ": changed since jobs were listed"};
  return *std::move(asset);
}

// Takes an asset whose bytes are in the file from end_ on.
Status PackWriting::place(Asset asset) {
  const uint64_t bytes = asset.stored_bytes();
  asset.move_by(end_);
  end_ = block_end(end_ + bytes);
  done_bytes_ += asset.content_bytes;
  stored_bytes_ += bytes;
  assets_.push_back(std::move(asset));
  meter_.update(done_bytes_, done_bytes_, stored_bytes_);
  return flush(false);
}

Status PackWriting::write_small(std::span<const PackSource> batch, const OldPacks& old) {
  struct Encoded {
    MemoryPayload payload;
    Asset asset;
  };
  std::vector<Encoded> encoded(batch.size());
  std::atomic<uint32_t> workers{0};
  const uint32_t count = static_cast<uint32_t>(std::min<size_t>(threads_, batch.size()));
  std::atomic<size_t> next{0};
  Status status = in_parallel(count, count, [&](size_t) -> Status {
    const uint32_t worker = workers++;
    for (size_t i = next++; i < batch.size(); i = next++) {
      Result<Asset> asset = encode(batch[i], worker, 1, encoded[i].payload, old);
      if (!asset) return asset.status();
      encoded[i].asset = *std::move(asset);
    }
    return {};
  });
  if (!status) return status;
  for (Encoded& one : encoded) {
    if (Status written = file_.write_at(end_, one.payload.bytes()); !written) return written;
    if (Status placed = place(std::move(one.asset)); !placed) return placed;
  }
  return {};
}

// What an interruption leaves of a large file is gone on with, too.
Status PackWriting::reach(const PackSource& source, const pack::Checkpoint& done) {
  meter_.update(done_bytes_ + done.content_bytes, done_bytes_ + done.content_bytes, stored_bytes_ + done.stored_bytes);
  if (journal_ == nullptr || (done.coding == pack::Coding::gstd && !is_due(end_ + done.stored_bytes))) return {};
  if (Status status = flush(true); !status) return status;
  flushed_end_ = end_ + done.stored_bytes;
  return journal_->append({pack::hash_of(source.path), end_, source.bytes, done});
}

Status PackWriting::write_large(const PackSource& source, const OldPacks& old, const std::optional<PackPart>& part) {
  pack::Resume resume;
  resume.reached = [&](const pack::Checkpoint& done) { return reach(source, done); };
  if (part) resume.from = part->done;
  resume.stored = [&](uint64_t at, std::span<std::byte> to) { return file_.read_at(end_ + at, to); };
  FilePayload payload(file_, end_, part ? part->done.stored_bytes : 0);
  Result<Asset> asset = encode(source, 0, threads_, payload, old, resume);
  if (!asset) return asset.status();
  return place(*std::move(asset));
}

Status PackWriting::write(std::span<const PackSource> sources, const OldPacks& old,
                          const std::optional<PackPart>& part) {
  const uint64_t most = std::max(kSmallBytes, kBatchBytes * threads_);
  for (size_t at = 0; at < sources.size();) {
    size_t count = 0;
    for (uint64_t bytes = 0; at + count < sources.size() && count < kMaxBatch; ++count) {
      const uint64_t next = sources[at + count].bytes;
      if (next > kSmallBytes || bytes + next > most) break;
      bytes += next;
    }
    Status status = count == 0 ? write_large(sources[at], old, at == 0 ? part : std::nullopt)
                               : write_small(sources.subspan(at, count), old);
    if (!status) {
      (void)flush(true);  // what is done stays done
      return status;
    }
    at += std::max<size_t>(count, 1);
  }
  return flush(true);
}

bool PackWriting::is_due(uint64_t end) const {
  return end - flushed_end_ >= kFlushBytes || Clock::now() - flushed_ >= kFlushTime;
}

// The journal names nothing that is not on the disk.
Status PackWriting::flush(bool now) {
  if (journal_ == nullptr) return {};
  if (!now && !is_due(end_)) return {};
  if (Status status = file_.sync(); !status) return status;
  if (Status status = journal_->append(std::span(assets_).subspan(journaled_)); !status) return status;
  journaled_ = assets_.size();
  flushed_end_ = end_;
  flushed_ = Clock::now();
  return {};
}

Status write_end(PackFile& file, std::span<const Asset> assets, uint64_t payload_end, uint64_t generation) {
  const Result<pack::PackEnd> end = pack::end_pack(assets, payload_end, generation);
  if (!end) return end.status();
  if (Status status = file.write_at(end->directory_position, end->directory); !status) return status;
  if (Status status = file.truncate(end->directory_position + end->directory.size()); !status) return status;
  // The header comes last: before it is written, the pack is what it was.
  if (Status status = file.sync(); !status) return status;
  if (Status status = file.write_at(end->slot_position, end->slot); !status) return status;
  return file.sync();
}

// How many of the sources, from the first on, an interrupted run has done.
Result<size_t> count_done(std::span<const PackSource> sources, std::span<const Asset> done, uint64_t file_bytes,
                          uint32_t threads) {
  size_t count = 0;
  uint64_t end = pack::kPayloadAt;
  for (; count < std::min(done.size(), sources.size()); ++count) {
    const Asset& asset = done[count];
    if (asset.path != sources[count].path || asset.content_bytes != sources[count].bytes) break;
    if (asset.content_hash != sources[count].content_hash.value_or(asset.content_hash)) break;
    if (!asset.ranges.empty() && asset.ranges.front().position != end) break;
    if (end + asset.stored_bytes() > file_bytes) break;
    end = block_end(end + asset.stored_bytes());
  }
  std::atomic<size_t> first_changed{count};
  const Status status = in_parallel(threads, count, [&](size_t i) -> Status {
    const Result<bool> same = is_unchanged(sources[i], done[i].content_bytes, done[i].content_hash);
    if (!same) return same.status();
    if (!*same)
      for (size_t before = first_changed; i < before && !first_changed.compare_exchange_weak(before, i);) continue;
    return {};
  });
  if (!status) return status.error();
  return first_changed.load();
}

// Whether it is what an interrupted run has done of a source that begins there.
bool is_part_of(const PackPart& part, const PackSource& source, uint64_t position, uint64_t file_bytes) {
  return source.bytes > kSmallBytes && part.path_hash == pack::hash_of(source.path) &&
         part.content_bytes == source.bytes && part.position == position && part.done.coding <= pack::Coding::gstd &&
         part.done.stored_bytes <= file_bytes && position <= file_bytes - part.done.stored_bytes;
}

void print_table(const Options& options, std::span<const Asset> assets) {
  if (options.verbosity < 2) return;
  struct Row {
    uint64_t files = 0, content = 0, stored = 0;
  };
  std::array<Row, 6> rows;
  for (const Asset& asset : assets)
    for (const size_t row : {static_cast<size_t>(asset.kind), rows.size() - 1}) {
      ++rows[row].files;
      rows[row].content += asset.content_bytes;
      rows[row].stored += asset.stored_bytes();
    }
  std::fprintf(stderr, "%-9s %9s %11s %11s %8s\n", "kind", "files", "content", "stored", "gained");
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const char* const name = pack::name_of(static_cast<pack::Kind>(i));
    if (row.files == 0 && name != nullptr) continue;
    const double gained =
        row.content == 0 ? 0 : 100 - 100 * static_cast<double>(row.stored) / static_cast<double>(row.content);
    std::fprintf(stderr, "%-9s %9" PRIu64 " %11s %11s %6.1f %%\n", name != nullptr ? name : "all", row.files,
                 shown_bytes(row.content).c_str(), shown_bytes(row.stored).c_str(), gained);
  }
}

uint64_t content_of(std::span<const PackSource> sources) {
  uint64_t bytes = 0;
  for (const PackSource& source : sources) bytes += source.bytes;
  return bytes;
}

// `old` is read from `old_file`, which is closed before it is replaced.
Status write_new(const Options& options, std::span<const PackSource> sources, const OldPacks& old, PackFile* old_file) {
  const std::string unfinished = options.output + ".unfinished", journal_name = options.output + ".journal";
  Result<PackFile> file = PackFile::open(unfinished, true);
  if (!file) return of_file(unfinished, file.error());
  Result<PackJournal> journal = PackJournal::open(journal_name, key_of(options.compress));
  if (!journal) return of_file(journal_name, journal.error());
  std::vector<Asset> done = journal->take_assets();
  const Result<uint64_t> file_bytes = file->size();
  if (!file_bytes) return file_bytes.status();
  const Result<size_t> count = count_done(sources, done, *file_bytes, PackWriting::thread_count(options));
  if (!count) return count.status();
  done.resize(*count);
  uint64_t end = pack::kPayloadAt;
  for (const Asset& asset : done) end = block_end(end + asset.stored_bytes());
  std::optional<PackPart> part;
  if (*count < sources.size() && journal->part() && is_part_of(*journal->part(), sources[*count], end, *file_bytes))
    part = journal->part();
  // Nothing of another file stays where headers will be.
  if (*count == 0 && !part)
    if (Status status = file->truncate(0); !status) return status;
  if (Status status = file->truncate(end + (part ? part->done.stored_bytes : 0)); !status) return status;
  if (Status status = journal->begin(done); !status) return status;
  if (part)
    if (Status status = journal->append(*part); !status) return status;
  if ((*count > 0 || part) && options.verbosity >= 2)
    std::fprintf(stderr, "going on after %zu of %zu files%s\n", *count, sources.size(),
                 part ? ", within the next one" : "");

  PackWriting writing(options, *file, end, &*journal, content_of(sources));
  for (Asset& asset : done) writing.keep(std::move(asset));
  if (Status status = writing.write(sources.subspan(*count), old, part); !status) return status;
  if (Status status = write_end(*file, writing.assets(), writing.end(), 1); !status) return status;
  if (old_file != nullptr) old_file->close();
  if (Status status = file->rename(unfinished, options.output); !status) return of_file(options.output, status.error());
  journal->close();
  if (::unlink(journal_name.c_str()) != 0)
    return Error{ErrorCode::driver_error, shown_name(journal_name) + ": " + system_reason()};
  print_table(options, writing.assets());
  return {};
}

// Appends what changed to the pack, and then a directory.
Status append_changes(const Options& options, std::span<const PackSource> sources, PackFile& file,
                      const pack::PackReader& old) {
  std::vector<std::optional<Asset>> kept(sources.size());
  Status compared = in_parallel(PackWriting::thread_count(options), sources.size(), [&](size_t i) -> Status {
    const auto entry = old.find(sources[i].path);
    if (!entry) return {};
    const Result<bool> same = is_unchanged(sources[i], entry->content_bytes, entry->content_hash);
    if (same && *same) kept[i] = pack::asset_of(old, *entry);
    return same.status();
  });
  if (!compared) return compared;
  std::vector<PackSource> changed;
  for (size_t i = 0; i < sources.size(); ++i)
    if (!kept[i]) changed.push_back(sources[i]);
  if (changed.empty() && sources.size() == old.size()) {
    if (options.verbosity >= 2) std::fprintf(stderr, "nothing has changed\n");
    return {};
  }
  // An interrupted update may have left something.
  if (Status status = file.truncate(old.pack_bytes()); !status) return status;
  PackWriting writing(options, file, block_end(old.pack_bytes()), nullptr, content_of(sources));
  for (std::optional<Asset>& asset : kept)
    if (asset) writing.keep(*std::move(asset));
  if (Status status = writing.write(changed, {}); !status) return status;
  if (Status status = write_end(file, writing.assets(), writing.end(), old.generation() + 1); !status) return status;
  const size_t removed = old.size() + changed.size() - sources.size();
  if (options.verbosity >= 2)
    std::fprintf(stderr, "%zu files written, %zu kept, %zu replaced or removed\n", changed.size(),
                 sources.size() - changed.size(), removed);
  print_table(options, writing.assets());
  return {};
}

Status update(const Options& options, std::span<const PackSource> sources) {
  Result<PackFile> file = PackFile::open(options.output, false);
  if (!file) return of_file(options.output, file.error());
  const Result<uint64_t> bytes = file->size();
  if (!bytes) return bytes.status();
  auto old =
      pack::PackReader::open([&](uint64_t at, std::span<std::byte> to) { return file->read_at(at, to); }, *bytes);
  if (!old) return of_file(options.output, old.error());
  if (!options.compact) return append_changes(options, sources, *file, *old);
  OldPacks packs;
  packs.add({}, *std::move(old));
  return write_new(options, sources, packs, &*file);
}

// Takes what jobs have done.
Status write_with_jobs(const Options& options, std::span<const PackSource> sources) {
  const Result<OldPacks> done = done_jobs(options);
  if (!done) return done.status();
  if (done->size() != 0 && options.verbosity >= 2) std::fprintf(stderr, "taking what %zu jobs did\n", done->size());
  if (Status status = write_new(options, sources, *done, nullptr); !status) return status;
  return remove_jobs(options);
}

}  // namespace

Status write_new_pack(const Options& options, std::span<const PackSource> sources, const OldPacks& old) {
  return write_new(options, sources, old, nullptr);
}

bool write_pack(const Options& options) {
  const std::string& folder = options.inputs.front();
  const bool is_whole = !options.jobs_bytes && options.job.empty();
  if (options.mode == Mode::pack && is_whole && !options.force && ::access(options.output.c_str(), F_OK) == 0) {
    tell_error(options, options.output, "already exists; -f overwrites it, and update changes it");
    return false;
  }
  if (!options.job.empty()) {
    const Status status = do_job(options);
    if (!status) tell_error(options, options.job, status.error().message);
    return status.ok();
  }
  const std::array<std::string, 4> own{options.output, options.output + ".unfinished", options.output + ".journal",
                                       jobs_folder(options)};
  const auto say = [&](const std::string& name, const std::string& what) { tell_error(options, name, what); };
  const Result<std::vector<PackSource>> sources = pack_sources(folder, own, say);
  if (!sources) {
    tell_error(options, folder, sources.error().message);
    return false;
  }
  const Status status = options.jobs_bytes           ? list_jobs(options, *sources)
                        : options.mode == Mode::pack ? write_with_jobs(options, *sources)
                                                     : update(options, *sources);
  if (!status && options.verbosity >= 1)
    std::fprintf(stderr, "gstd: %s\n", without_prefix(status.error().message).c_str());
  return status.ok();
}

}  // namespace gstd_tool
