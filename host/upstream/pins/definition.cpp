#include "upstream/pins/definition.h"

#include "base/digest.h"
#include "json/canonical.h"
#include "json/json.h"

namespace host::upstream {
namespace {

constexpr std::string_view kUsed[] = {"name",         "title",       "description", "inputSchema",
                                      "outputSchema", "annotations", "icons",       "execution"};

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
  return definition;
}

std::string digest_of(std::string_view definition) {
  return "sha256:" + to_hex(sha256(definition));
}

}  // namespace host::upstream
