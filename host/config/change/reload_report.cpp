#include "config/change/reload_report.h"

#include "json/object_text.h"

namespace host::config {

std::string ReloadReport::first_fault() const {
  if (faults.empty()) return {};
  const std::size_t more = faults.size() - 1;
  std::string out = faults.front().headline();
  if (!faults.front().help.empty()) out += "; " + faults.front().help;
  if (more > 0)
    out += " (and " + std::to_string(more) + (more == 1 ? " more fault)" : " more faults)");
  return out;
}

std::string as_json(const std::vector<Diagnostic>& diagnostics) {
  std::string out = "[";
  for (const Diagnostic& one : diagnostics) {
    std::string object = "{";
    json::add_text(object, "file", one.file);
    json::add_member(object, "line", std::to_string(one.line));
    json::add_member(object, "column", std::to_string(one.column));
    json::add_text(object, "severity", one.severity == Severity::Error ? "error" : "warning");
    json::add_text(object, "code", one.code);
    json::add_text(object, "message", one.message);
    json::add_text(object, "help", one.help);
    out += (out.size() > 1 ? "," : "") + object + "}";
  }
  return out + "]";
}

std::string as_json(const ReloadReport& report) {
  std::string out = "{";
  json::add_member(out, "generation", std::to_string(report.generation));
  json::add_text(out, "file", report.file);
  json::add_text(out, "read", to_rfc3339(report.read));
  json::add_member(out, "applied", json::list_of(report.applied));
  json::add_member(out, "needs_restart", json::list_of(report.needs_restart));
  json::add_member(out, "faults", as_json(report.faults));
  return out + "}";
}

}  // namespace host::config
