#include "config/reader.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/nearest.h"

namespace host::config {
namespace {

std::string number(double value) {
  std::ostringstream out;
  out.precision(15);
  out << value;
  return out.str();
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

std::string one_of(const Key& key) {
  std::string out = "one of ";
  for (const std::string_view& word : key.words) {
    if (&word != key.words.data()) out += ", ";
    out += in_quotes(word);
  }
  return out;
}

std::string within(std::string_view what, const Range& range) {
  std::string out(what);
  if (!range.unit.empty()) out += " of " + std::string(range.unit);
  return out + " from " + number(range.low) + " to " + number(range.high);
}

std::vector<std::string_view> names_of(const std::vector<Key>& keys, std::string_view also) {
  std::vector<std::string_view> names;
  for (const Key& key : keys) names.push_back(key.name);
  if (!also.empty()) names.push_back(also);
  return names;
}

// Puts one value into one slot. Each operator() is one type that a key can have; false: what was
// wrong was reported.
class Take {
 public:
  Take(const Node& value, const Key& key, std::string_view where, Report& report,
       const PathBase& base)
      : value_(value), key_(key), where_(where), report_(report), base_(base) {}

  void operator()(bool* target) const {
    if (is(Node::Kind::Boolean)) *target = value_.boolean;
  }
  void operator()(std::optional<bool>* target) const {
    if (is(Node::Kind::Boolean)) *target = value_.boolean;
  }
  void operator()(std::uint32_t* target) const { whole(*target); }
  void operator()(std::uint64_t* target) const { whole(*target); }
  void operator()(Seconds* target) const {
    if (const auto taken = seconds()) *target = *taken;
  }
  void operator()(std::optional<Seconds>* target) const {
    if (const auto taken = seconds()) *target = *taken;
  }
  void operator()(std::string* target) const {
    if (is(Node::Kind::Text) && fits(value_)) *target = value_.text;
  }
  void operator()(std::optional<std::string>* target) const {
    if (is(Node::Kind::Text) && fits(value_)) *target = value_.text;
  }
  void operator()(std::filesystem::path* target) const {
    if (!is(Node::Kind::Text)) return;
    if (value_.text.empty()) {
      target->clear();
    } else if (const auto path = path_of(value_)) {
      *target = *path;
    }
  }
  void operator()(std::vector<std::string>* target) const {
    std::vector<std::string> taken;
    if (!each([&](const Node& member) {
          taken.push_back(member.text);
          return fits(member);
        })) {
      return;
    }
    *target = std::move(taken);
  }
  void operator()(std::optional<std::vector<std::string>>* target) const {
    if (is(Node::Kind::Array)) (*this)(&target->emplace());
  }
  void operator()(std::vector<std::filesystem::path>* target) const {
    std::vector<std::filesystem::path> taken;
    if (!each([&](const Node& member) {
          const auto path = path_of(member);
          if (path) taken.push_back(*path);
          return path.has_value();
        })) {
      return;
    }
    *target = std::move(taken);
  }
  void operator()(std::vector<sandbox::FsGrant>* target) const {
    std::vector<sandbox::FsGrant> taken;
    if (!each([&](const Node& member) {
          const auto grant = grant_of(member);
          if (grant) taken.push_back(*grant);
          return grant.has_value();
        })) {
      return;
    }
    *target = std::move(taken);
  }
  void operator()(const EnumSlot& slot) const {
    if (!is(Node::Kind::Text) || !fits(value_)) return;
    const auto word = std::find(key_.words.begin(), key_.words.end(), value_.text);
    slot.set(slot.target, static_cast<std::size_t>(word - key_.words.begin()));
  }
  void operator()(const JsonSlot& slot) const {
    if (!is(Node::Kind::Table)) return;
    TomlError error;
    if (auto text = to_json(value_, error)) {
      *slot.target = *std::move(text);
    } else {
      report_.error(error.at, "C017", name() + ": " + error.message);
    }
  }

 private:
  std::string name() const { return std::string(key_.name) + " in " + std::string(where_); }

  void wrong_type(const Node& value) const {
    report_.error(value.at, "C011",
                  name() + ": expected " + expectation(key_) + ", found " +
                      std::string(describe(value.kind)));
  }

  bool is(Node::Kind kind) const {
    if (value_.kind != kind) wrong_type(value_);
    return value_.kind == kind;
  }

  bool in_range(double found) const {
    if (found >= key_.range.low && found <= key_.range.high) return true;
    report_.error(value_.at, "C012",
                  name() + ": expected " + expectation(key_) + ", found " + number(found));
    return false;
  }

  template <class T>
  void whole(T& target) const {
    if (!is(Node::Kind::Integer)) return;
    if (in_range(static_cast<double>(value_.integer))) target = static_cast<T>(value_.integer);
  }

  std::optional<Seconds> seconds() const {
    const bool integer = value_.kind == Node::Kind::Integer;
    if (!integer && value_.kind != Node::Kind::Float) {
      wrong_type(value_);
      return std::nullopt;
    }
    const double found = integer ? static_cast<double>(value_.integer) : value_.real;
    if (!in_range(found)) return std::nullopt;  // nor is NaN in any range
    return Seconds(std::llround(found * 1000));
  }

  // One text against the words or the form of its key.
  bool fits(const Node& text) const {
    if (!key_.words.empty() &&
        std::find(key_.words.begin(), key_.words.end(), text.text) == key_.words.end()) {
      report_.error(text.at, "C013",
                    name() + ": expected " + one_of(key_) + ", found " + in_quotes(text.text),
                    suggest(text.text, {key_.words.begin(), key_.words.end()}));
      return false;
    }
    if (const char* form = key_.form != nullptr ? key_.form(text.text) : nullptr) {
      report_.error(text.at, "C017",
                    name() + ": expected " + form + ", found " + in_quotes(text.text));
      return false;
    }
    return true;
  }

  bool names_folders() const {
    return std::holds_alternative<std::vector<std::filesystem::path>*>(key_.slot);
  }

  std::optional<std::filesystem::path> path_of(const Node& text) const {
    if (text.text == kShipped && names_folders()) return text.text;
    auto path = resolve(text.text, base_);
    if (path) return *std::move(path);
    report_.error(text.at, "C017", name() + ": " + path.error().message);
    return std::nullopt;
  }

  // What a grant opens must not depend on where a file or a process stands.
  std::optional<sandbox::FsGrant> grant_of(const Node& text) const {
    const std::string_view written(text.text);
    const bool write = written.starts_with("rw:");
    const std::string_view path = written.substr(std::min<std::size_t>(3, written.size()));
    const bool rooted =
        path.starts_with('/') || path.starts_with('@') || path == "~" || path.starts_with("~/");
    if ((!write && !written.starts_with("ro:")) || !rooted) {
      report_.error(
          text.at, "C017",
          name() + ": expected ro:PATH or rw:PATH, PATH absolute or from ~/ or @state/, found " +
              in_quotes(written),
          "write \"ro:/folder\" to let it read there, \"rw:/folder\" to let it write too");
      return std::nullopt;
    }
    auto resolved = resolve(path, base_);
    if (resolved) return sandbox::FsGrant{resolved->string(), write};
    report_.error(text.at, "C017", name() + ": " + resolved.error().message);
    return std::nullopt;
  }

  // Every member of a list of texts, so that all faults are told; true where there was none.
  template <class Act>
  bool each(const Act& act) const {
    if (!is(Node::Kind::Array)) return false;
    bool good = true;
    std::set<std::string_view> seen;
    for (const Node& member : value_.array) {
      if (member.kind != Node::Kind::Text) {
        wrong_type(member);
        good = false;
      } else if (!seen.insert(member.text).second) {
        report_.error(member.at, "C015",
                      name() + ": " + in_quotes(member.text) + " stands there twice");
        good = false;
      } else {
        good = act(member) && good;
      }
    }
    return good;
  }

  const Node& value_;
  const Key& key_;
  std::string_view where_;
  Report& report_;
  const PathBase& base_;
};

// The words for each type.
struct Expectation {
  const Key& key;

  std::string text() const {
    if (!key.words.empty()) return one_of(key);
    const char* form = key.form != nullptr ? key.form("") : nullptr;
    if (form == nullptr) return "a text";
    return std::string_view(form).starts_with("a text") ? form : std::string("a text: ") + form;
  }
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const std::optional<bool>*) const { return "true or false"; }
  std::string operator()(const std::uint32_t*) const { return within("a whole number", key.range); }
  std::string operator()(const std::uint64_t*) const { return within("a whole number", key.range); }
  std::string operator()(const Seconds*) const { return within("a number", key.range); }
  std::string operator()(const std::optional<Seconds>*) const {
    return within("a number", key.range);
  }
  std::string operator()(const std::string*) const { return text(); }
  std::string operator()(const std::optional<std::string>*) const { return text(); }
  std::string operator()(const std::filesystem::path*) const { return "a path as text"; }
  std::string operator()(const std::vector<std::string>*) const {
    return key.words.empty() ? "a list of texts" : "a list; each member " + one_of(key);
  }
  std::string operator()(const std::optional<std::vector<std::string>>*) const {
    return "a list of texts";
  }
  std::string operator()(const std::vector<std::filesystem::path>*) const {
    return "a list of paths as texts";
  }
  std::string operator()(const std::vector<sandbox::FsGrant>*) const {
    return "a list of grants, like \"ro:/path\" or \"rw:/path\"";
  }
  std::string operator()(const EnumSlot&) const { return one_of(key); }
  std::string operator()(const JsonSlot&) const { return "a table"; }
};

}  // namespace

Report::Report(std::string file, std::string_view text, std::vector<Diagnostic>& out)
    : file_(std::move(file)), out_(out) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

void Report::error(Position at, std::string code, std::string message, std::string help) {
  Diagnostic diagnostic = place(at);
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  out_.push_back(std::move(diagnostic));
}

Diagnostic Report::place(Position at) const {
  Diagnostic diagnostic;
  diagnostic.file = file_;
  diagnostic.line = at.line;
  diagnostic.column = at.column;
  if (at.line != 0 && at.line <= lines_.size()) diagnostic.source = lines_[at.line - 1];
  return diagnostic;
}

std::string expectation(const Key& key) {
  return std::visit(Expectation{key}, key.slot);
}

void Reader::read_key(const Node& value, const Key& key, std::string_view where) {
  std::visit(Take(value, key, where, report_, base_), key.slot);
}

bool Reader::expect(const Node& value, Node::Kind kind, const std::string& where,
                    std::string_view example) {
  if (value.kind == kind) return true;
  report_.error(value.at, "C011",
                where + ": expected " + std::string(describe(kind)) + ", found " +
                    std::string(describe(value.kind)),
                "write " + std::string(example));
  return false;
}

void Reader::read_section(const Node& table, const std::vector<Key>& keys, const std::string& where,
                          std::string_view also_known) {
  for (const Member& member : table.table) {
    if (member.key == also_known) continue;
    const auto key =
        std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == member.key; });
    if (key != keys.end()) {
      read_key(member.value, *key, where);
    } else {
      report_.error(member.at, "C014", "unknown key " + in_quotes(member.key) + " in " + where,
                    suggest(member.key, names_of(keys, also_known)));
    }
  }
  for (const Key& key : keys) {
    if (!key.required || table.find(key.name) != nullptr) continue;
    report_.error(table.at, "C016", std::string(key.name) + " is missing in " + where,
                  "add " + std::string(key.name) + " = ..., " + expectation(key));
  }
}

void Reader::read(const Node& root, Config& into) {
  const std::vector<Section> known = sections(into);
  for (const Member& member : root.table) {
    const std::string where = "[" + member.key + "]";
    const auto section = std::find_if(known.begin(), known.end(),
                                      [&](const Section& s) { return s.name == member.key; });
    if (section != known.end()) {
      if (expect(member.value, Node::Kind::Table, member.key, where)) {
        read_section(member.value, section->keys, where);
      }
    } else if (member.key == "plugin") {
      if (expect(member.value, Node::Kind::Table, "plugin", "[plugin.NAME]"))
        read_plugins(member.value, into);
    } else if (member.key == "rule") {
      if (expect(member.value, Node::Kind::Array, "rule", "[[rule]]"))
        read_rules(member.value, "[[rule]]", into.permission.rules);
    } else if (member.key == "agent") {
      if (expect(member.value, Node::Kind::Table, "agent", "[agent.NAME]"))
        read_agents(member.value, into);
    } else if (member.key == "group") {
      if (expect(member.value, Node::Kind::Array, "group", "[[group]]"))
        read_groups(member.value, into);
    } else {
      std::vector<std::string_view> names{"plugin", "rule", "group", "agent"};
      for (const Section& candidate : known) names.push_back(candidate.name);
      const bool table = member.value.kind == Node::Kind::Table;
      report_.error(member.at, "C014",
                    table ? "unknown section " + where : "unknown key " + in_quotes(member.key),
                    suggest(member.key, names));
    }
  }
  into.names.all = names_in(root, report_);
  const Node* const agents = root.find("agent");
  if (agents && agents->kind == Node::Kind::Table) check_agents(*agents, into);
}

void Reader::read_plugins(const Node& table, Config& into) {
  for (const Member& member : table.table) {
    const std::string where = "[plugin." + member.key + "]";
    if (const char* form = plugin_name_form(member.key)) {
      report_.error(member.at, "C017", where + ": expected " + form);
    }
    // Also where the name is bad: all faults are reported at once.
    if (expect(member.value, Node::Kind::Table, "plugin." + member.key, where)) {
      read_plugin(member, into.plugins.by_name[member.key]);
    }
  }
}

void Reader::read_plugin(const Member& member, Plugin& into) {
  const std::string where = "[plugin." + member.key + "]";
  read_section(member.value, plugin_keys(into), where, "tool");
  if (const char* key = key_of_workers(into)) {
    report_.error(member.value.find(key)->at, "C018",
                  std::string(key) + " in " + where +
                      ": an inline plugin has no workers, it is part of the host",
                  "remove the key, or set isolation = \"worker\"");
  }
  if (trust_contradicts(into)) {
    report_.error(member.value.find("trust")->at, "C018",
                  "trust in " + where + ": " + kTrustContradiction,
                  "remove trust_read_only: it is the old name of trust");
  }
  const Node* tools = member.value.find("tool");
  if (tools != nullptr &&
      expect(*tools, Node::Kind::Table, where, "[plugin." + member.key + ".tool.TOOL]")) {
    read_tools(*tools, "plugin." + member.key + ".tool.", into);
  }
}

void Reader::read_tools(const Node& table, const std::string& where, Plugin& into) {
  for (const Member& member : table.table) {
    const std::string here = "[" + where + member.key + "]";
    if (const char* form = tool_name_form(member.key)) {
      report_.error(member.at, "C017", here + ": expected " + form);
    }
    if (expect(member.value, Node::Kind::Table, here, here)) {
      ToolOverride& tool = into.tools[member.key];
      read_section(member.value, tool_keys(tool), here);
      // Flags of the tool's maker may be made stricter, never looser.
      if (tool.read_only == true) {
        report_.error(
            member.value.find("read_only")->at, "C013",
            "read_only in " + here + ": only false: a tool can be called stricter, not looser",
            "remove the key: the plugin says itself what only reads");
      }
      if (tool.concurrency_safe == true) {
        report_.error(member.value.find("concurrency_safe")->at, "C013",
                      "concurrency_safe in " + here +
                          ": only false: a tool can be called stricter, not looser",
                      "remove the key: the plugin says itself what may overlap");
      }
    }
  }
}

void Reader::read_agents(const Node& table, Config& into) {
  for (const Member& member : table.table) {
    const std::string where = "[agent." + member.key + "]";
    if (const char* form = agent_name_form(member.key)) {
      report_.error(member.at, "C017", where + ": expected " + form);
    }
    if (!expect(member.value, Node::Kind::Table, "agent." + member.key, where)) continue;
    Agent& agent = into.agents[member.key];
    read_section(member.value, agent_keys(agent), where, "rule");
    const std::string rules = "[[agent." + member.key + ".rule]]";
    const Node* const list = member.value.find("rule");
    if (list && expect(*list, Node::Kind::Array, rules, rules)) {
      read_rules(*list, rules, agent.rules);
    }
  }
}

// What an agent names has to be there: a group that nobody describes would hide nothing.
void Reader::check_agents(const Node& table, const Config& config) {
  std::vector<std::string_view> known;
  for (const Group& group : config.groups) known.push_back(group.name);
  for (const Member& member : table.table) {
    const Node* const groups =
        member.value.kind == Node::Kind::Table ? member.value.find("groups") : nullptr;
    if (!groups || groups->kind != Node::Kind::Array) continue;
    for (const Node& named : groups->array) {
      if (named.kind != Node::Kind::Text) continue;
      if (std::find(known.begin(), known.end(), named.text) != known.end()) continue;
      report_.error(
          named.at, "C017",
          "groups in [agent." + member.key + "]: no [[group]] is named " + in_quotes(named.text),
          suggest(named.text, known));
    }
  }
}

void Reader::read_rules(const Node& list, const std::string& where, std::vector<Rule>& into) {
  const std::string name = std::filesystem::path(report_.file()).filename().string();
  for (const Node& entry : list.array) {
    if (!expect(entry, Node::Kind::Table, "rule", where)) continue;
    Rule rule;
    read_section(entry, rule_keys(rule), where);
    rule.source = name + ":" + std::to_string(entry.at.line);
    into.push_back(std::move(rule));
  }
}

void Reader::read_groups(const Node& list, Config& into) {
  for (const Node& entry : list.array) {
    if (!expect(entry, Node::Kind::Table, "group", "[[group]]")) continue;
    Group group;
    read_section(entry, group_keys(group), "[[group]]");
    const Node* name = entry.find("name");
    const Position at = name != nullptr ? name->at : entry.at;
    if (group.name == "basic") {
      report_.error(at, "C017", "the group \"basic\" is there always and cannot be written");
    }
    for (const Group& other : into.groups) {
      if (group.name.empty() || other.name != group.name) continue;
      report_.error(at, "C015", "a second group " + in_quotes(group.name),
                    "give each group a name of its own");
    }
    into.groups.push_back(std::move(group));
  }
}

}  // namespace host::config
