// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/options.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace weft::bench {
namespace {

template <class T>
bool parse_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<uint64_t> parse_size(const std::string& text) {
  uint64_t n = 0;
  const bool power = text.starts_with("2^");
  const bool valid = parse_number(std::string_view(text).substr(power ? 2 : 0), n);
  if (!valid || n == 0 || (power && n > 40)) {
    return Error{ErrorCode::invalid_argument, "'" + text + "' is no size: write 65536 or 2^16"};
  }
  return power ? uint64_t{1} << n : n;
}

Result<Type> parse_type(const std::string& text) {
  for (const Type type : {Type::u8, Type::u16, Type::u32, Type::u64, Type::i32, Type::i64, Type::f16, Type::f32,
                          Type::f64, Type::u32x2}) {
    if (text == name_of(type)) return type;
  }
  return Error{ErrorCode::invalid_argument,
               "'" + text + "' is no type: write u8, u16, u32, u64, i32, i64, f16, f32, f64 or u32x2"};
}

Result<Strategy> parse_strategy(const std::string& text) {
  for (const Strategy strategy : {Strategy::automatic, Strategy::reduce_then_scan, Strategy::look_back}) {
    if (text == name_of(strategy)) return strategy;
  }
  return Error{ErrorCode::invalid_argument,
               "'" + text + "' is no strategy: write automatic, reduce_then_scan or look_back"};
}

const char* name_of(Verification verification) noexcept {
  switch (verification) {
    case Verification::automatic: return "automatic";
    case Verification::full: return "full";
    case Verification::sampled: return "sampled";
    case Verification::none: return "none";
  }
  return "?";
}

Result<Verification> parse_verification(const std::string& text) {
  for (const Verification verification :
       {Verification::automatic, Verification::full, Verification::sampled, Verification::none}) {
    if (text == name_of(verification)) return verification;
  }
  return Error{ErrorCode::invalid_argument,
               "'" + text + "' is no verification: write automatic, full, sampled or none"};
}

Result<std::pair<std::string, std::vector<uint32_t>>> parse_tuning(const std::string& text) {
  const size_t equals = text.find('=');
  std::pair<std::string, std::vector<uint32_t>> key;
  bool valid = equals != std::string::npos && equals > 0;
  if (valid) {
    key.first = text.substr(0, equals);
    for (size_t at = equals; at != std::string::npos && valid;) {
      const size_t next = text.find(',', at + 1);
      uint32_t value = 0;
      valid =
          parse_number(std::string_view(text).substr(at + 1, next == std::string::npos ? next : next - at - 1), value);
      key.second.push_back(value);
      at = next;
    }
  }
  if (!valid)
    return Error{ErrorCode::invalid_argument, "'" + text + "': write a key and its values as scan.rows=2,4,8"};
  return key;
}

Result<ItemSource> source_of(const Options& options) {
  return options.input.empty() ? Result<ItemSource>(ItemSource::random()) : ItemSource::file(options.input);
}

uint32_t repeats_of(const Options& options) {
  return options.repeats != 0 ? options.repeats : options.quick ? kQuickRepeats : kRepeats;
}

void select(Cases& cases, const std::vector<std::string>& filters, const std::vector<Type>& types) {
  std::erase_if(cases, [&](const auto& bench_case) {
    const std::string name = bench_case->name();
    const bool named = filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
                         return name.find(filter) != std::string::npos;
                       });
    const bool typed = types.empty() || std::any_of(types.begin(), types.end(),
                                                    [&](Type type) { return bench_case->type() == name_of(type); });
    return !named || !typed;
  });
}

}  // namespace weft::bench
