#include "plugin/lifecycle/tool_review.h"

#include <algorithm>
#include <cctype>

#include "json/json.h"
#include "tool/definition/standing.h"

namespace host::plugin {
namespace {

constexpr std::size_t kFewWords = 3;
constexpr int kMostDepth = 8;

std::size_t words_in(const std::string& text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank && !inside) ++words;
    inside = !blank;
  }
  return words;
}

// Pointers, like "/rows/*/amount", to the properties below `schema` that nobody described.
void find_undescribed(const json::Value& schema, const std::string& path, int depth,
                      std::vector<std::string>& found) {
  if (!schema.IsObject() || depth > kMostDepth) return;
  if (const json::Value* properties = json::find(schema, "properties");
      properties && properties->IsObject()) {
    for (const auto& member : properties->GetObject()) {
      const std::string at = path + "/" + json::escape_pointer_token(json::text(member.name));
      // A schema that is a reference has its words where it leads to.
      const bool told = !json::find_text(member.value, "description").empty() ||
                        !json::find_text(member.value, "$ref").empty();
      if (!told) found.push_back(at);
      find_undescribed(member.value, at, depth + 1, found);
    }
  }
  if (const json::Value* items = json::find(schema, "items"))
    find_undescribed(*items, path + "/*", depth + 1, found);
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

}  // namespace

std::vector<Finding> review(const tool::Tool& tool) {
  const tool::Declaration& declared = tool.declared();
  std::vector<Finding> findings;
  const auto warn = [&](const char* code, std::string message) {
    findings.push_back({false, code, tool.name(), std::move(message)});
  };
  const tool::Standing standing = tool::standing_of(declared, tool::ProviderIdentity::Kind::Plugin);
  if (tool.tool_class() == tool::Class::Standard && standing.reads == tool::Reads::Never) {
    const bool by_check = standing.own_yes == tool::OwnYes::ByCheck;
    warn("W101",
         std::string(by_check
                         ? "is not read-only: a call needs approval unless its own check or a rule "
                           "allows it. "
                         : "is not read-only: each call needs approval unless a rule allows it. ") +
             "That is right if it changes something. Mark it read-only only if it changes nothing");
  }
  if (words_in(declared.description) < kFewWords || declared.description == declared.name) {
    warn("W102", "has a description that says little: a model chooses a tool by it");
  }
  std::vector<std::string> undescribed;
  find_undescribed(tool.input_tree(), "", 0, undescribed);
  if (!undescribed.empty()) warn("W103", "has no description of " + joined(undescribed));
  return findings;
}

std::vector<Finding> review(const Manifest& manifest) {
  if (!manifest.config_schema.empty()) return {};
  return {{false, "W104", "",
           "has no schema of its settings (config_schema): a misspelt setting is not noticed"}};
}

}  // namespace host::plugin
