#include "tool/provider/catalog.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/digest.h"
#include "tool/definition/class.h"

namespace host::tool {
namespace {

bool by_name(const Entry& entry, std::string_view name) {
  return entry.tool->name() < name;
}

std::string digest_of_listing(const std::vector<Entry>& entries) {
  Sha256Stream stream;
  for (const Entry& entry : entries) {
    const Declaration& declared = entry.tool->declared();
    for (const std::string* text :
         {&entry.tool->listing(), &declared.title, &declared.output_schema, &declared.icons}) {
      stream.add(*text);
      stream.add(std::string_view("\0", 1));
    }
  }
  return to_hex(stream.finish());
}

bool have_same_tools(const std::vector<Entry>& some, const std::vector<Entry>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const Entry& a, const Entry& b) { return a.tool == b.tool; });
}

// Tools are immutable, so only others need a comparison of their texts.
bool are_listed_alike(const std::vector<Entry>& some, const std::vector<Entry>& others) {
  return have_same_tools(some, others) || digest_of_listing(some) == digest_of_listing(others);
}

using ToolsOf = std::map<ProviderIdentity::Id, std::vector<Entry>>;

ToolsOf by_provider(const std::vector<Entry>& entries) {
  ToolsOf out;
  for (const Entry& entry : entries) out[entry.provider->identity().id()].push_back(entry);
  return out;
}

void add_tools_of(const Snapshot& before, const Snapshot& after, ChangesOf& of) {
  ToolsOf old = by_provider(before.entries());
  for (const auto& [id, entries] : by_provider(after.entries())) {
    const auto known = old.extract(id);
    if (!known || !are_listed_alike(known.mapped(), entries)) of[id].tools = true;
  }
  for (const auto& [id, entries] : old) of[id].tools = true;
}

// Empty if not all changes are changes of certain providers, such as a new order.
ChangesOf changes_of(const Snapshot& before, const Snapshot& after, const Changes& changes) {
  ChangesOf of;
  if (changes.tools) add_tools_of(before, after, of);
  if (changes.resources) {
    for (const auto& id : after.offers().with_other_resources(before.offers()))
      of[id].resources = true;
  }
  if (changes.prompts) {
    for (const auto& id : after.offers().with_other_prompts(before.offers())) of[id].prompts = true;
  }
  Changes found;
  for (const auto& [id, own] : of) found.add(own);
  const bool is_whole = found.tools == changes.tools && found.resources == changes.resources &&
                        found.prompts == changes.prompts;
  return is_whole ? of : ChangesOf();
}

std::vector<Entry> all_of(const std::vector<Entry>& some, const std::vector<Entry>& more) {
  std::vector<Entry> all;
  all.reserve(some.size() + more.size());
  all.insert(all.end(), some.begin(), some.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A post_ tool follows x, pre_x and priv_x by its own name post_x, and whatever its `after` lists.
std::vector<std::string> actions_before(const Tool& post) {
  const std::string own(stem(post.name()));
  std::vector<std::string> actions = {own, "pre_" + own, "priv_" + own};
  for (const std::string& name : post.declared().after) {
    if (std::find(actions.begin(), actions.end(), name) == actions.end()) actions.push_back(name);
  }
  return actions;
}

// Two builds of one provider are the same.
bool is_same_provider(const Provider& one, const Provider& two) {
  return one.identity().kind == two.identity().kind && one.name() == two.name();
}

using Holders = std::map<std::string, std::string, std::less<>>;  // URI -> slot

// `held`: what serves a URI now; null: nothing does.
template <class Find>
void add_holders(const std::vector<Resource>& offered, const Offers::Source& source, Find held,
                 Holders& into) {
  for (const Resource& each : offered) {
    const auto* const now = held(each.uri);
    if (now && is_same_provider(*now->provider, *source.provider))
      into.emplace(each.uri, source.slot);
  }
}

// Among upstreams of which none serves a URI yet, as after a start, the one that has offered it
// longest gets it. Of two with the same time, the name decides.
using Claim = std::pair<WallTime, std::string_view>;  // since when, slot
using Claims = std::map<std::string_view, Claim>;     // by URI

void add_claims(const std::vector<Resource>& offered, const Offers::Source& source,
                Claims& claims) {
  for (const Resource& each : offered) {
    const Claim claim{each.since, source.slot};
    const auto [at, is_new] = claims.emplace(each.uri, claim);
    if (!is_new) at->second = std::min(at->second, claim);
  }
}

void add_first(const Claims& claims, Holders& into) {
  for (const auto& [uri, claim] : claims) into.emplace(uri, claim.second);  // unless it is held
}

// The slot that holds it, if it is another one; otherwise null.
const std::string* other_holder(const Holders& holders, const Resource& each,
                                const Offers::Source& source) {
  const auto found = holders.find(each.uri);
  return found == holders.end() || found->second == source.slot ? nullptr : &found->second;
}

bool is_held(const std::vector<Resource>& offered, const Offers::Source& source,
             const Holders& holders) {
  return std::any_of(offered.begin(), offered.end(), [&](const Resource& each) {
    return other_holder(holders, each, source) != nullptr;
  });
}

// Removes what another slot holds.
void leave(std::vector<Resource>& offered, const Offers::Source& source, const Holders& holders,
           const std::string& what, std::vector<Refusal>* refusals) {
  std::erase_if(offered, [&](const Resource& each) {
    const std::string* const holder = other_holder(holders, each, source);
    if (holder && refusals) {
      refusals->push_back({each.uri, what + " is already taken by \"" + *holder +
                                         "\", for all who see both upstreams"});
    }
    return holder != nullptr;
  });
}

// Adds what another slot holds, for those who do not see that one.
void add_outranked(const Offers::Source& source, const Holders& uris, const Holders& templates,
                   Offers::Outranked& into) {
  for (const Resource& each : source.offer->resources) {
    if (other_holder(uris, each, source))
      into.resources.push_back({{source.offer, &each}, source.provider});
  }
  for (const Resource& each : source.offer->templates) {
    if (!other_holder(templates, each, source)) continue;
    auto pattern = UriTemplate::parse(each.uri);
    if (pattern)
      into.templates.push_back({{source.offer, &each}, *std::move(pattern), source.provider});
  }
}

// A URI stays with the upstream that serves it, for as long as that offers it: a subscriber of it
// must not get the contents of another one. Returns what the other upstreams offer of the same.
Offers::Outranked leave_to_holders(const Offers& now, std::vector<Offers::Source>& sources,
                                   std::string_view told, std::vector<Refusal>& refusals) {
  Offers::Outranked outranked;
  Holders uris;
  Holders templates;
  Claims of_uris;
  Claims of_templates;
  for (const Offers::Source& source : sources) {
    if (!source.provider->identity().is_upstream()) continue;
    add_claims(source.offer->resources, source, of_uris);
    add_claims(source.offer->templates, source, of_templates);
    add_holders(
        source.offer->resources, source,
        [&now](const std::string& uri) { return now.resource(uri); }, uris);
    add_holders(
        source.offer->templates, source,
        [&now](const std::string& uri) { return now.template_of(uri); }, templates);
  }
  add_first(of_uris, uris);
  add_first(of_templates, templates);
  for (Offers::Source& source : sources) {
    if (!source.provider->identity().is_upstream()) continue;
    if (!is_held(source.offer->resources, source, uris) &&
        !is_held(source.offer->templates, source, templates))
      continue;
    add_outranked(source, uris, templates, outranked);
    auto left = std::make_shared<Offer>(*source.offer);
    std::vector<Refusal>* const to = source.slot == told ? &refusals : nullptr;
    leave(left->resources, source, uris, "the URI", to);
    leave(left->templates, source, templates, "the URI template", to);
    source.offer = std::move(left);
  }
  return outranked;
}

// Nothing that the slots offer was refused.
template <class Slots>
bool has_all(const Slots& slots, const std::vector<Entry>& entries, const Offers& offers) {
  std::size_t tools = 0;
  std::size_t others = 0;
  for (const auto& slot : slots) {
    tools += slot.provider->tools().size();
    const Offer& offer = *slot.offer;
    others += offer.resources.size() + offer.templates.size() + offer.prompts.size();
  }
  const std::size_t given =
      offers.resources().size() + offers.templates().size() + offers.prompts().size();
  return entries.size() == tools && given == others;
}

}  // namespace

Snapshot::Snapshot(std::vector<Entry> entries, Offers offers)
    : entries_(std::move(entries)), offers_(std::move(offers)) {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.tool->name() < b.tool->name(); });
  for (const Entry& entry : entries_) {
    if (entry.tool->tool_class() != Class::Post) continue;
    for (const std::string& action : actions_before(*entry.tool)) after_[action].push_back(&entry);
  }
}

Snapshot::Snapshot(const Snapshot& below, const std::vector<Entry>& own)
    : Snapshot(all_of(below.entries_, own), below.offers_) {
  for (const Entry& entry : own) {
    const auto after = after_.find(entry.tool->name());
    if (after == after_.end()) continue;
    std::erase_if(after->second, [&below](const Entry* post) {
      return below.find(post->tool->name()) != nullptr;
    });
  }
}

const Entry* Snapshot::find(std::string_view name) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), name, by_name);
  return at != entries_.end() && at->tool->name() == name ? &*at : nullptr;
}

const std::vector<const Entry*>& Snapshot::after(std::string_view action) const {
  static const std::vector<const Entry*> none;
  const auto at = after_.find(action);
  return at == after_.end() ? none : at->second;
}

Catalog::Catalog()
    : snapshot_(std::make_shared<const Snapshot>(std::vector<Entry>{})),
      shown_(digest_of_listing({})) {}

std::vector<Refusal> Catalog::set(const std::string& slot, std::shared_ptr<Provider> provider) {
  std::vector<Change> changes;
  changes.push_back({slot, std::move(provider)});
  return std::move(set_all(std::move(changes)).front());
}

std::vector<std::vector<Refusal>> Catalog::set_all(std::vector<Change> changes) {
  std::vector<std::vector<Refusal>> refusals(changes.size());
  if (changes.empty()) return refusals;
  for (const Change& change : changes) put(change);
  std::vector<Entry> entries;
  Offers offers;
  for (std::size_t i = 0; i < changes.size(); ++i) {       // told to each what was refused to it
    if (i > 0 && has_all(slots_, entries, offers)) break;  // nothing was, to nobody
    entries = gather_tools(changes[i].slot, refusals[i]);
    offers = gather_offers(changes[i].slot, refusals[i]);
  }
  publish(std::move(entries), std::move(offers));
  return refusals;
}

std::shared_ptr<Provider> Catalog::plugin(std::string_view name) const {
  for (const Slot& slot : slots_) {
    if (!slot.provider) continue;
    const ProviderIdentity& identity = slot.provider->identity();
    if (identity.is_plugin() && identity.name == name) return slot.provider;
  }
  return nullptr;
}

void Catalog::put(Change change) {
  if (change.provider) {
    Slot& place = ensure_slot(change.slot);
    place.offer = std::make_shared<const Offer>(change.provider->offer());
    place.provider = std::move(change.provider);
  } else {
    std::erase_if(slots_, [&](const Slot& each) { return each.name == change.slot; });
  }
}

Catalog::Slot& Catalog::ensure_slot(const std::string& name) {
  for (Slot& each : slots_) {
    if (each.name == name) return each;
  }
  return slots_.emplace_back(Slot{name, nullptr, nullptr});
}

// A tool's name stays with the slot that serves it, for as long as that offers it. Otherwise a new
// build of one provider could take a tool over from another, with all rules that were written for
// it. Names that nobody serves yet go to the earlier slot.
std::vector<Entry> Catalog::gather_tools(const std::string& told,
                                         std::vector<Refusal>& refusals) const {
  std::vector<Entry> entries;
  std::map<std::string_view, std::string_view> taken;  // name -> slot
  for (const Slot& slot : slots_) {
    for (const auto& tool : slot.provider->tools()) {
      const Entry* const now = snapshot_->find(tool->name());
      if (now && is_same_provider(*now->provider, *slot.provider))
        taken.emplace(tool->name(), slot.name);
    }
  }
  std::set<std::string_view> given;
  for (const Slot& slot : slots_) {
    const bool own = slot.provider->identity().is_host();
    for (const auto& tool : slot.provider->tools()) {
      if (!own && is_reserved(tool->name())) {
        if (slot.name == told)
          refusals.push_back({tool->name(), "the name is reserved for a tool of the host's own"});
        continue;
      }
      const auto holder = taken.emplace(tool->name(), slot.name).first;
      if (holder->second == slot.name && given.insert(tool->name()).second) {
        entries.push_back({tool, slot.provider});
      } else if (slot.name == told) {
        refusals.push_back(
            {tool->name(), "the name is already taken by \"" + std::string(holder->second) + "\""});
      }
    }
  }
  return entries;
}

Offers Catalog::gather_offers(const std::string& told, std::vector<Refusal>& refusals) const {
  std::vector<Offers::Source> sources;
  for (const Slot& slot : slots_) sources.push_back({slot.name, slot.provider, slot.offer});
  // An upstream takes no URI from another provider. Among upstreams, leave_to_holders() decides.
  const auto rank = [](const Offers::Source& one) {
    const bool is_upstream = one.provider->identity().is_upstream();
    return std::pair(is_upstream, is_upstream ? std::string_view(one.slot) : std::string_view());
  };
  std::stable_sort(sources.begin(), sources.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  Offers::Outranked outranked = leave_to_holders(snapshot_->offers(), sources, told, refusals);
  Offers offers(sources, told, refusals);
  offers.set_outranked(std::move(outranked));
  return offers;
}

void Catalog::publish(std::vector<Entry> entries, Offers offers) {
  auto next = std::make_shared<const Snapshot>(std::move(entries), std::move(offers));
  std::string shown = have_same_tools(next->entries(), snapshot_->entries())
                          ? shown_
                          : digest_of_listing(next->entries());
  const Changes changes{shown != shown_, !next->offers().same_resources(snapshot_->offers()),
                        !next->offers().same_prompts(snapshot_->offers())};
  const ChangesOf of = changes_of(*snapshot_, *next, changes);
  snapshot_ = std::move(next);
  shown_ = std::move(shown);
  for (const auto& listener : publish_listeners_) listener();
  if (changes.any()) lists_changed(changes, of);
}

void Catalog::lists_changed(const Changes& changes, const ChangesOf& of) const {
  for (const auto& listener : listeners_of_) listener(changes, of);
  for (const auto& listener : listeners_) listener(changes);
}

void Catalog::resource_updated(const std::string& uri, const From& of) const {
  for (const auto& listener : update_listeners_) listener(uri, of);
}

}  // namespace host::tool
