#include "upstream/pins/definition.h"

#include "base/digest.h"
#include "json/canonical.h"
#include "json/json.h"

namespace host::upstream {
namespace {

constexpr std::string_view kUsed[] = {"name",         "title",       "description", "inputSchema",
                                      "outputSchema", "annotations", "icons",       "execution"};
// A reviewer has to read it, and each look at the upstream compares it.
constexpr std::size_t kMostOfDefinition = 256u << 10u;

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
  definition.text = json::canonical(used.root());
  if (definition.text.size() > kMostOfDefinition) {
    return Error{ErrorKind::InvalidArgument,
                 "the definition of \"" + definition.tool.substr(0, 64) + "\" has " +
                     std::to_string(definition.text.size()) + " bytes, and at most " +
                     std::to_string(kMostOfDefinition) + " are taken"};
  }
  return definition;
}

std::string digest_of(std::string_view definition) {
  return "sha256:" + to_hex(sha256(definition));
}

}  // namespace host::upstream
