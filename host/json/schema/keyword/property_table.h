// A PropertyTable contains the properties that a schema defines or requires. For each member of an
// instance, the validation looks up the property with the member's name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/schema/program.h"

namespace host::json::schema {

struct Property {
  std::string_view name;  // points into the schema
  NodeId node = kNoNode;  // kNoNode: the schema only requires the property
  bool required = false;
};

class PropertyTable {
 public:
  void add(std::string_view name, NodeId node);
  void require(std::string_view name);
  void index();  // call index() once, after the last name

  // Returns nullptr if the table has no property of this name. Pass the same variable as `expected`
  // for all members of one JSON object. Most objects have their members in the order of the schema,
  // so the first comparison usually finds the name.
  const Property* find(std::string_view name, std::size_t& expected) const;

  bool empty() const { return properties_.empty(); }
  std::size_t required_count() const { return required_count_; }
  std::string list() const;  // returns the names, quoted; a long list is shortened
  std::string nearest_to(std::string_view misspelt) const;  // empty if no name is similar
  template <class Visit>
  void for_each_required(Visit visit) const {
    for (const Property& property : properties_) {
      if (property.required) visit(property.name);
    }
  }

 private:
  static constexpr std::size_t kFew = 8;

  const Property* find_in_slots(std::string_view name) const;

  std::vector<Property> properties_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  // used only to build the table
  std::vector<std::uint32_t> slots_;  // open addressing, at least two slots for each name; 0: free
  std::uint64_t secret_ = 0;
  std::size_t required_count_ = 0;
};

}  // namespace host::json::schema
