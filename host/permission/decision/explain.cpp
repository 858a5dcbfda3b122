#include "permission/decision/explain.h"

#include <algorithm>

#include "json/json.h"

namespace host::permission {
namespace {

constexpr std::size_t kStepColumn = 14;

// A client's text may contain anything. This keeps it on one line.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    out += control ? '?' : c;
  }
  return out;
}

void add_member(std::string& text, std::string_view key, std::string_view value) {
  text.append(",\"").append(key).append("\":");
  json::write_string(value, text);
}

}  // namespace

std::string explain(const Decision& decision, const Trace& trace, const tool::Standing& standing,
                    const std::string& gate) {
  std::string text = tool::describe(standing) + "\n";
  for (const TraceLine& line : trace) {
    const std::string_view step = to_string(line.step);
    text.append("  ").append(step);
    text.append(step.size() < kStepColumn ? kStepColumn - step.size() : 1, ' ');
    text.append(one_line(line.said)).append("\n");
  }
  text.append(to_string(decision.behavior)).append(" by ").append(one_line(decision.by()));
  if (decision.safety) text += " (safety: no rule and no mode lifts it)";
  text += "\n";
  if (decision.behavior != Behavior::Allow)
    text.append("  ").append(one_line(decision.message)).append("\n");
  if (!decision.reason.empty()) text.append("  ").append(one_line(decision.reason)).append("\n");
  if (decision.rules_can_allow()) {
    for (const Rule& rule : decision.suggestions)
      text.append("  would be allowed by: allow ").append(one_line(describe(rule))).append("\n");
  }
  if (!gate.empty()) text.append(one_line(gate)).append("\n");
  return text;
}

std::string explain_json(const Decision& decision, const Trace& trace,
                         const tool::Standing& standing, const std::string& gate) {
  std::string text = "{\"standing\":" + tool::as_json(standing) + ",\"decision\":\"" +
                     std::string(to_string(decision.behavior)) + "\"";
  text.append(",\"safety\":").append(decision.safety ? "true" : "false");
  add_member(text, "by", decision.by());
  add_member(text, "message", decision.message);
  add_member(text, "reason", decision.reason);
  text += ",\"steps\":[";
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (i > 0) text += ',';
    text.append("{\"step\":\"").append(to_string(trace[i].step)).append("\"");
    add_member(text, "said", trace[i].said);
    text += '}';
  }
  text += "],\"suggestions\":[";
  for (std::size_t i = 0; i < decision.suggestions.size(); ++i) {
    if (i > 0) text += ',';
    write(decision.suggestions[i], text);
  }
  text += ']';
  if (!gate.empty()) add_member(text, "gate", gate);
  return text + "}";
}

}  // namespace host::permission
