// The protocol between the host and toolpost-keeper. The keeper starts one upstream server. It ends
// the server and all processes that the server started in every case: when the host orders it, when
// the server itself ends, and when the host has ended for any reason.
//
//     toolpost-keeper GRACE_MS COMMAND ARGUMENT...
//
// The server inherits the keeper's standard input, output and error, its environment and its
// working folder.
#pragma once

namespace host::upstream {

// The keeper reads this descriptor. End of file, or any byte, is the order to stop: the keeper
// sends SIGTERM to the server's process group and to its other processes, and after the grace
// period SIGKILL to all that are left.
inline constexpr int kKeeperControl = 3;

// The keeper writes one line to this descriptor: "started PID", or "failed ERRNO" if the command
// could not be run. After "started" it writes a second line when the server has ended: "exited
// STATUS" or "killed SIGNAL".
inline constexpr int kKeeperStatus = 4;

}  // namespace host::upstream
