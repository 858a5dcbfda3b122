// The commit of the sources that this program was built from.
#pragma once

namespace host {

// Returns the first twelve digits of the commit, and "-dirty" if the sources had other changes. The
// returned text is empty if the sources are in no Git repository.
const char* commit();

}  // namespace host
