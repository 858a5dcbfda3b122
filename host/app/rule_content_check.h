// Rules with `content` for tools that define no content form. No call can match such a content, so
// the host applies a deny or ask rule to every call of the tool (permission/decision/facts.h), and
// reports the rule. I/O thread only.
#pragma once

#include <vector>

#include "config/diagnostic.h"

namespace host::app {

class Core;

// Of a core that was started: one Diagnostic (C020) for each such rule of the configuration. An
// error for deny and ask, a warning for allow.
std::vector<config::Diagnostic> contents_without_form(Core& core);

}  // namespace host::app
