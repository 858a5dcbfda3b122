#include "skill/front_matter.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cctype>
#include <istream>
#include <streambuf>

#include "base/text/visible.h"
#include "json/json.h"

namespace host::skill {
namespace {

// Stops the library from inside its own calls; caught in parse_yaml().
struct Refused {
  YAML::Mark mark;
  std::string message;
};

// Builds the tree as events come, so that nothing beyond the limits is ever made.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(Yaml& root) : root_(root) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "?", anchor);
    add(mark, Yaml::Kind::Null, {});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{mark, "aliases (*name) are not allowed"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    add(mark, tag == "!" ? Yaml::Kind::Quoted : Yaml::Kind::Plain, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Yaml::Kind::List);
  }
  void OnSequenceEnd() override { path_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Yaml::Kind::Map);
  }
  void OnMapEnd() override { path_.pop_back(); }

 private:
  struct Level {
    Yaml* node;
    bool wants_key;
  };

  static void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) throw Refused{mark, "anchors (&name) are not allowed"};
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refused{mark, "tags (" + tag.substr(0, 60) + ") are not allowed"};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Yaml::Kind kind) {
    check(mark, tag, anchor);
    if (path_.size() >= kMaxYamlDepth) {
      throw Refused{mark,
                    "more than " + std::to_string(kMaxYamlDepth) + " levels of maps and lists"};
    }
    Yaml& node = add(mark, kind, {});
    path_.push_back({&node, kind == Yaml::Kind::Map});
  }

  Yaml& add(const YAML::Mark& mark, Yaml::Kind kind, const std::string& text) {
    Yaml node;
    node.kind = kind;
    node.line = static_cast<std::uint32_t>(mark.line + 1);
    node.column = static_cast<std::uint32_t>(mark.column + 1);
    node.text = text;
    if (path_.empty()) return root_ = std::move(node);
    Level& level = path_.back();
    if (level.node->kind == Yaml::Kind::List) return append(mark, *level.node, std::move(node));
    if (level.wants_key) return add_key(mark, level, std::move(node));
    level.wants_key = true;
    return level.node->map.back().value = std::move(node);
  }

  Yaml& append(const YAML::Mark& mark, Yaml& list, Yaml node) {
    count(mark);
    list.list.push_back(std::move(node));
    return list.list.back();
  }

  Yaml& add_key(const YAML::Mark& mark, Level& level, Yaml key) {
    if (!key.is_scalar()) throw Refused{mark, "a key has to be a text"};
    if (level.node->find(key.text) != nullptr)
      throw Refused{mark, "a second key \"" + key.text.substr(0, 60) + "\""};
    count(mark);
    level.wants_key = false;
    level.node->map.push_back({std::move(key), {}});
    return level.node->map.back().key;
  }

  void count(const YAML::Mark& mark) {
    if (++count_ > kMaxYamlKeys) {
      throw Refused{mark, "more than " + std::to_string(kMaxYamlKeys) + " keys and list members"};
    }
  }

  Yaml& root_;
  std::vector<Level> path_;  // of what is open; a node's place does not move while it is
  std::uint32_t count_ = 0;
};

// A stream over a text without a copy of it.
class View final : public std::streambuf {
 public:
  explicit View(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // only read from
    setg(begin, begin, begin + text.size());
  }
};

void run(std::string_view text, Yaml& root) {
  View view(text);
  std::istream in(&view);
  YAML::Parser parser(in);
  Builder builder(root);
  if (!parser.HandleNextDocument(builder)) root.kind = Yaml::Kind::Null;
  Yaml second;
  Builder ignored(second);
  if (parser.HandleNextDocument(ignored))
    throw Refused{YAML::Mark::null_mark(), "a second document is not allowed"};
}

bool is_number(std::string_view text) {
  // JSON's own grammar: what is no JSON number stays a text.
  const bool starts =
      !text.empty() && (text[0] == '-' || std::isdigit(static_cast<unsigned char>(text[0])) != 0);
  return starts && text.size() < 40 && json::parse(text).has_value();
}

bool is_key_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

// `key: value` at the line's start with a value that is plain and holds what only quotes may.
bool wants_quotes(std::string_view line, std::size_t& value_at) {
  std::size_t at = 0;
  while (at < line.size() && is_key_character(line[at])) ++at;
  if (at == 0 || at + 1 >= line.size() || line[at] != ':' || line[at + 1] != ' ') return false;
  value_at = line.find_first_not_of(" \t", at + 1);
  if (value_at == std::string_view::npos) return false;
  const std::string_view value = line.substr(value_at);
  if (std::string_view("'\"[{|>&*!%@`").find(value[0]) != std::string_view::npos) return false;
  return value.find(": ") != std::string_view::npos || value.ends_with(':');
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

}  // namespace

const Yaml* Yaml::find(std::string_view key) const {
  for (const YamlMember& member : map) {
    if (member.key.text == key) return &member.value;
  }
  return nullptr;
}

bool Yaml::is_text() const {
  if (kind == Kind::Quoted) return true;
  return kind == Kind::Plain && text != "true" && text != "false" && !is_number(text);
}

std::optional<Yaml> parse_yaml(std::string_view text, YamlError& error) {
  Yaml root;
  try {
    if (text.size() > kMaxFrontMatterBytes) throw Refused{{}, "more than 64 KiB"};
    run(text, root);
    if (root.kind == Yaml::Kind::Null) root.kind = Yaml::Kind::Map;
    return root;
  } catch (const Refused& refused) {
    error = {static_cast<std::uint32_t>(refused.mark.line + 1),
             static_cast<std::uint32_t>(refused.mark.column + 1), refused.message};
  } catch (const YAML::Exception& fault) {
    error = {static_cast<std::uint32_t>(fault.mark.line + 1),
             static_cast<std::uint32_t>(fault.mark.column + 1), fault.msg};
  }
  return std::nullopt;
}

std::string quote_colons(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    std::size_t value_at = 0;
    if (wants_quotes(line, value_at)) {
      out += std::string(line.substr(0, value_at)) + single_quoted(line.substr(value_at));
    } else {
      out += line;
    }
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string to_json(const Yaml& value) {
  std::string out;
  switch (value.kind) {
    case Yaml::Kind::Null:
      return "null";
    case Yaml::Kind::Plain:
      if (!value.is_text()) return value.text;
      [[fallthrough]];
    case Yaml::Kind::Quoted:
      json::write_string(marked(value.text), out);
      return out;
    case Yaml::Kind::List:
      for (const Yaml& member : value.list) out += (out.empty() ? "" : ",") + to_json(member);
      return "[" + out + "]";
    case Yaml::Kind::Map:
      for (const YamlMember& member : value.map) {
        if (!out.empty()) out += ',';
        json::write_string(marked(member.key.text), out);
        out += ":" + to_json(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

}  // namespace host::skill
