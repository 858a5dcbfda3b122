// Converts sessions to the form of the store, and back.
#pragma once

#include "session/session.h"
#include "store/part/session_store.h"

namespace host::session {

store::SessionRecord record_of(const Session& session, WallTime used);

// The functions read an unknown value, which a newer host wrote, as the strictest value: an unknown
// mode is `explore`. session_of() does not copy `record.tools`: the class Sessions adds the tools,
// because equal texts are shared.
Session session_of(const store::SessionRecord& record);

// Writes a context as {"values":{NAME:TEXT},"entries":{TYPE:JSON}}
std::string text_of(const Context& context);

}  // namespace host::session
