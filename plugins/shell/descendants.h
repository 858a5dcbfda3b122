// What a command started that left its process group (`setpgid`, `setsid`), whatever became of its
// parents. One command at a time: all children of this process are taken for the command's.
#pragma once

// From now on a process whose parent ended becomes a child of this one. Throws toolpost::Error
// where the system refuses: then nobody could find such a process again.
void adopt_orphans();

// Ends all children of this process and all below them, and waits for their end. False: some still
// run, because the system does not say which, or does not let this process end them.
bool end_descendants();
