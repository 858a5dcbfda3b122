// What all providers offer beside tools, at one moment. Immutable, a part of the catalog's
// snapshot. What a pointer leads to lives as long as this.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tool/offer.h"
#include "tool/provider.h"
#include "tool/uri_template.h"

namespace host::tool {

// Longer URIs are not looked for.
inline constexpr std::size_t kMaxUriBytes = 8192;

// Something that was offered and not taken, and why. `tool` is a tool's name, or the URI or name of
// what else it was.
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

  // One provider's, as it stood when it was set. `slot` is who a clash is told of.
  struct Source {
    std::string slot;
    std::shared_ptr<Provider> provider;
    std::shared_ptr<const Offer> offer;
  };
  // First come first served where URIs, templates or names clash; whatever of `told` is not taken
  // is added to `refusals`.
  Offers(const std::vector<Source>& sources, std::string_view told, std::vector<Refusal>& refusals);

  // By URI, by the template's own text, by name: the order of their lists.
  // Those of the providers that `keep` accepts, and `more` beside them, first come first served.
  Offers narrowed(const std::function<bool(const Provider&)>& keep, const Source* more) const;

  const std::vector<OfferedResource>& resources() const { return resources_; }
  const std::vector<OfferedTemplate>& templates() const { return templates_; }
  const std::vector<OfferedPrompt>& prompts() const { return prompts_; }

  const OfferedResource* resource(std::string_view uri) const;
  const OfferedTemplate* template_of(std::string_view text) const;
  const OfferedPrompt* prompt(std::string_view name) const;
  // The first template that makes `uri`, those of the longest text first: the narrower one.
  const OfferedTemplate* template_for(std::string_view uri) const;

  bool same_resources(const Offers& other) const;
  bool same_prompts(const Offers& other) const;

 private:
  std::vector<OfferedResource> resources_;
  std::vector<OfferedTemplate> templates_;
  std::vector<OfferedPrompt> prompts_;
};

}  // namespace host::tool
