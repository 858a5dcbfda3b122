#include "plugin/declared/offer_reader.h"

#include <optional>
#include <set>
#include <string>

#include "base/visible.h"
#include "json/json.h"
#include "plugin/wire/fault.h"
#include "tool/declared_text.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostEntries = 10'000;

// Takes members of one object; the first of a wrong kind is the fault.
class Members {
 public:
  explicit Members(const json::Value& object) : object_(object) {
    if (!object.IsObject()) fault_ = "an entry is no object";
  }

  std::string text(std::string_view key) {
    const json::Value* const member = find(key);
    if (!member) return {};
    if (!member->IsString()) complain(key, "is no text");
    return std::string(json::text(*member));
  }
  std::string required(std::string_view key) {
    std::string value = text(key);
    if (value.empty()) complain(key, "is missing or empty");
    return value;
  }
  // Words on one line, which whoever reads them sees whole.
  std::string name(std::string_view key) {
    std::string value = required(key);
    if (!value.empty() && !tool::is_shown_name(value))
      complain(key, "has hidden characters or is longer than 256 bytes");
    return value;
  }
  std::string line(std::string_view key) { return tool::shown_line(text(key)); }
  std::string title() {
    auto shown = tool::short_line("\"title\"", text("title"));
    if (!shown && fault_.empty()) fault_ = shown.error().message;
    return shown ? *std::move(shown) : std::string();
  }
  std::string description() {
    auto shown = tool::short_text("\"description\"", text("description"));
    if (!shown && fault_.empty()) fault_ = shown.error().message;
    return shown ? *std::move(shown) : std::string();
  }
  // A URI: no blank in it either.
  std::string token(std::string_view key) {
    std::string value = required(key);
    if (marked(value) != value || value.find_first_of(" \n\t") != std::string::npos)
      complain(key, "has blanks or hidden characters");
    return value;
  }
  std::optional<std::uint64_t> number(std::string_view key) {
    const json::Value* const member = find(key);
    if (!member) return std::nullopt;
    if (!member->IsUint64()) {
      complain(key, "is no whole number");
      return std::nullopt;
    }
    return member->GetUint64();
  }
  bool flag(std::string_view key) {
    const json::Value* const member = find(key);
    if (member && !member->IsBool()) complain(key, "is not true or false");
    return member && member->IsTrue();
  }
  // Verbatim.
  std::string array(std::string_view key) {
    const json::Value* const member = find(key);
    if (!member) return {};
    if (!member->IsArray()) complain(key, "is no array");
    return json::write(*member);
  }
  std::string object(std::string_view key) {
    const json::Value* const member = find(key);
    if (!member) return {};
    if (!member->IsObject()) complain(key, "is no object");
    return json::write(*member);
  }
  const json::Value* find(std::string_view key) { return json::find(object_, key); }

  void complain(std::string_view key, std::string_view what) {
    if (fault_.empty()) fault_ = "\"" + std::string(key) + "\" " + std::string(what);
  }
  const std::string& fault() const { return fault_; }

 private:
  const json::Value& object_;
  std::string fault_;
};

Result<tool::Resource> read_resource(const json::Value& object, std::string_view uri_key) {
  Members members(object);
  tool::Resource resource;
  resource.uri = members.token(uri_key);
  resource.name = members.name("name");
  resource.title = members.title();
  resource.description = members.description();
  resource.mime_type = members.line("mimeType");
  resource.size = members.number("size");
  resource.icons = members.array("icons");
  resource.annotations = members.object("annotations");
  resource.meta = members.object("_meta");
  if (members.fault().empty() && resource.uri.find(':') == std::string::npos) {
    members.complain(uri_key, "has no scheme");
  }
  if (!members.fault().empty())
    return fault(members.fault()).within(tool::quoted_name(resource.uri));
  return resource;
}

Result<void> read_resources(const json::Value& root, std::string_view list_key,
                            std::string_view uri_key, std::vector<tool::Resource>& to) {
  const json::Value* const list = json::find(root, list_key);
  if (!list) return {};
  if (!list->IsArray()) return fault("\"" + std::string(list_key) + "\" is no array");
  if (list->Size() > kMostEntries) return fault("\"" + std::string(list_key) + "\" is too long");
  std::set<std::string> seen;
  for (const json::Value& object : list->GetArray()) {
    HOST_TRY_ASSIGN(tool::Resource resource, read_resource(object, uri_key));
    if (!seen.insert(resource.uri).second) return fault("\"" + resource.uri + "\" is there twice");
    to.push_back(std::move(resource));
  }
  return {};
}

Result<tool::PromptArgument> read_argument(const json::Value& object) {
  Members members(object);
  tool::PromptArgument argument;
  argument.name = members.name("name");
  argument.title = members.title();
  argument.description = members.description();
  argument.required = members.flag("required");
  if (!members.fault().empty()) return fault(members.fault());
  return argument;
}

Result<tool::Prompt> read_prompt(const json::Value& object) {
  Members members(object);
  tool::Prompt prompt;
  prompt.name = members.name("name");
  prompt.title = members.title();
  prompt.description = members.description();
  prompt.icons = members.array("icons");
  prompt.meta = members.object("_meta");
  members.array("arguments");
  if (!members.fault().empty())
    return fault(members.fault()).within(tool::quoted_name(prompt.name));
  const json::Value* const arguments = members.find("arguments");
  if (!arguments) return prompt;
  std::set<std::string> seen;
  for (const json::Value& each : arguments->GetArray()) {
    auto argument = read_argument(each);
    if (!argument) return argument.error().within("an argument of \"" + prompt.name + "\"");
    if (!seen.insert(argument->name).second) {
      return fault("\"" + prompt.name + "\" has two arguments \"" + argument->name + "\"");
    }
    prompt.arguments.push_back(std::move(*argument));
  }
  return prompt;
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
    HOST_TRY_ASSIGN(tool::Prompt prompt, read_prompt(object));
    if (!seen.insert(prompt.name).second) return fault("\"" + prompt.name + "\" is there twice");
    offer.prompts.push_back(std::move(prompt));
  }
  return {};
}

}  // namespace host::plugin
