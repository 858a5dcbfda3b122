// Makes and reads the lines that toolpost-confine writes to kKeeperStatus (keeper/control.h),
// before it executes the server. A line "absent PATH: REASON" names a granted path that is not
// accessible. The line "layer NAME 1 DETAIL" names a layer of the sandbox that works, and "layer
// NAME 0 DETAIL" a layer that does not work. The line "refused REASON" means that the sandbox is
// not complete, so the server is not started. The line "failed ERRNO" means that the command could
// not be executed.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/apply.h"

namespace host::upstream {

// Returns the report lines for `applied`, each with its line end. In the report, the lines "layer"
// are last.
std::string report_of(const sandbox::Applied& applied);

// Returns the report line "refused ..." with its line end.
std::string refusal_report(std::string_view reason);

// Reads one report line "absent" or "layer", without its line end, and adds its content to
// `applied`. Returns false for any other report line.
bool take_report(std::string_view line, sandbox::Applied& applied);

}  // namespace host::upstream
