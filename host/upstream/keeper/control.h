// Defines the protocol between the host and toolpost-keeper. The keeper starts one upstream server.
// The keeper ends the server and all processes that the server started in each of three cases: when
// the host orders the end, when the server itself ends, and when the host has ended for any reason.
//
//     toolpost-keeper GRACE_MS[:FILE_BYTES:MEMORY_BYTES[:REPORTS[:OPEN_FILES]]] COMMAND ARGUMENT...
//
// FILE_BYTES limits each file that the server writes. MEMORY_BYTES limits the memory of each of the
// server's processes. If FILE_BYTES or MEMORY_BYTES is 0, the keeper does not set this limit.
// REPORTS is 1 if the command is toolpost-confine (confine/order.h). toolpost-confine then inherits
// kKeeperStatus and writes lines of its own to this descriptor (confine/report.h). Otherwise
// REPORTS is 0. OPEN_FILES is the soft limit of open files for the keeper and the server, because
// the host has raised its own limit (base/process/open_files.h). If OPEN_FILES is 0, the keeper and
// the server have the host's limit.
//
// The server inherits the keeper's standard input, output and error, its environment and its
// working folder.
#pragma once

namespace host::upstream {

// kKeeperControl is the descriptor that the keeper reads. The end of file on kKeeperControl, or any
// byte, orders the keeper to stop the server. To stop the server, the keeper sends SIGTERM to the
// server's process group and to the other processes that the server started. After the grace
// period, the keeper sends SIGKILL to the processes of the server that still exist.
inline constexpr int kKeeperControl = 3;

// kKeeperStatus is the descriptor that the keeper writes to. The keeper first writes the line
// "started PID", or "failed ERRNO" if the command could not be run. After a line "started", the
// keeper writes the line "exited STATUS" or "killed SIGNAL" when the server has ended.
inline constexpr int kKeeperStatus = 4;

}  // namespace host::upstream
