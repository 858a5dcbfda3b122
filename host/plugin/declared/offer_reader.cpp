#include "plugin/declared/offer_reader.h"

#include <set>
#include <string>

#include "json/json.h"
#include "plugin/wire/fault.h"
#include "tool/definition/declared_offer.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostEntries = 10'000;
constexpr std::size_t kMostTemplates = 1'000;  // each is compared with many URIs

Result<void> read_resources(const json::Value& root, std::string_view list_key,
                            std::string_view uri_key, std::vector<tool::Resource>& to) {
  const json::Value* const list = json::find(root, list_key);
  if (!list) return {};
  if (!list->IsArray()) return fault("\"" + std::string(list_key) + "\" is no array");
  const bool is_template = uri_key == "uriTemplate";
  if (list->Size() > (is_template ? kMostTemplates : kMostEntries))
    return fault("\"" + std::string(list_key) + "\" is too long");
  std::set<std::string> seen;
  for (const json::Value& object : list->GetArray()) {
    HOST_TRY_ASSIGN(tool::Resource resource, tool::read_resource(object, uri_key));
    if (!seen.insert(resource.uri).second) return fault("\"" + resource.uri + "\" is there twice");
    to.push_back(std::move(resource));
  }
  return {};
}

}  // namespace

Result<void> read_resource_list(std::string_view text, tool::Offer& offer) {
  const auto tree = json::parse(text);
  if (!tree) return fault(tree.error().message);
  if (!tree->root().IsObject()) return fault("it is no object");
  HOST_TRY(read_resources(tree->root(), "resources", "uri", offer.resources));
  return read_resources(tree->root(), "resourceTemplates", "uriTemplate", offer.templates);
}

Result<void> read_prompt_list(std::string_view text, tool::Offer& offer) {
  const auto tree = json::parse(text);
  if (!tree) return fault(tree.error().message);
  if (!tree->root().IsArray()) return fault("it is no array");
  if (tree->root().Size() > kMostEntries) return fault("it is too long");
  std::set<std::string> seen;
  for (const json::Value& object : tree->root().GetArray()) {
    HOST_TRY_ASSIGN(tool::Prompt prompt, tool::read_prompt(object));
    if (!seen.insert(prompt.name).second) return fault("\"" + prompt.name + "\" is there twice");
    offer.prompts.push_back(std::move(prompt));
  }
  return {};
}

}  // namespace host::plugin
