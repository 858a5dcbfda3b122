// Controls how much freed memory the process keeps. By default glibc returns freed blocks of 128
// KiB and more to the system at once. After that, the next large block costs a page fault for each
// of its pages. For large payloads, page faults are most of the cost.
#pragma once

namespace host {

// After a call of this function, the process keeps up to 64 MiB of freed memory, also of freed
// blocks of 128 KiB and more.
void keep_freed_memory();

// Returns free memory of the process to the system if the process has much free memory. Call this
// function from time to time, from one thread only.
void give_back_memory();

}  // namespace host
