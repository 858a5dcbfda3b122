#include "checkout/status.h"

#include <utility>

#include "json/object_text.h"

namespace host::checkout {
namespace {

constexpr std::size_t kMostNamed = 10;

std::string held_json(const HeldSkill& held) {
  std::string out = "{";
  json::add_text(out, "skill", held.skill);
  json::add_bool(out, "new", held.is_new);
  json::add_text(out, "since", to_rfc3339(held.since));
  return out + "}";
}

std::string names_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i)
    out += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNamed)
    out += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return out;
}

config::Diagnostic fault(const Status& status, config::Severity severity, const char* code,
                         std::string message, std::string help) {
  config::Diagnostic out;
  out.file = source_of(status.settings);
  out.severity = severity;
  out.code = code;
  out.message = std::move(message);
  out.help = std::move(help);
  return out;
}

}  // namespace

std::string source_of(const config::SkillRepository& settings) {
  return "git:" + settings.name;
}

std::vector<store::PinRecord> accepted_in(const upstream::Pins& pins) {
  std::vector<store::PinRecord> out;
  for (store::PinRecord& record : pins.records()) {
    if (!record.tool.empty() && record.offered && !record.accepted.empty())
      out.push_back(std::move(record));
  }
  return out;
}

Status status_of(const config::SkillRepository& settings, const upstream::Pins& pins,
                 const LastPull& last) {
  Status out;
  out.settings = settings;
  out.last = last;
  for (const store::PinRecord& record : accepted_in(pins)) out.skills.push_back(record.tool);
  for (const store::PinRecord& record : pins.held()) {
    out.held.push_back({record.tool, record.accepted.empty(), record.changed});
  }
  return out;
}

std::string as_json(const Status& status) {
  std::string out = "{";
  json::add_text(out, "name", status.settings.name);
  json::add_text(out, "git", status.settings.git);
  json::add_text(out, "ref", status.settings.ref);
  json::add_text(out, "path", status.settings.path);
  json::add_text(out, "pin", config::to_string(status.settings.pin));
  json::add_bool(out, "pulling", status.pulls);
  json::add_text(out, "commit", status.last.commit);
  json::add_text(out, "pulled", status.last.at);
  json::add_text(out, "failure", status.last.failure);
  json::add_text(out, "failed", status.last.failed_at);
  json::add_member(out, "skills", json::list_of(status.skills));
  json::add_member(out, "missing", json::list_of(status.missing));
  json::add_member(out, "left_out", json::list_of(status.last.left_out));
  std::string held = "[";
  for (const HeldSkill& one : status.held) {
    if (held.size() > 1) held += ',';
    held += held_json(one);
  }
  json::add_member(out, "held", held + "]");
  return out + "}";
}

std::vector<config::Diagnostic> faults_of(const Status& status) {
  using config::Severity;
  std::vector<config::Diagnostic> out;
  const std::string& name = status.settings.name;
  if (!status.last.failure.empty()) {
    out.push_back(fault(status, Severity::Warning, "S016",
                        "the last pull failed: " + status.last.failure,
                        status.last.commit.empty() ? "no skill of this repository is served"
                                                   : "the accepted skills are still served"));
  } else if (status.last.at.empty()) {
    out.push_back(
        fault(status, Severity::Warning, "S016", "was never pulled",
              "`toolpost serve` pulls it, and so does `toolpost skills pull " + name + "`"));
  }
  if (!status.missing.empty()) {
    out.push_back(fault(status, Severity::Error, "S019",
                        "files of accepted skills are missing or changed in the state folder: " +
                            names_of(status.missing),
                        "run `toolpost skills pull " + name +
                            "`; if the repository has another version now, accept that"));
  }
  if (!status.held.empty()) {
    std::vector<std::string> held;
    for (const HeldSkill& one : status.held) held.push_back(one.skill);
    out.push_back(fault(status, Severity::Warning, "S017",
                        "changed skills wait for your decision: " + names_of(held),
                        "run `toolpost skills diff " + name + "`"));
  }
  for (const std::string& one : status.last.left_out)
    out.push_back(fault(status, Severity::Warning, "S018", one, {}));
  return out;
}

}  // namespace host::checkout
