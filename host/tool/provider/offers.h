// An Offers object contains the resources and prompts of all providers at one moment. An Offers
// object is immutable. The catalog's snapshot contains an Offers object. Pointers that an Offers
// object returns are valid as long as the object exists.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tool/definition/offer.h"
#include "tool/definition/uri_template.h"
#include "tool/provider/provider.h"

namespace host::tool {

// kMaxUriBytes is the length of the longest URI that a resource can have. The host never finds a
// resource by a URI that is longer than kMaxUriBytes.
inline constexpr std::size_t kMaxUriBytes = 8192;

// A Refusal is a part of an offer that the host refused, with the reason. `tool` is the name of a
// tool, or the URI or name of the resource or prompt.
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

  // A Source is the offer of one provider at the time when the catalog read it. The reason in a
  // Refusal names the provider by its `slot`.
  struct Source {
    std::string slot;
    std::shared_ptr<Provider> provider;
    std::shared_ptr<const Offer> offer;
  };
  // If URIs, templates or names of two sources clash, the earlier source has priority. The
  // constructor adds the refused parts of the source whose slot is `told` to `refusals`.
  Offers(const std::vector<Source>& sources, std::string_view told, std::vector<Refusal>& refusals);

  // Outranked contains resources and templates of upstreams that another upstream with priority
  // offers too. narrowed() serves the outranked resources and templates if it leaves out the
  // upstream with priority.
  struct Outranked {
    std::vector<OfferedResource> resources;
    std::vector<OfferedTemplate> templates;
  };
  // If an upstream without priority offers a URI that the host or a plugin has, set_outranked()
  // ignores the URI.
  void set_outranked(Outranked outranked);

  // Returns the offers of the providers for which `keep` returns true. If `more` is not null, the
  // result also contains the offer of `more`. If two of the offers that narrowed() returns clash,
  // the earlier offer has priority. If several kept upstreams offer the same URI, the one that
  // serves it in this Offers object has priority. Among the remaining upstreams, the one that has
  // offered the URI longest has priority.
  Offers narrowed(const std::function<bool(const Provider&)>& keep, const Source* more) const;

  const std::vector<OfferedResource>& resources() const { return resources_; }
  const std::vector<OfferedTemplate>& templates() const { return templates_; }
  const std::vector<OfferedPrompt>& prompts() const { return prompts_; }

  const OfferedResource* resource(std::string_view uri) const;
  const OfferedTemplate* template_of(std::string_view text) const;
  const OfferedPrompt* prompt(std::string_view name) const;
  // Returns the template that matches `uri`. If several templates match, the function returns the
  // longest template, because it is the most specific. A template of an upstream is returned only
  // if no other kind of provider has a matching template.
  const OfferedTemplate* template_for(std::string_view uri) const;

  bool same_resources(const Offers& other) const;
  bool same_prompts(const Offers& other) const;
  // Returns the providers whose resources and templates (or prompts) are not the same in `other`.
  std::set<ProviderIdentity::Id> with_other_resources(const Offers& other) const;
  std::set<ProviderIdentity::Id> with_other_prompts(const Offers& other) const;

 private:
  std::vector<OfferedResource> resources_;
  std::vector<OfferedTemplate> templates_;
  std::vector<OfferedPrompt> prompts_;
  Outranked outranked_;  // ordered by URI, then by priority
};

}  // namespace host::tool
