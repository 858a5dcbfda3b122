// A session as the store has it, and back.
#pragma once

#include "session/session.h"
#include "store/session_store.h"

namespace host::session {

store::SessionRecord record_of(const Session& session, WallTime used);

// What a newer host wrote and this one does not know reads as the strictest value: an unknown mode
// is `explore`. `record.tools` is left out, because equal texts are shared; see Sessions.
Session session_of(const store::SessionRecord& record);

// {"values": {name: text}, "entries": {type: JSON}}
std::string text_of(const Context& context);

}  // namespace host::session
