// Controls how much freed memory the process keeps. By default glibc returns freed blocks of 128
// KiB and more to the system at once. The next allocation of a large block then costs a page fault
// for each page of the block. For large payloads, most of the time is spent on page faults.
#pragma once

namespace host {

// After a call of this function, the process keeps up to 64 MiB of freed memory for reuse, even if
// the freed blocks are large.
void keep_freed_memory();

// Returns free memory of the process to the system if the process has much free memory. Call this
// function from time to time, from one thread only.
void give_back_memory();

}  // namespace host
