#include "skill/skill.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/digest.h"
#include "base/text/encoding.h"
#include "base/text/joiners.h"
#include "base/text/nearest.h"
#include "base/text/visible.h"
#include "skill/front_matter.h"
#include "yaml/tree.h"

namespace host::skill {
namespace {

using config::Diagnostic;
using config::Severity;

constexpr std::size_t kMaxNameCharacters = 64;
constexpr std::size_t kMaxDescriptionCharacters = 1024;
constexpr std::size_t kMaxCompatibilityCharacters = 500;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// The fields of the format, Agent Skills, specification.
constexpr std::string_view kFields[] = {"name",          "description", "license",
                                        "compatibility", "metadata",    "allowed-tools"};

std::string_view without_trailing_blanks(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t");
  return line.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

struct Parts {
  std::string_view yaml;
  std::string_view body;
};

// The front matter starts at the first byte with a `---` line and ends at the next one.
std::optional<Parts> split(std::string_view text) {
  const std::size_t first = text.find('\n');
  if (first == std::string_view::npos || without_trailing_blanks(text.substr(0, first)) != "---")
    return std::nullopt;
  const std::size_t begin = first + 1;
  for (std::size_t at = begin; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (without_trailing_blanks(text.substr(at, end - at)) == "---") {
      return Parts{text.substr(begin, at - begin),
                   end < text.size() ? text.substr(end + 1) : std::string_view()};
    }
    at = end + 1;
  }
  return std::nullopt;
}

class Checker {
 public:
  Checker(std::string_view text, const std::string& file, std::vector<Diagnostic>& out)
      : text_(text), file_(file), out_(out) {}

  // Lines of the YAML are one below those of the file, for the `---` above.
  void tell(const yaml::Node* at, Severity severity, const char* code, std::string message,
            std::string help = {}) {
    tell_at(at == nullptr ? 0 : at->line + 1, at == nullptr ? 0 : at->column, severity, code,
            std::move(message), std::move(help));
  }
  void error(const yaml::Node* at, const char* code, std::string message, std::string help = {}) {
    tell(at, Severity::Error, code, std::move(message), std::move(help));
    failed_ = true;
  }
  void warn(const yaml::Node* at, const char* code, std::string message, std::string help = {}) {
    tell(at, Severity::Warning, code, std::move(message), std::move(help));
  }
  void tell_at(std::uint32_t line, std::uint32_t column, Severity severity, const char* code,
               std::string message, std::string help) {
    out_.push_back({file_, line, column, severity, code, std::move(message), std::move(help),
                    source_line(line)});
  }
  bool failed() const { return failed_; }

  std::optional<yaml::Node> parse(std::string_view text) {
    yaml::Fault error;
    auto root = yaml::parse_tree(text, error);
    if (root) return root;
    const std::string quoted = quote_colons(text);
    yaml::Fault second;
    if (quoted != text) root = yaml::parse_tree(quoted, second);
    tell_at(error.line + 1, error.column, root ? Severity::Warning : Severity::Error,
            root ? "S005" : "S004",
            "the front matter is not the YAML that is taken: " + error.message,
            root ? "put the text in quotes; it was read as if it were"
                 : "the skill is left out until this is right");
    failed_ = failed_ || !root;
    return root;
  }

  // A field's text; empty where it is absent.
  std::string text_of(const yaml::Node& root, std::string_view key, const char* code) {
    const yaml::Node* value = root.find(key);
    if (value == nullptr || value->kind == yaml::Node::Kind::Null) return {};
    if (!value->is_scalar()) {
      warn(value, code, std::string(key) + ": expected a text; it is left out");
      return {};
    }
    want_text(key, *value, code);
    return marked(value->text);
  }
  void want_text(std::string_view key, const yaml::Node& value, const char* code) {
    if (value.is_text()) return;
    warn(&value, code, std::string(key) + ": expected a text, not a number or a truth value",
         "put it in quotes");
  }

 private:
  std::string source_line(std::uint32_t line) const {
    if (line == 0) return {};
    std::string_view rest = text_;
    for (std::uint32_t i = 1; i < line; ++i) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) return {};
      rest.remove_prefix(end + 1);
    }
    return std::string(rest.substr(0, std::min<std::size_t>(rest.find('\n'), 400)));
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<Diagnostic>& out_;
  bool failed_ = false;
};

// In place: what clients are shown hides nothing.
void show_texts(yaml::Node& value) {
  value.text = marked(value.text);
  for (yaml::Node& item : value.list) show_texts(item);
  for (yaml::Member& member : value.map) {
    show_texts(member.key);
    show_texts(member.value);
  }
}

// Where a fault of the field is shown. A value that is missing has no place of its own.
const yaml::Node* place_of(const yaml::Node& root, std::string_view key) {
  for (const yaml::Member& member : root.map) {
    if (member.key.text == key)
      return member.value.kind == yaml::Node::Kind::Null ? &member.key : &member.value;
  }
  return nullptr;
}

void read_name(Checker& check, const yaml::Node& root, const std::string& folder, Skill& skill) {
  const yaml::Node* name = root.find("name");
  if (name == nullptr || name->kind == yaml::Node::Kind::Null) {
    return check.error(place_of(root, "name"), "S006", "name is missing in the front matter",
                       "add: name: " + folder);
  }
  if (!name->is_text() || is_blank(name->text)) {
    return check.error(name, "S006", "name: expected a text",
                       "letters a-z, digits and hyphens; quote what looks like a number");
  }
  if (!is_regular_name(name->text)) {
    return check.error(
        name, "S006", "name: must be 1 to 64 of a-z, 0-9 and single hyphens between them",
        is_regular_name(folder) ? "write: name: " + folder : "rename the skill and its folder");
  }
  skill.name = name->text;
  if (skill.name != folder) {
    check.warn(name, "S008", "name: unlike the folder's, which is \"" + folder + "\"",
               "name both alike");
  }
}

void read_description(Checker& check, const yaml::Node& root, Skill& skill) {
  const yaml::Node* description = root.find("description");
  if (description == nullptr || !description->is_scalar() || is_blank(description->text)) {
    return check.error(place_of(root, "description"), "S007",
                       "description is missing in the front matter",
                       "say what the skill is for and when to read it");
  }
  check.want_text("description", *description, "S009");
  skill.description = marked_prose(description->text);
  if (characters(description->text) > kMaxDescriptionCharacters) {
    check.warn(description, "S009", "description: longer than 1024 characters",
               "the catalogue cuts it there");
  }
}

void read_others(Checker& check, const yaml::Node& root, Skill& skill) {
  skill.license = check.text_of(root, "license", "S009");
  skill.compatibility = check.text_of(root, "compatibility", "S009");
  skill.allowed_tools = check.text_of(root, "allowed-tools", "S009");
  if (characters(skill.compatibility) > kMaxCompatibilityCharacters) {
    check.warn(root.find("compatibility"), "S009", "compatibility: longer than 500 characters");
  }
  const yaml::Node* metadata = root.find("metadata");
  if (metadata == nullptr || metadata->kind == yaml::Node::Kind::Null) return;
  if (metadata->kind != yaml::Node::Kind::Map)
    return check.warn(metadata, "S009", "metadata: expected a map of texts");
  for (const yaml::Member& member : metadata->map) {
    if (member.value.is_scalar()) {
      skill.metadata[marked(member.key.text)] = marked(member.value.text);
    } else {
      check.warn(&member.value, "S009",
                 "metadata: " + member.key.text + ": expected a text; it is left out");
    }
  }
}

// Clients may have fields of their own: only what looks like a slip is reported.
void look_for_slips(Checker& check, const yaml::Node& root) {
  std::vector<std::string_view> absent;
  for (const std::string_view field : kFields) {
    if (root.find(field) == nullptr) absent.push_back(field);
  }
  for (const yaml::Member& member : root.map) {
    const std::string& key = member.key.text;
    if (std::find(std::begin(kFields), std::end(kFields), key) != std::end(kFields)) continue;
    const std::string near = nearest(key, absent);
    if (near.empty()) continue;
    check.warn(&member.key, "S012", "unknown key \"" + key.substr(0, 64) + "\"",
               "did you mean \"" + near + "\"?");
  }
}

}  // namespace

std::string with_plain_line_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      out += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string_view body_of(std::string_view plain) {
  const auto parts = split(plain);
  return parts ? parts->body : plain;
}

std::vector<std::string> Skill::groups() const {
  std::vector<std::string> names;
  const auto given = metadata.find("toolpost.groups");
  if (given == metadata.end()) return names;
  std::string group;
  for (const char c : given->second + ",") {
    if (c != ',' && c != ' ' && c != '\t' && c != '\n') {
      group += c;
    } else if (!group.empty()) {
      names.push_back(std::move(group));
      group.clear();
    }
  }
  return names;
}

bool is_regular_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameCharacters || name.front() == '-' || name.back() == '-')
    return false;
  if (name.find("--") != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::optional<Skill> parse_skill(std::string_view text, const std::string& file,
                                 const std::string& folder, std::vector<Diagnostic>& diagnostics,
                                 std::string* name) {
  Checker check(text, file, diagnostics);
  if (text.size() > kMaxFileBytes) {
    check.error(nullptr, "S001", "larger than 1 MiB", "move parts of it to files in references/");
    return std::nullopt;
  }
  if (!is_utf8(text)) {
    check.error(nullptr, "S002", "not UTF-8", "save the file as UTF-8");
    return std::nullopt;
  }
  // Tools that compare files show nothing of a file with NUL.
  if (text.find('\0') != std::string_view::npos) {
    check.error(nullptr, "S002", "a NUL character", "save the file as text");
    return std::nullopt;
  }
  const std::string plain = with_plain_line_ends(text);
  Checker checked(plain, file, diagnostics);
  const auto parts = split(plain);
  if (!parts) {
    const bool begins =
        without_trailing_blanks(std::string_view(plain).substr(0, plain.find('\n'))) == "---";
    checked.tell_at(1, 1, Severity::Error, "S003",
                    begins ? "the front matter has no end" : "no front matter",
                    begins ? "write a line --- below its last key"
                           : "begin the file with a line ---, name: and description: and another "
                             "line ---");
    return std::nullopt;
  }
  auto root = checked.parse(parts->yaml);
  if (!root) return std::nullopt;
  Skill skill;
  if (root->kind != yaml::Node::Kind::Map) {
    checked.error(&*root, "S004", "the front matter is no map of keys and values");
    return std::nullopt;
  }
  read_name(checked, *root, folder, skill);
  if (name) *name = skill.name;
  show_texts(*root);
  read_description(checked, *root, skill);
  read_others(checked, *root, skill);
  look_for_slips(checked, *root);
  if (is_blank(parts->body)) {
    checked.error(nullptr, "S010", "no instructions below the front matter",
                  "write what the reader should do");
  }
  if (checked.failed()) return std::nullopt;
  skill.front_matter = to_json(*root);
  skill.text = text;
  skill.digest = to_hex(sha256(text));
  skill.folder = folder;
  return skill;
}

}  // namespace host::skill
