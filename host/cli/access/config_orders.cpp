#include "cli/access/config_orders.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>

#include "app/orders/config_orders.h"
#include "cli/access/open_store.h"
#include "cli/access/plugin_orders.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "json/object_text.h"

namespace host::cli {
namespace {

// A host first checks the file against its plugins.
constexpr std::chrono::seconds kWithin{60};

std::vector<std::string> texts_in(const json::Value& object, std::string_view key) {
  std::vector<std::string> out;
  const json::Value* const list = json::find(object, key);
  if (!list || !list->IsArray()) return out;
  for (const json::Value& one : list->GetArray()) out.emplace_back(json::text(one));
  return out;
}

std::string line_of(const json::Value& fault) {
  const auto number = [&fault](const char* key) {
    const json::Value* const found = json::find(fault, key);
    return found && found->IsUint() ? found->GetUint() : 0u;
  };
  std::string out(json::find_text(fault, "file"));
  for (const unsigned part : {number("line"), number("column")}) {
    if (part > 0) out += ":" + std::to_string(part);
  }
  out += ": " + std::string(json::find_text(fault, "message"));
  const std::string_view help = json::find_text(fault, "help");
  return help.empty() ? out : out + "; " + std::string(help);
}

Result<HostReport> report_in(const std::string& address, std::string text) {
  HOST_TRY_ASSIGN(const json::Document tree, json::parse(text));
  HostReport out;
  out.address = address;
  out.file = json::find_text(tree.root(), "file");
  out.applied = texts_in(tree.root(), "applied");
  out.needs_restart = texts_in(tree.root(), "needs_restart");
  const json::Value* const faults = json::find(tree.root(), "faults");
  if (faults && faults->IsArray()) {
    for (const json::Value& one : faults->GetArray()) out.faults.push_back(line_of(one));
  }
  out.json = std::move(text);
  return out;
}

HostReport report_of(HostAnswer from) {
  const std::string address = from.host.address;
  auto report = from.answer ? report_in(address, *std::move(from.answer))
                            : Result<HostReport>(from.answer.error());
  if (report) return *std::move(report);
  HostReport out;
  out.address = address;
  out.failure = report.error().within(host_in_words(from.host));
  return out;
}

std::string words_in_a_row(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

Result<std::vector<HostReport>> order_configuration(const config::Config& config,
                                                    ConfigOrder order) {
  std::vector<HostReport> out;
  if (config.store.file.empty()) return out;
  HOST_TRY_ASSIGN(const std::unique_ptr<store::Store> store, look_into_store(config));
  if (!store) return out;
  HOST_TRY_ASSIGN(const std::vector<store::HostRecord> hosts, running_hosts(*store));
  const char* const action = order == ConfigOrder::Reload ? app::kConfigReload : app::kConfigReport;
  for (HostAnswer& one : give_orders(*store, hosts, action, {}, kWithin))
    out.push_back(report_of(std::move(one)));
  return out;
}

int exit_code_for(const std::vector<HostReport>& reports) {
  int exit_code = kExitOk;
  for (const HostReport& one : reports) {
    if (one.failure) return exit_code_for(one.failure->kind);
    if (!one.faults.empty()) exit_code = kExitConfig;
  }
  return exit_code;
}

void add_edited(std::vector<HostReport>& reports, const std::filesystem::path& file,
                const std::vector<std::string>& keys) {
  const auto names = [](const std::vector<std::string>& all, const std::string& key) {
    return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
      return one == key || one.starts_with(key + ".");
    });
  };
  for (HostReport& one : reports) {
    std::error_code error;
    if (one.failure || !one.faults.empty() || !std::filesystem::equivalent(one.file, file, error))
      continue;
    for (const std::string& key : keys) {
      if (!names(one.applied, key) && !names(one.needs_restart, key)) one.applied.push_back(key);
    }
  }
}

int print_reports(const std::vector<HostReport>& reports) {
  for (const HostReport& one : reports) {
    if (one.failure) {
      Line(std::cerr) << "toolpost: " << one.failure->message;
      continue;
    }
    const std::string who = "the host at " + one.address;
    const std::string file = one.file.empty() ? "the built-in configuration" : one.file;
    if (!one.faults.empty()) {
      Line(std::cout) << who << " does not use " << file << ", which is not valid";
      for (const std::string& fault : one.faults) Line(std::cout) << "  " << fault;
      continue;
    }
    Line(std::cout) << who << " uses " << file
                    << (one.applied.empty() ? ""
                                            : ", and has applied " + words_in_a_row(one.applied));
    if (!one.needs_restart.empty()) {
      Line(std::cout) << "these keys changed and need a restart of " << who << ": "
                      << words_in_a_row(one.needs_restart);
    }
  }
  return exit_code_for(reports);
}

std::string reports_json(const std::vector<HostReport>& reports) {
  std::string out = "[";
  for (const HostReport& one : reports) {
    std::string object = "{";
    json::add_text(object, "host", one.address);
    if (one.failure) {
      json::add_member(object, "error", error_json(*one.failure));
    } else {
      json::add_member(object, "applied", json::list_of(one.applied));
      json::add_member(object, "config", one.json);
    }
    out += (out.size() > 1 ? "," : "") + object + "}";
  }
  return out + "]";
}

}  // namespace host::cli
