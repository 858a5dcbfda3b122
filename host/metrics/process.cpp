#include "metrics/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/text/file_text.h"

namespace host::metrics {
namespace {

namespace fs = std::filesystem;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void add_processor_time(Page& page) {
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) != 0) return;
  page.one("process_cpu_seconds_total", Kind::Counter,
           "Processor time, user and system, in seconds.",
           seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
}

void add_memory(Page& page) {
  std::ifstream file("/proc/self/statm");
  std::uint64_t virtual_pages = 0;
  std::uint64_t resident_pages = 0;
  if (!(file >> virtual_pages >> resident_pages)) return;
  const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  page.one("process_resident_memory_bytes", Kind::Gauge, "Resident memory in bytes.",
           static_cast<double>(resident_pages) * page_bytes);
  page.one("process_virtual_memory_bytes", Kind::Gauge, "Virtual memory in bytes.",
           static_cast<double>(virtual_pages) * page_bytes);
}

void add_descriptors(Page& page) {
  std::error_code error;
  const fs::directory_iterator open("/proc/self/fd", error);
  if (error) return;
  const auto count = std::distance(begin(open), end(open)) - 1;  // less the one that looks
  page.one("process_open_fds", Kind::Gauge, "Open file descriptors.", static_cast<double>(count));
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  page.one("process_max_fds", Kind::Gauge, "The most file descriptors that may be open.",
           static_cast<double>(limit.rlim_cur));
}

// Fields of /proc/self/stat after the program's name, which may have blanks: state is the third.
void add_start(Page& page) {
  const std::string text = file_text("/proc/self/stat").value_or("");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return;
  std::size_t at = name_end + 1;
  for (int field = 3; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  std::ifstream stat("/proc/stat");
  std::string word;
  double boot = 0;
  while (stat >> word && word != "btime") stat.ignore(1 << 20, '\n');
  if (at == std::string::npos || !(stat >> boot)) return;
  const auto ticks = static_cast<double>(std::strtoull(text.c_str() + at, nullptr, 10));
  page.one("process_start_time_seconds", Kind::Gauge,
           "When the process began, in seconds since 1970.",
           boot + ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace

void add_process(Page& page) {
  add_processor_time(page);
  add_memory(page);
  add_descriptors(page);
  add_start(page);
}

}  // namespace host::metrics
