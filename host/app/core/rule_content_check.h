// Finds rules with `content` that no call can match. If the host cannot compare calls of the tool
// with the content, it applies a deny or ask rule to every call (permission/decision/facts.h). If
// the content is a pattern that matches no path, the rule forbids nothing. The functions are called
// on the I/O thread.
#pragma once

#include <vector>

#include "config/config.h"

namespace host::app {

class Core;

// The core must be started. Returns one Diagnostic (C020) for each rule with useless `content`.
// The Diagnostic is an error for deny and ask rules, and a warning for allow rules. Also returns a
// warning (C021) for each ask rule that never asks, because auto_approve is true for its tool.
std::vector<config::Diagnostic> contents_without_use(Core& core, const config::Config& config);

}  // namespace host::app
