// Handles the arguments of a call that are not the arguments that its client sent, because a
// reviewer or an interceptor changed them. A call that asks its client a question, and a call that
// its client executes, continue later. Until then the host keeps these arguments, and the names of
// the members that a reviewer changed, in the answers of the call's Continuation. So they survive a
// restart of the host as far as the call does. No client, plugin or upstream can set them, because
// their keys are keys of the host (tool/definition/question_key.h).
#pragma once

#include <string_view>

#include "tool/definition/question.h"
#include "tool/definition/unbegun.h"

namespace host::tool {

// kEdits is the key under which Continuation::answers stores the names of the members that a
// reviewer changed. The value of the key kEdits is a JSON array of names.
inline constexpr std::string_view kEdits = "toolpost.edits";
// kRunArguments is the key under which Continuation::answers stores the arguments with which the
// tool ran when it asked its question, a JSON object text.
inline constexpr std::string_view kRunArguments = "toolpost.run_arguments";

// Returns true if a reviewer changed the arguments with which the call runs. The client must not
// see the arguments of such a call.
inline bool has_edits(const Continuation& continuation) {
  return continuation.answers.contains(kEdits);
}

// Copies the data of an earlier run to the answers with which its call continues. This includes the
// mark kMustNotRepeat (tool/definition/unbegun.h).
inline void copy_run(const Answers& from, Answers& to) {
  for (const std::string_view key : {kEdits, kRunArguments, kMustNotRepeat}) {
    if (const auto at = from.find(key); at != from.end())
      to.insert_or_assign(at->first, at->second);
  }
}

}  // namespace host::tool
