#include "upstream/provider/served_offer.h"

#include <algorithm>
#include <utility>

#include "base/text/letters.h"
#include "json/json.h"
#include "tool/definition/declared_offer.h"
#include "tool/definition/declared_text.h"
#include "upstream/provider/tool_name.h"

namespace host::upstream {
namespace {

Error refused(std::string why) {
  return Error{ErrorKind::InvalidArgument, std::move(why)};
}

// In lower case; empty: there is none, or a variable stands in it.
std::string scheme_of(std::string_view uri) {
  const std::string_view scheme = uri.substr(0, uri.find(':'));
  const bool is_plain = !scheme.empty() && scheme.size() < uri.size() &&
                        std::all_of(scheme.begin(), scheme.end(), [](char c) {
                          return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
                                 c == '+' || c == '-' || c == '.';
                        });
  return is_plain ? lower(scheme) : std::string();
}

}  // namespace

bool OfferMaker::step() {
  if (next_ < entries_.size()) {
    std::string name;
    const std::string& entry = entries_[next_++];
    const auto is_taken = take(entry, name);
    if (!is_taken) refusals.push_back({tool::quoted_name(name), is_taken.error().message});
    if (is_taken && *is_taken) {
      taken.append(entry).append(1, '\n');
      digest_.add(entry);
      digest_.add("\n");
    }
  }
  if (next_ < entries_.size()) return true;
  end();
  return false;
}

void OfferMaker::end() {
  if (std::exchange(is_done, true)) return;
  taken_digest = digest_.finish();
  if (!patterns_.empty())
    made.patterns =
        std::make_shared<const std::vector<tool::UriTemplate>>(std::exchange(patterns_, {}));
}

Result<bool> OfferMaker::take(const std::string& entry, std::string& name) {
  if (entry.size() > kMostEntryBytes) {
    return refused("an entry of a list has more than " + std::to_string(kMostEntryBytes) +
                   " bytes");
  }
  HOST_TRY_ASSIGN(const json::Document tree, json::parse(entry));
  return kind_ == OfferKind::Prompts ? take_prompt(tree.root(), name)
                                     : take_resource(tree.root(), name);
}

Result<bool> OfferMaker::take_resource(const json::Value& entry, std::string& name) {
  const bool is_template = kind_ == OfferKind::Templates;
  const char* const key = is_template ? "uriTemplate" : "uri";
  if (entry.IsObject()) name = json::find_text(entry, key);
  HOST_TRY_ASSIGN(tool::Resource read, tool::read_resource(entry, key));
  if (!is_named_by(upstream_.resources, read.uri) ||
      is_named_by(upstream_.resources_denied, read.uri))
    return false;
  const std::string scheme = scheme_of(read.uri);
  if (scheme.empty()) return refused("its URI does not begin with a scheme");
  if (scheme == "skill") return refused("skill: is for the skills of this host");
  auto& list = is_template ? made.offer.templates : made.offer.resources;
  if (!uris_.insert(read.uri).second) return refused("it is in the list twice");
  if (is_template) {  // the catalog refuses one that is not valid
    if (auto pattern = tool::UriTemplate::parse(read.uri)) patterns_.push_back(*std::move(pattern));
  }
  places.push_back(next_ - 1);
  list.push_back(std::move(read));
  return true;
}

Result<bool> OfferMaker::take_prompt(const json::Value& entry, std::string& name) {
  if (entry.IsObject()) name = json::find_text(entry, "name");
  HOST_TRY_ASSIGN(tool::Prompt read, tool::read_prompt(entry));
  if (!is_named_by(upstream_.prompts, read.name) ||
      is_named_by(upstream_.prompts_denied, read.name))
    return false;
  const auto [at, fresh] =
      made.prompt_names.emplace(served_name(upstream_.name, read.name), read.name);
  if (!fresh) {
    return refused("its name here would be " + at->first + ", which " +
                   tool::quoted_name(at->second) + " has already");
  }
  read.name = at->first;
  made.offer.prompts.push_back(std::move(read));
  return true;
}

}  // namespace host::upstream
