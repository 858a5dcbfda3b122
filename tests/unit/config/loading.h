// Configuration texts in tests.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "config/key/show.h"
#include "config/reader/load.h"

namespace host::config {

inline Loaded parse_with(std::string_view text, std::initializer_list<const char*> variables) {
  std::vector<const char*> environment{"HOME=/home/ada"};
  environment.insert(environment.end(), variables);
  environment.push_back(nullptr);
  return parse(text, "/etc/toolpost/config.toml", environment.data());
}

inline Loaded parse_text(std::string_view text) {
  return parse_with(text, {});
}

// All that was reported, as people see it.
inline std::string told(const Loaded& loaded) {
  std::string out;
  for (const Diagnostic& diagnostic : loaded.diagnostics) out += diagnostic.describe();
  return out;
}

inline Config good(const Loaded& loaded) {
  EXPECT_TRUE(loaded.config.has_value()) << told(loaded);
  return loaded.config.value_or(Config{});
}

inline std::string only_headline(const Loaded& loaded) {
  EXPECT_EQ(loaded.diagnostics.size(), 1u) << told(loaded);
  EXPECT_FALSE(loaded.config.has_value());
  return loaded.diagnostics.empty() ? std::string() : loaded.diagnostics.front().headline();
}

}  // namespace host::config
