// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/options.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace weft::bench {
namespace {

/// The value of that name. `what`: what it is not, and what could be written.
template <class T>
Result<T> parse_name(const std::string& text, std::initializer_list<T> values, const char* what) {
  std::string names;
  for (const T value : values) {
    if (text == name_of(value)) return value;
    names += std::string(names.empty() ? "" : ", ") + name_of(value);
  }
  return Error{ErrorCode::invalid_argument, "'" + text + "' is no " + what + ": write one of " + names};
}

}  // namespace

Result<Type> parse_type(const std::string& text) {
  return parse_name(
      text,
      {Type::u8, Type::u16, Type::u32, Type::u64, Type::i32, Type::i64, Type::f16, Type::f32, Type::f64, Type::u32x2},
      "type");
}

Result<Strategy> parse_strategy(const std::string& text) {
  return parse_name(text, {Strategy::automatic, Strategy::reduce_then_scan, Strategy::look_back}, "strategy");
}

Result<Verification> parse_verification(const std::string& text) {
  return parse_name(text, {Verification::automatic, Verification::full, Verification::sampled, Verification::none},
                    "verification");
}

Result<Tuning> parse_tuning(const std::string& text) {
  const size_t equals = text.find('=');
  Tuning tuning{text.substr(0, equals), {}};
  bool valid = equals != std::string::npos && equals > 0;
  for (size_t at = equals; valid && at != std::string::npos;) {
    const size_t next = text.find(',', at + 1);
    const char* const end = text.data() + std::min(next, text.size());
    uint32_t value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at + 1, end, value);
    valid = error == std::errc() && stop == end;
    tuning.second.push_back(value);
    at = next;
  }
  if (valid) return tuning;
  return Error{ErrorCode::invalid_argument, "'" + text + "': write a key and its values as scan.rows=2,4,8"};
}

Result<std::string> read_tuning_text(const std::string& path) {
  constexpr size_t kMost = size_t{1} << 20;  // the library takes less, and says so
  std::ifstream stream(path, std::ios::binary);
  std::string text(kMost, ' ');
  stream.read(text.data(), static_cast<std::streamsize>(kMost));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (stream.bad() || text.empty()) return Error{ErrorCode::invalid_argument, path + " cannot be read, or is empty"};
  return text;
}

std::optional<ItemSource> source_of(const Options& options) {
  if (options.input.empty()) return ItemSource::random();
  auto source = ItemSource::file(options.input);
  if (source) return std::move(source).value();
  print_message(source.error().message);
  return std::nullopt;
}

Result<Gpu> open_gpu(const Options& options) {
  GpuConfig config;
  config.device = options.device;
  config.strategy = options.strategy;
  config.tuning = options.tuning;
  return Gpu::open(config);
}

SessionConfig session_config(const Options& options) {
  SessionConfig config;
  config.repeats = options.repeats != 0 ? options.repeats : options.quick ? kQuickRepeats : kRepeats;
  config.warm_up_ms = options.warm_up_ms.value_or(kWarmUpMs);
  config.verification = options.verification;
  config.faulty_word = options.faulty_word;
  return config;
}

void select(Cases& cases, const std::vector<std::string>& filters, const std::vector<Type>& types) {
  std::erase_if(cases, [&](const auto& bench_case) {
    const bool typed = types.empty() || std::any_of(types.begin(), types.end(), [&](Type type) {
                         return bench_case->work().item.name == name_of(type);
                       });
    return !typed || !is_wanted(bench_case->name(), filters);
  });
}

}  // namespace weft::bench
