#include "cli/output/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <utility>

#include "cli/output/exit_code.h"
#include "cli/output/line.h"

namespace host::cli {
namespace {

// One process runs one verb, and every function of it may make something.
std::string lost_output;
int write_error = 0;

}  // namespace

bool open_closed_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // Only for reading: a command that prints must not succeed where nobody gets its output.
    const int mode = fd == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    if (::open("/dev/null", mode) != fd) return false;  // the lowest free number is `fd`
  }
  return true;
}

void set_lost_output(std::string remedy) {
  lost_output = std::move(remedy);
}

void note_write_error(int code) {
  if (write_error == 0) write_error = code;
}

int check_output(int exit_code) {
  // std::cout has no buffer of its own. Its flush() would take the error away.
  const bool is_flushed = std::fflush(stdout) == 0;
  if (!is_flushed) note_write_error(errno);
  if (is_flushed && std::ferror(stdout) == 0 && std::cout.good()) return exit_code;
  // A reader such as `head` has what it wanted.
  if (write_error == EPIPE && lost_output.empty()) return exit_code;
  Line(std::cerr) << "toolpost: the output could not be written to standard output"
                  << (write_error != 0 ? std::string(": ") + std::strerror(write_error) : "")
                  << (lost_output.empty() ? "" : "; " + lost_output);
  return exit_code == kExitOk ? kExitFailure : exit_code;
}

}  // namespace host::cli
