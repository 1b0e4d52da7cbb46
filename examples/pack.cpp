// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a pack of two assets to memory, finds one by its path, and reads it.
#include <weft/pack.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "memory_pack.hpp"

namespace {

void check(const weft::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

}  // namespace

int main() {
  MemoryPack pack(9);
  for (const char letter : {'a', 'b'})
    check(pack.add(std::string("letters/") + letter, std::vector<std::byte>(100000, static_cast<std::byte>(letter))));
  const auto bytes = pack.finish();
  check(bytes.status());

  const auto reader = weft::pack::PackReader::open(*bytes);
  check(reader.status());
  const auto entry = reader->find("letters/b");
  if (!entry) return 1;
  const auto range = reader->range(*entry, 0);
  std::vector<std::byte> content(range.slice_bytes);
  check(reader->extract(*entry, range, content));
  std::printf("%s: %zu times %c, stored in less than a block: %s\n", std::string(entry->path).c_str(), content.size(),
              std::to_integer<char>(content.back()), entry->stored_bytes < weft::pack::kBlockBytes ? "yes" : "no");
  return 0;
}
