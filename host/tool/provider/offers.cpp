#include "tool/provider/offers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tool/definition/declared_offer.h"

namespace host::tool {
namespace {

static_assert(kMaxUriBytes == kMostDeclaredUriBytes);

const std::string& key(const OfferedResource& each) {
  return each.resource->uri;
}
const std::string& key(const OfferedTemplate& each) {
  return each.resource->uri;
}
const std::string& key(const OfferedPrompt& each) {
  return each.prompt->name;
}

template <class Offered>
void sort(std::vector<Offered>& list) {
  std::sort(list.begin(), list.end(),
            [](const Offered& a, const Offered& b) { return key(a) < key(b); });
}

template <class Offered>
const Offered* find(const std::vector<Offered>& list, std::string_view wanted) {
  const auto at =
      std::lower_bound(list.begin(), list.end(), wanted,
                       [](const Offered& each, std::string_view name) { return key(each) < name; });
  return at != list.end() && key(*at) == wanted ? &*at : nullptr;
}

// An upstream must not get the requests for a URI of the host or of a plugin, whatever it lists.
bool goes_before(const OfferedTemplate& a, const OfferedTemplate& b) {
  const bool is_upstream = a.provider->identity().is_upstream();
  if (is_upstream != b.provider->identity().is_upstream()) return !is_upstream;
  return key(a).size() > key(b).size();
}

// One kind of names, and who holds each.
class Names {
 public:
  Names(std::string kind, std::string_view told, std::vector<Refusal>& refusals)
      : kind_(std::move(kind)), told_(told), refusals_(refusals) {}

  bool take(const std::string& name, const std::string& slot) {
    const auto [holder, fresh] = taken_.emplace(name, slot);
    if (!fresh) {
      refuse(name, slot, kind_ + " is already taken by \"" + std::string(holder->second) + "\"");
    }
    return fresh;
  }
  void refuse(const std::string& name, const std::string& slot, std::string reason) {
    if (slot == told_) refusals_.push_back({name, std::move(reason)});
  }

 private:
  std::string kind_;
  std::string_view told_;
  std::vector<Refusal>& refusals_;
  std::map<std::string_view, std::string_view> taken_;  // name -> slot; both live in the sources
};

// Among upstreams of which none serves a URI, the one that has offered it longest has priority. Of
// two with the same time, the name decides.
template <class Offered>
bool is_outranked_less(const Offered& a, const Offered& b) {
  if (key(a) != key(b)) return key(a) < key(b);
  const auto rank = [](const Offered& one) {
    return std::pair(one.resource->since, std::string_view(one.provider->name()));
  };
  return rank(a) < rank(b);
}

// What the host or a plugin has, no upstream serves to anybody.
template <class Offered>
void arrange(std::vector<Offered>& outranked, const std::vector<Offered>& served) {
  std::erase_if(outranked, [&](const Offered& each) {
    const Offered* const now = find(served, key(each));
    return now && !now->provider->identity().is_upstream();
  });
  std::sort(outranked.begin(), outranked.end(), is_outranked_less<Offered>);
}

// Serves what is kept of `outranked` in `into`, or adds it to `still` if another one serves it.
template <class Offered>
void promote(const std::vector<Offered>& outranked,
             const std::function<bool(const Provider&)>& keep, std::vector<Offered>& into,
             std::vector<Offered>& still) {
  std::vector<Offered> promoted;
  for (const Offered& each : outranked) {
    if (!keep(*each.provider)) continue;
    const bool is_served =
        find(into, key(each)) || (!promoted.empty() && key(promoted.back()) == key(each));
    (is_served ? still : promoted).push_back(each);
  }
  if (promoted.empty()) return;
  into.insert(into.end(), promoted.begin(), promoted.end());
  sort(into);
}

template <class Offered, class Member>
bool same(const std::vector<Offered>& a, const std::vector<Offered>& b, Member member) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.*member == y.*member || *(x.*member) == *(y.*member);
  });
}

template <class Entry>
using ByProvider = std::map<ProviderIdentity::Id, std::vector<const Entry*>>;

template <class Entry, class Offered, class Member>
void add(const std::vector<Offered>& list, Member member, ByProvider<Entry>& into) {
  for (const Offered& each : list) into[each.provider->identity().id()].push_back(&*(each.*member));
}

// In one order, because the host moves entries from one list to the other if another provider
// begins or ends to offer the same.
template <class Offered, class Member>
ByProvider<Resource> both(const std::vector<Offered>& served, const std::vector<Offered>& outranked,
                          Member member) {
  ByProvider<Resource> out;
  add(served, member, out);
  add(outranked, member, out);
  for (auto& [id, entries] : out) {
    std::sort(entries.begin(), entries.end(),
              [](const Resource* a, const Resource* b) { return a->uri < b->uri; });
  }
  return out;
}

template <class Entry>
std::set<ProviderIdentity::Id> differing(ByProvider<Entry> one, ByProvider<Entry> other) {
  std::set<ProviderIdentity::Id> out;
  const auto is_same = [](const Entry* a, const Entry* b) { return a == b || *a == *b; };
  for (const auto& [id, entries] : one) {
    const auto& others = other[id];
    if (!std::equal(entries.begin(), entries.end(), others.begin(), others.end(), is_same))
      out.insert(id);
  }
  for (const auto& [id, entries] : other) {
    if (!one.contains(id)) out.insert(id);
  }
  return out;
}

}  // namespace

Offers::Offers(const std::vector<Source>& sources, std::string_view told,
               std::vector<Refusal>& refusals) {
  Names uris("the URI", told, refusals);
  Names templates("the URI template", told, refusals);
  Names prompts("the prompt's name", told, refusals);
  for (const Source& source : sources) {
    const auto& offer = source.offer;
    for (const Resource& each : offer->resources) {
      if (!uris.take(each.uri, source.slot)) continue;
      resources_.push_back({{offer, &each}, source.provider});
    }
    for (const Resource& each : offer->templates) {
      auto pattern = UriTemplate::parse(each.uri);
      if (!pattern) {
        templates.refuse(each.uri, source.slot, pattern.error().message);
      } else if (templates.take(each.uri, source.slot)) {
        templates_.push_back({{offer, &each}, *std::move(pattern), source.provider});
      }
    }
    for (const Prompt& each : offer->prompts) {
      if (!prompts.take(each.name, source.slot)) continue;
      prompts_.push_back({{offer, &each}, source.provider});
    }
  }
  sort(resources_);
  sort(templates_);
  sort(prompts_);
}

void Offers::set_outranked(Outranked outranked) {
  outranked_ = std::move(outranked);
  arrange(outranked_.resources, resources_);
  arrange(outranked_.templates, templates_);
}

Offers Offers::narrowed(const std::function<bool(const Provider&)>& keep,
                        const Source* more) const {
  Offers out;
  const auto take = [&keep](const auto& from, auto& into) {
    for (const auto& each : from) {
      if (keep(*each.provider)) into.push_back(each);
    }
  };
  take(resources_, out.resources_);
  take(templates_, out.templates_);
  take(prompts_, out.prompts_);
  promote(outranked_.resources, keep, out.resources_, out.outranked_.resources);
  promote(outranked_.templates, keep, out.templates_, out.outranked_.templates);
  if (!more) return out;
  std::vector<Refusal> refusals;
  const Offers own({*more}, {}, refusals);
  const auto add = [](const auto& from, auto& into) {
    auto fresh = from;
    std::erase_if(fresh, [&into](const auto& each) { return find(into, key(each)) != nullptr; });
    into.insert(into.end(), fresh.begin(), fresh.end());
    sort(into);
  };
  add(own.resources_, out.resources_);
  add(own.templates_, out.templates_);
  add(own.prompts_, out.prompts_);
  return out;
}

const OfferedResource* Offers::resource(std::string_view uri) const {
  return find(resources_, uri);
}

const OfferedTemplate* Offers::template_of(std::string_view text) const {
  return find(templates_, text);
}

const OfferedPrompt* Offers::prompt(std::string_view name) const {
  return find(prompts_, name);
}

const OfferedTemplate* Offers::template_for(std::string_view uri) const {
  const OfferedTemplate* best = nullptr;
  for (const OfferedTemplate& each : templates_) {
    if ((!best || goes_before(each, *best)) && each.pattern.matches(uri)) best = &each;
  }
  return best;
}

bool Offers::same_resources(const Offers& other) const {
  return same(resources_, other.resources_, &OfferedResource::resource) &&
         same(templates_, other.templates_, &OfferedTemplate::resource) &&
         same(outranked_.resources, other.outranked_.resources, &OfferedResource::resource) &&
         same(outranked_.templates, other.outranked_.templates, &OfferedTemplate::resource);
}

bool Offers::same_prompts(const Offers& other) const {
  return same(prompts_, other.prompts_, &OfferedPrompt::prompt);
}

std::set<ProviderIdentity::Id> Offers::with_other_resources(const Offers& other) const {
  auto out =
      differing(both(resources_, outranked_.resources, &OfferedResource::resource),
                both(other.resources_, other.outranked_.resources, &OfferedResource::resource));
  out.merge(
      differing(both(templates_, outranked_.templates, &OfferedTemplate::resource),
                both(other.templates_, other.outranked_.templates, &OfferedTemplate::resource)));
  return out;
}

std::set<ProviderIdentity::Id> Offers::with_other_prompts(const Offers& other) const {
  ByProvider<Prompt> one;
  ByProvider<Prompt> two;
  add(prompts_, &OfferedPrompt::prompt, one);
  add(other.prompts_, &OfferedPrompt::prompt, two);
  return differing(std::move(one), std::move(two));
}

}  // namespace host::tool
