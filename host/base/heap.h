// Controls how much freed memory the process keeps. By default glibc returns freed blocks of 128
// KiB and more to the system immediately. Without keep_freed_memory(), a host with large payloads
// spends most of its time on page faults.
#pragma once

namespace host {

// After keep_freed_memory(), the process keeps up to 64 MiB of freed memory for reuse, even if the
// freed blocks are large.
void keep_freed_memory();

// Returns free memory of the process to the system if the process has much free memory. Call
// give_back_memory() from time to time, from one thread only.
void give_back_memory();

}  // namespace host
