// A plugin that is made in the test itself, without a library: the tables that it would export.
#pragma once

#include <memory>
#include <vector>

#include "toolpost/testing.hpp"
#include "toolpost/toolpost.hpp"

namespace linked {

template <class P>
const tp_plugin* table(P (*make)()) {
  // Kept for the test's whole run, as a library's static tables are.
  static std::vector<std::unique_ptr<toolpost::detail::Library>> kept;
  const auto describe = [make] { return make().description(); };
  return kept.emplace_back(std::make_unique<toolpost::detail::Library>(describe))->table();
}

inline toolpost::PluginOptions about() {
  return {.id = "org.example.linked", .name = "Linked", .version = "1"};
}

inline std::string input_schema(const toolpost::testing::Plugin& plugin, const char* tool) {
  return toolpost::testing::text(plugin.tool(plugin.index_of(tool)).input_schema);
}
inline std::string output_schema(const toolpost::testing::Plugin& plugin, const char* tool) {
  return toolpost::testing::text(plugin.tool(plugin.index_of(tool)).output_schema);
}

}  // namespace linked
