// Functions that take the place of SQLite's own. SQLite looks at the time between the steps of a
// statement, and each of its own functions is one step: instr(), replace() and the trims cost the
// product of the lengths of their arguments there, json_patch() that of the numbers of members.
#pragma once

#include <sqlite3.h>

// The same results at a cost that is about that of reading the arguments; json_patch() refuses
// texts that would take long. Returns a code of SQLite.
int replace_slow_functions(sqlite3* database);
