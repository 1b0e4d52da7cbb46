// SPDX-License-Identifier: MIT OR Apache-2.0
#include "report_page.hpp"

#include <string>
#include <string_view>
#include <vector>

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

bool write_page(const Json& reports, const Json& comparison, const std::string& page) {
  std::string text(kReportTemplate);
  const auto put = [&](std::string_view mark, const Json& json) {
    text.replace(text.find(mark), mark.size(), script_text(json));
  };
  // The last first: what is put in may hold a mark.
  put("@comparison@", comparison);
  put("@reports@", reports);
  const Status written = write_text(page, text);
  if (!written) print_message(written.error().message);
  return static_cast<bool>(written);
}

int run_report(const std::vector<std::string>& paths, const std::string& page) {
  Json reports = Json::array();
  for (const std::string& path : paths) {
    Result<Json> report = read_report(path);
    if (!report) {
      print_message(report.error().message);
      return 1;
    }
    reports.push_back(*std::move(report));
  }
  return write_page(reports, nullptr, page) ? 0 : 1;
}

}  // namespace weft::bench
