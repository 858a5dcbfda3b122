#include "tool/definition/declared_offer.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/text/visible.h"
#include "tool/definition/declared_text.h"
#include "tool/definition/host_meta.h"

namespace host::tool {
namespace {

Error fault(std::string why) {
  return Error{ErrorKind::PluginFault, std::move(why)};
}

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
    if (!value.empty() && !is_shown_name(value))
      complain(key, "has hidden characters or is longer than 256 bytes");
    return value;
  }
  std::string line(std::string_view key) { return shown_line(text(key)); }
  std::string title() {
    auto shown = short_line("\"title\"", text("title"));
    if (!shown && fault_.empty()) fault_ = shown.error().message;
    return shown ? *std::move(shown) : std::string();
  }
  std::string description() {
    auto shown = short_text("\"description\"", text("description"));
    if (!shown && fault_.empty()) fault_ = shown.error().message;
    return shown ? *std::move(shown) : std::string();
  }
  // A URI: no blank in it either.
  std::string token(std::string_view key) {
    std::string value = required(key);
    if (marked(value) != value || value.find_first_of(" \n\t") != std::string::npos)
      complain(key, "has blanks or hidden characters");
    if (value.size() > kMostDeclaredUriBytes)
      complain(key, "has more than " + std::to_string(kMostDeclaredUriBytes) + " bytes");
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
  // `_meta`: with members that are not the host's.
  std::string meta() {
    const json::Value* const member = find("_meta");
    if (!member) return {};
    if (member->IsObject()) return write_foreign_meta(*member);
    complain("_meta", "is no object");
    return {};
  }
  // Null: absent, as some servers write it.
  const json::Value* find(std::string_view key) {
    const json::Value* const member = json::find(object_, key);
    return member && !member->IsNull() ? member : nullptr;
  }

  void complain(std::string_view key, std::string_view what) {
    if (fault_.empty()) fault_ = "\"" + std::string(key) + "\" " + std::string(what);
  }
  const std::string& fault() const { return fault_; }

 private:
  const json::Value& object_;
  std::string fault_;
};

Result<PromptArgument> read_argument(const json::Value& object) {
  Members members(object);
  PromptArgument argument;
  argument.name = members.name("name");
  argument.title = members.title();
  argument.description = members.description();
  argument.required = members.flag("required");
  if (!members.fault().empty()) return fault(members.fault());
  return argument;
}

}  // namespace

Result<Resource> read_resource(const json::Value& object, std::string_view uri_key) {
  Members members(object);
  Resource resource;
  resource.uri = members.token(uri_key);
  resource.name = members.name("name");
  resource.title = members.title();
  resource.description = members.description();
  resource.mime_type = members.line("mimeType");
  resource.size = members.number("size");
  resource.icons = members.array("icons");
  resource.annotations = members.object("annotations");
  resource.meta = members.meta();
  if (members.fault().empty() && resource.uri.find(':') == std::string::npos) {
    members.complain(uri_key, "has no scheme");
  }
  if (!members.fault().empty()) return fault(members.fault()).within(quoted_name(resource.uri));
  return resource;
}

Result<Prompt> read_prompt(const json::Value& object) {
  Members members(object);
  Prompt prompt;
  prompt.name = members.name("name");
  prompt.title = members.title();
  prompt.description = members.description();
  prompt.icons = members.array("icons");
  prompt.meta = members.meta();
  members.array("arguments");
  if (!members.fault().empty()) return fault(members.fault()).within(quoted_name(prompt.name));
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

}  // namespace host::tool
