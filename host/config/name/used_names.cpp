#include "config/name/used_names.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

namespace host::config {
namespace {

struct Row {
  constexpr Row(std::string_view row_path, Named named)
      : path(row_path),
        what(named),
        steps(1 + static_cast<std::size_t>(std::count(row_path.begin(), row_path.end(), '.'))) {}

  std::string_view path;
  Named what;
  std::size_t steps;
};

// Every place in which a configuration uses a name of something that is defined elsewhere. Where
// the value at the path is a table, its key is the name.
constexpr Row kRows[] = {
    {"plugin.*", Named::Plugin},
    {"plugin.*.group", Named::Group},
    {"plugin.*.tool.*", Named::ToolOfPlugin},
    {"rule.*.tool", Named::Tool},
    {"group.*.tools.*", Named::Tool},
    {"group.*.plugins.*", Named::Plugin},
    {"group.*.skills.*", Named::Skill},
    {"interceptor.*.plugin", Named::Plugin},
    {"interceptor.*.tools.*", Named::Tool},
    {"upstream.*.group", Named::Group},
    {"upstream.*.tools.*", Named::ToolsOfUpstream},
    {"upstream.*.tools_denied.*", Named::ToolsOfUpstream},
    {"upstream.*.presets.*", Named::ToolsOfUpstream},
    {"agent.*.plugins.*", Named::Plugin},
    {"agent.*.groups.*", Named::Group},
    {"agent.*.skills.*", Named::Skill},
    {"agent.*.skill_repositories.*", Named::SkillRepository},
    {"agent.*.presets.*", Named::Tool},
    {"agent.*.rule.*.tool", Named::Tool},
};

// A step from a table or an array into one of its members.
struct Step {
  std::string key;
  bool in_array = false;
};
using Path = std::vector<Step>;

bool fits(const Row& row, const Path& path) {
  if (row.steps != path.size()) return false;
  std::string_view pattern = row.path;
  for (const Step& step : path) {
    const std::size_t end = std::min(pattern.find('.'), pattern.size());
    const std::string_view wanted = pattern.substr(0, end);
    if (wanted != "*" && (step.in_array || wanted != step.key)) return false;
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  return true;
}

// "[plugin.shell]", "[[agent.coder.rule]]".
std::string header_of(const Path& path, std::size_t steps) {
  const bool of_array = steps > 0 && path[steps - 1].in_array;
  std::string out;
  for (std::size_t i = 0; i < steps; ++i) {
    if (!path[i].in_array) out += (out.empty() ? "" : ".") + path[i].key;
  }
  return of_array ? "[[" + out + "]]" : "[" + out + "]";
}

// "[plugin.shell]" where the key is the name, "tools in [[group]]" where a value is.
std::string where_of(const Path& path, bool key_is_name) {
  if (key_is_name) return header_of(path, path.size());
  const std::size_t key = path.size() - (path.back().in_array ? 2 : 1);
  return path[key].key + " in " + header_of(path, key);
}

bool forbids(const Node& table) {
  const Node* const behavior = table.find("behavior");
  const Node* const enabled = table.find("enabled");
  return (behavior && behavior->kind == Node::Kind::Text && behavior->text == "deny") ||
         (enabled && enabled->kind == Node::Kind::Boolean && !enabled->boolean);
}

// A preset is a fixed argument: without its tool, the caller sets the argument.
bool is_preset(const Path& path) {
  return path.size() == 4 && path[2].key == "presets";
}

class Walk {
 public:
  explicit Walk(const Report& report) : report_(report) {}

  void enter(const Node& node) {
    for (const Member& member : node.table)
      visit({member.key, false}, member.at, member.value, node);
    for (const Node& value : node.array) visit({{}, true}, value.at, value, node);
  }

  std::vector<NameUse> take() {
    std::sort(uses_.begin(), uses_.end(), [](const NameUse& a, const NameUse& b) {
      return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    return std::move(uses_);
  }

 private:
  void visit(Step step, Position at_key, const Node& value, const Node& around) {
    path_.push_back(std::move(step));
    nodes_.push_back(&value);
    for (const Row& row : kRows) {
      if (fits(row, path_)) note(row.what, at_key, value, around);
    }
    if (path_.size() < kDeepest) enter(value);
    path_.pop_back();
    nodes_.pop_back();
  }

  void note(Named what, Position at_key, const Node& value, const Node& around) {
    const bool key_is_name = value.kind == Node::Kind::Table;
    // Of another type, which was reported; or without a name, like group = "".
    if (!key_is_name && (value.kind != Node::Kind::Text || value.text.empty())) return;
    NameUse use;
    use.what = what;
    use.name = key_is_name ? path_.back().key : value.text;
    if (what == Named::ToolOfPlugin) use.plugin = path_[1].key;
    use.where = where_of(path_, key_is_name);
    if (what == Named::ToolsOfUpstream) {
      const Node* const upstream = nodes_[1]->find("name");
      if (!upstream || upstream->kind != Node::Kind::Text) return;  // which was reported
      use.upstream = upstream->text;
    }
    use.forbids = forbids(key_is_name ? value : around) || is_preset(path_) ||
                  (what == Named::ToolsOfUpstream && path_[2].key == "tools_denied");
    use.place = report_.place(key_is_name ? at_key : value.at);
    uses_.push_back(std::move(use));
  }

  static constexpr std::size_t kDeepest = 5;  // of the table's paths

  const Report& report_;
  Path path_;
  std::vector<const Node*> nodes_;  // at the steps of the path
  std::vector<NameUse> uses_;
};

}  // namespace

std::vector<NameUse> names_in(const Node& root, const Report& report) {
  Walk walk(report);
  walk.enter(root);
  return walk.take();
}

std::vector<std::string_view> places_of_names() {
  std::vector<std::string_view> paths;
  for (const Row& row : kRows) paths.push_back(row.path);
  return paths;
}

}  // namespace host::config
