// The last step of a child that runs a command.
#pragma once

#include <string>
#include <vector>

// Says why this process cannot go on, and ends it with 125.
[[noreturn]] void give_up(const char* what);

// `/bin/sh -c command`, with this environment and no other.
[[noreturn]] void become_shell(const std::string& command,
                               const std::vector<std::string>& environment);
