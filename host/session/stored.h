// Converts sessions to the form of the store, and back.
#pragma once

#include "session/session.h"
#include "store/part/session_store.h"

namespace host::session {

store::SessionRecord record_of(const Session& session, WallTime used);

// An unknown value, which a newer host wrote, is read as the strictest value: an unknown mode is
// `explore`. `record.tools` is left out, because equal texts are shared; see Sessions.
Session session_of(const store::SessionRecord& record);

// {"values": {name: text}, "entries": {type: JSON}}
std::string text_of(const Context& context);

}  // namespace host::session
