// Compares and joins the rules of two configurations, while the host takes a changed config.toml.
#pragma once

#include "config/config.h"

namespace host::app {

// Returns true if both have the same rules on the same lines. Decisions name these lines.
bool have_same_rules(const config::Config& one, const config::Config& other);

// Returns `after` with the rules of `before`, and those of `after` that deny or ask. They apply
// while upstreams change: an edit may move a restriction between a rule and an upstream's section,
// and it always applies.
config::Config with_rules_of_both(const config::Config& before, config::Config after);

// Returns true if the two have other rules. The lines of the rules do not matter.
bool differ_in_rules(const config::Config& one, const config::Config& other);

}  // namespace host::app
