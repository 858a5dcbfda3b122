// What the process keeps of the memory that it freed. By glibc's defaults a block of 128 KiB and
// more goes back to the system at once, and to have the next one is a fault for each of its pages:
// most of what a large payload costs.
#pragma once

namespace host {

// From now on up to 64 MiB are kept for the next such block.
void keep_freed_memory();

// Gives back what is free, where that is worth it. Now and then; one thread alone.
void give_back_memory();

}  // namespace host
