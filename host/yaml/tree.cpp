#include "yaml/tree.h"

#include <cctype>

#include "base/text/visible.h"
#include "json/json.h"
#include "yaml/documents.h"

namespace host::yaml {
namespace {

// Stops the library from inside its own calls; caught in parse_tree().
struct Refused {
  YAML::Mark mark;
  std::string message;
};

// Builds the tree as events come, so that nothing beyond the limits is ever made.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(Node& root) : root_(root) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "?", anchor);
    add(mark, Node::Kind::Null, {});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{mark, "aliases (*name) are not allowed"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    add(mark, tag == "!" ? Node::Kind::Quoted : Node::Kind::Plain, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::List);
  }
  void OnSequenceEnd() override { path_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::Map);
  }
  void OnMapEnd() override { path_.pop_back(); }

 private:
  struct Level {
    Node* node;
    bool wants_key;
  };

  static void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) throw Refused{mark, "anchors (&name) are not allowed"};
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refused{mark, "tags (" + tag.substr(0, 60) + ") are not allowed"};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    check(mark, tag, anchor);
    if (path_.size() >= kMaxTreeLevels) {
      throw Refused{mark,
                    "more than " + std::to_string(kMaxTreeLevels) + " levels of maps and lists"};
    }
    Node& node = add(mark, kind, {});
    path_.push_back({&node, kind == Node::Kind::Map});
  }

  Node& add(const YAML::Mark& mark, Node::Kind kind, const std::string& text) {
    Node node;
    node.kind = kind;
    node.line = static_cast<std::uint32_t>(mark.line + 1);
    node.column = static_cast<std::uint32_t>(mark.column + 1);
    node.text = text;
    if (path_.empty()) return root_ = std::move(node);
    Level& level = path_.back();
    if (level.node->kind == Node::Kind::List) return append(mark, *level.node, std::move(node));
    if (level.wants_key) return add_key(mark, level, std::move(node));
    level.wants_key = true;
    return level.node->map.back().value = std::move(node);
  }

  Node& append(const YAML::Mark& mark, Node& list, Node node) {
    count(mark);
    list.list.push_back(std::move(node));
    return list.list.back();
  }

  Node& add_key(const YAML::Mark& mark, Level& level, Node key) {
    if (!key.is_scalar()) throw Refused{mark, "a key has to be a text"};
    if (level.node->find(key.text) != nullptr)
      throw Refused{mark, "a second key \"" + key.text.substr(0, 60) + "\""};
    count(mark);
    level.wants_key = false;
    level.node->map.push_back({std::move(key), {}});
    return level.node->map.back().key;
  }

  void count(const YAML::Mark& mark) {
    if (++count_ > kMaxTreeKeys) {
      throw Refused{mark, "more than " + std::to_string(kMaxTreeKeys) + " keys and list members"};
    }
  }

  Node& root_;
  std::vector<Level> path_;  // of what is open; a node's place does not move while it is
  std::uint32_t count_ = 0;
};

void run(std::string_view text, Node& root) {
  Builder builder(root);
  Documents documents(text);
  if (!documents.read(builder)) root.kind = Node::Kind::Null;
  if (!documents.at_end())
    throw Refused{YAML::Mark::null_mark(), "a second document is not allowed"};
}

bool is_number(std::string_view text) {
  // JSON's own grammar: what is no JSON number stays a text.
  const bool starts =
      !text.empty() && (text[0] == '-' || std::isdigit(static_cast<unsigned char>(text[0])) != 0);
  return starts && text.size() < 40 && json::parse(text).has_value();
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Member& member : map) {
    if (member.key.text == key) return &member.value;
  }
  return nullptr;
}

bool Node::is_text() const {
  if (kind == Kind::Quoted) return true;
  return kind == Kind::Plain && text != "true" && text != "false" && !is_number(text);
}

std::optional<Node> parse_tree(std::string_view text, Fault& error) {
  Node root;
  try {
    if (text.size() > kMaxTreeBytes) throw Refused{{}, "more than 64 KiB"};
    run(text, root);
    if (root.kind == Node::Kind::Null) root.kind = Node::Kind::Map;
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

std::string to_json(const Node& value) {
  std::string out;
  switch (value.kind) {
    case Node::Kind::Null:
      return "null";
    case Node::Kind::Plain:
      if (!value.is_text()) return value.text;
      [[fallthrough]];
    case Node::Kind::Quoted:
      json::write_string(marked(value.text), out);
      return out;
    case Node::Kind::List:
      for (const Node& member : value.list) out += (out.empty() ? "" : ",") + to_json(member);
      return "[" + out + "]";
    case Node::Kind::Map:
      for (const Member& member : value.map) {
        if (!out.empty()) out += ',';
        json::write_string(marked(member.key.text), out);
        out += ":" + to_json(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

}  // namespace host::yaml
