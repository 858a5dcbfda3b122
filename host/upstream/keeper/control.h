// The protocol between the host and toolpost-keeper. The keeper starts one upstream server. The
// keeper ends the server and all processes that the server started in each of three cases: when the
// host orders the end, when the server itself ends, and when the host has ended for any reason.
//
//     toolpost-keeper GRACE_MS[:FILE_BYTES:MEMORY_BYTES[:REPORTS[:OPEN_FILES]]] COMMAND ARGUMENT...
//
// FILE_BYTES limits each file that the server writes, and MEMORY_BYTES the memory of each of its
// processes. 0 means that the keeper sets no limit. REPORTS is 1 if the command is toolpost-confine
// (confine/order.h), which then inherits kKeeperStatus and writes lines of its own to it
// (confine/report.h). Otherwise REPORTS is 0. OPEN_FILES is the soft limit of descriptors of the
// keeper and the server, because the host has raised its own (base/process/open_files.h). 0 means
// that they keep the host's limit.
//
// The server inherits the keeper's standard input, output and error, its environment and its
// working folder.
#pragma once

namespace host::upstream {

// The descriptor that the keeper reads. End of file, or any byte, orders the keeper to stop the
// server: the keeper sends SIGTERM to the server's process group and to the other processes that
// the server started. After the grace period, the keeper sends SIGKILL to all of these processes
// that still exist.
inline constexpr int kKeeperControl = 3;

// The descriptor that the keeper writes to. The keeper first writes the line "started PID", or
// "failed ERRNO" if the command could not be run. After a line "started", the keeper writes the
// line "exited STATUS" or "killed SIGNAL" when the server has ended.
inline constexpr int kKeeperStatus = 4;

}  // namespace host::upstream
