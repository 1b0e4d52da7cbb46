// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report_template.hpp"
#include "support/options.hpp"
#include "support/report.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;

// As the content of a script element: nothing in it ends the element.
std::string script_text(const Json& json) {
  std::string text;
  for (const char c : json.dump()) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

}  // namespace

int run_report(const std::vector<std::string>& paths, const std::string& page) {
  Json reports = Json::array();
  for (const std::string& path : paths) {
    Result<Json> report = read_report(path);
    if (!report) {
      print_message(report.error().message);
      return 1;
    }
    (*report)["path"] = path.substr(path.find_last_of('/') + 1);
    reports.push_back(*std::move(report));
  }
  constexpr std::string_view kMark = "@reports@";
  std::string text(kReportTemplate);
  text.replace(text.find(kMark), kMark.size(), script_text(reports));
  const Status written = write_text(page, text);
  if (!written) print_message(written.error().message);
  return written ? 0 : 1;
}

}  // namespace weft::bench
