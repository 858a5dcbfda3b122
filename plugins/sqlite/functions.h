// Functions that take the place of SQLite's own. SQLite looks at the time where a loop of a
// statement begins anew, and a statement may call many functions before that. instr(), replace()
// and the trims cost the product of the lengths of their arguments there, as LIKE and GLOB do, and
// json_patch() that of the numbers of members.
#pragma once

#include <sqlite3.h>

// Tells whether a statement must end.
struct Watch {
  int (*is_over)(void* statement);
  void* statement;
};

// The same results at a cost that is about that of reading the arguments, or of that times a short
// pattern; json_patch() refuses texts that would take long. Each of them ends a statement that is
// over. Returns a code of SQLite. `watch` stays as long as the database.
int replace_slow_functions(sqlite3* database, const Watch& watch);
