#include "session/client_tools.h"

#include <algorithm>
#include <chrono>

#include "base/digest.h"
#include "base/log.h"
#include "json/fault.h"
#include "json/object_text.h"
#include "json/own_text.h"
#include "json/schema/regex/pattern_memory.h"
#include "json/schema/schema.h"
#include "json/schema/time_budget.h"
#include "tool/definition/class.h"
#include "tool/definition/declared_text.h"
#include "tool/definition/definition.h"

namespace host::session {
namespace {

using tool::Class;

// A client's work takes as long as its heartbeats come, which is not for the scheduler to know.
constexpr std::chrono::hours kLongestWork{24 * 7};
constexpr std::size_t kLongestKey = 128;  // so that errors stay short
// CPU time for all tools of one session. Tools that clients write need a few milliseconds.
constexpr std::chrono::milliseconds kLongestCompile{100};
// Of the compiled patterns of one session's tools. Patterns that clients write need a few KiB.
constexpr std::size_t kMostPatternBytes = 256u << 10u;

// Counts from its making on.
class PatternMemory {
 public:
  bool is_spent() const {
    return json::schema::pattern_bytes_of_thread() - before_ > kMostPatternBytes;
  }
  static std::string fault() {
    return "the tools need too much memory: their schemas have patterns that are too large, or too "
           "many. The compiled patterns of a session may have " +
           std::to_string(kMostPatternBytes) + " bytes; a repeat like {1,400} counts 400 times";
  }

 private:
  const std::size_t before_ = json::schema::pattern_bytes_of_thread();
};

Result<void> check_name(const std::string& name, const std::string& pointer) {
  const std::string place = json::child_of(pointer, "name");
  if (!tool::is_plain_name(name)) {
    return json::fault_at(
        place, "must be " + std::string(tool::kPlainNameForm) + ", not " + tool::quoted_name(name));
  }
  const Class kind = tool::classify(name);
  if (kind != Class::Standard && kind != Class::Pre && kind != Class::Post) {
    return json::fault_at(place, "\"" + name + "\" is of the class " +
                                     std::string(tool::to_string(kind)) +
                                     ": a client's tool has no prefix, pre_ or post_");
  }
  if (tool::is_reserved(name))
    return json::fault_at(place, "\"" + name + "\" is the name of a tool of the host's own");
  return {};
}

Result<std::shared_ptr<const tool::Tool>> compile_one(tool::Declaration declared,
                                                      std::uint32_t index) {
  declared.external = true;
  declared.tasks = tool::TaskUse::Offered;
  declared.open_world = false;
  // As its name says: a tool without a prefix is for queries without side effects.
  declared.read_only = tool::classify(declared.name) == tool::Class::Standard;
  declared.destructive = !declared.read_only;
  declared.timeout = kLongestWork;
  return tool::Tool::make(std::move(declared), index);
}

// Which member of the definition is at fault.
Error placed(const Error& why, const tool::Declaration& declared, const std::string& pointer) {
  const std::string name = "tool \"" + declared.name + "\": ";
  std::string_view words = why.message;
  if (words.starts_with(name)) words.remove_prefix(name.size());
  std::string place = pointer;
  if (words.find("description") < 6) place = json::child_of(pointer, "description");
  if (words.starts_with("its input schema")) place = json::child_of(pointer, "requestArgs");
  if (words.starts_with("its output schema")) place = json::child_of(pointer, "responseShape");
  return json::fault_at(place, words);
}

using MadeTool = std::shared_ptr<const tool::Tool>;

Result<MadeTool> read_one(std::string_view key, const json::Value& definition,
                          const std::string& pointer, std::uint32_t index,
                          const ToolLimits& limits) {
  const std::size_t bytes = json::write(definition).size();
  if (bytes > limits.tool_bytes) {
    if (limits.on_refusal) limits.on_refusal("limits.session_tool_bytes");
    return json::fault_at(pointer, "has " + std::to_string(bytes) + " bytes, more than the " +
                                       std::to_string(limits.tool_bytes) +
                                       " allowed here (limits.session_tool_bytes)");
  }
  HOST_TRY_ASSIGN(const tool::Declaration declared, tool::declaration_of(definition, pointer));
  HOST_TRY(check_name(declared.name, pointer));
  if (declared.name != key) {
    return json::fault_at(
        json::child_of(pointer, "name"),
        "is \"" + declared.name + "\", but its key is another: the key of a tool must be its name");
  }
  auto made = compile_one(declared, index);
  if (!made) return placed(made.error(), declared, pointer);
  return made;
}

std::shared_ptr<const ClientTools> as_set(std::vector<MadeTool> tools, const std::string& text) {
  std::sort(tools.begin(), tools.end(),
            [](const auto& a, const auto& b) { return a->name() < b->name(); });
  return std::make_shared<const ClientTools>(
      ClientTools{std::move(tools), "sha256:" + to_hex(sha256(text))});
}

Result<std::shared_ptr<const ClientTools>> compile(const std::string& text) {
  HOST_TRY_ASSIGN(const json::Document tree, json::parse_own(text));
  std::vector<MadeTool> tools;
  const PatternMemory memory;
  for (const auto& member : tree.root().GetObject()) {
    HOST_TRY_ASSIGN(tool::Declaration declared, tool::declaration_of(member.value, ""));
    HOST_TRY_ASSIGN(auto tool,
                    compile_one(std::move(declared), static_cast<std::uint32_t>(tools.size())));
    tools.push_back(std::move(tool));
    if (memory.is_spent()) return Error{ErrorKind::InvalidArgument, PatternMemory::fault()};
  }
  return as_set(std::move(tools), text);
}

}  // namespace

Result<ReadTools> read_tools(const json::Value& tools, std::string_view pointer,
                             const ToolLimits& limits) {
  if (tools.IsArray()) {
    return json::fault_at(pointer,
                          "expected an object with a member for each tool, not an array: write "
                          "{\"getLocations\": {\"name\": \"getLocations\", ...}}");
  }
  if (!tools.IsObject()) {
    return json::fault_at(pointer, "expected an object with a member for each tool, by its name");
  }
  if (tools.MemberCount() > limits.tools) {
    if (limits.on_refusal) limits.on_refusal("limits.session_tools");
    return json::fault_at(pointer, "has " + std::to_string(tools.MemberCount()) +
                                       " tools, more than the " + std::to_string(limits.tools) +
                                       " allowed here (limits.session_tools)");
  }
  std::string text = "{";
  std::vector<MadeTool> made;
  const std::chrono::nanoseconds until = json::schema::thread_cpu_time() + kLongestCompile;
  const PatternMemory memory;
  for (const auto& member : tools.GetObject()) {
    const std::string_view key = json::text(member.name);
    if (key.size() > kLongestKey)
      return json::fault_at(pointer, "has a key that is no tool's name");
    const std::string place = json::child_of(pointer, key);
    HOST_TRY_ASSIGN(MadeTool one, read_one(key, member.value, place,
                                           static_cast<std::uint32_t>(made.size()), limits));
    made.push_back(std::move(one));
    if (memory.is_spent()) return json::fault_at(pointer, PatternMemory::fault());
    if (json::schema::thread_cpu_time() > until) {
      return json::fault_at(pointer,
                            "the tools take too long to compile: their schemas have patterns that "
                            "are too large, or too many. A session may need " +
                                std::to_string(kLongestCompile.count()) + " ms of CPU time");
    }
    json::add_member(text, key, json::write(member.value));
  }
  text += "}";
  auto compiled = as_set(std::move(made), text);
  return ReadTools{std::move(text), std::move(compiled)};
}

std::set<std::string, std::less<>> removed_tools(const std::shared_ptr<const std::string>& before,
                                                 const std::shared_ptr<const std::string>& now) {
  if (!before || before == now) return {};
  const auto names = [](const std::shared_ptr<const std::string>& text) {
    std::set<std::string, std::less<>> found;
    const Result<json::Document> tree = text ? json::parse_own(*text) : Error{};
    if (!tree) return found;
    for (const auto& member : tree->root().GetObject()) found.emplace(json::text(member.name));
    return found;
  };
  auto removed = names(before);
  for (const std::string& name : names(now)) removed.erase(name);
  return removed;
}

std::shared_ptr<const ClientTools> ToolSets::of(const std::shared_ptr<const std::string>& text) {
  if (!text) return nullptr;
  if (const auto known = by_text_.find(*text); known != by_text_.end()) {
    sets_.splice(sets_.begin(), sets_, known->second);
    return known->second->second;
  }
  auto made = compile(*text);
  if (!made) {
    log::error("session",
               "the stored tools of a session are not valid, so the session has no tools",
               {{"reason", made.error().message}});
    made = std::make_shared<const ClientTools>();
  }
  keep(text, *made);
  return *made;
}

void ToolSets::keep(const std::shared_ptr<const std::string>& text,
                    std::shared_ptr<const ClientTools> compiled) {
  if (by_text_.contains(*text)) return;
  if (sets_.size() == kMost) {
    by_text_.erase(*sets_.back().first);
    sets_.pop_back();
  }
  sets_.emplace_front(text, std::move(compiled));
  by_text_.emplace(*text, sets_.begin());
}

}  // namespace host::session
