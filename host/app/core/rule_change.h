// Compares and joins the rules of two configurations, while the host applies a changed config.toml.
#pragma once

#include "config/config.h"

namespace host::app {

// Returns true if both configurations have the same rules on the same lines. The line of a rule
// matters, because decisions report the line of their rule.
bool have_same_rules(const config::Config& one, const config::Config& other);

// Returns the configuration `after`, but with all rules of `before` and with the deny and ask rules
// of `after`. An edit of the file can move a restriction from a rule to an upstream's section, or
// from there to a rule. While the host changes its upstreams, it applies the rules of both
// configurations, so the restriction always applies.
config::Config with_rules_of_both(const config::Config& before, config::Config after);

// Returns true if the rules of the two configurations differ. The function differ_in_rules()
// ignores the lines of the rules.
bool differ_in_rules(const config::Config& one, const config::Config& other);

}  // namespace host::app
