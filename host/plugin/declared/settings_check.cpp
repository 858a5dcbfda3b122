#include "plugin/declared/settings_check.h"

#include <vector>

#include "json/json.h"
#include "json/schema/schema.h"

namespace host::plugin {
namespace {

std::string describe(const json::schema::Violation& violation) {
  std::string line = violation.describe();
  if (!violation.schema.empty()) line += " (rule " + violation.schema + ')';
  return line;
}

}  // namespace

Result<void> check_settings(const std::string& plugin, std::string_view schema,
                            std::string_view settings) {
  if (schema.empty()) return {};
  const auto compiled = json::schema::Schema::compile(schema);
  if (!compiled) {
    return Error{ErrorKind::PluginFault,
                 "its config_schema cannot be used: " + compiled.error().message};
  }
  const auto tree = json::parse(settings);
  if (!tree) return tree.error().within("[plugin." + plugin + ".settings]");
  std::vector<json::schema::Violation> violations;
  if (compiled->validate(tree->root(), violations)) return {};
  std::string text = "correct [plugin." + plugin + ".settings]: ";
  for (const auto& violation : violations) {
    if (&violation != violations.data()) text += "; ";
    text += describe(violation);
  }
  return Error{ErrorKind::InvalidArgument, std::move(text)};
}

}  // namespace host::plugin
