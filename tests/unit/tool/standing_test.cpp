#include "tool/definition/standing.h"

#include <gtest/gtest.h>

#include "tool/definition/tool.h"

namespace host::tool {
namespace {

using Kind = ProviderIdentity::Kind;

TEST(Standing, SaysWhatIsInForceOfEachClaim) {
  Declaration plain;
  EXPECT_EQ(standing_of(plain, Kind::Plugin).reads, Reads::Never);
  EXPECT_EQ(standing_of(plain, Kind::Plugin).own_yes, OwnYes::Never);
  Declaration reading = plain;
  reading.read_only = true;
  EXPECT_EQ(standing_of(reading, Kind::Plugin).reads, Reads::Always);
  reading.has_check_read_only = true;  // it may say no of a call
  EXPECT_EQ(standing_of(reading, Kind::Plugin).reads, Reads::ByCheck);
  Declaration shell = plain;
  shell.command_arg = "/command";
  EXPECT_EQ(standing_of(shell, Kind::Plugin).reads, Reads::ByCommand);
  shell.may_only_read = false;
  EXPECT_EQ(standing_of(shell, Kind::Plugin).reads, Reads::Never);
}

TEST(Standing, OfAnOwnCheckCountsAYesOnlyInFullTrust) {
  Declaration checked;
  checked.has_check_permissions = true;
  EXPECT_EQ(standing_of(checked, Kind::Plugin).own_yes, OwnYes::ByCheck);
  for (const config::Trust trust : {config::Trust::ReadOnly, config::Trust::None}) {
    checked.trust = trust;
    EXPECT_EQ(standing_of(checked, Kind::Plugin).own_yes, OwnYes::Never);
    EXPECT_FALSE(standing_of(checked, Kind::Plugin).own_match);
  }
}

TEST(Standing, OnlyTheHostsOwnToolsAllowThemselves) {
  EXPECT_EQ(standing_of({}, Kind::Host).own_yes, OwnYes::Always);
  EXPECT_EQ(as_json(standing_of({}, Kind::Host)),
            R"({"trust":"full","reads_only":"never","allows_itself":"always"})");
  Declaration todo_write;
  todo_write.not_in_explore = true;
  EXPECT_EQ(standing_of(todo_write, Kind::Host).own_yes, OwnYes::NotInExplore);
}

}  // namespace
}  // namespace host::tool
