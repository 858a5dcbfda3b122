#include "json/schema/keyword/property_table.h"

#include <bit>

#include "base/text/nearest.h"
#include "json/hash.h"
#include "json/schema/values.h"

namespace host::json::schema {

void PropertyTable::add(std::string_view name, NodeId node) {
  by_name_.emplace(name, properties_.size());
  properties_.push_back(Property{name, node, false});
}

void PropertyTable::require(std::string_view name) {
  const auto [entry, added] = by_name_.emplace(name, properties_.size());
  if (added) properties_.push_back(Property{name, kNoNode, false});
  Property& property = properties_[entry->second];
  required_count_ += property.required ? 0 : 1;
  property.required = true;
}

void PropertyTable::index() {
  by_name_.clear();
  if (properties_.size() <= kFew) return;
  secret_ = hash_secret();
  slots_.assign(std::bit_ceil(properties_.size() * 2), 0);
  for (std::size_t i = 0; i < properties_.size(); ++i) {
    std::size_t slot = hash_bytes(properties_[i].name, secret_) & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

const Property* PropertyTable::find(std::string_view name, std::size_t& expected) const {
  if (expected < properties_.size() && properties_[expected].name == name) {
    return &properties_[expected++];
  }
  const Property* const found = [&]() -> const Property* {
    if (!slots_.empty()) return find_in_slots(name);
    for (const Property& property : properties_) {
      if (property.name == name) return &property;
    }
    return nullptr;
  }();
  if (found != nullptr) expected = static_cast<std::size_t>(found - properties_.data()) + 1;
  return found;
}

const Property* PropertyTable::find_in_slots(std::string_view name) const {
  std::size_t slot = hash_bytes(name, secret_) & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const Property& property = properties_[slots_[slot] - 1];
    if (property.name == name) return &property;
  }
  return nullptr;
}

std::string PropertyTable::list() const {
  constexpr std::size_t kListed = 12;
  std::string listed;
  std::size_t count = 0;
  for (const Property& property : properties_) {
    if (property.node == kNoNode) continue;
    if (++count <= kListed) listed.append(listed.empty() ? "" : ", ").append(quoted(property.name));
  }
  if (count > kListed) listed += " and " + std::to_string(count - kListed) + " more";
  return listed;
}

std::string PropertyTable::nearest_to(std::string_view misspelt) const {
  std::vector<std::string_view> names;
  for (const Property& property : properties_) {
    if (property.node != kNoNode) names.push_back(property.name);
  }
  return nearest(misspelt, names);
}

}  // namespace host::json::schema
