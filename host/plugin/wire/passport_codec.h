// Writes and reads the part of a call's passport that a worker gets: the data about the caller that
// the plugin may read. The credential, the address, the outer call and the attached files stay in
// the host.
#pragma once

#include <cstddef>

#include "plugin/wire/frame.h"
#include "tool/call/passport.h"

namespace host::plugin {

void write_passport(BodyWriter& body, const tool::Passport& passport);
// Returns the number of bytes that write_passport() appends.
std::size_t passport_bytes(const tool::Passport& passport);
// read_passport() never returns null. If the bytes are not valid, body.ok() returns false after the
// call.
tool::PassportPtr read_passport(BodyReader& body);

}  // namespace host::plugin
