#include "plugin/lifecycle/plugin_check.h"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/process/spawn.h"
#include "base/text/nearest.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/table.h"
#include "json/json.h"
#include "plugin/lifecycle/check_codes.h"
#include "plugin/lifecycle/plugin_host.h"
#include "tool/definition/class.h"

namespace host::cli {
namespace {

using plugin::CheckReport;

constexpr std::size_t kShownCharacters = 80;

CheckReport check(const CommandLine& line) {
  plugin::CheckRequest request;
  request.file = std::filesystem::absolute(line.path).lexically_normal();
  request.worker = plugin::worker_beside_host();
  request.settings = line.settings;
  request.call_all = line.call_all;
  boost::asio::io_context io(1);
  CheckReport report;
  const auto run = [&]() -> boost::asio::awaitable<void> {
    report = co_await plugin::check_plugin(io.get_executor(), std::move(request));
  };
  spawn_main(io.get_executor(), run);
  io.run();
  return report;
}

// libc.so.6 (GLIBC_2.34), libm.so.6: each library with the last of its versions that is needed.
std::string needs_of(const plugin::Lint& lint) {
  std::map<std::string, std::string> newest;
  for (const plugin::NeededVersion& version : lint.versions) {
    std::string& known = newest[version.library];
    if (known.empty() || plugin::is_newer(version.version, known)) known = version.version;
  }
  std::string out;
  for (const std::string& library : lint.needed) {
    out += (out.empty() ? "" : ", ") + library;
    if (newest.contains(library)) out += " (" + newest[library] + ")";
  }
  return out.empty() ? "nothing" : out;
}

std::string functions_of(const tool::Intercepts& has) {
  std::string out;
  const auto add = [&out](bool there, std::string_view name) {
    if (!there) return;
    if (!out.empty()) out += ", ";
    out += name;
  };
  add(has.before, "before");
  add(has.enter, "enter");
  add(has.message, "message");
  add(has.leave, "leave");
  return out;
}

// What a plugin may leave out, where it says it.
std::vector<std::pair<std::string, std::string>> about(const plugin::Manifest& manifest) {
  std::vector<std::pair<std::string, std::string>> all = {{"vendor", manifest.vendor},
                                                          {"license", manifest.license},
                                                          {"build info", manifest.build_info}};
  std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
  return all;
}

void print_text(const CommandLine& line, const CheckReport& report) {
  {
    Line out(std::cout);
    out << line.path.string();
    if (report.manifest) {
      out << ": " << report.manifest->id << " \"" << report.manifest->name << "\" "
          << report.manifest->version;
    }
  }
  Table table({"needs", needs_of(report.lint)});
  if (!report.lint.build_id.empty()) table.add({"build id", report.lint.build_id});
  if (report.manifest) {
    for (const auto& [key, value] : about(*report.manifest)) table.add({key, value});
    for (const std::string& permission : report.manifest->permissions)
      table.add({"asks for", permission});
    for (const auto& tool : report.tools) {
      const tool::Standing standing =
          tool::standing_of(tool->declared(), tool::ProviderIdentity::Kind::Plugin);
      table.add({"tool", tool->name() + " (" + std::string(tool::to_string(tool->tool_class())) +
                             "; " + tool::describe(standing) +
                             "): " + one_line(tool->declared().description, kShownCharacters)});
    }
  }
  if (report.manifest && report.manifest->intercepts.any())
    table.add({"interceptor", functions_of(report.manifest->intercepts)});
  if (!report.side_file.empty()) {
    std::string keys;
    for (const std::string& key : report.side_keys) keys += (keys.empty() ? "" : ", ") + key;
    table.add({"side file", report.side_file.filename().string() + ": " +
                                (keys.empty() ? std::string("no keys") : keys)});
  }
  for (const plugin::ExampleCall& call : report.calls) {
    table.add({"call", call.tool + " " + one_line(call.arguments, kShownCharacters) + " -> " +
                           one_line(call.answer, kShownCharacters)});
  }
  std::cout << table.text();
  std::size_t faults = 0;
  for (const plugin::Finding& finding : report.findings) {
    faults += finding.fault;
    Line(std::cout) << (finding.fault ? "fault[" : "warning[") << finding.code
                    << "]: " << (finding.tool.empty() ? "" : "tool \"" + finding.tool + "\": ")
                    << finding.message;
  }
  const std::size_t warnings = report.findings.size() - faults;
  std::cout << (faults ? "refused: " : "ok: ") << faults << " faults, " << warnings
            << " warnings\n";
  if (!report.findings.empty()) {
    std::cout << "Explain a code: toolpost plugin check --explain " << report.findings[0].code
              << '\n';
  }
}

void add_text(std::string& out, std::string_view key, std::string_view value) {
  if (out.back() != '{') out += ',';
  json::write_string(key, out);
  out += ':';
  json::write_string(value, out);
}

template <class Items, class Write>
void add_list(std::string& out, std::string_view key, const Items& items, Write write) {
  if (out.back() != '{') out += ',';
  json::write_string(key, out);
  out += ":[";
  for (const auto& item : items) {
    if (out.back() != '[') out += ',';
    write(item);
  }
  out += ']';
}

void print_json(const CommandLine& line, const CheckReport& report) {
  std::string out = "{";
  add_text(out, "file", line.path.string());
  out += std::string(",\"ok\":") + (report.faulty() ? "false" : "true");
  if (report.manifest) {
    add_text(out, "id", report.manifest->id);
    add_text(out, "name", report.manifest->name);
    add_text(out, "version", report.manifest->version);
    for (const auto& [key, value] : about(*report.manifest)) add_text(out, key, value);
  }
  add_text(out, "build_id", report.lint.build_id);
  const auto write_text = [&](const std::string& text) { json::write_string(text, out); };
  add_list(out, "exports", report.lint.exports, write_text);
  add_list(out, "needs", report.lint.needed, write_text);
  add_list(out, "versions", report.lint.versions, [&](const plugin::NeededVersion& version) {
    out += '{';
    add_text(out, "library", version.library);
    add_text(out, "version", version.version);
    out += '}';
  });
  if (report.manifest) {
    add_list(out, "permissions", report.manifest->permissions, write_text);
    add_list(out, "tools", report.manifest->tools,
             [&](const tool::Declaration& tool) { write_text(tool.name); });
  }
  if (!report.side_file.empty()) {
    add_text(out, "side_file", report.side_file.string());
    add_list(out, "side_keys", report.side_keys, write_text);
  }
  add_list(out, "calls", report.calls, [&](const plugin::ExampleCall& call) {
    out += '{';
    add_text(out, "tool", call.tool);
    out += ",\"arguments\":" + call.arguments;
    add_text(out, "answer", call.answer);
    out += ",\"took_us\":" + std::to_string(call.took.count()) + "}";
  });
  add_list(out, "findings", report.findings, [&](const plugin::Finding& finding) {
    out += '{';
    add_text(out, "severity", finding.fault ? "fault" : "warning");
    add_text(out, "code", finding.code);
    if (!finding.tool.empty()) add_text(out, "tool", finding.tool);
    add_text(out, "message", finding.message);
    out += '}';
  });
  std::cout << out << "}\n";
}

int explain_code(const CommandLine& line) {
  const plugin::CheckCode* const found = plugin::find_check_code(line.explained_code);
  if (!found) {
    std::vector<std::string_view> codes;
    for (const plugin::CheckCode& one : plugin::check_codes()) codes.push_back(one.code);
    return complain({ErrorKind::NotFound, "there is no code \"" + line.explained_code +
                                              "\": " + suggest(line.explained_code, codes)});
  }
  if (line.json) {
    std::string out = "{";
    add_text(out, "code", found->code);
    add_text(out, "meaning", found->meaning);
    add_text(out, "remedy", found->remedy);
    std::cout << out << "}\n";
  } else {
    std::cout << found->code << ": " << found->meaning << '\n' << found->remedy << '\n';
  }
  return kExitOk;
}

}  // namespace

int plugin_check(const CommandLine& line) {
  if (!line.explained_code.empty()) return explain_code(line);
  std::error_code error;
  if (!std::filesystem::exists(line.path, error)) {
    return complain({ErrorKind::NotFound, "there is no file " + line.path.string()});
  }
  const auto settings = json::parse(line.settings);
  if (!settings || !settings->root().IsObject()) {
    return complain({ErrorKind::InvalidArgument, "--settings expects one JSON object"});
  }
  log::setup(log::Level::Error, log::Format::Text);
  const CheckReport report = check(line);
  line.json ? print_json(line, report) : print_text(line, report);
  return report.faulty() || (line.strict && !report.findings.empty()) ? kExitConfig : kExitOk;
}

}  // namespace host::cli
