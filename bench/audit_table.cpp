// What a line of the audit costs in its table (store/audit/table.h): filled from nothing, and where
// the table is full, so that each line drops another; and what searches in a full one take.
//
//   taskset -c 1 bench_audit_table [ROWS]   100,000 rows and three times as many lines; processor
//   time and time of the fill.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/clock.h"
#include "base/digest.h"
#include "store/audit/table.h"

namespace {

using host::store::AuditQuery;
using host::store::AuditTable;
namespace fs = std::filesystem;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double processor_s() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// As a host writes it for a call of one of 40 tools by one of 20 principals; one in 50 fails.
std::string line_of(long number, host::WallTime time) {
  return R"({"time":")" + host::to_rfc3339(time) + R"(","call":")" + host::random_id() +
         R"(","origin":"peer","principal":"person-)" + std::to_string(number * 7 % 20) +
         R"(","session":")" + host::random_id() + R"(","tool":"tool_number_)" +
         std::to_string(number * 13 % 40) + R"(","provider":"plugin_)" +
         std::to_string(number % 8) + R"(","args_sha256":")" +
         host::to_hex(host::sha256(std::to_string(number))) +
         R"(","decision":"allow","rule":"read-only","outcome":")" +
         (number % 50 == 0 ? "tool_error" : "ok") + R"(","us":)" + std::to_string(number % 5000) +
         "}\n";
}

void write_lines(const fs::path& file, long from, long count) {
  std::ofstream out(file, std::ios::app);
  const host::WallTime begin{std::chrono::seconds(1'800'000'000)};
  for (long i = from; i < from + count; ++i)
    out << line_of(i, begin + std::chrono::milliseconds(i));
}

void fill(AuditTable& table, const char* what) {
  const double processor = processor_s();
  const auto began = host::steady_now();
  const auto filled = table.fill();
  if (!filled) {
    std::printf("%s\n", filled.error().message.c_str());
    std::exit(1);
  }
  const std::chrono::duration<double> took = host::steady_now() - began;
  const auto lines = static_cast<double>(filled->lines);
  std::printf("%s: %.0f lines of %.0f bytes, %.2f us of processor time and %.2f us each\n", what,
              lines, static_cast<double>(filled->bytes) / lines,
              (processor_s() - processor) * 1e6 / lines, took.count() * 1e6 / lines);
}

void search(AuditTable& table, const char* what, const AuditQuery& query) {
  const auto began = host::steady_now();
  const auto found = table.search(query);
  const std::chrono::duration<double, std::milli> took = host::steady_now() - began;
  std::printf("%s: %zu lines in %.2f ms\n", what, found ? found->lines.size() : 0, took.count());
}

}  // namespace

int main(int count, char** words) {
  const long rows = count > 1 ? std::atol(words[1]) : 100'000;
  if (rows < 1) return 1;
  std::string name = (fs::temp_directory_path() / "bench-audit-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  const fs::path file = folder / "audit.jsonl";
  {
    write_lines(file, 0, rows);
    AuditTable table = AuditTable::open(file, static_cast<std::uint64_t>(rows)).value();
    fill(table, "empty table");
    write_lines(file, rows, rows);
    fill(table, "full table");
    write_lines(file, 2 * rows, rows);
    fill(table, "full table");
    std::printf(
        "%.0f bytes of database a row\n",
        static_cast<double>(fs::file_size(AuditTable::file_of(file))) / static_cast<double>(rows));
    search(table, "the newest", {});
    AuditQuery query;
    query.principal = "person-3";
    search(table, "of a principal", query);
    query.outcome = "tool_error";
    search(table, "that failed, of a principal whose calls do not", query);
    query = {};
    query.event = "login";
    search(table, "of an event that never was", query);
    query = {};
    query.tool = "tool_number_1";
    query.principal = "person-2";
    search(table, "of a tool, by who never called it", query);
    query = {};
    query.until = host::to_rfc3339(host::WallTime{std::chrono::seconds(1'800'000'000)} +
                                   std::chrono::milliseconds(2 * rows + rows / 2));
    search(table, "the newest of an earlier time", query);
    query = {};
    query.since = "2027";
    query.principal = "nobody";
    search(table, "of nobody since long ago", query);
  }
  fs::remove_all(folder);
  return 0;
}
