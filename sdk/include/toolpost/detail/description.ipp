// The bodies of description.hpp.
#pragma once

#include <stdexcept>

#include "toolpost/detail/description.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE Description::Description(PluginOptions about, const StateFunctions& of)
    : options(std::move(about)), state(of) {}
TOOLPOST_INLINE Description::Description(Description&&) noexcept = default;
TOOLPOST_INLINE Description& Description::operator=(Description&&) noexcept = default;
TOOLPOST_INLINE Description::~Description() = default;

TOOLPOST_INLINE ToolEntry& Description::add_tool(std::string name, std::string description,
                                                 ToolOptions about, const Fields& arguments) {
  named_last = nullptr;
  ToolEntry& entry = tools.emplace_back();
  entry.name = std::move(name);
  entry.description = std::move(description);
  // The host writes the arguments of a post_ tool. The tool's struct can lack some arguments.
  if (!about.input_schema.text.empty() || entry.name.starts_with("post_"))
    entry.unknown = Unknown::Skipped;
  if (!about.input_schema.text.empty()) {
    entry.input_schema = about.input_schema.text;
  } else {
    entry.input_schema =
        entry.unknown == Unknown::Refused ? closed_schema_of(arguments) : schema_of(arguments);
  }
  entry.options = std::move(about);
  return entry;
}

TOOLPOST_INLINE ToolEntry& Description::last_tool() {
  if (tools.empty()) throw std::logic_error("the check functions of a tool must follow a tool");
  return tools.back();
}

TOOLPOST_INLINE OfferEntry& Description::last_offer() {
  if (named_last == nullptr) {
    throw std::logic_error(
        "listed_if() and completion() must follow a resource, a resource template or a prompt");
  }
  return (offers.*named_last).back();
}

TOOLPOST_INLINE OfferEntry& Description::add_offer(std::vector<OfferEntry>& to, std::string name,
                                                   std::string description, OfferOptions about,
                                                   OfferCall call) {
  named_last = &to == &offers.prompts     ? &Offers::prompts
               : &to == &offers.templates ? &Offers::templates
                                          : &Offers::resources;
  OfferEntry& entry = to.emplace_back();
  entry.name = std::move(name);
  entry.description = std::move(description);
  entry.options = std::move(about);
  entry.call = std::move(call);
  return entry;
}

}  // namespace detail

}  // namespace v1
}  // namespace toolpost
