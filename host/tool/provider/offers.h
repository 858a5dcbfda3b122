// The resources and prompts of all providers at one moment. Immutable, part of the catalog's
// snapshot. Pointers that it returns are valid as long as it exists.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tool/definition/offer.h"
#include "tool/definition/uri_template.h"
#include "tool/provider/provider.h"

namespace host::tool {

// Longer URIs are never found.
inline constexpr std::size_t kMaxUriBytes = 8192;

// A part of an offer that was refused, and why. `tool` is the name of a tool, or the URI or name of
// the resource or prompt.
struct Refusal {
  std::string tool;
  std::string reason;
};

struct OfferedResource {
  std::shared_ptr<const Resource> resource;
  std::shared_ptr<Provider> provider;
};
struct OfferedTemplate {
  std::shared_ptr<const Resource> resource;
  UriTemplate pattern;
  std::shared_ptr<Provider> provider;
};
struct OfferedPrompt {
  std::shared_ptr<const Prompt> prompt;
  std::shared_ptr<Provider> provider;
};

class Offers {
 public:
  Offers() = default;

  // The offer of one provider at the time when it was set. `slot` names it in refusals.
  struct Source {
    std::string slot;
    std::shared_ptr<Provider> provider;
    std::shared_ptr<const Offer> offer;
  };
  // If URIs, templates or names clash, the earlier source has priority. Refused parts of the source
  // whose slot is `told` are added to `refusals`.
  Offers(const std::vector<Source>& sources, std::string_view told, std::vector<Refusal>& refusals);

  // The offers of the providers for which `keep` returns true, and `more` in addition. If two
  // clash, the earlier offer has priority.
  Offers narrowed(const std::function<bool(const Provider&)>& keep, const Source* more) const;

  const std::vector<OfferedResource>& resources() const { return resources_; }
  const std::vector<OfferedTemplate>& templates() const { return templates_; }
  const std::vector<OfferedPrompt>& prompts() const { return prompts_; }

  const OfferedResource* resource(std::string_view uri) const;
  const OfferedTemplate* template_of(std::string_view text) const;
  const OfferedPrompt* prompt(std::string_view name) const;
  // The template that matches `uri`. If several do, the longest, because it is the most specific.
  const OfferedTemplate* template_for(std::string_view uri) const;

  bool same_resources(const Offers& other) const;
  bool same_prompts(const Offers& other) const;

 private:
  std::vector<OfferedResource> resources_;
  std::vector<OfferedTemplate> templates_;
  std::vector<OfferedPrompt> prompts_;
};

}  // namespace host::tool
