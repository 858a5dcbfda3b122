#include "cli/access/config_orders.h"

#include <unistd.h>

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace host::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The host watches its file, and can have applied an edit before it got the order.
TEST(AddEdited, NamesEditsThatAreInEffect) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("toolpost-edited-" + std::to_string(::getpid()) + ".toml");
  std::ofstream(file) << "\n";
  const auto applied = [&](HostReport report) {
    std::vector<HostReport> reports{std::move(report)};
    add_edited(reports, file, {"upstream.one"});
    return reports.front().applied;
  };
  HostReport report;
  report.file = file.string();
  EXPECT_THAT(applied(report), ElementsAre("upstream.one"));
  HostReport told = report;
  told.applied = {"upstream.one", "rule"};
  EXPECT_THAT(applied(told), ElementsAre("upstream.one", "rule"));
  told.applied = {"upstream.one.args"};
  EXPECT_THAT(applied(told), ElementsAre("upstream.one.args"));
  HostReport later = report;  // the edit waits for a restart, with others of the file
  later.needs_restart = {"upstream.one"};
  EXPECT_THAT(applied(later), IsEmpty());
  HostReport faulty = report;
  faulty.faults = {"config.toml:1:1: no"};
  EXPECT_THAT(applied(faulty), IsEmpty());
  HostReport elsewhere = report;
  elsewhere.file = "/nonexistent/config.toml";
  EXPECT_THAT(applied(elsewhere), IsEmpty());
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace host::cli
