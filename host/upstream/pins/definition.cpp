#include "upstream/pins/definition.h"

#include "base/digest.h"
#include "json/canonical.h"
#include "json/json.h"
#include "protocol/server_answers.h"

namespace host::upstream {
namespace {

constexpr std::string_view kUsed[] = {"name",         "title",       "description", "inputSchema",
                                      "outputSchema", "annotations", "icons",       "execution"};
// A reviewer has to read it, and each look at the upstream compares it.
constexpr std::size_t kMostOfDefinition = 256u << 10u;
// It is in each list that a client gets.
constexpr std::size_t kMostOfMeta = 64u << 10u;

Error too_long(const std::string& tool, const char* what, std::size_t bytes, std::size_t most) {
  return Error{ErrorKind::InvalidArgument, std::string("the ") + what + " of \"" +
                                               tool.substr(0, 64) + "\" has " +
                                               std::to_string(bytes) + " bytes, and at most " +
                                               std::to_string(most) + " are taken"};
}

// The members that clients get, so that no other one counts as a change.
Result<void> add_meta(const json::Value& whole, const std::string& tool, json::Document& used) {
  const std::string meta = protocol::passed_on_meta(whole);
  if (meta.empty()) return {};
  if (meta.size() > kMostOfMeta) return too_long(tool, "`_meta`", meta.size(), kMostOfMeta);
  HOST_TRY_ASSIGN(const json::Document tree, json::parse("{" + meta + "}"));
  json::set(used.root(), "_meta", json::copy(tree.root(), used.allocator()), used.allocator());
  return {};
}

}  // namespace

Result<Definition> definition_of(std::string_view entry) {
  HOST_TRY_ASSIGN(const json::Document whole, json::parse(entry));
  Definition definition;
  definition.tool = json::find_text(whole.root(), "name");
  if (definition.tool.empty())
    return Error{ErrorKind::InvalidArgument, "a tool of its list has no name"};
  json::Document used;
  used.root().SetObject();
  for (const std::string_view name : kUsed) {
    const json::Value* const member = json::find(whole.root(), name);
    if (member)
      json::set(used.root(), name, json::copy(*member, used.allocator()), used.allocator());
  }
  HOST_TRY(add_meta(whole.root(), definition.tool, used));
  definition.text = json::write(used.root());
  definition.canonical = json::canonical(used.root());
  if (definition.text.size() > kMostOfDefinition)
    return too_long(definition.tool, "definition", definition.text.size(), kMostOfDefinition);
  return definition;
}

std::string digest_of(std::string_view definition) {
  return "sha256:" + to_hex(sha256(json::canonical_text(definition)));
}

bool is_same(const Definition& definition, const std::string& text) {
  return text == definition.text || json::canonical_text(text) == definition.canonical;
}

}  // namespace host::upstream
