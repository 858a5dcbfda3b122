// What the host and toolpost-keeper tell each other. The keeper starts one upstream server and ends
// it, with all processes that it started, in every case: on the host's order, when the server ends
// itself, and when the host is gone, however it ended.
//
//     toolpost-keeper GRACE_MS COMMAND ARGUMENT...
//
// Standard input, output and error are the server's. The environment and the working folder too.
#pragma once

namespace host::upstream {

// The keeper reads it. Its end, or any byte, is the order to stop: SIGTERM to the server's process
// group and to what it leaves behind, and SIGKILL to all that is left after the grace period.
inline constexpr int kKeeperControl = 3;

// The keeper writes one line: "started PID", "failed ERRNO" (the command could not be run), and
// after "started" one more when the server has ended: "exited STATUS" or "killed SIGNAL".
inline constexpr int kKeeperStatus = 4;

}  // namespace host::upstream
