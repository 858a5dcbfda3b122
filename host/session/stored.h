// Converts sessions to the form of the store, and back.
#pragma once

#include "session/session.h"
#include "store/part/session_store.h"

namespace host::session {

store::SessionRecord record_of(const Session& session, WallTime used);

// A newer host can have written values that this host does not know. session_of() reads an unknown
// value as the strictest value, for example an unknown mode as `explore`. session_of() does not
// copy `record.tools`, because the class Sessions adds the tools later.
Session session_of(const store::SessionRecord& record);

// Writes a context as {"values":{NAME:TEXT},"entries":{TYPE:JSON}}
std::string text_of(const Context& context);

}  // namespace host::session
