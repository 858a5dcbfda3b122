#include "tool/call/sent_context.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "json/canonical.h"
#include "json/fault.h"
#include "json/object_text.h"
#include "json/own_text.h"

namespace host::tool {
namespace {

// The names that the host gives to its own values and entries.
constexpr std::string_view kNamesOfHost = "toolpost.";
// The keys of text() in tp.context/1.
constexpr std::string_view kFacts[] = {"principal",   "agent",      "session", "request",
                                       "traceparent", "tracestate", "baggage"};

// Names stand in the audit, so they have no spaces and no characters that a reader cannot see.
bool is_context_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostContextNameBytes &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// `group` is the pointer of the object that has the name. A long name is not repeated.
Result<void> check_context_name(std::string_view name, std::string_view group) {
  const bool is_long = name.size() > kMostContextNameBytes;
  const std::string pointer = is_long ? std::string(group) : json::child_of(group, name);
  if (!is_context_name(name)) {
    return json::fault_at(pointer, "a name must have 1 to " +
                                       std::to_string(kMostContextNameBytes) +
                                       " visible ASCII characters, and no space");
  }
  return {};
}

Result<void> check_not_reserved(std::string_view name, std::string_view group) {
  const std::string why = why_reserved(name);
  if (why.empty()) return {};
  return json::fault_at(json::child_of(group, name), why);
}

class ContextReader {
 public:
  Result<void> read_values(const json::Value& values, const std::string& pointer) {
    HOST_TRY(check_group(values, pointer));
    for (const auto& [name, value] : values.GetObject()) {
      HOST_TRY(check_context_name(json::text(name), pointer));
      HOST_TRY(check_not_reserved(json::text(name), pointer));
      if (!value.IsString())
        return json::fault_at(json::child_of(pointer, json::text(name)), "expected a string");
      read_->values.emplace(json::text(name), json::text(value));
    }
    return {};
  }

  Result<void> read_entries(const json::Value& entries, const std::string& pointer) {
    HOST_TRY(check_group(entries, pointer));
    for (const auto& [type, value] : entries.GetObject()) {
      HOST_TRY(check_context_name(json::text(type), pointer));
      HOST_TRY(check_not_reserved(json::text(type), pointer));
      read_->entries.emplace(json::text(type), json::canonical(value));
    }
    return {};
  }

  Result<SentContext> end(std::string_view pointer) {
    const std::size_t bytes = text_of(read_).size();
    if (bytes > kMostSentContextBytes) {
      return json::fault_at(pointer, "has " + std::to_string(bytes) + " bytes, more than the " +
                                         std::to_string(kMostSentContextBytes) +
                                         " allowed with one call");
    }
    if (members_ == 0) return SentContext();
    return SentContext(std::move(read_));
  }

 private:
  Result<void> check_group(const json::Value& group, const std::string& pointer) {
    if (!group.IsObject()) return json::fault_at(pointer, "expected an object");
    members_ += group.MemberCount();
    if (members_ <= kMostSentContextMembers) return {};
    return json::fault_at(pointer, "a call can have at most " +
                                       std::to_string(kMostSentContextMembers) +
                                       " values and entries together");
  }

  std::shared_ptr<CallContext> read_ = std::make_shared<CallContext>();
  std::size_t members_ = 0;
};

}  // namespace

bool is_name_of_host(std::string_view name) {
  return name.starts_with(kNamesOfHost);
}

std::string why_reserved(std::string_view type) {
  if (is_name_of_host(type)) return "names that begin with \"toolpost.\" are reserved for the host";
  if (std::find(std::begin(kFacts), std::end(kFacts), type) == std::end(kFacts)) return {};
  return "\"" + std::string(type) + "\" is reserved for what the host knows about the call";
}

Result<SentContext> read_sent_context(const json::Value& given, std::string_view pointer) {
  if (!given.IsObject()) {
    return json::fault_at(pointer, R"(expected an object with "values" and "entries")");
  }
  ContextReader reader;
  for (const auto& [name, group] : given.GetObject()) {
    const std::string_view member = json::text(name);
    if (member == "values") {
      HOST_TRY(reader.read_values(group, json::child_of(pointer, member)));
    } else if (member == "entries") {
      HOST_TRY(reader.read_entries(group, json::child_of(pointer, member)));
    } else {
      return json::fault_at(pointer, R"(has the members "values" and "entries" only)");
    }
  }
  return reader.end(pointer);
}

std::string text_of(const SentContext& sent) {
  if (!sent || (sent->values.empty() && sent->entries.empty())) return {};
  std::string entries = "{";
  for (const auto& [type, value] : sent->entries) json::add_member(entries, type, value);
  std::string values = "{";
  for (const auto& [name, text] : sent->values) json::add_text(values, name, text);
  std::string out = "{";
  if (!sent->entries.empty()) json::add_member(out, "entries", entries + "}");
  if (!sent->values.empty()) json::add_member(out, "values", values + "}");
  return out + "}";
}

Result<SentContext> sent_context_in(std::string_view text) {
  if (text.empty()) return SentContext();
  HOST_TRY_ASSIGN(const json::Document tree, json::parse_own(text));
  return read_sent_context(tree.root(), "/context");
}

std::vector<std::string> names_in(const CallContext& sent) {
  std::vector<std::string> names;
  for (const auto& entry : sent.entries) names.push_back(entry.first);
  for (const auto& value : sent.values) names.push_back(value.first);
  return names;
}

}  // namespace host::tool
