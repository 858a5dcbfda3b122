#include "router/step/edited_call.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text/encoding.h"
#include "json/canonical.h"
#include "json/json.h"
#include "json/object_text.h"
#include "json/own_text.h"
#include "tool/call/edits.h"
#include "tool/call/end_words.h"

namespace host::router {
namespace {

constexpr std::size_t kMostNames = 16;
constexpr std::size_t kMostNameBytes = 64;

// The names that were found, in their order.
struct Differences {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
};

// A call may have very many members, and the time of this thread is everybody's.
void add_difference(const json::Value& from, const json::Value& to, Differences& found) {
  std::unordered_map<std::string_view, const json::Value*> others;
  for (const auto& member : to.GetObject()) others.emplace(json::text(member.name), &member.value);
  for (const auto& member : from.GetObject()) {
    const std::string_view name = json::text(member.name);
    const auto other = others.find(name);
    if (other != others.end() && json::canonical(member.value) == json::canonical(*other->second))
      continue;
    std::string shown(utf8_begin(name, kMostNameBytes));
    if (found.known.insert(shown).second) found.names.push_back(std::move(shown));
  }
}

std::string words_for(const std::vector<std::string>& changed) {
  std::string text = "A reviewer changed the arguments of this call: ";
  for (std::size_t i = 0; i < changed.size() && i < kMostNames; ++i)
    text += (i > 0 ? ", " : "") + changed[i];
  if (changed.size() > kMostNames)
    text += " and " + std::to_string(changed.size() - kMostNames) + " more";
  return text + ".";
}

}  // namespace

std::vector<std::string> changed_members(std::string_view before, std::string_view after) {
  Differences found;
  const auto from = json::parse_own(before);
  const auto to = json::parse_own(after);
  if (!from || !to || !from->root().IsObject() || !to->root().IsObject()) return {};
  add_difference(from->root(), to->root(), found);
  add_difference(to->root(), from->root(), found);
  return std::move(found.names);
}

tool::CallResult with_edits(tool::CallResult result, const std::vector<std::string>& changed) {
  const bool is_answer = !result.round && result.task.empty() && result.lacking.empty();
  if (changed.empty() || !is_answer) return result;
  result.add_text(words_for(changed));
  std::vector<std::string> shown = changed;
  shown.resize(std::min(shown.size(), kMostNames));
  result.meta +=
      (result.meta.empty() ? "" : ",") + ("\"io.toolpost/edited\":" + json::list_of(shown));
  return result;
}

void keep_edits(tool::Call& call, const std::vector<std::string>& changed) {
  std::vector<std::string> names = kept_edits(call);
  std::unordered_set<std::string> known(names.begin(), names.end());
  for (const std::string& name : changed) {
    if (known.insert(name).second) names.push_back(name);
  }
  if (names.empty()) return;
  call.continuation.answers.insert_or_assign(std::string(tool::kEdits), json::list_of(names));
}

std::vector<std::string> kept_edits(const tool::Call& call) {
  std::vector<std::string> names;
  const auto at = call.continuation.answers.find(tool::kEdits);
  if (at == call.continuation.answers.end()) return names;
  const auto tree = json::parse_own(at->second);
  if (!tree || !tree->root().IsArray()) return names;
  for (const json::Value& name : tree->root().GetArray()) names.emplace_back(json::text(name));
  return names;
}

void keep_run_arguments(tool::Call& call) {
  if (!tool::has_edits(call.continuation) && call.interceptions.empty()) return;
  call.continuation.answers.insert_or_assign(std::string(tool::kRunArguments), call.arguments_text);
}

bool take_run_arguments(tool::Call& call) {
  const auto at = call.continuation.answers.find(tool::kRunArguments);
  if (at == call.continuation.answers.end()) return false;
  auto kept = json::parse_own(at->second);
  if (!kept) return false;
  call.arguments = *std::move(kept);
  return true;
}

void undo_late_change(tool::Call& call) {
  if (!call.continues || !call.sent) return;
  call.arguments = std::move(*std::exchange(call.sent, nullptr));
  call.changed_by.clear();
}

// A fault can quote the value that it is about.
tool::CallResult invalid_edits(tool::Call& call) {
  call.outcome = tool::kBadArguments;
  return tool::CallResult::error("\"" + call.name + "\" " + std::string(tool::did_not_run(call)) +
                                 ": a reviewer changed the arguments of this call, and they are "
                                 "not valid.");
}

}  // namespace host::router
