// How a verb that could not do its work ends.
#pragma once

#include "base/result.h"

namespace host::cli {

// Says why on standard error; the exit code that its kind means.
int complain(const Error& error);

}  // namespace host::cli
