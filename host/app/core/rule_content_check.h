// Finds rules with `content` that no call can match. If the host cannot compare calls of a tool
// with the rule's content, it applies a deny or ask rule to every call
// (permission/decision/facts.h). If the content of a rule is a pattern that matches no path, the
// rule forbids no call. Call the functions of this header on the I/O thread.
#pragma once

#include <vector>

#include "config/config.h"

namespace host::app {

class Core;

// Call the function after the core was started. Returns one Diagnostic (C020) for each rule with
// useless `content`. The Diagnostic is an error for deny and ask rules, and a warning for allow
// rules. The function also returns a warning (C021) for each ask rule that never asks, because
// auto_approve is true for its tool.
std::vector<config::Diagnostic> contents_without_use(Core& core, const config::Config& config);

}  // namespace host::app
