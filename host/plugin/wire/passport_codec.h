// The part of a passport that a worker gets: the data about the caller that its plugin may read.
// The credential, the address, the outer call and the attached files stay in the host.
#pragma once

#include <cstddef>

#include "plugin/wire/frame.h"
#include "tool/call/passport.h"

namespace host::plugin {

void write_passport(BodyWriter& body, const tool::Passport& passport);
std::size_t passport_bytes(const tool::Passport& passport);  // as written
// Never null. If the bytes are not valid, body.ok() is false.
tool::PassportPtr read_passport(BodyReader& body);

}  // namespace host::plugin
